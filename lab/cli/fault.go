package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/remote"
)

func newFaultCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "fault node/NAME|group/NAME|zone/NAME STATE",
		Short: "Break nodes of a running lab, or bring them back",
		Long: `Brings one node, every node of a group, or every node of a zone into a state:

  off           the machine has no power: nothing on it runs
  kubelet-down  only kubelet is stopped: containers go on, nobody reports them
  link-down     a second network interface of the machine is down, everything else works
  cut-off       the machine lives, but the API server does not hear it
  no-addresses  the machine's subnet has no address left for another pod, everything else works
  on            back: a machine that was off boots, one that was cut off reconnects, a link comes up, addresses are free

A zone that is off is lost to the cloud too: nothing launches there, and its volumes cannot be attached.`,
		Example: `  naosu-lab fault zone/us-east-1c off
  naosu-lab fault node/ip-10-0-1-17.ec2.internal kubelet-down`,
		Args:      exactly(2, "a target such as node/NAME, group/NAME or zone/NAME, and a state"),
		ValidArgs: stateNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := parseTarget(args[0])
			if err != nil {
				return badInputError{err}
			}
			state, err := parseState(args[1])
			if err != nil {
				return badInputError{err}
			}
			client, err := remote.Dial(labDir(dir))
			if err != nil {
				return err
			}
			affected, err := client.Fault(cmd.Context(), target, state)
			if err != nil {
				return err
			}
			for _, node := range affected {
				fmt.Fprintf(cmd.OutOrStdout(), "node/%s %s\n", node, state)
			}
			return nil
		},
	}
	addDirFlag(cmd, &dir)
	return cmd
}

func addDirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data-dir", "", "the running lab's folder (default: the one of the kubeconfig in KUBECONFIG)")
}

// labDir is the folder of the running lab: the flag's, else that of the kubeconfig in KUBECONFIG.
func labDir(flag string) string {
	if flag != "" {
		return flag
	}
	return filepath.Dir(os.Getenv("KUBECONFIG"))
}

// parseTarget reads KIND/NAME.
func parseTarget(arg string) (lab.Target, error) {
	kind, name, _ := strings.Cut(arg, "/")
	if name != "" {
		switch kind {
		case "node":
			return lab.Target{Node: name}, nil
		case "group":
			return lab.Target{Group: name}, nil
		case "zone":
			return lab.Target{Zone: name}, nil
		}
	}
	return lab.Target{}, fmt.Errorf("target: %q is not a target; give node/NAME, group/NAME or zone/NAME", arg)
}

func parseState(arg string) (nodes.State, error) {
	if slices.Contains(stateNames(), arg) {
		return nodes.State(arg), nil
	}
	return "", fmt.Errorf("state: %q is not a state; give one of %s", arg, strings.Join(stateNames(), ", "))
}

func stateNames() []string {
	names := make([]string, len(nodes.States))
	for i, state := range nodes.States {
		names[i] = string(state)
	}
	return names
}

// exactly is cobra.ExactArgs with a message that says what is wanted.
func exactly(n int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return fmt.Errorf("%s takes %s", cmd.Name(), want)
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/remote"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/labcluster"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

type upOptions struct {
	nodes       int
	timeScale   float64
	dataDir     string
	bindAddress string
	scenario    string
	until       string
	from        string

	controlPlane controlplane.Starter

	in       io.Reader
	out, err io.Writer
}

func newUpCommand(start controlplane.Starter) *cobra.Command {
	o := &upOptions{controlPlane: start}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Keep a cluster running for kubectl and naosu",
		Long: `Runs a cluster until Ctrl-C. Its kubeconfig appears, whole, when the cluster is ready: with --scenario and --until,
when the story has come to that point.

With --data-dir the cluster's objects, its certificate authority and the state of its cloud are kept there and found
again by the next "up"; without it everything is temporary.

Its cloud answers AWS's calls (EC2: DescribeInstances, DescribeInstanceStatus, RebootInstances, DescribeSubnets,
DescribeNetworkInterfaces, DeleteNetworkInterface and more; Auto Scaling: DescribeAutoScalingGroups,
TerminateInstanceInAutoScalingGroup; EKS: DescribeNodegroup, of the cluster "naosu-lab"). The
variables that are printed lead AWS's SDKs and its command line there.

With --from the cluster is the twin of the one that a snapshot ("naosu snapshot") was taken of: its nodes, its pods where
they run, its volumes, owners and policies. What could not be carried over is listed first.`,
		Example: `  naosu-lab up --nodes 6
  naosu-lab up --from prod.naosu
  naosu-lab up --scenario stranded-volume --until stranded --time-scale 10 --data-dir ./lab`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.in, o.out, o.err = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := o.validate(cmd.Flags().Changed("nodes")); err != nil {
				return badInputError{err}
			}
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.nodes, "nodes", 3, "how many nodes, over three zones")
	flags.Float64Var(&o.timeScale, "time-scale", 1, "how many times faster than reality")
	flags.StringVar(&o.dataDir, "data-dir", "", "folder that keeps the cluster (default: a temporary one)")
	flags.StringVar(&o.bindAddress, "bind-address", "", "IP address to listen on beside 127.0.0.1")
	flags.StringVar(&o.scenario, "scenario", "", "build this scenario's cluster and play it")
	flags.StringVar(&o.until, "until", "", "with --scenario: play to this point and wait there (default \"start\")")
	flags.StringVar(&o.from, "from", "", "build the twin of the cluster that this snapshot file was taken of, - for standard input")
	return cmd
}

func (o *upOptions) validate(nodesGiven bool) error {
	switch {
	case o.nodes < 0:
		return fmt.Errorf("--nodes: %d is not a number of nodes; give 0 or more", o.nodes)
	case o.until != "" && o.scenario == "":
		return errors.New("--until: names a point of a scenario; give --scenario as well")
	case o.scenario != "" && nodesGiven:
		return errors.New("--nodes: the scenario says which nodes there are; leave it out")
	case o.from != "" && (o.scenario != "" || nodesGiven):
		return errors.New("--from: the snapshot says which cluster to build; leave out --scenario and --nodes")
	}
	if o.until == "" {
		o.until = scenario.Start
	}
	return checkTimeScale(o.timeScale)
}

func (o *upOptions) run(ctx context.Context) (err error) {
	start, err := o.starter()
	if err != nil {
		return err
	}
	if err := o.removeKubeconfig(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.removeKubeconfig()) }()
	l, err := start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Stop()) }()

	dir := o.dir(l)
	stop, err := remote.Serve(ctx, dir, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := l.Plane.WriteKubeconfig(kubeconfig); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	fmt.Fprintf(o.out, "export KUBECONFIG=%s\n", kubeconfig)
	for _, variable := range l.AWS.Environment() {
		fmt.Fprintf(o.out, "export %s\n", variable)
	}
	fmt.Fprintln(o.err, "The lab is up. Ctrl-C ends it.")
	return l.Wait(ctx)
}

// starter is how the lab comes up: with plain nodes, as the twin of a snapshot, or with a scenario's cluster, played to a point. It fails on bad
// input, before anything is started.
func (o *upOptions) starter() (func(context.Context) (*lab.Lab, error), error) {
	if o.from != "" {
		return o.twin()
	}
	if o.scenario == "" {
		return func(ctx context.Context) (*lab.Lab, error) {
			plain := lab.Options{Cloud: o.plainCloud(), Pace: pace.New(o.timeScale)}
			o.configure(&plain)
			return lab.Start(ctx, plain)
		}, nil
	}
	s, err := load(o.scenario, o.timeScale)
	if err != nil {
		return nil, err
	}
	pass, err := s.Pass(scenario.Kubernetes)
	if err != nil {
		return nil, err
	}
	if points := pass.Points(); !slices.Contains(points, o.until) {
		return nil, badInputError{fmt.Errorf("--until: %s has no point %q; it has %s", s.Name, o.until, strings.Join(points, ", "))}
	}
	return func(ctx context.Context) (*lab.Lab, error) { return o.reach(ctx, pass) }, nil
}

// reach plays the scenario to its point.
func (o *upOptions) reach(ctx context.Context, pass scenario.Pass) (*lab.Lab, error) {
	shown := newProgress(o.err, "playing to "+o.until)
	defer shown.end()
	reached, err := play.Reach(ctx, pass, o.until, play.Options{
		Build: labcluster.Builder(o.configure), Pace: pace.New(o.timeScale), Observer: shown.observe,
	})
	if err != nil {
		return nil, err
	}
	return reached.(labcluster.Cluster).Lab, nil
}

// configure sets where the lab keeps its data and listens, and its control plane.
func (o *upOptions) configure(l *lab.Options) {
	l.ControlPlane, l.DataDir, l.BindAddress = o.controlPlane, o.dataDir, o.bindAddress
}

func (o *upOptions) plainCloud() cloud.Spec {
	return cloud.Spec{Groups: []cloud.GroupSpec{{
		Name: "workers", InstanceType: "m5.large", Desired: o.nodes, Max: max(2*o.nodes, 10),
	}}}
}

// dir is the folder of the lab's kubeconfig and address.
func (o *upOptions) dir(l *lab.Lab) string {
	if o.dataDir != "" {
		return o.dataDir
	}
	return l.Plane.DataDir()
}

// removeKubeconfig removes the kubeconfig of this or an earlier run: the file exists only while the cluster works.
func (o *upOptions) removeKubeconfig() error {
	if o.dataDir == "" {
		return nil
	}
	if err := os.Remove(filepath.Join(o.dataDir, "kubeconfig")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the kubeconfig: %w", err)
	}
	return nil
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments, but was given %q", cmd.Name(), args)
}

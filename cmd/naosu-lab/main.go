// Command naosu-lab runs a Kubernetes cluster in one process, with simulated nodes in a simulated cloud, and plays
// incidents on it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/inprocess"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// Exit codes, as CONTRIBUTING and the commands' help state them.
const (
	exitFailed    = 1
	exitBadInput  = 2
	exitNotJudged = 3
)

// badInputError marks an error as the caller's to mend; nothing was started or changed.
type badInputError struct{ error }

func (b badInputError) Unwrap() error { return b.error }

// errExpectations is returned when everything was played and an expectation did not hold; the report has said which.
var errExpectations = errors.New("an expectation did not hold")

// errNotJudged is returned when none failed and the machine was too slow to judge one; the report has said which.
var errNotJudged = errors.New("an expectation could not be judged")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := exitCode(execute(ctx))
	stop()
	os.Exit(code)
}

// execute runs the command. What cobra refuses before a command has begun is bad input.
func execute(ctx context.Context) error {
	began := false
	cmd := newCommand()
	cmd.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	err := cmd.ExecuteContext(ctx)
	if err != nil && !began {
		return badInputError{err}
	}
	return err
}

func exitCode(err error) int {
	var bad badInputError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errExpectations):
		return exitFailed
	case errors.Is(err, errNotJudged):
		return exitNotJudged
	case errors.Is(err, play.ErrNotJudged):
		fmt.Fprintln(os.Stderr, "naosu-lab:", err)
		return exitNotJudged
	case errors.As(err, &bad):
		fmt.Fprintln(os.Stderr, bad)
		return exitBadInput
	default:
		fmt.Fprintln(os.Stderr, "naosu-lab:", err)
		return exitFailed
	}
}

func newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "naosu-lab",
		Short: "A Kubernetes cluster in one process, and the incidents played on it",
		Long: `naosu-lab runs the real etcd, kube-apiserver, kube-controller-manager and kube-scheduler in one process, with
simulated nodes in a simulated cloud, and plays incidents on them.

Exit codes: 0 everything held, 1 something failed or did not hold, 2 bad input (nothing was started), 3 the machine was too
slow to judge.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.AddCommand(newRunCommand(), newUpCommand(), newFaultCommand(), newScaleCommand(), newDemoCommand(), newListCommand(),
		newPassCommand(), newServeCommand())
	return cmd
}

// newServeCommand is the command of a child process of controlplane.StartChild: tests have their control planes so.
func newServeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    controlplane.ServeCommand,
		Hidden: true,
		Args:   noArguments,
		Run:    func(*cobra.Command, []string) { os.Exit(inprocess.Serve()) },
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// The exit codes besides 0, as the commands' help states them.
const (
	exitFailed    = 1
	exitBadInput  = 2
	exitNotJudged = 3
)

// badInputError marks an error in the caller's input; nothing was started or changed.
type badInputError struct{ error }

func (b badInputError) Unwrap() error { return b.error }

// errExpectations is returned when everything was played and an expectation did not hold; the report has said which.
var errExpectations = errors.New("an expectation did not hold")

// errNotJudged is returned when none failed and the machine was too slow to judge one; the report has said which.
var errNotJudged = errors.New("an expectation could not be judged")

// ControlPlane is the part of the program that links the control plane. Only the program's main imports it, so that this package
// and its tests build in seconds.
type ControlPlane struct {
	// Start runs a control plane in this process: inprocess.Start.
	Start controlplane.Starter
	// Serve runs one for a parent process, and returns the exit code: inprocess.Serve.
	Serve func() int
}

// Run runs the command line of naosu-lab with these arguments, and returns its exit code.
func Run(ctx context.Context, plane ControlPlane, args []string, streams genericiooptions.IOStreams) int {
	if err := limitProcessors(); err != nil {
		return exitCode(streams.ErrOut, err)
	}
	cmd := newCommand(plane)
	cmd.SetArgs(args)
	cmd.SetIn(streams.In)
	cmd.SetOut(streams.Out)
	cmd.SetErr(streams.ErrOut)
	return exitCode(streams.ErrOut, execute(ctx, cmd))
}

// execute runs the command. What cobra refuses before a command has begun is bad input.
func execute(ctx context.Context, cmd *cobra.Command) error {
	began := false
	cmd.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	ran, err := cmd.ExecuteContextC(ctx)
	if err != nil && !began {
		return badInputError{fmt.Errorf("%w; see %s --help", err, ran.CommandPath())}
	}
	return err
}

// exitCode prints an error that the output does not show yet, and returns its exit code.
func exitCode(out io.Writer, err error) int {
	var bad badInputError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errExpectations):
		return exitFailed
	case errors.Is(err, errNotJudged):
		return exitNotJudged
	case errors.Is(err, play.ErrNotJudged):
		fmt.Fprintln(out, "naosu-lab:", err)
		return exitNotJudged
	case errors.As(err, &bad):
		fmt.Fprintln(out, "naosu-lab:", bad)
		return exitBadInput
	default:
		fmt.Fprintln(out, "naosu-lab:", err)
		return exitFailed
	}
}

func newCommand(plane ControlPlane) *cobra.Command {
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
	if version := pflag.CommandLine.Lookup("version"); version != nil {
		version.Hidden = true // It is of the control plane, and cobra takes it for every command's.
	}
	cmd.AddCommand(newRunCommand(), newUpCommand(plane.Start), newFaultCommand(), newScaleCommand(), newDemoCommand(), newListCommand(),
		newPassCommand(plane.Start), newServeCommand(plane.Serve))
	return cmd
}

// newServeCommand is the command of a child process of controlplane.StartChild: tests have their control planes so.
func newServeCommand(serve func() int) *cobra.Command {
	return &cobra.Command{
		Use:    controlplane.ServeCommand,
		Hidden: true,
		Args:   noArguments,
		Run:    func(*cobra.Command, []string) { os.Exit(serve()) },
	}
}

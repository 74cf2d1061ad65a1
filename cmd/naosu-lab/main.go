// Command naosu-lab runs a Kubernetes cluster in one process, with simulated nodes in a simulated cloud, and plays
// incidents on it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/lab/cli"
	"github.com/naosu-dev/naosu/lab/controlplane/inprocess"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	return cli.Run(ctx, cli.ControlPlane{Start: inprocess.Start, Serve: inprocess.Serve}, os.Args[1:], streams)
}

// Command naosu says why pods do not run and what would mend it. Installed as kubectl-naosu it is a kubectl plugin.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // Kubeconfigs of real clusters name these.
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/cli"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	klog.SetLogger(logr.Discard()) // What client-go logs, naosu says itself, once and in plain words.
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	command := cli.NewCommand(os.Args[0], streams)
	err := command.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(streams.ErrOut, "naosu: "+exit.Line(language.Wanted(command, os.Args[1:]), err))
	}
	return exit.Code(err)
}

// Command naosu-agent watches a node and reports its health.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/naosu-dev/naosu/internal/agent/cli"
	"github.com/naosu-dev/naosu/internal/terminal"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := cli.NewCommand(os.Stdout, os.Stderr).ExecuteContext(ctx)
	if err != nil {
		terminal.WriteLine(os.Stderr, "naosu-agent: "+err.Error())
	}
	return cli.ExitCode(err)
}

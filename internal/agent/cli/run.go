package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

type runOptions struct {
	*options
	node       string
	kubeconfig string
	state      string
}

func (o *runOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.node, "node-name", "", "name of the Node that this host is")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; without one, the agent's pod's service account")
	flags.StringVar(&o.state, "state", "/var/lib/naosu-agent", "folder of the agent's own, which keeps evidence over a restart")
}

// run watches and reports until ctx ends.
func (o *runOptions) run(ctx context.Context) error {
	if o.node == "" {
		return badInput{errors.New("--node-name is missing: the name of the Node that this host is")}
	}
	h, c, err := o.read()
	if err != nil {
		return err
	}
	client, err := kube.Connect(o.kubeconfig)
	if err != nil {
		return badInput{err}
	}
	boot, err := h.Boot()
	if err != nil {
		return err
	}
	reporter := report.New(client, o.node, c.Catalogue(), o.log)
	watch := agent.Agent{
		Monitors: c.Monitors(h), Reasons: c.Catalogue(), Memory: &agent.Memory{Folder: o.state, Boot: boot.ID},
		Show: func(p evidence.Picture) { reporter.Show(p) }, Clock: clock.RealClock{}, Log: o.log,
	}
	var reporting sync.WaitGroup
	reporting.Go(func() { reporter.Run(ctx) })
	defer reporting.Wait()
	return watch.Run(ctx)
}

// log tells what a person should know of the agent itself.
func (o *options) log(format string, args ...any) {
	fmt.Fprintf(o.errOut, "%s %s\n", time.Now().UTC().Format(time.RFC3339), fmt.Sprintf(format, args...))
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/internal/agent/report/metrics"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
	"github.com/naosu-dev/naosu/internal/agent/tasks"
)

type runOptions struct {
	*options
	node       string
	kubeconfig string
	state      string
	metrics    string
	logFormat  string
	heartbeat  heartbeatOptions
}

func (o *runOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.node, "node-name", "", "name of this host's Node")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; by default, the service account of the agent's pod")
	flags.StringVar(&o.state, "state", "/var/lib/naosu-agent", "folder in which the agent saves evidence across restarts")
	flags.StringVar(&o.metrics, "metrics-address", "", "address for /metrics, /healthz and /livez, such as 127.0.0.1:9644; by default, no port is opened")
	o.heartbeat.addFlags(flags)
	flags.StringVar(&o.logFormat, "logging-format", "text", "format of the log on standard error: text (key=value pairs) or json")
}

// run watches and reports until ctx ends.
func (o *runOptions) run(ctx context.Context) error {
	if o.node == "" {
		return inputError{errors.New("--node-name is missing: the name of the Node that this host is")}
	}
	if _, _, err := net.SplitHostPort(o.metrics); o.metrics != "" && err != nil {
		return inputError{fmt.Errorf("--metrics-address %s: %w", o.metrics, err)}
	}
	if err := o.heartbeat.validate(); err != nil {
		return err
	}
	log, err := newLogger(o.errOut, o.logFormat)
	if err != nil {
		return err
	}
	h, c, err := o.read()
	if err != nil {
		return err
	}
	for _, r := range c.Refused {
		log.Warn("A file of own reasons is invalid and ignored; all other reasons are watched", "file", r.File, "err", r.Err)
	}
	client, err := kube.Connect(o.kubeconfig)
	if err != nil {
		return inputError{err}
	}
	if c.Network.APIServer == "" {
		c.Network.APIServer = client.Server()
	}
	c.Kernel.ServerClock = &client.Clock
	boot, err := h.Boot()
	if err != nil {
		return err
	}
	reporter := report.New(client, o.node, c.Catalogue(), log)
	numbers := metrics.New(c.Catalogue(), reporter.Status)
	numbers.Check("report", reporter.Health)
	client.Done = numbers.Requested
	beats := o.heartbeat.client(boot.ID, log)
	numbers.Streams(beats.Streams)
	watch := agent.Agent{
		Monitors: numbers.Watch(c.Monitors(h, o.state)), Reasons: c.Catalogue(), EvidenceFile: &agent.EvidenceFile{Folder: o.state, Boot: boot.ID},
		Show: func(p evidence.Snapshot) { reporter.Show(p); numbers.Show(p) }, Clock: clock.RealClock{}, Log: log,
	}
	group, ctx := errgroup.WithContext(ctx)
	if o.metrics != "" {
		group.Go(func() error { o.serve(ctx, numbers, log); return nil })
	}
	group.Go(func() error { beats.Run(ctx); return nil })
	group.Go(func() error { reporter.Run(ctx); return nil })
	group.Go(func() error { o.worker(h, c, client, reporter, log).Run(ctx); return nil })
	group.Go(func() error { return watch.Run(ctx) })
	return group.Wait()
}

// serve serves the metrics, and tries again where another has the port: what happens on the node is reported all the same.
func (o *runOptions) serve(ctx context.Context, numbers *metrics.Metrics, log *slog.Logger) {
	for ctx.Err() == nil {
		err := numbers.Serve(ctx, o.metrics)
		if ctx.Err() != nil {
			return
		}
		log.Warn("Cannot serve metrics, retrying", "retryAfter", serveAgain.String(), "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(serveAgain):
		}
	}
}

// serveAgain is how long after the metrics could not be served it is tried again.
const serveAgain = time.Minute

// worker does what Remediations ask for.
func (o *runOptions) worker(h host.Host, c config.Config, client *kube.Client, reporter *report.Reporter, log *slog.Logger) *tasks.Worker {
	return &tasks.Worker{
		Server: client, Node: o.node, UID: reporter.UID, Version: version(), Clock: clock.RealClock{}, Log: log,
		Restarts: &tasks.Restarts{Options: c.Work, Bus: systemd.New(h)},
		Drills: &tasks.Drills{
			Host: h, Network: c.Network, Reasons: c.Catalogue(), Clock: clock.RealClock{},
			OtherWriters: func() map[string]string { return reporter.Status().OtherWriters },
			Try: func(ctx context.Context, condition kube.Condition) error {
				return client.TryConditions(ctx, o.node, []kube.Condition{condition})
			},
		},
	}
}

// version is what the Go toolchain noted at build: a module version, or the commit of a checkout.
func version() string {
	if info, known := debug.ReadBuildInfo(); known {
		return info.Main.Version
	}
	return ""
}

// newLogger is the agent's log, in one of the formats of Kubernetes' components. Libraries that log with klog write to it, too.
func newLogger(w io.Writer, format string) (*slog.Logger, error) {
	var handler slog.Handler
	switch format {
	case "text":
		handler = slog.NewTextHandler(w, nil)
	case "json":
		handler = slog.NewJSONHandler(w, nil)
	default:
		return nil, inputError{fmt.Errorf("--logging-format %q: must be text or json", format)}
	}
	log := slog.New(handler)
	klog.SetSlogLogger(log)
	return log, nil
}

package input

import (
	"context"
	"errors"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// readWorld reads from where the flags say. Beside the world it returns the namespace that is asked about.
func (o *Options) readWorld(ctx context.Context, progress *output.Progress) (*cluster.Snapshot, string, error) {
	show := func(p cluster.Progress) {
		progress.Show(o.Say().Text(message.ProgressReading, message.Args{"done": p.Done, "total": p.Total}), p.Done, p.Total)
	}
	if o.From != "" {
		return nil, "", errors.New("--from is not built")
	}
	return o.readLive(ctx, show)
}

func (o *Options) readLive(ctx context.Context, show func(cluster.Progress)) (*cluster.Snapshot, string, error) {
	api, err := connect.To(o.Config)
	if err != nil {
		return nil, "", err
	}
	world, err := cluster.Read(ctx, api.Client, cluster.ReadOptions{Namespace: api.Namespace, Clock: o.Clock, Progress: show})
	if err != nil {
		return nil, "", exit.Talking(api.Host, err)
	}
	return world, api.Namespace, nil
}

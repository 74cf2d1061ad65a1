// Package network adds to the world of a cluster what the cloud of its nodes tells of their network.
package network

import (
	"context"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// patience is how long the cloud may take. A VPC of 10,000 interfaces takes ten calls for them.
const patience = time.Minute

// Add is the world with its network; the world as it is if it was read from a file, or if its nodes are of no cloud whose network naosu reads. It
// takes about a second if there are no credentials. What cannot be read is unknown in the world.
func Add(ctx context.Context, o *input.Options, world *cluster.Snapshot) *cluster.Snapshot {
	if o.From != "" || world.HasNetwork() {
		return world
	}
	var machines []cloud.Machine
	for _, node := range world.Nodes() {
		if strings.HasPrefix(node.Spec.ProviderID, "aws:") {
			machines = append(machines, cloud.MachineOf(node))
		}
	}
	if len(machines) == 0 {
		return world
	}
	progress := output.NewProgress(o.ErrOut)
	defer progress.End()
	progress.Show(o.Say().Say(sentence.ProgressNetwork()), 0, 0)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	n, offered := discover.ReadNetwork(ctx, machines)
	if !offered {
		return world
	}
	return world.WithNetwork(n)
}

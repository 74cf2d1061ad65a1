package input

import (
	"context"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// networkTimeout is how long the cloud may take. A VPC of 10,000 interfaces takes ten calls for them.
const networkTimeout = time.Minute

// AddNetwork is the world with what the cloud of its nodes tells of their network; the world as it is if it was read from a file, or if its nodes are
// of no cloud whose network naosu reads. It takes about a second if there are no credentials. What cannot be read is unknown in the world.
func (o *Options) AddNetwork(ctx context.Context, world *cluster.Snapshot) *cluster.Snapshot {
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
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()
	n, offered := discover.ReadNetwork(ctx, machines)
	if !offered {
		return world
	}
	return world.WithNetwork(n)
}

// UsesVPCCNI says whether the AWS VPC CNI gives pods their addresses.
func UsesVPCCNI(in Input) bool {
	return in.World.DaemonSet(metav1.NamespaceSystem, addresses.Plugin) != nil
}

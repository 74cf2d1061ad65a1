package input

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// networkTimeout is how long the cloud may take. A VPC of 10,000 interfaces takes ten calls for them.
	networkTimeout = time.Minute
	// groupsTimeout is how long it may take to tell of node groups alone, which takes four calls.
	groupsTimeout = 10 * time.Second
	// nodesOfGroup is how many nodes of a node group are looked up, to find it at the cloud: some may be gone there.
	nodesOfGroup = 10
)

// AddNetwork is the world with what the cloud of its nodes tells of their network; the world as it is if it was read from a file, or if its nodes are
// of no cloud whose network naosu reads. It takes about a second if there are no credentials. What cannot be read is unknown in the world.
func (o *Options) AddNetwork(ctx context.Context, world *cluster.Snapshot) *cluster.Snapshot {
	if o.From != "" || world.HasNetwork() {
		return world
	}
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()
	n, offered := o.readCloud(ctx, world.Nodes(), discover.ReadNetwork)
	if !offered {
		return world
	}
	return world.WithNetwork(n)
}

// addGroups is AddNetwork of what the cloud tells of node groups only.
func (o *Options) addGroups(ctx context.Context, world *cluster.Snapshot) *cluster.Snapshot {
	if o.From != "" || world.HasScalingGroups() {
		return world
	}
	var nodes []*corev1.Node
	for _, group := range world.Groups() {
		if group.Provider == change.EKS {
			nodes = append(nodes, group.Nodes[:min(len(group.Nodes), nodesOfGroup)]...)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, groupsTimeout)
	defer cancel()
	n, offered := o.readCloud(ctx, nodes, discover.ReadScalingGroups)
	if !offered {
		return world
	}
	return world.WithScalingGroups(n)
}

// readCloud reads what the cloud of nodes tells, with progress on standard error; false if they are of no cloud that naosu reads from.
func (o *Options) readCloud(
	ctx context.Context, nodes []*corev1.Node, read func(context.Context, []cloud.Machine) (cloud.Network, bool),
) (cloud.Network, bool) {
	var machines []cloud.Machine
	for _, node := range nodes {
		if strings.HasPrefix(node.Spec.ProviderID, "aws:") {
			machines = append(machines, cloud.MachineOf(node))
		}
	}
	if len(machines) == 0 {
		return cloud.Network{}, false
	}
	progress := output.NewProgress(o.ErrOut)
	defer progress.End()
	progress.Show(o.Say().Say(sentence.ProgressNetwork()), 0, 0)
	return read(ctx, machines)
}

// UsesVPCCNI says whether the AWS VPC CNI gives pods their addresses.
func UsesVPCCNI(in Input) bool {
	return in.World.DaemonSet(metav1.NamespaceSystem, addresses.Plugin) != nil
}

// NeedsZones says whether a pod waits for a node in the zone of its volume, or runs on the only one there that can use it: then, what the cloud tells of node
// groups is needed.
func NeedsZones(in Input) bool {
	return slices.ContainsFunc(in.World.Pods(), func(pod *corev1.Pod) bool { return facts.LacksNodes(in.World, pod) })
}

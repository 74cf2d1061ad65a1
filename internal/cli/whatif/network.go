package whatif

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// needsZones says whether what the cloud tells of node groups is needed: a group launches nodes, or a change may leave a volume's zone without a node.
func (o *Options) needsZones(in input.Input) bool {
	return slices.ContainsFunc(o.questions, (*question).launchesNodes) ||
		slices.ContainsFunc(in.World.Pods(), func(pod *corev1.Pod) bool { return len(facts.ZonalMounts(in.World, pod)) > 0 })
}

// launchesNodes says whether the change may have a group launch nodes.
func (q *question) launchesNodes() bool {
	switch q.verb {
	case "add-nodes", "rotate":
		return true
	case "scale":
		return len(q.args) > 0 && strings.HasPrefix(strings.ToLower(q.args[0]), "group")
	}
	return false
}

// networkKnown is a failure if a change of the network is asked about, and the network is not known.
func networkKnown(in input.Input, from string, changes []change.Change) error {
	changesNetwork := func(c change.Change) bool {
		kind := cluster.Kind(c.Subject().Kind)
		return kind == cluster.Subnet || kind == cluster.NetworkInterface
	}
	unread := in.Unread(cluster.Subnet, cluster.NetworkInterface)
	if len(unread) == 0 || !slices.ContainsFunc(changes, changesNetwork) {
		return nil
	}
	return exit.Failure(sentence.ErrNetworkNeeded(message.ListOf(unread), from))
}

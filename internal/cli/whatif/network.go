package whatif

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
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

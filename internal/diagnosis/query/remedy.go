package query

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// Propose puts a change into words.
func (q Query) Propose(done change.Change, what, cost, risk message.ID, args message.Args) ProposedRemedy {
	return q.redirectToManager(ProposedRemedy{Remedy: finding.Remedy{
		Message: message.Of(what, args), Change: done, Command: done.Command(),
		Cost: message.Of(cost, args), Risk: message.Of(risk, args),
	}})
}

// Uncordon opens the first node that is only cordoned, and not by what is asked about.
func (q Query) Uncordon(nodes []NodeObstacles) []ProposedRemedy {
	for _, n := range nodes {
		if n.Only(message.ObstacleCordoned) && !slices.Contains(q.Cordoned, n.Node.Name) {
			args := message.Args{"node": facts.RefTo(cluster.Node, n.Node), "zone": cluster.Zone(n.Node)}
			done := change.Uncordon{Node: n.Node.Name}
			return []ProposedRemedy{q.Propose(done, message.RemedyUncordon, message.RemedyUncordonCost, message.RemedyUncordonRisk, args)}
		}
	}
	return nil
}

// Tolerate lets the pod's workload onto the first node that is only tainted, and by people.
func (q Query) Tolerate(pod *corev1.Pod, nodes []NodeObstacles) []ProposedRemedy {
	for _, n := range nodes {
		if !n.Only(message.ObstacleTainted) || facts.AnyOwned(UntoleratedNonLifecycleTaints(pod, n.Node)) {
			continue
		}
		object := q.World.Workload(pod)
		if object == nil || kube.PodTemplate(object) == nil {
			return nil
		}
		tolerations := kube.PodTemplate(object).Spec.Tolerations
		var taints []string
		for _, t := range UntoleratedNonLifecycleTaints(pod, n.Node) {
			taints = append(taints, t.ToString())
			tolerations = append(slices.Clip(tolerations), corev1.Toleration{
				Key: t.Key, Operator: corev1.TolerationOpEqual, Value: t.Value, Effect: t.Effect,
			})
		}
		done, ok := q.PatchTemplate(pod, map[string]any{"tolerations": tolerations})
		if !ok {
			return nil
		}
		args := message.Args{"object": done.Object, "taints": taints, "node": facts.NodeRef(n.Node.Name)}
		return []ProposedRemedy{q.Propose(done, message.RemedyTaints, message.RemedyReplaceCost, message.RemedyTaintsRisk, args)}
	}
	return nil
}

// Untaint takes the taint off the first node that has no other obstacle than one taint, which people put there.
func (q Query) Untaint(pod *corev1.Pod, nodes []NodeObstacles) []ProposedRemedy {
	for _, n := range nodes {
		if taints := UntoleratedNonLifecycleTaints(pod, n.Node); n.Only(message.ObstacleTainted) && len(taints) == 1 && !facts.AnyOwned(taints) {
			args := message.Args{"node": facts.NodeRef(n.Node.Name), "taint": taints[0].ToString()}
			done := change.Untaint{Node: n.Node.Name, Taint: taints[0]}
			return []ProposedRemedy{q.Propose(done, message.RemedyUntaint, message.RemedyUntaintCost, message.RemedyUntaintRisk, args)}
		}
	}
	return nil
}

// ResizeGroups sizes a group so that its zone gains a node.
func (q Query) ResizeGroups(c GroupCandidates) []ProposedRemedy {
	var proposals []ProposedRemedy
	for _, group := range c.Suitable {
		if resized := ResizeRemedy(q, group.Group, group.Zone); resized.Command != "" {
			proposals = append(proposals, ProposedRemedy{Remedy: resized})
		}
	}
	return proposals
}

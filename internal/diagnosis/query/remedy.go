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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Propose is a remedy with a change, its description, cost and risk.
func (q Query) Propose(done change.Change, what, cost, risk message.Sentence) ProposedRemedy {
	return q.redirectToManager(ProposedRemedy{Remedy: finding.Remedy{
		Message: what, Change: done, Command: done.Command(), Cost: cost, Risk: risk,
	}})
}

// Uncordon proposes to uncordon the first node whose only obstacle is its cordon, unless the question is about that
// cordon.
func (q Query) Uncordon(nodes []NodeObstacles) []ProposedRemedy {
	for _, n := range nodes {
		if n.Only(message.ObstacleCordoned) && !slices.Contains(q.Cordoned, n.Node.Name) {
			done := change.Uncordon{Node: n.Node.Name}
			return []ProposedRemedy{q.Propose(done, sentence.RemedyUncordon(facts.RefTo(cluster.Node, n.Node), cluster.Zone(n.Node)), sentence.RemedyUncordonCost(), sentence.RemedyUncordonRisk())}
		}
	}
	return nil
}

// Tolerate proposes tolerations for the first node whose only obstacles are taints that were added manually.
func (q Query) Tolerate(pod *corev1.Pod, nodes []NodeObstacles) []ProposedRemedy {
	for _, n := range nodes {
		taints := UntoleratedNonLifecycleTaints(pod, n.Node)
		if !n.Only(message.ObstacleTainted) || !facts.MayTolerate(taints) || q.taintAsked(n.Node, taints) {
			continue
		}
		object := q.World.Workload(pod)
		if object == nil || kube.PodTemplate(object) == nil {
			return nil
		}
		tolerations := kube.PodTemplate(object).Spec.Tolerations
		var names []string
		for _, t := range taints {
			names = append(names, t.ToString())
			tolerations = append(slices.Clip(tolerations), corev1.Toleration{
				Key: t.Key, Operator: corev1.TolerationOpEqual, Value: t.Value, Effect: t.Effect,
			})
		}
		done, ok := q.PatchTemplate(pod, map[string]any{"tolerations": tolerations})
		if !ok {
			return nil
		}

		return []ProposedRemedy{q.Propose(done, sentence.RemedyTaints(done.Object, facts.NodeRef(n.Node.Name), message.ListOf(names)), sentence.RemedyReplaceCost(done.Object), sentence.RemedyTaintsRisk())}
	}
	return nil
}

// Untaint proposes to remove the taint of the first node whose only obstacle is one taint that was added manually.
func (q Query) Untaint(pod *corev1.Pod, nodes []NodeObstacles) []ProposedRemedy {
	for _, n := range nodes {
		taints := UntoleratedNonLifecycleTaints(pod, n.Node)
		if n.Only(message.ObstacleTainted) && len(taints) == 1 && !facts.AnyOwned(taints) && !q.taintAsked(n.Node, taints) {
			done := change.Untaint{Node: n.Node.Name, Taint: taints[0]}
			return []ProposedRemedy{q.Propose(done, sentence.RemedyUntaint(taints[0].ToString(), facts.NodeRef(n.Node.Name)), sentence.RemedyUntaintCost(), sentence.RemedyUntaintRisk())}
		}
	}
	return nil
}

// taintAsked reports whether the changes asked about add one of the node's taints: no remedy should undo that.
func (q Query) taintAsked(node *corev1.Node, taints []corev1.Taint) bool {
	return slices.ContainsFunc(q.Tainted, func(asked change.Taint) bool {
		return asked.Node == node.Name && slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.MatchTaint(&asked.Taint) })
	})
}

// ResizeGroups proposes to resize a group so that its zone gains a node.
func (q Query) ResizeGroups(c GroupCandidates) []ProposedRemedy {
	var proposals []ProposedRemedy
	for _, group := range c.Suitable {
		if resized := q.ResizeRemedy(group.Group, group.Zone); resized.Command != "" {
			proposals = append(proposals, ProposedRemedy{Remedy: resized})
		}
	}
	return proposals
}

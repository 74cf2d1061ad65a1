package query

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// Way puts a change into words.
func (v View) Way(done change.Change, what, cost, risk message.ID, args message.Args) Way {
	return v.elsewhere(Way{Remedy: finding.Remedy{
		Message: v.Say.Text(what, args), Change: done, Command: done.Command(),
		Cost: v.Say.Text(cost, args), Risk: v.Say.Text(risk, args),
	}})
}

// Uncordon opens the first node that is only cordoned, and not by what is asked about.
func (v View) Uncordon(nodes []ClosedNode) []Way {
	for _, n := range nodes {
		if n.Only(message.ObstacleCordoned) && !slices.Contains(v.Closed, n.Node.Name) {
			args := message.Args{"node": facts.RefTo(cluster.Node, n.Node), "zone": cluster.Zone(n.Node)}
			done := change.Uncordon{Node: n.Node.Name}
			return []Way{v.Way(done, message.RemedyUncordon, message.RemedyUncordonCost, message.RemedyUncordonRisk, args)}
		}
	}
	return nil
}

// Tolerate lets the pod's workload onto the first node that is only tainted, and by people.
func (v View) Tolerate(pod *corev1.Pod, nodes []ClosedNode) []Way {
	for _, n := range nodes {
		if !n.Only(message.ObstacleTainted) || facts.Kept(LastingTaints(pod, n.Node)) {
			continue
		}
		object := v.World.Workload(pod)
		if object == nil || facts.TemplateOf(object) == nil {
			return nil
		}
		tolerations := facts.TemplateOf(object).Spec.Tolerations
		var taints []string
		for _, t := range LastingTaints(pod, n.Node) {
			taints = append(taints, t.ToString())
			tolerations = append(slices.Clip(tolerations), corev1.Toleration{
				Key: t.Key, Operator: corev1.TolerationOpEqual, Value: t.Value, Effect: t.Effect,
			})
		}
		done, ok := v.PatchTemplate(pod, map[string]any{"tolerations": tolerations})
		if !ok {
			return nil
		}
		args := message.Args{"object": done.Object, "taints": taints, "node": facts.NodeRef(n.Node.Name)}
		return []Way{v.Way(done, message.RemedyTaints, message.RemedyReplaceCost, message.RemedyTaintsRisk, args)}
	}
	return nil
}

// Untaint takes the taint off the first node that has no other obstacle than one taint, which people put there.
func (v View) Untaint(pod *corev1.Pod, nodes []ClosedNode) []Way {
	for _, n := range nodes {
		if taints := LastingTaints(pod, n.Node); n.Only(message.ObstacleTainted) && len(taints) == 1 && !facts.Kept(taints) {
			args := message.Args{"node": facts.NodeRef(n.Node.Name), "taint": taints[0].ToString()}
			done := change.Untaint{Node: n.Node.Name, Taint: taints[0]}
			return []Way{v.Way(done, message.RemedyUntaint, message.RemedyUntaintCost, message.RemedyUntaintRisk, args)}
		}
	}
	return nil
}

// ByGroups sizes a group so that its zone gains a node.
func (v View) ByGroups(c Candidates) []Way {
	var ways []Way
	for _, group := range c.Suited {
		if resized := Resize(v, group.Group, group.Zone); resized.Command != "" {
			ways = append(ways, Way{Remedy: resized})
		}
	}
	return ways
}

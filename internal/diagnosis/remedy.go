package diagnosis

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// way puts a change into words.
func (v View) way(done change.Change, what, cost, risk message.ID, args message.Args) way {
	return way{Remedy: finding.Remedy{
		Message: v.Say.Text(what, args), Change: done, Command: done.Command(),
		Cost: v.Say.Text(cost, args), Risk: v.Say.Text(risk, args),
	}}
}

// uncordon opens the first node that is only cordoned.
func (v View) uncordon(nodes []closedNode) []way {
	for _, n := range nodes {
		if n.only(message.ObstacleCordoned) {
			args := message.Args{"node": refTo(cluster.Node, n.node), "zone": cluster.Zone(n.node)}
			done := change.Uncordon{Node: n.node.Name}
			return []way{v.way(done, message.RemedyUncordon, message.RemedyUncordonCost, message.RemedyUncordonRisk, args)}
		}
	}
	return nil
}

// tolerate lets the pod's workload onto the first node that is only tainted.
func (v View) tolerate(pod *corev1.Pod, nodes []closedNode) []way {
	for _, n := range nodes {
		if !n.only(message.ObstacleTainted) {
			continue
		}
		object := v.World.Workload(pod)
		if object == nil || templateOf(object) == nil {
			return nil
		}
		tolerations := templateOf(object).Spec.Tolerations
		var taints []string
		for _, t := range lastingTaints(pod, n.node) {
			taints = append(taints, t.ToString())
			tolerations = append(tolerations[:len(tolerations):len(tolerations)], corev1.Toleration{
				Key: t.Key, Operator: corev1.TolerationOpEqual, Value: t.Value, Effect: t.Effect,
			})
		}
		done, ok := v.patchTemplate(pod, map[string]any{"tolerations": tolerations})
		if !ok {
			return nil
		}
		args := message.Args{"object": done.Object, "taints": taints, "node": nodeRef(n.node.Name)}
		return []way{v.way(done, message.RemedyTaints, message.RemedyReplaceCost, message.RemedyTaintsRisk, args)}
	}
	return nil
}

// untaint takes the taint off the first node that has no other obstacle than one taint.
func (v View) untaint(pod *corev1.Pod, nodes []closedNode) []way {
	for _, n := range nodes {
		if taints := lastingTaints(pod, n.node); n.only(message.ObstacleTainted) && len(taints) == 1 {
			args := message.Args{"node": nodeRef(n.node.Name), "taint": taints[0].ToString()}
			done := change.Untaint{Node: n.node.Name, Taint: taints[0]}
			return []way{v.way(done, message.RemedyUntaint, message.RemedyUntaintCost, message.RemedyUntaintRisk, args)}
		}
	}
	return nil
}

// byGroups sizes a group so that its zone gains a node.
func (v View) byGroups(c candidates) []way {
	var ways []way
	for _, group := range c.suited {
		if resized := resize(v, group.Group, group.zone); resized.Command != "" {
			ways = append(ways, way{Remedy: resized})
		}
	}
	return ways
}

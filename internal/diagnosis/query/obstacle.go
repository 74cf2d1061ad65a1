package query

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// NodeRefs are the references to nodes.
func NodeRefs(nodes []*corev1.Node) []change.Ref {
	refs := make([]change.Ref, 0, len(nodes))
	for _, node := range nodes {
		refs = append(refs, facts.RefTo(cluster.Node, node))
	}
	return refs
}

// Obstacle is one reason of a scheduler plugin why a pod cannot be placed on a node.
type Obstacle struct {
	// Kind is also the sentence that counts nodes with this obstacle.
	Kind message.ID
	// Plugin and Reasons are as the scheduler reports them.
	Plugin  string
	Reasons []string
}

// ObstacleOrder orders obstacles: those that a new node of the same kind would have, too, come first.
var ObstacleOrder = []message.ID{
	message.ObstacleSelector, message.ObstacleLabel, message.ObstacleDomain, message.ObstacleTainted, message.ObstacleVolume, message.ObstacleStorage,
	message.ObstacleInUse, message.ObstacleTogether, message.ObstacleApart, message.ObstacleSpread, message.ObstacleDevice,
	message.ObstacleOther, message.ObstaclePort, message.ObstacleLimit, message.ObstacleFull,
	message.ObstacleNotReady, message.ObstacleCordoned,
}

// obstacleOfPlugin is the kind of each plugin's obstacle. TaintToleration is not included: it depends on the taint.
//
// Source: k8s.io/kubernetes/pkg/scheduler/framework/plugins/names.
var obstacleOfPlugin = map[string]message.ID{
	"NodeUnschedulable":  message.ObstacleCordoned,
	"NodeName":           message.ObstacleSelector,
	"NodeAffinity":       message.ObstacleSelector,
	"NodePorts":          message.ObstaclePort,
	"NodeResourcesFit":   message.ObstacleFull,
	"VolumeRestrictions": message.ObstacleInUse,
	"NodeVolumeLimits":   message.ObstacleLimit,
	"VolumeZone":         message.ObstacleVolume,
	"PodTopologySpread":  message.ObstacleSpread,
	"DynamicResources":   message.ObstacleDevice,
}

// Reasons of plugins that have several kinds of obstacles.
//
// Source: plugins/volumebinding/binder.go, plugins/interpodaffinity/filtering.go, plugins/podtopologyspread/plugin.go (1.36).
const (
	reasonVolumeNodeAffinity = "node(s) didn't match PersistentVolume's node affinity"
	reasonPodAffinity        = "node(s) didn't match pod affinity rules"
	reasonSpreadLabel        = "node(s) didn't match pod topology spread constraints (missing required label)"
)

// nodeObstacles are all of a node's obstacles, by naosu's kinds.
func nodeObstacles(pod *corev1.Pod, node *corev1.Node, on scheduling.NodeObstacles) []Obstacle {
	var all []Obstacle
	for _, o := range on.Obstacles {
		all = append(all, pluginObstacles(pod, node, o)...)
	}
	return all
}

// pluginObstacles are a plugin's obstacles on a node, by naosu's kinds.
func pluginObstacles(pod *corev1.Pod, node *corev1.Node, o scheduling.Obstacle) []Obstacle {
	as := func(kind message.ID) []Obstacle { return []Obstacle{{kind, o.Plugin, o.Reasons}} }
	switch kind, ok := obstacleOfPlugin[o.Plugin]; {
	case slices.Contains(o.Reasons, reasonSpreadLabel):
		return as(message.ObstacleDomain)
	case ok:
		return as(kind)
	case o.Plugin == "TaintToleration":
		var found []Obstacle
		for _, kind := range taintObstacles(pod, node) {
			found = append(found, as(kind)...)
		}
		return found
	case o.Plugin == "VolumeBinding" && slices.Contains(o.Reasons, reasonVolumeNodeAffinity):
		return as(message.ObstacleVolume)
	case o.Plugin == "VolumeBinding":
		return as(message.ObstacleStorage)
	case o.Plugin == "InterPodAffinity" && slices.Contains(o.Reasons, reasonPodAffinity):
		return as(message.ObstacleTogether)
	case o.Plugin == "InterPodAffinity":
		return as(message.ObstacleApart)
	default:
		return as(message.ObstacleOther)
	}
}

// stateTaints are taints that follow from cordoning and from the Ready condition.
var stateTaints = map[string]message.ID{
	corev1.TaintNodeUnschedulable: message.ObstacleCordoned,
	corev1.TaintNodeNotReady:      message.ObstacleNotReady,
	corev1.TaintNodeUnreachable:   message.ObstacleNotReady,
}

// taintObstacles are the obstacles of the taints that the pod does not tolerate, by what adds the taints.
func taintObstacles(pod *corev1.Pod, node *corev1.Node) []message.ID {
	var kinds []message.ID
	for _, taint := range Untolerated(pod, node) {
		kind, ok := stateTaints[taint.Key]
		if !ok {
			kind = message.ObstacleTainted
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Untolerated are the taints of a node that exclude the pod.
func Untolerated(pod *corev1.Pod, node *corev1.Node) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool { return !kube.Repels(&t) || kube.Tolerates(pod.Spec.Tolerations, &t) })
}

// NodeObstacles is a node with its obstacles for the pod.
type NodeObstacles struct {
	Node      *corev1.Node
	Obstacles []Obstacle
}

// Has reports whether the node has an obstacle of this kind.
func (n NodeObstacles) Has(kind message.ID) bool {
	return slices.ContainsFunc(n.Obstacles, func(o Obstacle) bool { return o.Kind == kind })
}

// Only reports whether the node has this kind of obstacle and no other.
func (n NodeObstacles) Only(kind message.ID) bool {
	return len(n.Obstacles) > 0 && !slices.ContainsFunc(n.Obstacles, func(o Obstacle) bool { return o.Kind != kind })
}

// MostSevere is the node's most severe obstacle; zero if there is none.
func (n NodeObstacles) MostSevere() Obstacle {
	for _, kind := range ObstacleOrder {
		if i := slices.IndexFunc(n.Obstacles, func(o Obstacle) bool { return o.Kind == kind }); i >= 0 {
			return n.Obstacles[i]
		}
	}
	return Obstacle{}
}

// add adds obstacles of kinds that the node does not have yet.
func (n *NodeObstacles) add(obstacles ...Obstacle) {
	for _, o := range obstacles {
		if !n.Has(o.Kind) {
			n.Obstacles = append(n.Obstacles, o)
		}
	}
}

// Except are the obstacles of other kinds.
func (n NodeObstacles) Except(kind message.ID) []Obstacle {
	return slices.DeleteFunc(slices.Clone(n.Obstacles), func(o Obstacle) bool { return o.Kind == kind })
}

// UntoleratedNonLifecycleTaints are the taints that exclude the pod, without those of cordoned and not ready nodes.
func UntoleratedNonLifecycleTaints(pod *corev1.Pod, node *corev1.Node) []corev1.Taint {
	return slices.DeleteFunc(Untolerated(pod, node), func(t corev1.Taint) bool { return stateTaints[t.Key] != "" })
}

// Preemptible reports whether the removal of pods might make the node feasible.
func (n NodeObstacles) Preemptible() bool {
	return !slices.ContainsFunc(n.Obstacles, func(o Obstacle) bool {
		switch o.Kind {
		case message.ObstacleFull, message.ObstaclePort, message.ObstacleApart, message.ObstacleSpread, message.ObstacleInUse, message.ObstacleLimit:
			return false
		default:
			return true
		}
	})
}

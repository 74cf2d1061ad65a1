package simulation

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// continueEvictions puts on the agenda what taints that evict will still do to the pods of their nodes: those of a node that
// answers no more stay until their tolerations end, and hang then. Nodes that do not answer and have no such taint yet get it.
func (f *future) continueEvictions() {
	var silent []*corev1.Node
	for _, node := range f.world().Nodes() {
		if cluster.Unreachable(node) && !evicts(node) {
			silent = append(silent, node)
		}
		if !evicts(node) {
			continue
		}
		for _, pod := range f.pods.on(node.Name) {
			left, leaves := f.bearsStill(pod, node)
			if !leaves || pod.DeletionTimestamp != nil || cluster.Ended(pod) || cluster.IsMirror(pod) {
				continue
			}
			f.noteTimes()
			f.in(left, func(ctx context.Context) error { return f.evictIfTainted(ctx, pod) })
		}
	}
	for after, names := range f.evictions(silent) {
		f.noteTimes()
		f.in(after, func(context.Context) error { return f.evictDead(names, f.evictIfTainted) })
	}
}

// evicts says whether a node has a taint that evicts.
func evicts(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute })
}

// bearsStill is how long a pod stays yet on a node with taints that evict; false if it may stay for ever. Tolerations count
// from when a taint was added, or from now if that is not known.
func (f *future) bearsStill(pod *corev1.Pod, node *corev1.Node) (least time.Duration, leaves bool) {
	for i := range node.Spec.Taints {
		limit := bears(pod, node.Spec.Taints[i:i+1])
		if limit == forever {
			continue
		}
		if added := node.Spec.Taints[i].TimeAdded; added != nil {
			limit -= min(max(f.present.Taken().Sub(added.Time), 0), limit)
		}
		if !leaves || limit < least {
			least, leaves = limit, true
		}
	}
	return least, leaves
}

// evictIfTainted deletes a pod that is there yet, unless nothing evicts it from its node any more.
func (f *future) evictIfTainted(ctx context.Context, pod *corev1.Pod) error {
	node := f.world().Node(pod.Spec.NodeName)
	if node == nil || bears(pod, node.Spec.Taints) == forever {
		return nil // It is gone, or well again.
	}
	if !f.stillThere(pod) {
		return nil
	}
	return f.depart(ctx, pod, false)
}

func (f *future) noteTimes() {
	f.gaps.note("kube-controller-manager", message.Of(message.GapTimes, nil))
}

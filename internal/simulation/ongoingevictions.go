package simulation

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// continueEvictions schedules the evictions by NoExecute taints that nodes have already: pods of an unreachable node stay for
// their tolerationSeconds, and are Terminating then. Unreachable nodes without such a taint get it.
func (e *engine) continueEvictions() {
	var silent []*corev1.Node
	for _, node := range e.world().Nodes() {
		if kube.IsNodeUnreachable(node) && !hasNoExecuteTaint(node) {
			silent = append(silent, node)
		}
		if !hasNoExecuteTaint(node) {
			continue
		}
		for _, pod := range e.pods.onNode(node.Name) {
			left, leaves := e.remainingTolerationTime(pod, node)
			if !leaves || pod.DeletionTimestamp != nil || cluster.Ended(pod) || cluster.IsMirror(pod) {
				continue
			}
			e.noteDefaultTimes()
			e.after(left, func(ctx context.Context) error { return e.evictIfTainted(ctx, pod) })
		}
	}
	for after, names := range e.evictionTimes(silent) {
		e.noteDefaultTimes()
		e.after(after, func(context.Context) error { return e.taintAndEvict(names, e.evictIfTainted) })
	}
}

// hasNoExecuteTaint says whether a node has a NoExecute taint.
func hasNoExecuteTaint(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute })
}

// remainingTolerationTime is how much longer a pod tolerates a node's NoExecute taints; leaves is false if without limit. Time
// counts from when a taint was added, or from now if that is not known.
func (e *engine) remainingTolerationTime(pod *corev1.Pod, node *corev1.Node) (least time.Duration, leaves bool) {
	for i := range node.Spec.Taints {
		limit := minTolerationTime(pod, node.Spec.Taints[i:i+1])
		if limit == toleratedForever {
			continue
		}
		if added := node.Spec.Taints[i].TimeAdded; added != nil {
			limit -= min(max(e.initial.Taken().Sub(added.Time), 0), limit)
		}
		if !leaves || limit < least {
			least, leaves = limit, true
		}
	}
	return least, leaves
}

// evictIfTainted deletes a pod that still exists, unless its node no longer has a taint that evicts it.
func (e *engine) evictIfTainted(ctx context.Context, pod *corev1.Pod) error {
	node := e.world().Node(pod.Spec.NodeName)
	if node == nil || minTolerationTime(pod, node.Spec.Taints) == toleratedForever {
		return nil // The node was removed, or its taint was.
	}
	if !e.stillExists(pod) {
		return nil
	}
	return e.deletePod(ctx, pod, false)
}

func (e *engine) noteDefaultTimes() {
	e.gaps.note("kube-controller-manager", message.Of(message.GapTimes, nil))
}

package nodelifecycle

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ContinueEvictions schedules the evictions by NoExecute taints that nodes have already: pods of an unreachable node stay for
// their tolerationSeconds, and are Terminating then. Unreachable nodes without such a taint get it.
func (n *Controller) ContinueEvictions() {
	var silent []*corev1.Node
	for _, node := range n.engine.World().Nodes() {
		if kube.IsNodeUnreachable(node) && !hasNoExecuteTaint(node) {
			silent = append(silent, node)
		}
		if !hasNoExecuteTaint(node) {
			continue
		}
		for _, pod := range n.engine.Pods.OnNode(node.Name) {
			left, leaves := n.remainingTolerationTime(pod, node)
			if !leaves || pod.DeletionTimestamp != nil || cluster.Ended(pod) || cluster.IsMirror(pod) {
				continue
			}
			n.noteDefaultTimes()
			n.engine.After(left, func(ctx context.Context) error { return n.evictIfTainted(ctx, pod) })
		}
	}
	for after, names := range n.evictionTimes(silent) {
		n.noteDefaultTimes()
		n.engine.After(after, func(context.Context) error { return n.taintAndEvict(names, n.evictIfTainted) })
	}
}

// hasNoExecuteTaint reports whether a node has a NoExecute taint.
func hasNoExecuteTaint(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute })
}

// remainingTolerationTime is how much longer a pod tolerates a node's NoExecute taints; leaves is false if without limit. Time
// counts from when a taint was added, or from now if that is not known.
func (n *Controller) remainingTolerationTime(pod *corev1.Pod, node *corev1.Node) (least time.Duration, leaves bool) {
	for i := range node.Spec.Taints {
		limit := minTolerationTime(pod, node.Spec.Taints[i:i+1])
		if limit == toleratedForever {
			continue
		}
		if added := node.Spec.Taints[i].TimeAdded; added != nil {
			limit -= min(max(n.engine.Initial.Taken().Sub(added.Time), 0), limit)
		}
		if !leaves || limit < least {
			least, leaves = limit, true
		}
	}
	return least, leaves
}

// evictIfTainted deletes a pod that still exists, unless its node no longer has a taint that evicts it.
func (n *Controller) evictIfTainted(ctx context.Context, pod *corev1.Pod) error {
	node := n.engine.World().Node(pod.Spec.NodeName)
	if node == nil || minTolerationTime(pod, node.Spec.Taints) == toleratedForever {
		return nil // The node was removed, or its taint was.
	}
	if !n.stillExists(pod) {
		return nil
	}
	return n.DeletePod(ctx, pod, false)
}

func (n *Controller) noteDefaultTimes() {
	n.engine.Gaps.Note("kube-controller-manager", sentence.GapTimes())
}

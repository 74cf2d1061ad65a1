package simulation

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
)

// drainNode cordons a node and evicts its pods as far as their budgets allow, again as replacements become healthy. It returns the
// pods that cannot be evicted; pods of DaemonSets and mirror pods, which a drain leaves, are not among them.
func (e *engine) drainNode(ctx context.Context, node *corev1.Node) ([]*corev1.Pod, error) {
	if err := e.cordonNode(node, true); err != nil {
		return nil, err
	}
	left := e.drainedPods(node)
	canProceed := func() bool {
		left = e.existing(left)
		return len(left) == 0 || slices.ContainsFunc(left, func(pod *corev1.Pod) bool { return e.budgets.EvictionBlocker(pod).ID == "" })
	}
	for progress := true; progress && len(left) > 0; {
		kept := left[:0]
		progress = false
		for _, pod := range left {
			if e.budgets.EvictionBlocker(pod).ID != "" {
				kept = append(kept, pod)
				continue
			}
			progress = true
			if err := e.deletePod(ctx, pod, false); err != nil {
				return nil, err
			}
		}
		left = kept
		if err := e.settleStep(ctx, canProceed); err != nil {
			return nil, err
		}
		left = e.existing(left)
	}
	for _, pod := range left {
		e.fates.MarkStaying(pod, e.budgets.EvictionBlocker(pod))
	}
	return left, nil
}

// drainedPods are the pods that a drain evicts.
func (e *engine) drainedPods(node *corev1.Node) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range e.pods.OnNode(node.Name) {
		if cluster.Drains(pod) && pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	randomness.Shuffle(e.randomness, pods)
	return pods
}

// existing are the pods that still exist.
func (e *engine) existing(pods []*corev1.Pod) []*corev1.Pod {
	kept := pods[:0]
	for _, pod := range pods {
		if now := e.pods.Get(pod.Namespace, pod.Name); now != nil && now.UID == pod.UID {
			kept = append(kept, pod)
		}
	}
	return kept
}

// deletePod deletes a pod. On an unreachable node it stays Terminating, unless the deletion is forced.
func (e *engine) deletePod(ctx context.Context, pod *corev1.Pod, force bool) error {
	node := e.world().Node(pod.Spec.NodeName)
	unreachable := node != nil && cluster.Unreachable(node)
	if unreachable {
		e.delayUntilDetached(pod)
	}
	if !unreachable || force {
		e.queue.Remove(pod)
	}
	switch {
	case force:
		return e.removeAndReplaceNow(ctx, pod)
	case !unreachable:
		return e.removeAndReplace(ctx, pod)
	}
	if err := e.leaveTerminating(ctx, pod); err != nil || !e.replacedAfterRemoval(pod) {
		return err
	}
	e.fates.MarkStaying(pod, message.Of(message.FateHangs, message.Args{"node": names.NodeRef(pod.Spec.NodeName)}))
	return nil
}

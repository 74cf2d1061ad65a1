package nodelifecycle

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
)

// DrainNode is DrainNodes for one node.
func (n *Controller) DrainNode(ctx context.Context, node *corev1.Node) ([]*corev1.Pod, error) {
	return n.DrainNodes(ctx, []*corev1.Node{node})
}

// DrainNodes cordons nodes and evicts their pods as far as their budgets allow, again as replacements become healthy. It returns the
// pods that cannot be evicted; pods of DaemonSets and mirror pods, which a drain leaves, are not among them.
func (n *Controller) DrainNodes(ctx context.Context, nodes []*corev1.Node) ([]*corev1.Pod, error) {
	var left []*corev1.Pod
	for _, node := range nodes {
		if err := n.CordonNode(node, true); err != nil {
			return nil, err
		}
		left = append(left, n.DrainedPods(node)...)
	}
	randomness.Shuffle(n.engine.Randomness, left)
	canProceed := func() bool {
		left = n.existing(left)
		return len(left) == 0 || slices.ContainsFunc(left, func(pod *corev1.Pod) bool { return n.engine.Budgets.EvictionBlocker(pod).ID == "" })
	}
	for progress := true; progress && len(left) > 0; {
		kept := left[:0]
		progress = false
		for _, pod := range left {
			if !n.exists(pod) { // It was preempted.
				continue
			}
			if n.engine.Budgets.EvictionBlocker(pod).ID != "" {
				kept = append(kept, pod)
				continue
			}
			progress = true
			if err := n.DeletePod(ctx, pod, false); err != nil {
				return nil, err
			}
			if n.engine.Randomness.Delayed() { // Its replacement is scheduled before the next eviction.
				if err := n.engine.Schedule(ctx); err != nil {
					return nil, err
				}
			}
		}
		left = kept
		if err := n.engine.SettleStep(ctx, canProceed); err != nil {
			return nil, err
		}
		left = n.existing(left)
	}
	for _, pod := range left {
		n.engine.Fates.MarkStaying(pod, n.engine.Budgets.EvictionBlocker(pod))
	}
	return left, nil
}

// DrainedPods are the pods that a drain evicts.
func (n *Controller) DrainedPods(node *corev1.Node) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range n.engine.Pods.OnNode(node.Name) {
		if cluster.Drains(pod) && pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	return pods
}

// existing are the pods that still exist.
func (n *Controller) existing(pods []*corev1.Pod) []*corev1.Pod {
	kept := pods[:0]
	for _, pod := range pods {
		if n.exists(pod) {
			kept = append(kept, pod)
		}
	}
	return kept
}

func (n *Controller) exists(pod *corev1.Pod) bool {
	now := n.engine.Pods.Get(pod.Namespace, pod.Name)
	return now != nil && now.UID == pod.UID
}

// DeletePod deletes a pod. On an unreachable node it stays Terminating, unless the deletion is forced.
func (n *Controller) DeletePod(ctx context.Context, pod *corev1.Pod, force bool) error {
	node := n.engine.World().Node(pod.Spec.NodeName)
	unreachable := node != nil && kube.IsNodeUnreachable(node)
	if unreachable {
		n.engine.DelayUntilDetached(pod)
	}
	if !unreachable || force {
		n.engine.Queue.Remove(pod)
	}
	switch {
	case force:
		return n.engine.RemoveAndReplaceNow(ctx, pod)
	case !unreachable:
		return n.engine.RemoveAndReplace(ctx, pod)
	}
	if err := n.engine.LeaveTerminating(ctx, pod); err != nil || !n.workload.ReplacedAfterRemoval(pod) {
		return err
	}
	n.engine.Fates.MarkStaying(pod, sentence.FateHangs(names.NodeRef(pod.Spec.NodeName)))
	return nil
}

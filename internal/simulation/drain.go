package simulation

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
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
		return len(left) == 0 || slices.ContainsFunc(left, func(pod *corev1.Pod) bool { return e.evictionBlocker(pod).ID == "" })
	}
	for progress := true; progress && len(left) > 0; {
		kept := left[:0]
		progress = false
		for _, pod := range left {
			if e.evictionBlocker(pod).ID != "" {
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
		e.fates.markStaying(pod, e.evictionBlocker(pod))
	}
	return left, nil
}

// drainedPods are the pods that a drain evicts.
func (e *engine) drainedPods(node *corev1.Node) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range e.pods.onNode(node.Name) {
		if cluster.Drains(pod) && pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	shuffle(e.randomness, pods)
	return pods
}

// existing are the pods that still exist.
func (e *engine) existing(pods []*corev1.Pod) []*corev1.Pod {
	kept := pods[:0]
	for _, pod := range pods {
		if now := e.pods.get(pod.Namespace, pod.Name); now != nil && now.UID == pod.UID {
			kept = append(kept, pod)
		}
	}
	return kept
}

// evictionBlocker is why the eviction API would refuse a pod, empty if it would not.
//
// Source: pkg/registry/core/pod/storage/eviction.go of Kubernetes.
func (e *engine) evictionBlocker(pod *corev1.Pod) message.Sentence {
	cover := e.budgets.covering(pod)
	switch {
	case len(cover) == 0 || cluster.Ended(pod) || pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodPending || pod.DeletionTimestamp != nil:
		return message.Sentence{}
	case len(cover) > 1:
		return message.Of(message.FateBudgets, message.Args{"budgets": []string{cover[0].pdb.Name, cover[1].pdb.Name}})
	}
	one := cover[0]
	if !cluster.Runs(pod) {
		policy := one.pdb.Spec.UnhealthyPodEvictionPolicy
		if policy != nil && *policy == policyv1.AlwaysAllow || one.healthy >= one.desired && one.desired > 0 {
			return message.Sentence{}
		}
	}
	if one.allowed() > 0 {
		return message.Sentence{}
	}
	return message.Of(message.FateBlocked, message.Args{"budget": one.pdb.Name, "healthy": one.healthy, "desired": one.desired})
}

// deletePod deletes a pod. On an unreachable node it stays Terminating, unless the deletion is forced.
func (e *engine) deletePod(ctx context.Context, pod *corev1.Pod, force bool) error {
	node := e.world().Node(pod.Spec.NodeName)
	unreachable := node != nil && kube.IsNodeUnreachable(node)
	if unreachable {
		e.delayUntilDetached(pod)
	}
	if !unreachable || force {
		e.queue.remove(pod)
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
	e.fates.markStaying(pod, message.Of(message.FateHangs, message.Args{"node": nodeRef(pod.Spec.NodeName)}))
	return nil
}

package simulation

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// forever is how long a pod bears a taint that it tolerates without a limit.
const forever = time.Duration(-1)

// bears is how long a pod stays on a node that has NoExecute taints: the shortest limit of the tolerations that count, which
// is the first for each taint; zero if it does not tolerate one of them.
//
// Source: pkg/controller/tainteviction (getMinTolerationTime) and pkg/apis/core/v1/helper (GetMatchingTolerations) of
// Kubernetes.
func bears(pod *corev1.Pod, taints []corev1.Taint) time.Duration {
	least := forever
	for i := range taints {
		if taints[i].Effect != corev1.TaintEffectNoExecute {
			continue
		}
		tolerated := false
		for j := range pod.Spec.Tolerations {
			toleration := &pod.Spec.Tolerations[j]
			if !toleration.ToleratesTaint(klog.Background(), &taints[i], true) {
				continue
			}
			tolerated = true
			if seconds := toleration.TolerationSeconds; seconds != nil {
				limit := time.Duration(max(*seconds, 0)) * time.Second
				if least == forever || limit < least {
					least = limit
				}
			}
			break
		}
		if !tolerated {
			return 0
		}
	}
	return least
}

// taint puts a taint on a node; one that evicts does so in time.
func (f *future) taint(node *corev1.Node, taint corev1.Taint) error {
	tainted := node.DeepCopy()
	tainted.Spec.Taints = append(withoutTaint(tainted.Spec.Taints, taint), taint)
	if err := f.apply(cluster.Put(tainted)); err != nil {
		return err
	}
	f.room()
	if taint.Effect != corev1.TaintEffectNoExecute {
		return nil
	}
	for _, pod := range f.pods.on(node.Name) {
		if limit := bears(pod, tainted.Spec.Taints); limit != forever && !cluster.Ended(pod) && !cluster.IsMirror(pod) && pod.DeletionTimestamp == nil {
			f.in(limit, func(ctx context.Context) error { return f.leaveIfThere(ctx, pod) })
		}
	}
	return nil
}

// leaveIfThere and hangIfThere are for what was decided some time ago.
func (f *future) leaveIfThere(ctx context.Context, pod *corev1.Pod) error {
	if !f.stillThere(pod) {
		return nil
	}
	return f.leave(ctx, pod)
}

func (f *future) hangIfThere(ctx context.Context, pod *corev1.Pod) error {
	if !f.stillThere(pod) {
		return nil
	}
	return f.hang(ctx, pod)
}

// stillThere says whether a pod is there and not being deleted.
func (f *future) stillThere(pod *corev1.Pod) bool {
	now := f.pods.get(pod.Namespace, pod.Name)
	return now != nil && now.UID == pod.UID && now.DeletionTimestamp == nil
}

// untaint takes a taint off a node, on which DaemonSets may then want a pod.
func (f *future) untaint(node *corev1.Node, taint corev1.Taint) error {
	free := node.DeepCopy()
	free.Spec.Taints = withoutTaint(free.Spec.Taints, taint)
	return f.open(free)
}

// cordon sets whether the scheduler may use a node.
func (f *future) cordon(node *corev1.Node, unschedulable bool) error {
	changed := cordoned(node, unschedulable)
	if unschedulable {
		return f.apply(cluster.Put(changed))
	}
	return f.open(changed)
}

// cordoned is a node with the mark that keeps new pods off, or without it.
func cordoned(node *corev1.Node, unschedulable bool) *corev1.Node {
	changed := node.DeepCopy()
	changed.Spec.Unschedulable = unschedulable
	mark := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	changed.Spec.Taints = withoutTaint(changed.Spec.Taints, mark)
	if unschedulable {
		changed.Spec.Taints = append(changed.Spec.Taints, mark)
	}
	return changed
}

// open puts a node that may take pods it did not take before.
func (f *future) open(node *corev1.Node) error {
	if err := f.apply(cluster.Put(node)); err != nil {
		return err
	}
	f.room()
	return f.daemonsFor(node)
}

func withoutTaint(taints []corev1.Taint, taint corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(taints, func(t corev1.Taint) bool {
		return t.Key == taint.Key && (t.Effect == taint.Effect || taint.Effect == "")
	})
}

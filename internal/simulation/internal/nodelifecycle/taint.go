package nodelifecycle

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// toleratedForever is the toleration time without a limit.
const toleratedForever = time.Duration(-1)

// minTolerationTime is how long a pod stays on a node with NoExecute taints: the minimum over the taints of the first matching
// toleration's limit; zero if it does not tolerate one of them.
//
// Source: pkg/controller/tainteviction (getMinTolerationTime) and pkg/apis/core/v1/helper (GetMatchingTolerations) of
// Kubernetes.
func minTolerationTime(pod *corev1.Pod, taints []corev1.Taint) time.Duration {
	least := toleratedForever
	for i := range taints {
		if taints[i].Effect != corev1.TaintEffectNoExecute {
			continue
		}
		tolerated := false
		for j := range pod.Spec.Tolerations {
			toleration := &pod.Spec.Tolerations[j]
			if !toleration.ToleratesTaint(klog.Background(), &taints[i], kube.ComparisonOperators) {
				continue
			}
			tolerated = true
			if seconds := toleration.TolerationSeconds; seconds != nil {
				limit := time.Duration(max(*seconds, 0)) * time.Second
				if least == toleratedForever || limit < least {
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

// TaintNode adds a taint to a node. A NoExecute taint evicts pods when their tolerationSeconds are over.
func (n *Controller) TaintNode(node *corev1.Node, taint corev1.Taint) error {
	tainted := node.DeepCopy()
	tainted.Spec.Taints = append(withoutTaint(tainted.Spec.Taints, taint), taint)
	if err := n.engine.Edit(cluster.Put(tainted)); err != nil {
		return err
	}
	n.engine.RetryUnschedulable()
	if taint.Effect != corev1.TaintEffectNoExecute {
		return nil
	}
	for _, pod := range n.engine.Pods.OnNode(node.Name) {
		if limit := minTolerationTime(pod, tainted.Spec.Taints); limit != toleratedForever && !cluster.Ended(pod) && !cluster.IsMirror(pod) && pod.DeletionTimestamp == nil {
			n.engine.After(limit, func(ctx context.Context) error { return n.removeIfExists(ctx, pod) })
		}
	}
	return n.removeUntoleratingDaemonPods(tainted)
}

// removeUntoleratingDaemonPods removes the pending pods of DaemonSets for a node of which they do not tolerate a NoExecute taint. Those
// that run there are evicted.
//
// Source: pkg/controller/daemon of Kubernetes (NodeShouldRunDaemonPod).
func (n *Controller) removeUntoleratingDaemonPods(node *corev1.Node) error {
	for _, pod := range n.engine.Pods.OnNode("") {
		if _, ok := n.engine.World().Owner(pod).(*appsv1.DaemonSet); !ok || kube.TargetNodeName(pod) != node.Name || minTolerationTime(pod, node.Spec.Taints) != 0 {
			continue
		}
		if err := n.engine.RemovePod(pod); err != nil {
			return err
		}
		n.engine.Fates.End(pod, outcome.Ended, sentence.FateUnwanted(), n.engine.Elapsed())
	}
	return nil
}

// removeIfExists is RemoveAndReplace for a pod that may have been removed since the event was scheduled.
func (n *Controller) removeIfExists(ctx context.Context, pod *corev1.Pod) error {
	if !n.stillExists(pod) {
		return nil
	}
	return n.engine.RemoveAndReplace(ctx, pod)
}

func (n *Controller) leaveTerminatingIfExists(ctx context.Context, pod *corev1.Pod) error {
	if !n.stillExists(pod) {
		return nil
	}
	return n.engine.LeaveTerminating(ctx, pod)
}

// stillExists reports whether a pod exists and is not being deleted.
func (n *Controller) stillExists(pod *corev1.Pod) bool {
	now := n.engine.Pods.Get(pod.Namespace, pod.Name)
	return now != nil && now.UID == pod.UID && now.DeletionTimestamp == nil
}

// UntaintNode removes a taint from a node. DaemonSets may then create a pod on it. A taint that the node does not have is a
// RefusedError, as from kubectl taint.
func (n *Controller) UntaintNode(node *corev1.Node, taint corev1.Taint) error {
	free := node.DeepCopy()
	free.Spec.Taints = withoutTaint(free.Spec.Taints, taint)
	if len(free.Spec.Taints) == len(node.Spec.Taints) {
		missing := corev1.Taint{Key: taint.Key, Effect: taint.Effect}
		return outcome.RefusedError{Object: names.NodeRef(node.Name), Err: fmt.Errorf("taint %q not found", missing.ToString())}
	}
	return n.PutSchedulableNode(free)
}

// CordonNode sets whether the scheduler may use a node.
func (n *Controller) CordonNode(node *corev1.Node, unschedulable bool) error {
	changed := WithUnschedulable(node, unschedulable)
	if unschedulable {
		return n.engine.Edit(cluster.Put(changed))
	}
	return n.PutSchedulableNode(changed)
}

// WithUnschedulable is a node with or without the mark that keeps new pods off.
func WithUnschedulable(node *corev1.Node, unschedulable bool) *corev1.Node {
	changed := node.DeepCopy()
	changed.Spec.Unschedulable = unschedulable
	mark := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	changed.Spec.Taints = withoutTaint(changed.Spec.Taints, mark)
	if unschedulable {
		changed.Spec.Taints = append(changed.Spec.Taints, mark)
	}
	return changed
}

// PutSchedulableNode puts a node that may accept more pods than before.
func (n *Controller) PutSchedulableNode(node *corev1.Node) error {
	if err := n.engine.Edit(cluster.Put(node)); err != nil {
		return err
	}
	n.engine.RetryUnschedulable()
	return n.workload.CreateDaemonPods(node)
}

func withoutTaint(taints []corev1.Taint, taint corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(taints, func(t corev1.Taint) bool {
		return t.Key == taint.Key && (t.Effect == taint.Effect || taint.Effect == "")
	})
}

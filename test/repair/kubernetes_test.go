package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func intstrOf(n int) intstr.IntOrString { return intstr.FromInt32(int32(n)) }

// heartbeat is how often an agent that has nothing new repeats itself.
const heartbeat = 5 * time.Minute

// writeConditions writes what a machine's kubelet and agent say, or, of one that is silent, what Kubernetes says of it, into its node.
// It is false if the node says so already.
func (c *testCluster) writeConditions(node *corev1.Node, m *machine) bool {
	ready, network := corev1.ConditionTrue, corev1.ConditionTrue
	reason := "NoFault"
	if m.unhealthy {
		network, reason = corev1.ConditionFalse, "InterfaceNotUp"
	}
	if !m.silentSince.IsZero() {
		if c.now().Sub(m.silentSince) < silence {
			return false
		}
		ready = corev1.ConditionUnknown
	}
	due := m.silentSince.IsZero() && !m.agentStopped && c.now().Sub(m.reportedAt) >= heartbeat
	changed := condition(node, corev1.NodeReady, ready, "Kubelet", c.now(), due)
	if m.silentSince.IsZero() && m.agentStopped {
		return changed
	}
	if m.silentSince.IsZero() {
		changed = condition(node, "NetworkingReady", network, reason, c.now(), due) || changed
		changed = changed || node.Status.NodeInfo.BootID != m.bootID()
		node.Status.NodeInfo.BootID = m.bootID()
	}
	if changed && m.silentSince.IsZero() {
		m.reportedAt = c.now()
	}
	switch {
	case m.silentSince.IsZero() && !m.unhealthy:
		m.healthyAt, m.unhealthySince = c.now(), time.Time{}
	case m.unhealthySince.IsZero():
		m.unhealthySince = c.now()
	}
	return changed
}

func condition(node *corev1.Node, kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string, now time.Time, due bool) bool {
	at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == kind })
	if at < 0 {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind})
		at = len(node.Status.Conditions) - 1
	}
	has := &node.Status.Conditions[at]
	if has.Status == status && has.Reason == reason && !due {
		return false
	}
	if has.Status != status {
		has.LastTransitionTime = metav1.NewTime(now.Truncate(time.Second))
	}
	has.Status, has.Reason, has.LastHeartbeatTime = status, reason, metav1.NewTime(now.Truncate(time.Second))
	return true
}

// updateNodes writes the conditions and taints of the nodes.
func (c *testCluster) updateNodes(ctx context.Context) error {
	for _, m := range c.sorted() {
		node := &corev1.Node{}
		switch err := c.api.Direct.Get(ctx, client.ObjectKey{Name: m.node}, node); {
		case apierrors.IsNotFound(err) && m.up:
			if err := c.api.Direct.Create(ctx, c.nodeOf(m)); err != nil {
				return err
			}
		case apierrors.IsNotFound(err):
		case err != nil:
			return err
		default:
			taints := taintsOf(m, c.now())
			if !slices.Equal(taints, node.Spec.Taints) {
				node.Spec.Taints = taints
				if err := c.api.Direct.Update(ctx, node); err != nil {
					return err
				}
			}
			if c.writeConditions(node, m) {
				if err := c.api.Direct.Status().Update(ctx, node); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// taintsOf is how Kubernetes keeps pods off a node that it does not hear.
func taintsOf(m *machine, now time.Time) []corev1.Taint {
	var others []corev1.Taint
	if m.leaving != "" {
		others = []corev1.Taint{{Key: m.leaving, Effect: corev1.TaintEffectNoSchedule}}
	}
	if m.silentSince.IsZero() || now.Sub(m.silentSince) < silence {
		return others
	}
	return append(others, []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule}, {Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}}...)
}

func (c *testCluster) pods(ctx context.Context) ([]corev1.Pod, error) {
	var all corev1.PodList
	err := c.api.Direct.List(ctx, &all, client.InNamespace(namespace))
	return all.Items, err
}

// runPods is the kubelets' part, and, for nodes that are silent or gone, the controllers'.
func (c *testCluster) runPods(ctx context.Context) error {
	pods, err := c.pods(ctx)
	if err != nil {
		return err
	}
	for i := range pods {
		if err := c.runPod(ctx, &pods[i]); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

func (c *testCluster) runPod(ctx context.Context, pod *corev1.Pod) error {
	if pod.Spec.NodeName == "" {
		return nil
	}
	m := c.machines[pod.Spec.NodeName]
	switch {
	case m == nil: // The machine is gone for good; so are its pods.
		return c.api.Direct.Delete(ctx, pod, client.GracePeriodSeconds(0))
	case m.up && pod.DeletionTimestamp != nil:
		return c.api.Ended(ctx, pod)
	case m.up:
		return c.ready(ctx, pod, corev1.ConditionTrue)
	case c.now().Sub(m.silentSince) >= silence+evicted && pod.DeletionTimestamp == nil:
		return c.api.Direct.Delete(ctx, pod)
	case c.now().Sub(m.silentSince) >= silence:
		return c.ready(ctx, pod, corev1.ConditionFalse)
	}
	return nil
}

func (c *testCluster) ready(ctx context.Context, pod *corev1.Pod, status corev1.ConditionStatus) error {
	if isReady(pod) == (status == corev1.ConditionTrue) && pod.Status.Phase == corev1.PodRunning {
		return nil
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(c.now())}}
	return c.api.Direct.Status().Update(ctx, pod)
}

func isReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// keepReplicas makes the pods that are missing.
func (c *testCluster) keepReplicas(ctx context.Context) error {
	var sets appsv1.ReplicaSetList
	if err := c.api.Direct.List(ctx, &sets); err != nil {
		return err
	}
	pods, err := c.pods(ctx)
	if err != nil {
		return err
	}
	for _, set := range sets.Items {
		alive := int32(0)
		for _, pod := range pods {
			if pod.Labels["app"] == set.Name && pod.DeletionTimestamp == nil {
				alive++
			}
		}
		for ; alive < *set.Spec.Replicas; alive++ {
			c.named++
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Name: fmt.Sprintf("%s-%d", set.Name, c.named), Namespace: namespace, Labels: set.Spec.Template.Labels,
					OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(&set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
				},
				Spec: *set.Spec.Template.Spec.DeepCopy(), Status: corev1.PodStatus{Phase: corev1.PodPending},
			}
			if err := c.api.Direct.Create(ctx, pod); err != nil {
				return err
			}
		}
	}
	return nil
}

// schedule gives waiting pods the emptiest node that takes them.
func (c *testCluster) schedule(ctx context.Context) error {
	pods, err := c.pods(ctx)
	if err != nil {
		return err
	}
	var nodes corev1.NodeList
	if err := c.api.Direct.List(ctx, &nodes); err != nil {
		return err
	}
	load := map[string]int{}
	for _, pod := range pods {
		load[pod.Spec.NodeName]++
	}
	for i := range pods {
		pod := &pods[i]
		if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
			continue
		}
		open := slices.DeleteFunc(slices.Clone(nodes.Items), func(n corev1.Node) bool {
			return n.Spec.Unschedulable || len(n.Spec.Taints) > 0 || n.DeletionTimestamp != nil || load[n.Name] >= c.room
		})
		if len(open) == 0 {
			return nil
		}
		node := slices.MinFunc(open, func(a, b corev1.Node) int {
			return cmp.Or(cmp.Compare(load[a.Name], load[b.Name]), cmp.Compare(a.Name, b.Name))
		})
		pod.Spec.NodeName = node.Name
		load[node.Name]++
		if err := c.api.Direct.Update(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// updateBudgets brings the PodDisruptionBudgets up to date.
func (c *testCluster) updateBudgets(ctx context.Context) error {
	var budgets policyv1.PodDisruptionBudgetList
	if err := c.api.Direct.List(ctx, &budgets); err != nil {
		return err
	}
	pods, err := c.pods(ctx)
	if err != nil {
		return err
	}
	for _, b := range budgets.Items {
		healthy, expected := 0, 0
		for i := range pods {
			if pods[i].Labels["app"] == b.Name {
				expected++
				if isReady(&pods[i]) {
					healthy++
				}
			}
		}
		floor := b.Spec.MinAvailable.IntValue()
		was := b.Status
		b.Status = policyv1.PodDisruptionBudgetStatus{CurrentHealthy: int32(healthy), DesiredHealthy: int32(floor), ExpectedPods: int32(expected), DisruptionsAllowed: int32(max(0, healthy-floor))}
		if was.CurrentHealthy == b.Status.CurrentHealthy && was.DisruptionsAllowed == b.Status.DisruptionsAllowed && was.ExpectedPods == b.Status.ExpectedPods && len(was.DisruptedPods) == 0 {
			continue
		}
		if err := c.api.Direct.Status().Update(ctx, &b); err != nil {
			return err
		}
	}
	return nil
}

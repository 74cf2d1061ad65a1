package clusterautoscaler

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const (
	safeToEvict             = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	safeToEvictLocalVolumes = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
)

// drainability is what a pod means for the removal of its node.
type drainability int

const (
	move    drainability = iota // it must find another place
	ignore                      // it may be deleted with the node
	wait                        // the node may go when the pod has finished
	blocked                     // the node stays
)

// drainable follows simulator/drainability/rules, in their order: the first rule that applies decides.
func (p *planner) drainable(pod *corev1.Pod, budgets []*policyv1.PodDisruptionBudget) drainability {
	owner := metav1.GetControllerOf(pod)
	switch {
	case isMirrorPod(pod), p.longTerminating(pod):
		return ignore
	case owner != nil && !p.ownerExists(pod):
		return blocked
	case isDaemonSetPod(pod):
		return ignore
	case pod.Annotations[safeToEvict] == "true":
		return move
	case pod.Annotations[safeToEvict] == "on-completion":
		return wait
	case owner == nil || !replicated[owner.Kind]:
		return blocked
	case pod.Namespace == metav1.NamespaceSystem && len(matching(budgets, pod)) == 0:
		if p.world.now.After(pod.CreationTimestamp.Add(p.cfg.systemPods)) {
			return move
		}
		return blocked
	case pod.Annotations[safeToEvict] == "false", hasLocalStorage(pod), anyExhausted(matching(budgets, pod)):
		return blocked
	}
	return move
}

// replicated kinds recreate their pods. Those of other controllers are taken for irreplaceable.
var replicated = map[string]bool{"ReplicationController": true, "Job": true, "ReplicaSet": true, "StatefulSet": true}

func (p *planner) ownerExists(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	if !replicated[owner.Kind] && owner.Kind != "DaemonSet" {
		return true // of a kind that cannot be looked up
	}
	return p.world.owners[ownerKey(owner.Kind, pod.Namespace, owner.Name)]
}

func ownerKey(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// longTerminating pods should have ended a while ago, and count as gone.
func (p *planner) longTerminating(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp == nil {
		return false
	}
	grace := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if pod.Spec.TerminationGracePeriodSeconds != nil {
		grace = *pod.Spec.TerminationGracePeriodSeconds
	}
	return pod.DeletionTimestamp.Add(time.Duration(grace)*time.Second + p.cfg.terminating).Before(p.world.now)
}

func hasLocalStorage(pod *corev1.Pod) bool {
	allowed := strings.Split(pod.Annotations[safeToEvictLocalVolumes], ",")
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		local := v.HostPath != nil || v.EmptyDir != nil && v.EmptyDir.Medium != corev1.StorageMediumMemory
		return local && !slices.Contains(allowed, v.Name)
	})
}

func matching(budgets []*policyv1.PodDisruptionBudget, pod *corev1.Pod) []*policyv1.PodDisruptionBudget {
	var found []*policyv1.PodDisruptionBudget
	for _, b := range budgets {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err == nil && b.Namespace == pod.Namespace && selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, b)
		}
	}
	return found
}

func anyExhausted(budgets []*policyv1.PodDisruptionBudget) bool {
	return slices.ContainsFunc(budgets, func(b *policyv1.PodDisruptionBudget) bool { return b.Status.DisruptionsAllowed < 1 })
}

// spend takes the disruptions of these pods off budgets that are the caller's own.
func spend(budgets []*policyv1.PodDisruptionBudget, pods []*corev1.Pod) {
	for _, pod := range pods {
		for _, b := range matching(budgets, pod) {
			b.Status.DisruptionsAllowed--
		}
	}
}

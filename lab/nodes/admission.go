package nodes

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// systemCritical is where the priorities begin that a kubelet never evicts: scheduling.SystemCriticalPriority.
const systemCritical = 2_000_000_000

// reasonNodeAffinity is that of pods whose node selector or affinity does not match their node.
const reasonNodeAffinity = "NodeAffinity"

// admission is why the kubelet rejects a pod beside others on its node, or nil if it admits it. It is the kubelet's
// own check (pkg/kubelet/lifecycle/predicate.go, eviction_manager.go), which mostly strikes pods that no scheduler placed. Host
// ports are left to the scheduler, and critical pods do not push others out here.
func admission(pod *corev1.Pod, others []*corev1.Pod, node *corev1.Node, memoryPressure bool) *termination {
	if memoryPressure && pod.Status.QOSClass == corev1.PodQOSBestEffort && !isCritical(pod) &&
		!corev1helpers.TolerationsTolerateTaint(klog.Background(), pod.Spec.Tolerations, &corev1.Taint{
			Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule,
		}, true) {
		return rejected("Evicted", fmt.Sprintf("The node had condition: %v. ", []corev1.NodeConditionType{corev1.NodeMemoryPressure}))
	}
	if d := shortage(pod, others, node); d != nil {
		return d
	}
	if match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !match {
		return rejected(reasonNodeAffinity, "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector")
	}
	noExecute := func(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }
	if _, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, noExecute, true); untolerated {
		return rejected("TaintToleration", "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate")
	}
	return nil
}

func rejected(reason, message string) *termination {
	return &termination{reason: reason, message: "Pod was rejected: " + message, rejected: true}
}

func isCritical(pod *corev1.Pod) bool {
	return pod.Spec.Priority != nil && *pod.Spec.Priority >= systemCritical
}

// shortage looks at resources in the scheduler's order; those that a node does not list are not checked.
func shortage(pod *corev1.Pod, others []*corev1.Pod, node *corev1.Node) *termination {
	has := node.Status.Allocatable
	if limit, ok := has[corev1.ResourcePods]; ok && int64(len(others))+1 > limit.Value() {
		return outOf(corev1.ResourcePods, 1, int64(len(others)), limit.Value())
	}
	wants := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	names := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
	for name := range wants {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[3:])
	used := corev1.ResourceList{}
	for _, o := range others {
		for name, q := range resourcehelper.PodRequests(o, resourcehelper.PodResourcesOptions{}) {
			sum := used[name]
			sum.Add(q)
			used[name] = sum
		}
	}
	for _, name := range names {
		_, listed := has[name]
		if want := amount(name, wants); listed && want > 0 && want > amount(name, has)-amount(name, used) {
			return outOf(name, want, amount(name, used), amount(name, has))
		}
	}
	return nil
}

// amount is in whole units, but CPU in thousandths.
func amount(name corev1.ResourceName, list corev1.ResourceList) int64 {
	q := list[name]
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

func outOf(name corev1.ResourceName, requested, used, capacity int64) *termination {
	return rejected("OutOf"+string(name), fmt.Sprintf(
		"Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d", name, requested, used, capacity))
}

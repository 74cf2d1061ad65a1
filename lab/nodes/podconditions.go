package nodes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conditionsOf are the kubelet's own conditions, without times: pkg/kubelet/status/generate.go.
func conditionsOf(pod *corev1.Pod, l podState, status *corev1.PodStatus) []corev1.PodCondition {
	sandbox := condition(corev1.PodReadyToStartContainers, "", "")
	if !l.hasSandbox || l.terminated {
		sandbox.Status = corev1.ConditionFalse
	}
	conditions := []corev1.PodCondition{
		sandbox, initializedCondition(pod, l, status), readyCondition(pod, status), containersReadyCondition(pod, status),
		condition(corev1.PodScheduled, "", ""),
	}
	if d := l.termination; d != nil && d.disrupted && l.terminated {
		target := condition(corev1.DisruptionTarget, "", d.message)
		target.Reason = corev1.PodReasonTerminationByKubelet
		conditions = append(conditions, target)
	}
	for i := range conditions {
		conditions[i].ObservedGeneration = pod.Generation
	}
	return conditions
}

// condition is false for a reason, or true without one.
func condition(t corev1.PodConditionType, reason, message string) corev1.PodCondition {
	c := corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, Reason: reason, Message: message}
	if reason != "" {
		c.Status = corev1.ConditionFalse
	}
	return c
}

func initializedCondition(pod *corev1.Pod, l podState, status *corev1.PodStatus) corev1.PodCondition {
	if status.Phase == corev1.PodSucceeded {
		c := condition(corev1.PodInitialized, "", "")
		c.Reason = "PodCompleted"
		return c
	}
	var incomplete []string
	for i, cs := range status.InitContainerStatuses {
		done := cs.Ready
		if isSidecar(&pod.Spec.InitContainers[i]) {
			done = *cs.Started
		}
		if !done {
			incomplete = append(incomplete, cs.Name)
		}
	}
	if l.initialized || len(incomplete) == 0 {
		return condition(corev1.PodInitialized, "", "")
	}
	return condition(corev1.PodInitialized, "ContainersNotInitialized", fmt.Sprintf("containers with incomplete status: %s", incomplete))
}

func containersReadyCondition(pod *corev1.Pod, status *corev1.PodStatus) corev1.PodCondition {
	switch status.Phase {
	case corev1.PodSucceeded:
		return condition(corev1.ContainersReady, "PodCompleted", "")
	case corev1.PodFailed:
		return condition(corev1.ContainersReady, "PodFailed", "")
	}
	var unready []string
	for i, cs := range status.InitContainerStatuses {
		if isSidecar(&pod.Spec.InitContainers[i]) && !cs.Ready {
			unready = append(unready, cs.Name)
		}
	}
	for _, cs := range status.ContainerStatuses {
		if !cs.Ready {
			unready = append(unready, cs.Name)
		}
	}
	if len(unready) > 0 {
		return condition(corev1.ContainersReady, "ContainersNotReady", fmt.Sprintf("containers with unready status: %s", unready))
	}
	return condition(corev1.ContainersReady, "", "")
}

func readyCondition(pod *corev1.Pod, status *corev1.PodStatus) corev1.PodCondition {
	c := containersReadyCondition(pod, status)
	c.Type = corev1.PodReady
	if gates := missingGates(pod, status.Conditions); c.Status == corev1.ConditionTrue && gates != "" {
		return condition(corev1.PodReady, "ReadinessGatesNotReady", gates)
	}
	return c
}

func missingGates(pod *corev1.Pod, conditions []corev1.PodCondition) string {
	var messages []string
	for _, gate := range pod.Spec.ReadinessGates {
		i := slices.IndexFunc(conditions, func(c corev1.PodCondition) bool { return c.Type == gate.ConditionType })
		switch {
		case i < 0:
			messages = append(messages, fmt.Sprintf("corresponding condition of pod readiness gate %q does not exist.", gate.ConditionType))
		case conditions[i].Status != corev1.ConditionTrue:
			messages = append(messages, fmt.Sprintf("the status of pod readiness gate %q is not \"True\", but %v", gate.ConditionType, conditions[i].Status))
		}
	}
	return strings.Join(messages, ", ")
}

// mergeConditions replaces conditions of old by own ones of the same type, and keeps the transition times of those that have not changed.
func mergeConditions(old, own []corev1.PodCondition, now time.Time) []corev1.PodCondition {
	merged := slices.Clone(old)
	for _, c := range own {
		c.LastTransitionTime = metav1.NewTime(seconds(now))
		i := slices.IndexFunc(merged, func(o corev1.PodCondition) bool { return o.Type == c.Type })
		if i < 0 {
			merged = append(merged, c)
			continue
		}
		if merged[i].Status == c.Status {
			c.LastTransitionTime, c.LastProbeTime = merged[i].LastTransitionTime, merged[i].LastProbeTime
		}
		merged[i] = c
	}
	return merged
}

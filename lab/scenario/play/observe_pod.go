package play

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

func observePod(before, after *corev1.Pod) []Event {
	var events []Event
	o := after
	if o == nil {
		o = before
	}
	say := func(format string, args ...any) {
		events = append(events, Event{Sort: Pod, Object: "pod/" + o.Namespace + "/" + o.Name, Message: fmt.Sprintf(format, args...)})
	}
	if after == nil {
		say("gone%s", from(before))
		return events
	}
	if before == nil {
		say("created")
		before = &corev1.Pod{}
	}
	if after.Spec.NodeName != "" && before.Spec.NodeName == "" {
		say("placed on %s", after.Spec.NodeName)
	}
	if cause := disruption(after); cause != "" && disruption(before) == "" {
		say("%s", cause)
	}
	if after.DeletionTimestamp != nil && before.DeletionTimestamp == nil {
		say("terminating%s", from(after))
	}
	if after.Status.Phase != before.Status.Phase && after.Status.Phase != corev1.PodPending {
		say("%s%s", after.Status.Phase, because(after))
	} else if ready := podReady(after); ready != podReady(before) && after.Status.Phase == corev1.PodRunning {
		say("%s", map[bool]string{true: "ready again", false: "no longer ready"}[ready])
	}
	if n, was := restarts(after), restarts(before); n > was {
		say("restarted, %d times by now", n)
	}
	return events
}

func from(p *corev1.Pod) string {
	if p.Spec.NodeName == "" {
		return ""
	}
	return " on " + p.Spec.NodeName
}

func because(p *corev1.Pod) string {
	if p.Status.Phase == corev1.PodRunning {
		return from(p)
	}
	if p.Status.Reason != "" {
		return ": " + p.Status.Reason
	}
	return ""
}

// disruption says who is about to end the pod, by the condition that Kubernetes sets before it does (KEP-3329).
func disruption(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			switch c.Reason {
			case corev1.PodReasonPreemptionByScheduler:
				return "preempted by the scheduler" + from(p)
			case "DeletionByTaintManager":
				return "evicted because of a taint" + from(p)
			case "EvictionByEvictionAPI":
				return "evicted through the API" + from(p)
			case "DeletionByPodGC":
				return "collected as garbage" + from(p)
			}
			return "disrupted" + from(p) + ": " + c.Reason
		}
	}
	return ""
}

func restarts(p *corev1.Pod) (n int32) {
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

package diagnosis

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// podState is the pod's state in a word, as kubectl get shows it.
func podState(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil:
		return "Terminating"
	case len(pod.Spec.SchedulingGates) > 0 && pod.Spec.NodeName == "":
		return corev1.PodReasonSchedulingGated
	case pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName != "":
		if reason, _ := waiting(pod); reason != "" {
			return reason
		}
		return "ContainerCreating"
	case pod.Status.Reason != "":
		return pod.Status.Reason
	default:
		return string(pod.Status.Phase)
	}
}

// podSummary is the pod's state in a sentence.
func podSummary(v View, pod *corev1.Pod) string {
	args := message.Args{"pod": refTo(cluster.Pod, pod), "node": change.Ref{Kind: string(cluster.Node), Name: pod.Spec.NodeName}}
	say := func(id message.ID, more ...any) string {
		for i := 0; i+1 < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return v.Say.Text(id, args)
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return say(message.PodDeleting)
	case pod.Status.Phase == corev1.PodSucceeded:
		return say(message.PodFinished)
	case pod.Status.Phase == corev1.PodFailed:
		return say(message.PodFailed, "why", failure(pod))
	case pod.Status.Phase == corev1.PodRunning:
		if ready := podCondition(pod, corev1.PodReady); ready != nil && ready.Status != corev1.ConditionTrue {
			return say(message.PodNotReady, "why", ready.Message)
		}
		return say(message.PodRunning)
	case pod.Status.Phase != corev1.PodPending:
		return say(message.PodUnknown, "state", string(pod.Status.Phase))
	case pod.Spec.NodeName != "":
		reason, text := waiting(pod)
		if reason == "" {
			return say(message.PodPlaced)
		}
		return say(message.PodNotStarted, "why", strings.TrimSpace(reason+" "+text))
	default:
		return pendingSummary(pod, say)
	}
}

// waiting is why the pod's first container that does not run waits.
func waiting(pod *corev1.Pod) (reason, text string) {
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := status.State.Waiting; w != nil {
			return w.Reason, w.Message
		}
	}
	return "", ""
}

// failure is what the pod's status says of its end: its own message, or how its first failed container ended.
func failure(pod *corev1.Pod) string {
	if pod.Status.Message != "" {
		return pod.Status.Message
	}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if ended := status.State.Terminated; ended != nil && ended.ExitCode != 0 {
			return ended.Reason + ", exit code " + strconv.Itoa(int(ended.ExitCode))
		}
	}
	return pod.Status.Reason
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

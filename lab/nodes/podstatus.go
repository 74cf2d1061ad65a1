package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// addresses are what a pod reports of itself and of its host.
type addresses struct{ pod, host string }

// statusOf is what the kubelet says of a pod: its own fields and conditions drawn up from the pod's life, everything
// else as reported before. Rules from pkg/kubelet/kubelet_pods.go (getPhase, convertToAPIContainerStatuses) and
// pkg/kubelet/status (generate.go, status_manager.go).
func statusOf(pod *corev1.Pod, reported *corev1.PodStatus, l life, a addresses, s situation) *corev1.PodStatus {
	status := *reported
	status.ObservedGeneration = pod.Generation
	if status.StartTime == nil {
		t := metav1.NewTime(seconds(l.since))
		status.StartTime = &t
	}
	phase := phaseOf(pod, l)
	if terminal(reported.Phase) {
		phase = reported.Phase
	}
	status.Phase = phase
	if d := l.verdict; d != nil && l.stopped && !terminal(reported.Phase) {
		status.Reason, status.Message = d.reason, d.message
	}
	if l.verdict != nil && l.verdict.rejected {
		return &status
	}
	status.HostIP = a.host
	status.HostIPs = []corev1.HostIP{{IP: a.host}}
	if l.sandbox && a.pod != "" {
		status.PodIP = a.pod
		status.PodIPs = []corev1.PodIP{{IP: a.pod}}
	}
	inits := len(pod.Spec.InitContainers)
	status.InitContainerStatuses, status.ContainerStatuses = nil, nil
	for i := range l.containers {
		cs := containerStatus(pod, l, i, s)
		if i < inits {
			status.InitContainerStatuses = append(status.InitContainerStatuses, cs)
		} else {
			status.ContainerStatuses = append(status.ContainerStatuses, cs)
		}
	}
	conditions := conditionsOf(pod, l, &status, s)
	slices.SortFunc(status.ContainerStatuses, func(a, b corev1.ContainerStatus) int { return cmp.Compare(a.Name, b.Name) })
	status.Conditions = mergeConditions(reported.Conditions, conditions, s.now)
	return &status
}

func terminal(p corev1.PodPhase) bool { return p == corev1.PodSucceeded || p == corev1.PodFailed }

func phaseOf(pod *corev1.Pod, l life) corev1.PodPhase {
	regular := l.containers[len(pod.Spec.InitContainers):]
	if l.stopped {
		failed := func(c container) bool { return c.stage != exited || c.exitCode != 0 }
		if l.verdict != nil || !l.begun || slices.ContainsFunc(regular, failed) {
			return corev1.PodFailed
		}
		return corev1.PodSucceeded
	}
	pending := func(c container) bool { return c.stage == waiting || c.stage == starting }
	if !l.begun || slices.ContainsFunc(regular, pending) {
		return corev1.PodPending
	}
	return corev1.PodRunning
}

func containerStatus(pod *corev1.Pod, l life, i int, s situation) corev1.ContainerStatus {
	c, spec := l.containers[i], containerSpec(pod, i)
	init := i < len(pod.Spec.InitContainers)
	p := programOf(pod, spec, init, s.pace)
	started := c.alive() && !startedAt(spec, p, c).After(s.now)
	cs := corev1.ContainerStatus{
		Name: spec.Name, Image: spec.Image, RestartCount: c.restarts, Started: &started,
		LastTerminationState: corev1.ContainerState{Terminated: c.last},
	}
	if c.stage != waiting && c.stage != starting {
		cs.ContainerID = "containerd://" + digest("container", string(pod.UID), spec.Name, fmt.Sprint(c.restarts))
		cs.ImageID = spec.Image + "@sha256:" + digest("image", spec.Image)
	}
	switch {
	case c.alive():
		cs.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(seconds(c.started))}
		if init && !isSidecar(spec) {
			break // ready when it has succeeded
		}
		cs.Ready = started && !readyAt(spec, p, c).After(s.now)
	case c.crashing() && l.by.IsZero():
		cs.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: fmt.Sprintf(
			"back-off %s restarting failed container=%s pod=%s", s.pace.Scenario(c.due.Sub(c.finished)), spec.Name, podFullName(pod))}
		cs.LastTerminationState.Terminated = c.terminated(cs.ContainerID)
	case c.stage == exited:
		cs.State.Terminated = c.terminated(cs.ContainerID)
		cs.Ready = init && !isSidecar(spec) && c.exitCode == 0
	case l.stopped && !init && (l.begun || len(pod.Spec.InitContainers) == 0):
		cs.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: exitOnSIGKILL, Reason: "ContainerStatusUnknown",
			Message: "The container could not be located when the pod was terminated"}
	default:
		reason := "ContainerCreating"
		if len(pod.Spec.InitContainers) > 0 {
			reason = "PodInitializing"
		}
		cs.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason}
	}
	return cs
}

func podFullName(pod *corev1.Pod) string {
	return fmt.Sprintf("%s_%s(%s)", pod.Name, pod.Namespace, pod.UID)
}

// conditionsOf are the kubelet's own conditions, without times.
func conditionsOf(pod *corev1.Pod, l life, status *corev1.PodStatus, s situation) []corev1.PodCondition {
	condition := func(t corev1.PodConditionType, reason, message string) corev1.PodCondition {
		c := corev1.PodCondition{Type: t, Status: corev1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: pod.Generation}
		if reason == "" || t == corev1.PodInitialized && reason == "PodCompleted" {
			c.Status = corev1.ConditionTrue
		}
		return c
	}
	var incomplete, unready []string
	for i, cs := range status.InitContainerStatuses {
		if sidecar := isSidecar(&pod.Spec.InitContainers[i]); sidecar && !*cs.Started || !sidecar && !cs.Ready {
			incomplete = append(incomplete, cs.Name)
		}
		if isSidecar(&pod.Spec.InitContainers[i]) && !cs.Ready {
			unready = append(unready, cs.Name)
		}
	}
	for _, cs := range status.ContainerStatuses {
		if !cs.Ready {
			unready = append(unready, cs.Name)
		}
	}
	sandbox := condition(corev1.PodReadyToStartContainers, "", "")
	if !l.sandbox || l.stopped {
		sandbox.Status = corev1.ConditionFalse
	}
	initialized := condition(corev1.PodInitialized, "", "")
	switch {
	case status.Phase == corev1.PodSucceeded:
		initialized.Reason = "PodCompleted"
	case !l.begun && len(incomplete) > 0:
		initialized = condition(corev1.PodInitialized, "ContainersNotInitialized", fmt.Sprintf("containers with incomplete status: %s", incomplete))
	}
	containers := condition(corev1.ContainersReady, "", "")
	switch {
	case status.Phase == corev1.PodSucceeded:
		containers = condition(corev1.ContainersReady, "PodCompleted", "")
	case status.Phase == corev1.PodFailed:
		containers = condition(corev1.ContainersReady, "PodFailed", "")
	case len(unready) > 0:
		containers = condition(corev1.ContainersReady, "ContainersNotReady", fmt.Sprintf("containers with unready status: %s", unready))
	}
	ready := containers
	ready.Type = corev1.PodReady
	if gates := missingGates(pod, status.Conditions); ready.Status == corev1.ConditionTrue && gates != "" {
		ready = condition(corev1.PodReady, "ReadinessGatesNotReady", gates)
	}
	conditions := []corev1.PodCondition{sandbox, initialized, ready, containers, condition(corev1.PodScheduled, "", "")}
	if d := l.verdict; d != nil && d.disrupted && l.stopped {
		target := condition(corev1.DisruptionTarget, "", d.message)
		target.Reason = corev1.PodReasonTerminationByKubelet
		conditions = append(conditions, target)
	}
	return conditions
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

// mergeConditions puts own conditions in the place of the same ones in old, and keeps the times of those that stand.
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

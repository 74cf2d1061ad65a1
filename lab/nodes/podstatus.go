package nodes

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// addresses are what a pod reports of itself and of its host.
type addresses struct{ pod, host string }

// statusOf is what the kubelet says of a pod: its own fields and conditions made from the pod's state, everything
// else as reported before. Rules from pkg/kubelet/kubelet_pods.go (getPhase, convertToAPIContainerStatuses) and
// pkg/kubelet/status (generate.go, status_manager.go).
func statusOf(pod *corev1.Pod, reported *corev1.PodStatus, l podState, a addresses, s syncInput) *corev1.PodStatus {
	status := *reported
	status.ObservedGeneration = pod.Generation
	if status.StartTime == nil {
		t := metav1.NewTime(seconds(l.startTime))
		status.StartTime = &t
	}
	phase := phaseOf(pod, l)
	if terminal(reported.Phase) {
		phase = reported.Phase
	}
	status.Phase = phase
	if d := l.termination; d != nil && l.terminated && !terminal(reported.Phase) {
		status.Reason, status.Message = d.reason, d.message
	}
	if l.termination != nil && l.termination.rejected {
		return &status
	}
	if status.HostIP != a.host { // another family's addresses stay
		status.HostIP, status.HostIPs = a.host, []corev1.HostIP{{IP: a.host}}
	}
	if l.hasSandbox && a.pod != "" && status.PodIP != a.pod {
		status.PodIP, status.PodIPs = a.pod, []corev1.PodIP{{IP: a.pod}}
	}
	inits := len(pod.Spec.InitContainers)
	status.InitContainerStatuses, status.ContainerStatuses = nil, nil
	for i := range l.containers {
		cs := containerStatus(pod, reported, l, i, s)
		if i < inits {
			status.InitContainerStatuses = append(status.InitContainerStatuses, cs)
		} else {
			status.ContainerStatuses = append(status.ContainerStatuses, cs)
		}
	}
	conditions := conditionsOf(pod, l, &status)
	slices.SortFunc(status.ContainerStatuses, func(a, b corev1.ContainerStatus) int { return cmp.Compare(a.Name, b.Name) })
	status.Conditions = mergeConditions(reported.Conditions, conditions, s.now)
	return &status
}

func terminal(p corev1.PodPhase) bool { return p == corev1.PodSucceeded || p == corev1.PodFailed }

func phaseOf(pod *corev1.Pod, l podState) corev1.PodPhase {
	regular := l.containers[len(pod.Spec.InitContainers):]
	if l.terminated {
		failed := func(c container) bool { return c.stage != exited || c.exitCode != 0 }
		if l.termination != nil || !l.initialized || slices.ContainsFunc(regular, failed) {
			return corev1.PodFailed
		}
		return corev1.PodSucceeded
	}
	pending := func(c container) bool { return c.stage == waiting || c.stage == starting }
	if !l.initialized || slices.ContainsFunc(regular, pending) {
		return corev1.PodPending
	}
	return corev1.PodRunning
}

const crashLoop = "CrashLoopBackOff"

func containerStatus(pod *corev1.Pod, reported *corev1.PodStatus, l podState, i int, s syncInput) corev1.ContainerStatus {
	c, spec := l.containers[i], containerSpec(pod, i)
	init := i < len(pod.Spec.InitContainers)
	p := programOf(pod, spec, init, s.pace)
	started := c.alive() && !startedAt(spec, p, c).After(s.now)
	cs := reportedContainer(reported, spec.Name)
	was, sameRun := cs.State, cs.ContainerID != "" && cs.RestartCount == c.restarts
	cs.Name, cs.RestartCount, cs.Started = spec.Name, c.restarts, &started
	cs.State, cs.LastTerminationState = corev1.ContainerState{}, corev1.ContainerState{Terminated: c.last}
	if !sameRun {
		c.identify(&cs, pod, spec)
	}
	cs.Ready = started && !readyAt(spec, p, c).After(s.now)
	if init && !isSidecar(spec) {
		cs.Ready = c.succeeded()
	}
	switch {
	case c.alive():
		cs.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(seconds(c.started))}
		give(&cs, spec, !sameRun)
	case c.crashing() && l.killAt.IsZero():
		cs.State.Waiting = &corev1.ContainerStateWaiting{Reason: crashLoop, Message: fmt.Sprintf(
			"back-off %s restarting failed container=%s pod=%s", s.pace.Scenario(c.due.Sub(c.finished)), spec.Name, podFullName(pod))}
		cs.LastTerminationState.Terminated = c.terminated(cs.ContainerID)
	case c.stage == exited && sameRun && was.Terminated != nil:
		cs.State = was
	case c.stage == exited:
		cs.State.Terminated = c.terminated(cs.ContainerID)
	default:
		cs.State = absent(pod, was, l, init)
	}
	return cs
}

// give reports what a container has been given, at once after a resize in place. Of a run for which nothing was reported it
// reports nothing: such kubelets resize nothing, and the API server knows by that.
func give(cs *corev1.ContainerStatus, spec *corev1.Container, newRun bool) {
	if newRun || cs.Resources != nil {
		cs.Resources, cs.AllocatedResources = spec.Resources.DeepCopy(), spec.Resources.Requests
	}
}

// succeeded says that the container has done what it was for.
func (c container) succeeded() bool { return c.stage == exited && c.exitCode == 0 }

// identify names the run of a container and its image, once it has begun.
func (c container) identify(cs *corev1.ContainerStatus, pod *corev1.Pod, spec *corev1.Container) {
	cs.Image, cs.ContainerID, cs.ImageID = spec.Image, "", ""
	if c.stage != waiting && c.stage != starting {
		cs.ContainerID = "containerd://" + digest("container", string(pod.UID), spec.Name, fmt.Sprint(c.restarts))
		cs.ImageID = spec.Image + "@sha256:" + digest("image", spec.Image)
	}
}

// reportedContainer is what was said of a container before. Users and mounts in it are nothing that the lab's machines have
// a say in.
func reportedContainer(status *corev1.PodStatus, name string) corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{status.InitContainerStatuses, status.ContainerStatuses} {
		for _, cs := range list {
			if cs.Name == name {
				return cs
			}
		}
	}
	return corev1.ContainerStatus{}
}

// absent is the state of a container that does not exist: it is still to come, or it never came before the pod's end.
func absent(pod *corev1.Pod, was corev1.ContainerState, l podState, init bool) corev1.ContainerState {
	if was.Waiting != nil && was.Waiting.Reason != crashLoop && !l.terminated { // as ImagePullBackOff, which is nothing that the lab's machines have
		return was
	}
	if l.terminated && !init && (l.initialized || len(pod.Spec.InitContainers) == 0) {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: exitOnSIGKILL, Reason: "ContainerStatusUnknown",
			Message: "The container could not be located when the pod was terminated",
		}}
	}
	reason := "ContainerCreating"
	if len(pod.Spec.InitContainers) > 0 {
		reason = "PodInitializing"
	}
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
}

func podFullName(pod *corev1.Pod) string {
	return fmt.Sprintf("%s_%s(%s)", pod.Name, pod.Namespace, pod.UID)
}

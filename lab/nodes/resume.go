package nodes

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// resume is the state of a pod as its status has it: what a machine knows when the lab starts again.
func resume(pod *corev1.Pod) podState {
	l := podState{containers: make([]container, len(pod.Spec.InitContainers)+len(pod.Spec.Containers))}
	if pod.Status.StartTime != nil {
		l.startTime = pod.Status.StartTime.Time
	}
	l.terminated = terminal(pod.Status.Phase)
	statuses := map[string]*corev1.ContainerStatus{}
	for i := range pod.Status.InitContainerStatuses {
		statuses[pod.Status.InitContainerStatuses[i].Name] = &pod.Status.InitContainerStatuses[i]
	}
	for i := range pod.Status.ContainerStatuses {
		statuses[pod.Status.ContainerStatuses[i].Name] = &pod.Status.ContainerStatuses[i]
	}
	for i := range l.containers {
		if status := statuses[containerSpec(pod, i).Name]; status != nil {
			l.containers[i] = resumeContainer(status)
		}
		if i >= len(pod.Spec.InitContainers) && l.containers[i].stage != waiting {
			l.initialized = true
		}
		l.hasSandbox = l.hasSandbox || l.containers[i].stage != waiting
	}
	return l
}

func resumeContainer(status *corev1.ContainerStatus) container {
	c := container{restarts: status.RestartCount, last: status.LastTerminationState.Terminated}
	switch {
	case status.State.Running != nil:
		c.stage, c.started = running, status.State.Running.StartedAt.Time
	case status.State.Terminated != nil:
		c.exit(status.State.Terminated)
	case status.State.Waiting != nil && status.ContainerID != "" && c.last != nil: // backing off
		c.exit(c.last)
		c.last = nil
	}
	return c
}

func (c *container) exit(t *corev1.ContainerStateTerminated) {
	c.stage, c.exitCode, c.reason = exited, t.ExitCode, t.Reason
	c.started, c.finished = latest(t.StartedAt.Time, time.Time{}), t.FinishedAt.Time
}

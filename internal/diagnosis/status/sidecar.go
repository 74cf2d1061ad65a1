package status

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// sidecarsStillRun explains a pod that should complete, of which some containers have completed while others still run. It reports
// whether that is the case. The API tells which containers are sidecars only for init containers with restartPolicy Always.
func (s *Status) sidecarsStillRun(pod *corev1.Pod) bool {
	var done, running []string
	var evidence []finding.Evidence
	for _, c := range pod.Status.ContainerStatuses {
		switch end := c.State.Terminated; {
		case end != nil && end.ExitCode == 0:
			done = append(done, c.Name)
			evidence = append(evidence, facts.EvidenceSince(s.ref, statusField(pod, c.Name, "state.terminated"), terminatedValue(end), end.FinishedAt))
		case c.State.Running != nil && c.Ready:
			running = append(running, c.Name)
			evidence = append(evidence, facts.EvidenceSince(s.ref, statusField(pod, c.Name, "state"), "running", c.State.Running.StartedAt))
		default:
			return false // A container that does not run is the more severe problem.
		}
	}
	if restartsOnSuccess(pod) || len(done) == 0 || len(running) == 0 {
		return false
	}
	var job any = "" // Only pods of Jobs have one.
	if owner := s.World.Owner(pod); owner != nil && facts.ControlledBy(pod, cluster.Job) {
		job = change.Ref{Kind: string(cluster.Job), Namespace: pod.Namespace, Name: owner.GetName()}
	}
	over := sentence.WorkDone(s.ref, message.ListOf(done), message.ListOf(running), job)
	s.set(PodState(pod), finding.Critical, over)
	s.addCause(over, evidence...)
	s.addCause(sentence.WorkDoneNative(message.ListOf(running)), facts.Evidence(s.ref, "spec.restartPolicy", string(pod.Spec.RestartPolicy)))
	s.joinLastCause()
	return true
}

// restartsOnSuccess reports whether the kubelet restarts a container that has completed.
func restartsOnSuccess(pod *corev1.Pod) bool {
	return pod.Spec.RestartPolicy == "" || pod.Spec.RestartPolicy == corev1.RestartPolicyAlways
}

package status

import (
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Exit codes with which a shell or container runtime reports how a process ended: 128 plus the number of the signal.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSIGKILL       = 128 + 9
	exitSIGSEGV       = 128 + 11
	exitSIGTERM       = 128 + 15
)

// OOMKilled is the reason of a container that was killed for lack of memory.
const OOMKilled = "OOMKilled"

// memoryLimitField is the path of the memory limit in a container's spec.
const memoryLimitField = "resources.limits.memory"

// startError is the reason of a container whose process the runtime could not start (containerd, internal/cri/server).
const startError = "StartError"

// recentRestart is the time for which a container's restart is mentioned although the pod runs well now.
const recentRestart = time.Hour

// running explains a pod whose containers have been started: they may fail, or not be ready.
func (s *Status) running(pod *corev1.Pod) {
	node := facts.NodeRef(pod.Spec.NodeName)
	statuses := append(sidecars(pod), pod.Status.ContainerStatuses...)
	if s.containersNotStarted(pod, statuses) {
		return
	}
	if s.sidecarsStillRun(pod) {
		return
	}
	if ready := kube.PodCondition(pod, corev1.PodReady); ready != nil && ready.Status != corev1.ConditionTrue {
		s.set(PodState(pod), finding.Critical, sentence.PodNotReady(s.ref, node, ready.Message))
		s.notReady(pod, statuses, ready)
		return
	}
	s.set(PodState(pod), "", sentence.PodRunning(s.ref, node))
	for _, c := range statuses {
		if last := c.LastTerminationState.Terminated; last != nil && s.since(last.FinishedAt) < recentRestart {
			s.explainExit(pod, c, last)
		}
	}
}

// notReady names the containers that are not ready, and why.
func (s *Status) notReady(pod *corev1.Pod, statuses []corev1.ContainerStatus, ready *corev1.PodCondition) {
	for _, c := range statuses {
		switch {
		case c.Ready:
		case c.State.Terminated != nil:
			s.explainExit(pod, c, c.State.Terminated)
		case s.restartedByProbe(pod, c):
		default:
			s.explainNotReady(pod, c, ready)
		}
	}
	for _, gate := range pod.Spec.ReadinessGates {
		c := kube.PodCondition(pod, gate.ConditionType)
		if c != nil && c.Status == corev1.ConditionTrue {
			continue
		}
		value, since := "", metav1.Time{}
		if c != nil {
			value, since = strings.TrimSpace(string(c.Status)+" "+c.Reason+" "+c.Message), c.LastTransitionTime
		}
		field := "status.conditions[" + string(gate.ConditionType) + "]"
		s.addCause(sentence.ReadinessGateWaits(string(gate.ConditionType)), facts.EvidenceSince(s.ref, field, value, since))
	}
}

// restartedByProbe explains a container that is running and not ready after the kubelet restarted it because of a probe. It
// reports whether that is the case.
func (s *Status) restartedByProbe(pod *corev1.Pod, c corev1.ContainerStatus) bool {
	last, kills := c.LastTerminationState.Terminated, s.killedByProbe(pod, c.Name)
	if last == nil || kills == nil || s.since(last.FinishedAt) > recentRestart {
		return false
	}
	s.Summary = sentence.CrashesProbe(s.ref, c.Name, kills.Message, int(c.RestartCount))
	s.explainExit(pod, c, last)
	s.slowStart(pod, c)
	return true
}

// explainNotReady explains a running container whose probe fails or has not succeeded yet.
func (s *Status) explainNotReady(pod *corev1.Pod, c corev1.ContainerStatus, ready *corev1.PodCondition) {
	kind, fails := "Readiness", sentence.ReadinessProbeFails
	if c.Started != nil && !*c.Started {
		kind, fails = "Startup", sentence.StartupProbeFails
	}
	probe := probeText(containerOf(pod, c.Name), kind)
	evidence := []finding.Evidence{facts.EvidenceSince(s.ref, statusField(pod, c.Name, "ready"), "false", ready.LastTransitionTime)}
	for _, e := range s.Events(pod, "Unhealthy") {
		if strings.HasPrefix(e.Message, kind+" probe") && aboutContainer(e, c.Name, pod) {
			why := strings.TrimPrefix(strings.TrimPrefix(e.Message, kind+" probe failed: "), kind+" probe errored: ")
			s.Summary = fails(s.ref, c.Name, probe, why)
			s.addCause(s.Summary, append(evidence, query.EventEvidence(e))...)
			s.addUnknown(s.ref, sentence.LogTellsProbe(c.Name, logCommand(s.ref, c.Name, false)))
			return
		}
	}
	s.addCause(sentence.ProbeNotPassed(c.Name, s.age(ready.LastTransitionTime), probe), evidence...)
}

// aboutContainer reports whether an Event is about one container of a pod; a pod with a single container has no other.
func aboutContainer(e *corev1.Event, name string, pod *corev1.Pod) bool {
	return len(pod.Spec.Containers)+len(pod.Spec.InitContainers) == 1 || strings.Contains(e.InvolvedObject.FieldPath, "{"+name+"}")
}

// probeText describes a container's probe; empty if there is none.
func probeText(c *corev1.Container, kind string) string {
	if c == nil {
		return ""
	}
	probe := c.ReadinessProbe
	switch kind {
	case "Startup":
		probe = c.StartupProbe
	case "Liveness":
		probe = c.LivenessProbe
	}
	switch {
	case probe == nil:
		return ""
	case probe.HTTPGet != nil:
		return requestText(probe.HTTPGet)
	case probe.TCPSocket != nil:
		return "TCP :" + probe.TCPSocket.Port.String()
	case probe.GRPC != nil:
		return "gRPC :" + strconv.Itoa(int(probe.GRPC.Port))
	case probe.Exec != nil:
		return strings.Join(probe.Exec.Command, " ")
	default:
		return ""
	}
}

// requestText describes the request of a probe or hook.
func requestText(get *corev1.HTTPGetAction) string { return "GET :" + get.Port.String() + get.Path }

// explainCrash explains a container that exits repeatedly.
func (s *Status) explainCrash(pod *corev1.Pod, c corev1.ContainerStatus, first bool) {
	last := c.LastTerminationState.Terminated
	if first {
		s.set(PodState(pod), finding.Critical, s.crash(pod, c))
	}
	s.addCause(sentence.BacksOff(c.Name), s.waitingEvidence(pod, c), facts.Evidence(s.ref, statusField(pod, c.Name, "restartCount"), strconv.Itoa(int(c.RestartCount))))
	if last != nil {
		s.explainExit(pod, c, last)
	}
	s.slowStart(pod, c)
	s.raiseMemory(pod, c)
}

// crash says how a container exits repeatedly.
func (s *Status) crash(pod *corev1.Pod, c corev1.ContainerStatus) message.Sentence {
	last, n := c.LastTerminationState.Terminated, int(c.RestartCount)
	kills := s.killedByProbe(pod, c.Name)
	known, neverStarted := s.failedStart(pod, c.Name, last)
	switch {
	case kills != nil:
		return sentence.CrashesProbe(s.ref, c.Name, kills.Message, n)
	case s.stoppedByHook(pod, c.Name, last) != nil:
		return sentence.CrashesHook(s.ref, c.Name, n)
	case isExecFormatError(last):
		return sentence.CrashesFormat(s.ref, c.Name, n, facts.NodeRef(pod.Spec.NodeName), platformOf(s.World.Node(pod.Spec.NodeName)))
	case last == nil:
		return sentence.Crashes(s.ref, c.Name, n, "")
	case neverStarted:
		return known.summary
	case last.Reason == OOMKilled:
		return sentence.CrashesOOM(s.ref, c.Name, s.memoryLimit(pod, c, last), n)
	default:
		return sentence.Crashes(s.ref, c.Name, n, terminatedText(last))
	}
}

// killedByProbe is the Event of a failed liveness or startup probe, after which the kubelet restarts the container; nil if there
// is none.
func (s *Status) killedByProbe(pod *corev1.Pod, container string) *corev1.Event {
	killed := slices.ContainsFunc(s.Events(pod, "Killing"), func(e *corev1.Event) bool {
		return strings.Contains(e.Message, "failed liveness probe") || strings.Contains(e.Message, "failed startup probe")
	})
	for _, e := range s.Events(pod, "Unhealthy") {
		if killed && !strings.HasPrefix(e.Message, "Readiness") && aboutContainer(e, container, pod) {
			return e
		}
	}
	return nil
}

// explainExit says how a container ended and what that means.
func (s *Status) explainExit(pod *corev1.Pod, c corev1.ContainerStatus, end *corev1.ContainerStateTerminated) {
	ran := ""
	if hasRun(end) {
		ran = duration.HumanDuration(end.FinishedAt.Sub(end.StartedAt.Time))
	}
	field := statusField(pod, c.Name, "lastState.terminated")
	if end == c.State.Terminated {
		field = statusField(pod, c.Name, "state.terminated")
	}
	s.addCause(sentence.ContainerEnded(c.Name, int(end.ExitCode), end.Reason, ran), facts.EvidenceSince(s.ref, field, terminatedValue(end), end.FinishedAt))
	s.explainExitCode(pod, c.Name, end)
	if end.Reason != startError && !isExecFormatError(end) && end.ExitCode != 0 && s.killedByProbe(pod, c.Name) == nil && s.stoppedByHook(pod, c.Name, end) == nil {
		s.addLogHint(c.Name, end != c.State.Terminated)
	}
}

// hasRun reports whether it is known how long a container's process ran: for one that could not be started, the kubelet sets the
// epoch.
func hasRun(end *corev1.ContainerStateTerminated) bool {
	return end.StartedAt.Unix() > 0 && !end.FinishedAt.IsZero()
}

// exitCodeMessages explain exit codes with a known meaning.
var exitCodeMessages = map[int32]func() message.Sentence{
	exitSIGKILL: sentence.ExitKilled, exitSIGTERM: sentence.ExitTerminated, exitSIGSEGV: sentence.ExitSegmentation,
	exitNotFound: sentence.ExitNotFound, exitNotExecutable: sentence.ExitNotExecutable,
}

// explainExitCode explains the exit code of a container.
func (s *Status) explainExitCode(pod *corev1.Pod, container string, end *corev1.ContainerStateTerminated) {
	if kills := s.killedByProbe(pod, container); kills != nil {
		s.addCause(sentence.ExitProbe(probeText(containerOf(pod, container), "Liveness")), query.EventEvidence(kills))
		return
	}
	if hook := s.stoppedByHook(pod, container, end); hook != nil {
		s.addCause(sentence.ExitHook(postStartText(pod, container)), query.EventEvidence(hook))
		return
	}
	known, neverStarted := s.failedStart(pod, container, end)
	switch {
	case isExecFormatError(end):
		s.explainPlatform(pod, container)
	case neverStarted:
		s.explainStartFailure(known)
	case end.Reason == startError:
		s.addCause(sentence.ExitNeverRan())
	case end.Reason == OOMKilled && s.systemOOMEvent(pod, end) != nil:
		s.addCause(sentence.ExitNodeOOM(facts.NodeRef(pod.Spec.NodeName)), query.EventEvidence(s.systemOOMEvent(pod, end)))
	case end.Reason == OOMKilled && limitOf(pod, container) != "":
		s.addCause(sentence.ExitLimit(limitOf(pod, container)), facts.Evidence(s.ref, specField(pod, container, memoryLimitField), limitOf(pod, container)))
	case end.Reason == OOMKilled:
		s.addCause(sentence.ExitNodeMemory(facts.NodeRef(pod.Spec.NodeName)), facts.Evidence(s.ref, specField(pod, container, memoryLimitField), ""))
	case exitCodeMessages[end.ExitCode] != nil:
		s.addCause(exitCodeMessages[end.ExitCode]())
	case end.ExitCode == 0:
		said, policy := sentence.ExitDone(), facts.Evidence(s.ref, "spec.restartPolicy", string(pod.Spec.RestartPolicy))
		if !restartsOnSuccess(pod) {
			said = sentence.ExitDoneOnce()
		}
		s.addCause(said, policy)
	}
}

// terminatedValue is how a container ended, as in its status.
func terminatedValue(end *corev1.ContainerStateTerminated) string {
	words := []string{"exitCode " + strconv.Itoa(int(end.ExitCode))}
	if end.Reason != "" {
		words = []string{end.Reason, words[0]}
	}
	if text := strings.TrimSpace(end.Message); text != "" {
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// terminatedText is how a container ended, in a sentence.
func terminatedText(end *corev1.ContainerStateTerminated) string {
	words := []string{}
	if end.Reason != "" {
		words = append(words, end.Reason)
	}
	words = append(words, "exit code "+strconv.Itoa(int(end.ExitCode)))
	if text := strings.TrimSpace(end.Message); text != "" {
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// limitOf is a container's memory limit; empty if there is none.
func limitOf(pod *corev1.Pod, container string) string {
	if c := containerOf(pod, container); c != nil {
		if limit, ok := c.Resources.Limits[corev1.ResourceMemory]; ok {
			return limit.String()
		}
	}
	return ""
}

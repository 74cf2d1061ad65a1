package status

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// slowStart explains a container that its liveness probe restarts before it was ever ready: it may need longer to start than the
// probe allows, and a startup probe would wait for it.
func (s *Status) slowStart(pod *corev1.Pod, c corev1.ContainerStatus) {
	spec, last, kills := containerOf(pod, c.Name), c.LastTerminationState.Terminated, s.killedByProbe(pod, c.Name)
	ready := kube.PodCondition(pod, corev1.PodReady)
	if spec == nil || spec.LivenessProbe == nil || spec.StartupProbe != nil || kills == nil || !strings.HasPrefix(kills.Message, "Liveness") ||
		last == nil || !hasRun(last) || ready == nil || ready.Status == corev1.ConditionTrue || last.StartedAt.Before(&ready.LastTransitionTime) {
		return
	}
	lasted := last.FinishedAt.Sub(last.StartedAt.Time)
	probe := *spec.LivenessProbe.DeepCopy()
	period := time.Duration(max(probe.PeriodSeconds, 1)) * time.Second
	if probe.PeriodSeconds == 0 {
		period = 10 * time.Second // the default
	}
	// Twice the time that it had, since that was not enough.
	times := int32((2*lasted + period - 1) / period)
	probe.InitialDelaySeconds, probe.SuccessThreshold, probe.TerminationGracePeriodSeconds, probe.FailureThreshold = 0, 0, nil, times
	ran, total := duration.HumanDuration(lasted), duration.HumanDuration(time.Duration(times)*period)
	s.addCause(sentence.SlowStart(ran, c.Name), facts.EvidenceSince(s.ref, statusField(pod, c.Name, "lastState.terminated.startedAt"), last.StartedAt.UTC().Format(time.RFC3339), last.StartedAt),
		facts.EvidenceSince(s.ref, "status.conditions[Ready]", string(ready.Status), ready.LastTransitionTime))
	done, ok := s.PatchTemplate(pod, map[string]any{"containers": []any{map[string]any{"name": c.Name, "startupProbe": probe}}})
	if !ok {
		return
	}
	s.addRemedies(s.Propose(done, sentence.RemedyStartupProbe(c.Name, done.Object, total, int(times), int(period.Seconds()), ran), sentence.RemedyReplaceCost(done.Object), sentence.RemedyStartupProbeRisk(total)).Remedy)
}

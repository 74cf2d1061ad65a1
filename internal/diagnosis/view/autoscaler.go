package view

import (
	"regexp"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// AutoscalerLink explains what cluster-autoscaler says, which reads as if it counted nodes.
//
// Source: sigs.k8s.io/cluster-autoscaler, core/scaleup/orchestrator and processors/status/eventing_scale_up_processor.go.
func AutoscalerLink(v View, pod *corev1.Pod) (finding.Link, bool) {
	for _, event := range v.World.Events(pod.UID) {
		if event.Reason != "NotTriggerScaleUp" {
			continue
		}
		said := v.Say.Text(message.CauseAutoscaler, nil)
		if AtMaximum(v, pod) {
			said = v.Say.Text(message.CauseAutoscalerMax, message.Args{"n": groupsAtMaximum(event)})
		}
		return finding.Link{Message: said, Evidence: []finding.Evidence{EventFact(event)}}, true
	}
	return finding.Link{}, false
}

// atMaximum reads from cluster-autoscaler's words how many groups are at their maximum size
// (core/scaleup/orchestrator, MaxLimitReachedReason).
var atMaximum = regexp.MustCompile(`(\d+) max node group size reached`)

func groupsAtMaximum(e *corev1.Event) int {
	if found := atMaximum.FindStringSubmatch(e.Message); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return 0
}

// AtMaximum says whether the last that the autoscaler said of a pod is that groups are at their maximum size. Those that suit
// the pod then are: it would have added a node to any other.
func AtMaximum(v View, pod *corev1.Pod) bool {
	for _, e := range v.Events(pod, "NotTriggerScaleUp", "TriggeredScaleUp") {
		return groupsAtMaximum(e) > 0
	}
	return false
}

// Occurrences reads how often and when an event happened, written through either events API.
func Occurrences(e *corev1.Event) (count int, first, last metav1.Time) {
	count, first, last = int(e.Count), e.FirstTimestamp, e.LastTimestamp
	if first.IsZero() {
		first = metav1.Time{Time: e.EventTime.Time}
	}
	if last.IsZero() {
		last = first
	}
	if e.Series != nil {
		count, last = int(e.Series.Count), metav1.Time{Time: e.Series.LastObservedTime.Time}
	}
	return count, first, last
}

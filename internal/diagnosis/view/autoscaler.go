package view

import (
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
		return finding.Link{Message: v.Say.Text(message.CauseAutoscaler, nil), Evidence: []finding.Evidence{EventFact(event)}}, true
	}
	return finding.Link{}, false
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

package status

import (
	"math"
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
)

// replicasWanted is the number of replicas according to the current metrics, computed as the controller does but without its tolerance
// (pkg/controller/podautoscaler, replica_calculator.go); zero if it is unknown or does not exceed maxReplicas: then the current metrics do not
// explain why the autoscaler is limited.
func (s *Status) replicasWanted(h *autoscalingv2.HorizontalPodAutoscaler) (int, []finding.Evidence) {
	want := 0
	var evidence []finding.Evidence
	for i := range h.Spec.Metrics {
		if i >= len(h.Status.CurrentMetrics) {
			break
		}
		at := strconv.Itoa(i)
		m := metricOf(&h.Spec.Metrics[i], &h.Status.CurrentMetrics[i])
		share, field, now, target := m.share()
		replicas := math.Ceil(float64(h.Status.CurrentReplicas) * share)
		if field == "" || replicas > math.MaxInt32 {
			continue
		}
		want = max(want, int(replicas))
		evidence = append(evidence, facts.Evidence(s.ref, "status.currentMetrics["+at+"]."+m.field+".current."+field, now),
			facts.Evidence(s.ref, "spec.metrics["+at+"]."+m.field+".target."+field, target))
	}
	if want <= int(h.Spec.MaxReplicas) {
		want = 0
	}
	return want, evidence
}

// metric is one metric's target and current value.
type metric struct {
	// field is that of the metric's type; empty if the status has another type.
	field  string
	target autoscalingv2.MetricTarget
	now    autoscalingv2.MetricValueStatus
}

// metricOf is a metric of the spec, with the metric of the status at the same index.
func metricOf(spec *autoscalingv2.MetricSpec, status *autoscalingv2.MetricStatus) metric {
	switch {
	case spec.Resource != nil && status.Resource != nil:
		return metric{"resource", spec.Resource.Target, status.Resource.Current}.withKind(spec.Resource.Name == status.Resource.Name)
	case spec.ContainerResource != nil && status.ContainerResource != nil:
		same := spec.ContainerResource.Name == status.ContainerResource.Name && spec.ContainerResource.Container == status.ContainerResource.Container
		return metric{"containerResource", spec.ContainerResource.Target, status.ContainerResource.Current}.withKind(same)
	case spec.Pods != nil && status.Pods != nil:
		return metric{"pods", spec.Pods.Target, status.Pods.Current}.withKind(spec.Pods.Metric.Name == status.Pods.Metric.Name)
	case spec.Object != nil && status.Object != nil:
		same := spec.Object.Metric.Name == status.Object.Metric.Name && spec.Object.DescribedObject == status.Object.DescribedObject
		return metric{"object", spec.Object.Target, status.Object.Current}.withKind(same)
	case spec.External != nil && status.External != nil:
		return metric{"external", spec.External.Target, status.External.Current}.withKind(spec.External.Metric.Name == status.External.Metric.Name)
	default:
		return metric{}
	}
}

// withKind is the metric; the zero metric if the status has another type.
func (m metric) withKind(same bool) metric {
	if !same {
		return metric{}
	}
	return m
}

// share is the current value divided by the target, with the field that has both, and the values; the field is empty if they are unknown.
func (m metric) share() (share float64, field, now, target string) {
	switch {
	case m.field == "":
	case m.target.AverageUtilization != nil && m.now.AverageUtilization != nil && *m.target.AverageUtilization > 0:
		now, target := *m.now.AverageUtilization, *m.target.AverageUtilization
		return float64(now) / float64(target), "averageUtilization", strconv.Itoa(int(now)), strconv.Itoa(int(target))
	case m.target.AverageValue != nil && m.now.AverageValue != nil:
		return ratio("averageValue", m.now.AverageValue, m.target.AverageValue)
	case m.target.Value != nil && m.now.Value != nil:
		return ratio("value", m.now.Value, m.target.Value)
	}
	return 0, "", "", ""
}

func ratio(field string, now, target *resource.Quantity) (share float64, of, is, wanted string) {
	if target.Sign() <= 0 {
		return 0, "", "", ""
	}
	return now.AsApproximateFloat64() / target.AsApproximateFloat64(), field, now.String(), target.String()
}

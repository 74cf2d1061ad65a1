package diagnosis_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestAutoscalerAtMaximum reckons how many replicas each kind of metric asks for, from what the HorizontalPodAutoscaler's own
// status tells of it.
func TestAutoscalerAtMaximum(t *testing.T) {
	q := func(s string) *resource.Quantity { return new(resource.MustParse(s)) }
	called := func(name string) autoscalingv2.MetricIdentifier { return autoscalingv2.MetricIdentifier{Name: name} }
	object := autoscalingv2.CrossVersionObjectReference{Kind: "Ingress", Name: "web"}
	average := func(s string) autoscalingv2.MetricTarget {
		return autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: q(s)}
	}
	value := func(s string) autoscalingv2.MetricTarget {
		return autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: q(s)}
	}
	share := func(n int32) autoscalingv2.MetricTarget {
		return autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &n}
	}
	is := func(m autoscalingv2.MetricTarget) autoscalingv2.MetricValueStatus {
		return autoscalingv2.MetricValueStatus{Value: m.Value, AverageValue: m.AverageValue, AverageUtilization: m.AverageUtilization}
	}
	external := func(name string, target, now autoscalingv2.MetricTarget) (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
		return autoscalingv2.MetricSpec{Type: "External", External: &autoscalingv2.ExternalMetricSource{Metric: called("queue"), Target: target}},
			autoscalingv2.MetricStatus{Type: "External", External: &autoscalingv2.ExternalMetricStatus{Metric: called(name), Current: is(now)}}
	}
	type metric = func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus)
	for name, tc := range map[string]struct {
		metrics []metric
		// want is the number asked for; empty is one that is not told.
		want string
	}{
		"External, for each pod": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("queue", average("30"), average("75"))
		}}, "8"},
		"External, as a whole": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("queue", value("1k"), value("5000"))
		}}, "15"},
		"in thousandths": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("queue", average("1500m"), average("3100m"))
		}}, "7"},
		"of another metric": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("other", average("30"), average("75"))
		}}, ""},
		"of another type": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("queue", average("30"), value("75"))
		}}, ""},
		"no target": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("queue", average("0"), average("75"))
		}}, ""},
		"out of all bounds": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("queue", average("1m"), average("9E"))
		}}, ""},
		"less than the maximum": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return external("queue", average("30"), average("10"))
		}}, ""},
		"Pods": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return autoscalingv2.MetricSpec{Type: "Pods", Pods: &autoscalingv2.PodsMetricSource{Metric: called("rps"), Target: average("100")}},
				autoscalingv2.MetricStatus{Type: "Pods", Pods: &autoscalingv2.PodsMetricStatus{Metric: called("rps"), Current: is(average("301"))}}
		}}, "10"},
		"Object": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return autoscalingv2.MetricSpec{Type: "Object", Object: &autoscalingv2.ObjectMetricSource{DescribedObject: object, Metric: called("rps"), Target: value("100")}},
				autoscalingv2.MetricStatus{Type: "Object", Object: &autoscalingv2.ObjectMetricStatus{DescribedObject: object, Metric: called("rps"), Current: is(value("200"))}}
		}}, "6"},
		"another Object": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return autoscalingv2.MetricSpec{Type: "Object", Object: &autoscalingv2.ObjectMetricSource{DescribedObject: object, Metric: called("rps"), Target: value("100")}},
				autoscalingv2.MetricStatus{Type: "Object", Object: &autoscalingv2.ObjectMetricStatus{Metric: called("rps"), Current: is(value("200"))}}
		}}, ""},
		"ContainerResource": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return autoscalingv2.MetricSpec{Type: "ContainerResource", ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: "cpu", Container: "app", Target: share(50)}},
				autoscalingv2.MetricStatus{Type: "ContainerResource", ContainerResource: &autoscalingv2.ContainerResourceMetricStatus{Name: "cpu", Container: "app", Current: is(share(90))}}
		}}, "6"},
		"Resource, for each pod": {[]metric{func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
			return autoscalingv2.MetricSpec{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: "memory", Target: average("500Mi")}},
				autoscalingv2.MetricStatus{Type: "Resource", Resource: &autoscalingv2.ResourceMetricStatus{Name: "memory", Current: is(average("1Gi"))}}
		}}, "7"},
		"the most of several": {[]metric{
			func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
				return external("queue", average("30"), average("75"))
			},
			func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
				return external("queue", value("10"), value("40"))
			},
			func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
				return external("queue", value("10"), value("20"))
			},
		}, "12"},
		"one that is not told of": {[]metric{
			func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
				spec, _ := external("queue", average("30"), average("75"))
				return spec, autoscalingv2.MetricStatus{}
			},
			func() (autoscalingv2.MetricSpec, autoscalingv2.MetricStatus) {
				return external("queue", value("10"), value("40"))
			},
		}, "12"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "h"}}
			h.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 3, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}}
			h.Status = autoscalingv2.HorizontalPodAutoscalerStatus{CurrentReplicas: 3, DesiredReplicas: 3, Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{
				{Type: autoscalingv2.AbleToScale, Status: corev1.ConditionTrue},
				{Type: autoscalingv2.ScalingActive, Status: corev1.ConditionTrue},
				{Type: autoscalingv2.ScalingLimited, Status: corev1.ConditionTrue, Reason: "TooManyReplicas"},
			}}
			for _, one := range tc.metrics {
				spec, status := one()
				h.Spec.Metrics, h.Status.CurrentMetrics = append(h.Spec.Metrics, spec), append(h.Status.CurrentMetrics, status)
			}
			target := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "d"}}
			answer := diagnosis.Explain(t.Context(), question(t, []runtime.Object{h, target}, everything(), &change.Ref{Kind: "HorizontalPodAutoscaler", Namespace: "shop", Name: "web"}))
			asks, command := "call for more", ""
			if tc.want != "" {
				asks, command = "call for "+tc.want+".", `"maxReplicas":`+tc.want+"}"
			}
			if !strings.Contains(message.English().Say(answer.Summary), asks) {
				t.Errorf("want %q: %s", asks, message.English().Say(answer.Summary))
			}
			var commands []string
			for _, r := range answer.Remedies {
				commands = append(commands, r.Command)
			}
			if all := strings.Join(commands, "\n"); (all == "") != (command == "") || !strings.Contains(all, command) {
				t.Errorf("want %q: %s", command, all)
			}
		})
	}
}

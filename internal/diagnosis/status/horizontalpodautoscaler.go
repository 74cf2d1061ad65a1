package status

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// metricsAPIs are the API groups of metrics, by the reason that the controller reports if it gets none (pkg/controller/podautoscaler).
var metricsAPIs = map[string]string{
	"FailedGetResourceMetric": "metrics.k8s.io", "FailedGetContainerResourceMetric": "metrics.k8s.io",
	"FailedGetPodsMetric": "custom.metrics.k8s.io", "FailedGetObjectMetric": "custom.metrics.k8s.io",
	"FailedGetExternalMetric": "external.metrics.k8s.io",
}

// horizontalPodAutoscaler reports whether a HorizontalPodAutoscaler scales its target, and why not.
func (s *Status) horizontalPodAutoscaler(ctx context.Context, h *autoscalingv2.HorizontalPodAutoscaler) {
	least := int32(1)
	if h.Spec.MinReplicas != nil {
		least = *h.Spec.MinReplicas
	}
	target := change.Ref{Kind: h.Spec.ScaleTargetRef.Kind, Namespace: h.Namespace, Name: h.Spec.ScaleTargetRef.Name}
	able, active, limited := s.hpaCondition(h, autoscalingv2.AbleToScale), s.hpaCondition(h, autoscalingv2.ScalingActive), s.hpaCondition(h, autoscalingv2.ScalingLimited)
	switch {
	case s.hpaTargetMissing(h, target, able):
	case able == nil && active == nil:
		s.hpaNotObserved(h, target)
	case able != nil && able.Status == corev1.ConditionFalse:
		s.set(able.Reason, finding.Warning, sentence.HPAUnable(s.ref, target, able.Message))
		s.addCause(sentence.HPAUnable(s.ref, target, able.Message), s.hpaEvidence(able))
	case active != nil && active.Reason == "ScalingDisabled":
		s.set(active.Reason, "", sentence.HPATargetAtZero(s.ref, target))
	case active != nil && active.Status == corev1.ConditionFalse:
		s.noMetrics(ctx, h, target, active)
	case limited != nil && limited.Status == corev1.ConditionTrue && limited.Reason == "TooManyReplicas":
		s.atMaximum(h, target, limited)
	default:
		s.set("Active", "", sentence.HPAScales(s.ref, target, int(least), int(h.Spec.MaxReplicas), int(h.Status.CurrentReplicas)))
	}
}

func (*Status) hpaCondition(h *autoscalingv2.HorizontalPodAutoscaler, kind autoscalingv2.HorizontalPodAutoscalerConditionType) *autoscalingv2.HorizontalPodAutoscalerCondition {
	for i := range h.Status.Conditions {
		if h.Status.Conditions[i].Type == kind {
			return &h.Status.Conditions[i]
		}
	}
	return nil
}

func (s *Status) hpaEvidence(c *autoscalingv2.HorizontalPodAutoscalerCondition) finding.Evidence {
	return facts.EvidenceSince(s.ref, "status.conditions["+string(c.Type)+"]", c.Reason+": "+c.Message, c.LastTransitionTime)
}

// hpaTargetMissing explains a target that does not exist. Targets of unknown kinds are not checked.
func (s *Status) hpaTargetMissing(h *autoscalingv2.HorizontalPodAutoscaler, target change.Ref, able *autoscalingv2.HorizontalPodAutoscalerCondition) bool {
	kind := cluster.Kind(target.Kind)
	if !slices.Contains(cluster.Kinds(), kind) || !s.Known(kind) || s.World.Object(kind, target.Namespace, target.Name) != nil {
		return false
	}
	evidence := []finding.Evidence{facts.Evidence(s.ref, "spec.scaleTargetRef.name", target.Name), facts.Evidence(target, "metadata.name", "")}
	if able != nil && able.Status == corev1.ConditionFalse {
		evidence = append(evidence, s.hpaEvidence(able))
	}
	s.set("FailedGetScale", finding.Warning, sentence.HPATargetMissing(s.ref, target))
	s.addCause(sentence.HPATargetMissing(s.ref, target), evidence...)
	name := s.workloadsWithoutHPA(kind, h.Namespace)
	done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"scaleTargetRef": map[string]any{"name": "NAME"}})}
	done.Patch = strings.Replace(done.Patch, "NAME", cmp.Or(name, "<name>"), 1)
	proposal := s.propose(done, sentence.RemedyTarget(s.ref, cmp.Or(name, "<name>")), sentence.RemedyTargetCost(), sentence.RemedyTargetRisk())
	if name == "" {
		proposal.Change = nil // The reader must fill in the name.
	}
	s.addRemedies(proposal)
	return true
}

// workloadsWithoutHPA is the only object of a kind in a namespace that no HorizontalPodAutoscaler scales, empty if there is none or several.
func (s *Status) workloadsWithoutHPA(kind cluster.Kind, namespace string) string {
	targeted := map[string]bool{}
	for _, h := range s.World.Autoscalers() {
		if h.Namespace == namespace && h.Spec.ScaleTargetRef.Kind == string(kind) {
			targeted[h.Spec.ScaleTargetRef.Name] = true
		}
	}
	var names []string
	for _, o := range s.World.Objects(kind) {
		if o.GetNamespace() == namespace && !targeted[o.GetName()] {
			names = append(names, o.GetName())
		}
	}
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

func (s *Status) hpaNotObserved(h *autoscalingv2.HorizontalPodAutoscaler, target change.Ref) {
	severity := finding.Warning
	if s.since(h.CreationTimestamp) < observationTimeout {
		severity = ""
	}
	s.set("", severity, sentence.HPAUnseen(s.ref, target))
}

// noMetrics explains a HorizontalPodAutoscaler that cannot compute its desired replicas.
func (s *Status) noMetrics(ctx context.Context, h *autoscalingv2.HorizontalPodAutoscaler, target change.Ref, active *autoscalingv2.HorizontalPodAutoscalerCondition) {
	set := func(why any) {
		s.set(active.Reason, finding.Warning, sentence.HPANoMetrics(s.ref, target, int(h.Status.CurrentReplicas), why))
	}
	set(active.Message)
	s.addCause(sentence.HPAUntold(active.Message), s.hpaEvidence(active))
	missing := strings.Contains(active.Message, "missing request for")
	if api := metricsAPIs[active.Reason]; api != "" && !missing {
		if why := s.metricsAPI(ctx, api, active.Message); !why.IsZero() {
			set(why)
		}
	}
	if why := s.requestsMissing(h, target); !why.IsZero() && missing {
		set(why)
	}
}

// metricsAPI explains what is wrong with an API of metrics; empty if nothing is known to be.
func (s *Status) metricsAPI(ctx context.Context, api, told string) message.Sentence {
	s.AddUnknownKinds(cluster.APIService)
	say := func(why message.Sentence, evidence ...finding.Evidence) message.Sentence {
		s.addCause(why, evidence...)
		return why
	}
	i := slices.IndexFunc(s.World.APIServices(), func(a *custom.APIService) bool { return a.Spec.Group == api })
	switch {
	case i >= 0:
		service := s.World.APIServices()[i]
		ref, available := facts.RefTo(cluster.APIService, service), meta.FindStatusCondition(service.Status.Conditions, "Available")
		if available == nil || available.Status != metav1.ConditionFalse {
			return message.Sentence{}
		}
		why := say(sentence.MetricsAPIDown(api, available.Message), facts.EvidenceSince(ref, "status.conditions[Available]", available.Reason+": "+available.Message, available.LastTransitionTime))
		if service.Spec.Service != nil {
			s.explainService(ctx, change.Ref{Kind: string(cluster.Service), Namespace: service.Spec.Service.Namespace, Name: service.Spec.Service.Name})
		}
		return why
	case s.Known(cluster.APIService) || strings.Contains(told, "could not find the requested resource"):
		if api == "metrics.k8s.io" {
			s.addRemedies(s.proposeCommand(metricsServer, sentence.RemedyMetricsServer(), sentence.RemedyMetricsServerCost(), sentence.RemedyMetricsServerRisk()))
		}
		return say(sentence.MetricsAPIMissing(api))
	case strings.Contains(told, "unable to handle the request"):
		s.addRemedies(finding.Remedy{Message: sentence.RemedyMetricsAPI(api), Command: change.ListAPIServices()})
		return say(sentence.MetricsAPIDown(api, ""))
	default:
		return message.Sentence{}
	}
}

// metricsServer is the command that installs metrics-server (https://github.com/kubernetes-sigs/metrics-server).
const metricsServer = "kubectl apply --filename https://github.com/kubernetes-sigs/metrics-server/releases/latest/download/components.yaml"

// requestsMissing names containers without a request for the resource whose utilization is the metric; empty if there are none.
func (s *Status) requestsMissing(h *autoscalingv2.HorizontalPodAutoscaler, target change.Ref) message.Sentence {
	pods := facts.PodsOfWorkload(s.World, target)
	if len(pods) == 0 {
		return message.Sentence{}
	}
	pod, said := pods[0], message.Sentence{}
	for _, m := range h.Spec.Metrics {
		var resource corev1.ResourceName
		only := ""
		switch {
		case m.Resource != nil && m.Resource.Target.AverageUtilization != nil:
			resource = m.Resource.Name
		case m.ContainerResource != nil && m.ContainerResource.Target.AverageUtilization != nil:
			resource, only = m.ContainerResource.Name, m.ContainerResource.Container
		default:
			continue
		}
		for i := range pod.Spec.Containers {
			c := &pod.Spec.Containers[i]
			if _, ok := c.Resources.Requests[resource]; ok || only != "" && only != c.Name || podRequests(pod, resource) && only == "" {
				continue
			}
			s.addCause(sentence.HPANoRequest(c.Name, target, string(resource)), facts.Evidence(facts.RefTo(cluster.Pod, pod), "spec.containers["+c.Name+"].resources.requests["+string(resource)+"]", ""))
			if said.IsZero() {
				said = sentence.HPANoRequest(c.Name, target, string(resource))
			}
			s.addRemedies(s.proposeCommand(change.SetRequest(target, c.Name, string(resource)), sentence.RemedyRequest(c.Name, target, string(resource)), sentence.RemedyRequestCost(target), sentence.RemedyRequestRisk()))
		}
	}
	return said
}

// podRequests reports whether a pod has a pod-level request for a resource (KEP-2837).
func podRequests(pod *corev1.Pod, resource corev1.ResourceName) bool {
	if pod.Spec.Resources == nil {
		return false
	}
	_, ok := pod.Spec.Resources.Requests[resource]
	return ok
}

// atMaximum explains a HorizontalPodAutoscaler that is limited by maxReplicas.
func (s *Status) atMaximum(h *autoscalingv2.HorizontalPodAutoscaler, target change.Ref, limited *autoscalingv2.HorizontalPodAutoscalerCondition) {
	want, evidence := s.replicasWanted(h)
	s.set(limited.Reason, finding.Warning, sentence.HPAAtMaximum(s.ref, target, int(h.Spec.MaxReplicas), want))
	evidence = append([]finding.Evidence{s.hpaEvidence(limited), facts.Evidence(s.ref, "spec.maxReplicas", strconv.Itoa(int(h.Spec.MaxReplicas)))}, evidence...)
	s.addCause(sentence.HPAAtMaximum(s.ref, target, int(h.Spec.MaxReplicas), want), evidence...)
	if want > int(h.Spec.MaxReplicas) {
		done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"maxReplicas": want})}
		s.addRemedies(s.propose(done, sentence.RemedyMaxReplicas(s.ref, want), sentence.RemedyMaxReplicasCost(), sentence.RemedyMaxReplicasRisk()))
	}
}

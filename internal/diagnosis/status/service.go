package status

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// service reports whether a Service has endpoints, and why not. They are computed from its selector and its pods, as the
// EndpointSlice controller does, and compared with its EndpointSlices if these are known.
func (s *Status) service(ctx context.Context, svc *corev1.Service) {
	if svc.Spec.Type == corev1.ServiceTypeExternalName {
		s.set("ExternalName", "", sentence.ServiceExternal(s.ref, svc.Spec.ExternalName))
		return
	}
	if len(svc.Spec.Selector) == 0 { // An empty selector of a Service means that it has none.
		s.manualEndpoints(svc)
		return
	}
	s.AddUnknownKinds(cluster.Pod)
	selector := labels.SelectorFromSet(svc.Spec.Selector)
	pods := facts.SelectedPods(s.World, svc.Namespace, selector)
	ready := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return !serves(svc, p) })
	switch {
	case len(pods) == 0 && !s.Known(cluster.Pod):
		s.set("", "", sentence.ServiceUnknown(s.ref))
	case len(pods) == 0 && s.endpointsTerminating(ctx, svc, selector):
	case len(pods) == 0:
		s.noPods(ctx, svc, selector)
	case s.portMissing(svc, pods):
	case len(ready) > 0 && s.notInEndpointSlice(svc, ready):
	case len(ready) > 0:
		s.set("Ready", "", sentence.ServiceServes(s.ref, len(ready), len(pods)))
	default:
		s.set(noEndpoints, finding.Critical, sentence.ServiceNoneReady(s.ref, len(pods), ""))
		s.addCause(sentence.ServiceNoneReady(s.ref, len(pods), ""), s.selectorEvidence(svc))
		s.ToldElsewhere = true
		if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return s.PartOf(facts.RefTo(cluster.Pod, p)) }) {
			return // The explanation of the pod continues.
		}
		if all := s.addPodProblems(ctx, pods, true); len(all) > 0 {
			s.set(noEndpoints, finding.Critical, sentence.ServiceNoneReady(s.ref, len(pods), all[0].explanation.Summary))
		}
	}
}

// serves reports whether a pod without a deletion timestamp is a ready endpoint.
func serves(svc *corev1.Service, pod *corev1.Pod) bool {
	return svc.Spec.PublishNotReadyAddresses || kube.IsPodReady(pod)
}

func (s *Status) selectorEvidence(svc *corev1.Service) finding.Evidence {
	return facts.Evidence(s.ref, "spec.selector", labels.Set(svc.Spec.Selector).String())
}

// noPods explains a Service whose selector matches no pod: a workload should have some, or no workload has matching labels.
func (s *Status) noPods(ctx context.Context, svc *corev1.Service, selector labels.Selector) {
	s.AddUnknownKinds(cluster.Deployment, cluster.StatefulSet, cluster.DaemonSet)
	for _, maker := range refsOf(facts.WorkloadsSelectedBy(s.World, svc.Namespace, selector)) {
		if facts.ScaledToZero(s.World.Object(cluster.Kind(maker.Kind), maker.Namespace, maker.Name)) {
			s.set(noEndpoints, "", sentence.ServiceAtZero(s.ref, maker))
			continue
		}
		why := s.Explain(ctx, maker)
		s.set(noEndpoints, finding.Critical, sentence.ServiceWithoutPods(s.ref, maker, why.Summary))
		s.addCause(sentence.ServiceWithoutPods(s.ref, maker, why.Summary), s.selectorEvidence(svc))
		s.include(why)
		s.ToldElsewhere = true
		return
	}
	if s.State != "" {
		return
	}
	s.set(noEndpoints, finding.Warning, sentence.ServiceMatchesNothing(s.ref, labels.Set(svc.Spec.Selector).String()))
	s.addCause(sentence.ServiceMatchesNothing(s.ref, labels.Set(svc.Spec.Selector).String()), s.selectorEvidence(svc))
	near, with, ok := facts.WorkloadMatchingButOne(s.World, svc.Namespace, svc.Spec.Selector)
	if !ok {
		return
	}
	differing := labels.Set(with).String()
	s.addCause(sentence.NearSelector(near, differing), facts.Evidence(near, "spec.template.metadata.labels", differing))
	done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"selector": with})}
	s.addRemedies(s.propose(done, sentence.RemedySelect(s.ref, near, differing), sentence.RemedySelectCost(), sentence.RemedySelectRisk(s.ref, near)))
}

// include adds the explanation of an object that the subject depends on.
func (s *Status) include(why finding.Explanation) {
	s.Causes = append(s.Causes, why.Causes...)
	s.DependsOn = append(append(s.DependsOn, why.Subject), why.DependsOn...)
	s.addRemedies(why.Remedies...)
	s.Findings = AppendFindings(s.Findings, why.Findings)
	s.Unknown, s.NotModelled = append(s.Unknown, why.Unknown...), append(s.NotModelled, why.NotModelled...)
}

// portMissing explains a named targetPort that no container of the pods has: the Service has no endpoints for it. A targetPort
// that is a number needs no container port.
func (s *Status) portMissing(svc *corev1.Service, pods []*corev1.Pod) bool {
	for i := range svc.Spec.Ports {
		port := &svc.Spec.Ports[i]
		if port.TargetPort.Type != intstr.String || port.TargetPort.StrVal == "" {
			continue
		}
		if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return namesPort(p, port) }) {
			continue
		}
		named := slices.DeleteFunc(portsOf(pods[0]), func(c corev1.ContainerPort) bool { return orTCP(c.Protocol) != orTCP(port.Protocol) })
		pod := facts.RefTo(cluster.Pod, pods[0])
		why := sentence.ServicePortUnnamed(s.ref, int(port.Port), port.TargetPort.StrVal, pod, orTCP(port.Protocol), message.ListOf(portNames(named)))
		evidence := []finding.Evidence{facts.Evidence(s.ref, "spec.ports[*].targetPort", port.TargetPort.StrVal)}
		for _, one := range named {
			evidence = append(evidence, facts.Evidence(pod, "spec.containers[*].ports["+one.Name+"].name", one.Name))
		}
		s.set(noEndpoints, finding.Critical, why)
		s.addCause(why, evidence...)
		if len(named) == 1 && len(svc.Spec.Ports) == 1 {
			done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"ports": []any{map[string]any{"port": port.Port, "targetPort": named[0].Name}}})}
			s.addRemedies(s.propose(done, sentence.RemedyTargetPort(s.ref, named[0].Name), sentence.RemedyTargetPortCost(), sentence.RemedyTargetPortRisk(named[0].Name)))
		}
		return true
	}
	return false
}

// portsOf are the named ports of a pod. Of init containers, only those of sidecars count.
func portsOf(pod *corev1.Pod) []corev1.ContainerPort {
	var ports []corev1.ContainerPort
	add := func(c *corev1.Container) {
		for _, port := range c.Ports {
			if port.Name != "" {
				ports = append(ports, port)
			}
		}
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(c)
		}
	}
	return ports
}

func portNames(ports []corev1.ContainerPort) []string {
	var names []string
	for _, port := range ports {
		names = append(names, port.Name)
	}
	return names
}

func namesPort(pod *corev1.Pod, port *corev1.ServicePort) bool {
	return slices.ContainsFunc(portsOf(pod), func(c corev1.ContainerPort) bool {
		return c.Name == port.TargetPort.StrVal && orTCP(c.Protocol) == orTCP(port.Protocol)
	})
}

func orTCP(p corev1.Protocol) string {
	if p == "" {
		return string(corev1.ProtocolTCP)
	}
	return string(p)
}

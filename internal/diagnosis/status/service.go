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
	"github.com/naosu-dev/naosu/internal/message"
)

// service says whether a Service has endpoints, and why not. They are reckoned from its selector and its pods, as the
// EndpointSlice controller does, and held against its EndpointSlices where these are known.
func (s *Status) service(ctx context.Context, svc *corev1.Service) {
	if svc.Spec.Type == corev1.ServiceTypeExternalName {
		s.is("ExternalName", "", message.ServiceExternal, message.Args{"name": svc.Spec.ExternalName})
		return
	}
	if len(svc.Spec.Selector) == 0 { // Of a Service, an empty selector is none.
		s.byHand(svc)
		return
	}
	s.Needs(cluster.Pod)
	selector := labels.SelectorFromSet(svc.Spec.Selector)
	pods := facts.Selected(s.World, svc.Namespace, selector)
	ready := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return !serves(svc, p) })
	args := message.Args{"selector": labels.Set(svc.Spec.Selector).String(), "n": len(pods), "ready": len(ready), "why": "", "near": ""}
	switch {
	case len(pods) == 0 && !s.Knows(cluster.Pod):
		s.is("", "", message.ServiceUnknown, args)
	case len(pods) == 0 && s.endsSoon(ctx, svc, selector):
	case len(pods) == 0:
		s.noPods(ctx, svc, selector, args)
	case s.portMissing(svc, pods, args):
	case len(ready) > 0 && s.unlisted(svc, ready, args):
	case len(ready) > 0:
		s.is("Ready", "", message.ServiceServes, args)
	default:
		s.is(noEndpoints, finding.Critical, message.ServiceNoneReady, args)
		s.because(message.ServiceNoneReady, args, s.selectorFact(svc))
		s.Told = true
		if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return s.Within(facts.RefTo(cluster.Pod, p)) }) {
			return // The pod's own answer goes on.
		}
		if all := s.podsInTrouble(ctx, pods, true); len(all) > 0 {
			args["why"] = all[0].why.Summary
			s.is(noEndpoints, finding.Critical, message.ServiceNoneReady, args)
		}
	}
}

// serves says whether a pod that nobody has deleted is an endpoint that gets traffic.
func serves(svc *corev1.Service, pod *corev1.Pod) bool {
	ready := facts.PodCondition(pod, corev1.PodReady)
	return svc.Spec.PublishNotReadyAddresses || ready != nil && ready.Status == corev1.ConditionTrue
}

func (s *Status) selectorFact(svc *corev1.Service) finding.Evidence {
	return facts.Fact(s.ref, "spec.selector", labels.Set(svc.Spec.Selector).String())
}

// noPods is about a Service whose selector matches no pod: there is a workload that should have some, or nothing has its labels.
func (s *Status) noPods(ctx context.Context, svc *corev1.Service, selector labels.Selector, args message.Args) {
	s.Needs(cluster.Deployment, cluster.StatefulSet, cluster.DaemonSet)
	for _, maker := range refsOf(facts.MakersOf(s.World, svc.Namespace, selector)) {
		args["workload"] = maker
		if facts.AtZero(s.World.Object(cluster.Kind(maker.Kind), maker.Namespace, maker.Name)) {
			s.is(noEndpoints, "", message.ServiceAtZero, args)
			continue
		}
		why := s.Explain(ctx, maker)
		args["why"] = why.Summary
		s.is(noEndpoints, finding.Critical, message.ServiceWithoutPods, args)
		s.because(message.ServiceWithoutPods, args, s.selectorFact(svc))
		s.adopt(why)
		s.Told = true
		return
	}
	if s.State != "" {
		return
	}
	s.is(noEndpoints, finding.Warning, message.ServiceMatchesNothing, args)
	s.because(message.ServiceMatchesNothing, args, s.selectorFact(svc))
	near, with, ok := facts.NearMaker(s.World, svc.Namespace, svc.Spec.Selector)
	if !ok {
		return
	}
	args["near"], args["labels"] = near, labels.Set(with).String()
	s.because(message.NearSelector, args, facts.Fact(near, "spec.template.metadata.labels", labels.Set(with).String()))
	done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"selector": with})}
	s.remedy(s.way(done, message.RemedySelect, message.RemedySelectCost, message.RemedySelectRisk, args))
}

// adopt takes over what explains another thing that the subject depends on.
func (s *Status) adopt(why finding.Explanation) {
	s.Causes = append(s.Causes, why.Causes...)
	s.DependsOn = append(append(s.DependsOn, why.Subject), why.DependsOn...)
	s.remedy(why.Remedies...)
	s.Findings = AppendFindings(s.Findings, why.Findings)
	s.Unknown, s.NotModelled = append(s.Unknown, why.Unknown...), append(s.NotModelled, why.NotModelled...)
}

// portMissing is about a targetPort by a name that no container of the pods gives a port: the Service has no endpoints there.
// A number needs no container that names it.
func (s *Status) portMissing(svc *corev1.Service, pods []*corev1.Pod, args message.Args) bool {
	for i := range svc.Spec.Ports {
		port := &svc.Spec.Ports[i]
		if port.TargetPort.Type != intstr.String || port.TargetPort.StrVal == "" {
			continue
		}
		if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return namesPort(p, port) }) {
			continue
		}
		named := slices.DeleteFunc(portsOf(pods[0]), func(c corev1.ContainerPort) bool { return orTCP(c.Protocol) != orTCP(port.Protocol) })
		args["port"], args["target"], args["names"], args["pod"], args["protocol"] = int(port.Port), port.TargetPort.StrVal, portNames(named), facts.RefTo(cluster.Pod, pods[0]), orTCP(port.Protocol)
		evidence := []finding.Evidence{facts.Fact(s.ref, "spec.ports[*].targetPort", port.TargetPort.StrVal)}
		for _, one := range named {
			evidence = append(evidence, facts.Fact(facts.RefTo(cluster.Pod, pods[0]), "spec.containers[*].ports["+one.Name+"].name", one.Name))
		}
		s.is(noEndpoints, finding.Critical, message.ServicePortUnnamed, args)
		s.because(message.ServicePortUnnamed, args, evidence...)
		if len(named) == 1 && len(svc.Spec.Ports) == 1 {
			args["name"] = named[0].Name
			done := change.Patch{Object: s.ref, Patch: specPatch(map[string]any{"ports": []any{map[string]any{"port": port.Port, "targetPort": named[0].Name}}})}
			s.remedy(s.way(done, message.RemedyTargetPort, message.RemedyTargetPortCost, message.RemedyTargetPortRisk, args))
		}
		return true
	}
	return false
}

// portsOf are the ports of a pod that have a name. Of init containers, those that run on have some that count.
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

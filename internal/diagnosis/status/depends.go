package status

import (
	"context"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// noEndpoints is the state of a Service that nothing answers at.
const noEndpoints = "NoEndpoints"

// behind follows the chain to a Service that the subject depends on: if it has no endpoints, why not is a part of the answer.
// What it says of the Service is empty if nothing is wrong there, or the answer is a part of the one about the Service.
func (s *Status) behind(ctx context.Context, service change.Ref) (why string) {
	if s.Within(service) || !s.Knows(cluster.Service) {
		return ""
	}
	args := message.Args{"service": service}
	if s.World.Service(service.Namespace, service.Name) == nil {
		if s.World.Knowledge(cluster.Service) != cluster.Complete {
			return ""
		}
		s.because(message.ServiceMissing, args, facts.Fact(service, "metadata.name", ""))
		return s.say(message.ServiceMissing, args)
	}
	all := s.Explain(ctx, service)
	if all.State != noEndpoints {
		return ""
	}
	if len(all.Causes) == 0 {
		s.because(message.DependsOn, message.Args{"why": all.Summary})
	} else {
		all.Causes[0].Message = all.Summary // It is the same with what is behind it.
	}
	s.adopt(all)
	return all.Summary
}

// given is what a container is given to run or to be probed with, as it stands in its spec.
type given struct {
	field string
	words []string
}

func givenTo(field string, c *corev1.Container) []given {
	all := []given{{field + ".command", c.Command}, {field + ".args", c.Args}}
	for name, probe := range map[string]*corev1.Probe{"readinessProbe": c.ReadinessProbe, "startupProbe": c.StartupProbe, "livenessProbe": c.LivenessProbe} {
		if probe != nil && probe.Exec != nil {
			all = append(all, given{field + "." + name + ".exec.command", probe.Exec.Command})
		}
	}
	slices.SortFunc(all, func(a, b given) int { return strings.Compare(a.field, b.field) })
	return all
}

// host is a word that could be a Service's name, with or without its namespace.
var host = regexp.MustCompile(`[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?`)

// servicesNamed adds to what is known of a pod that waits, or whose containers end, the Services without endpoints that those
// containers are given by name. Values of environment variables are not read.
func (s *Status) servicesNamed(ctx context.Context, pod *corev1.Pod) {
	if s.Severity != finding.Critical || !s.Knows(cluster.Service) || pod.DeletionTimestamp != nil || cluster.Ended(pod) {
		return
	}
	for _, status := range pod.Status.InitContainerStatuses {
		if c := containerNamed(pod.Spec.InitContainers, status.Name); c != nil && !status.Ready && (status.State.Running != nil || status.RestartCount > 0) {
			s.servicesGiven(ctx, pod, c, givenTo("spec.initContainers["+c.Name+"]", c))
		}
	}
	for _, status := range pod.Status.ContainerStatuses {
		if c := containerNamed(pod.Spec.Containers, status.Name); c != nil && !status.Ready && (status.State.Running != nil || status.RestartCount > 0) {
			s.servicesGiven(ctx, pod, c, givenTo("spec.containers["+c.Name+"]", c))
		}
	}
}

func containerNamed(containers []corev1.Container, name string) *corev1.Container {
	for i := range containers {
		if containers[i].Name == name {
			return &containers[i]
		}
	}
	return nil
}

// servicesGiven is about one container.
func (s *Status) servicesGiven(ctx context.Context, pod *corev1.Pod, c *corev1.Container, all []given) {
	seen := map[change.Ref]bool{}
	for _, g := range all {
		for _, word := range host.FindAllString(strings.Join(g.words, "\n"), -1) {
			service, ok := s.serviceCalled(pod.Namespace, word)
			if !ok || seen[service] {
				continue
			}
			seen[service] = true
			args := message.Args{"container": c.Name, "service": service, "said": s.Summary, "why": ""}
			evidence := facts.Fact(s.ref, g.field, word)
			if s.ownService(service, pod) {
				s.because(message.PodNamesItsOwn, args, evidence)
				args["why"] = s.say(message.PodNamesItsOwn, args)
				s.Summary = s.say(message.PodHasMore, args)
				done := change.Patch{Object: service, Patch: `{"spec":{"publishNotReadyAddresses":true}}`}
				s.remedy(s.way(done, message.RemedyPublish, message.RemedyPublishCost, message.RemedyPublishRisk, args))
				continue
			}
			before := len(s.Causes)
			why := s.behind(ctx, service)
			if why == "" {
				continue
			}
			s.Causes = slices.Insert(s.Causes, before, finding.Link{Message: s.say(message.PodNames, args), Evidence: []finding.Evidence{evidence}})
			args["why"] = why
			s.Summary = s.say(message.PodWaitsForService, args)
		}
	}
}

// serviceCalled is the Service that a pod of a namespace reaches by a name.
func (s *Status) serviceCalled(namespace, name string) (change.Ref, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 1 {
		namespace = parts[1]
	}
	if len(parts) > 2 && parts[2] != "svc" || s.World.Service(namespace, parts[0]) == nil {
		return change.Ref{}, false
	}
	return change.Ref{Kind: string(cluster.Service), Namespace: namespace, Name: parts[0]}, true
}

// ownService says whether a Service has no endpoints until one of its pods, of which this is one, is ready.
func (s *Status) ownService(ref change.Ref, pod *corev1.Pod) bool {
	svc := s.World.Service(ref.Namespace, ref.Name)
	if len(svc.Spec.Selector) == 0 || svc.Namespace != pod.Namespace || !labels.SelectorFromSet(svc.Spec.Selector).Matches(labels.Set(pod.Labels)) {
		return false
	}
	pods := facts.Selected(s.World, svc.Namespace, labels.SelectorFromSet(svc.Spec.Selector))
	return !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return serves(svc, p) })
}

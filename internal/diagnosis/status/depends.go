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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// noEndpoints is the state of a Service without endpoints.
const noEndpoints = "NoEndpoints"

// explainService explains a Service that the subject depends on: if it has no endpoints, the reason is part of the answer. The
// returned summary is empty if the Service has endpoints, or if the subject's problem is part of the explanation of the Service.
func (s *Status) explainService(ctx context.Context, service change.Ref) message.Sentence {
	if s.PartOf(service) || !s.Known(cluster.Service) {
		return message.Sentence{}
	}

	if s.World.Service(service.Namespace, service.Name) == nil {
		if s.World.Knowledge(cluster.Service) != cluster.Complete {
			return message.Sentence{}
		}
		s.addCause(sentence.ServiceMissing(service), facts.Evidence(service, "metadata.name", ""))
		return sentence.ServiceMissing(service)
	}
	all := s.Explain(ctx, service)
	if all.State != noEndpoints {
		return message.Sentence{}
	}
	if len(all.Causes) == 0 {
		s.addCause(sentence.DependsOn(all.Summary))
	} else {
		all.Causes[0].Message = all.Summary // The first cause, together with its own cause.
	}
	s.include(all)
	return all.Summary
}

// argument is an argument of a container's command or probe, with its field in the spec.
type argument struct {
	field  string
	values []string
}

func argumentsOf(field string, c *corev1.Container) []argument {
	all := []argument{{field + ".command", c.Command}, {field + ".args", c.Args}}
	for name, probe := range map[string]*corev1.Probe{"readinessProbe": c.ReadinessProbe, "startupProbe": c.StartupProbe, "livenessProbe": c.LivenessProbe} {
		if probe != nil && probe.Exec != nil {
			all = append(all, argument{field + "." + name + ".exec.command", probe.Exec.Command})
		}
	}
	slices.SortFunc(all, func(a, b argument) int { return strings.Compare(a.field, b.field) })
	return all
}

// hostPattern matches names that could be those of a Service, with or without its namespace.
var hostPattern = regexp.MustCompile(`[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?`)

// explainNamedServices adds the Services without endpoints whose names a pod's containers have as arguments, if the pod waits or its
// containers exit. Values of environment variables are not read.
func (s *Status) explainNamedServices(ctx context.Context, pod *corev1.Pod) {
	if s.Severity != finding.Critical || !s.Known(cluster.Service) || pod.DeletionTimestamp != nil || cluster.Ended(pod) {
		return
	}
	for _, status := range pod.Status.InitContainerStatuses {
		if c := containerNamed(pod.Spec.InitContainers, status.Name); c != nil && !status.Ready && (status.State.Running != nil || status.RestartCount > 0) {
			s.namedServicesOf(ctx, pod, c, argumentsOf("spec.initContainers["+c.Name+"]", c))
		}
	}
	for _, status := range pod.Status.ContainerStatuses {
		if c := containerNamed(pod.Spec.Containers, status.Name); c != nil && !status.Ready && (status.State.Running != nil || status.RestartCount > 0) {
			s.namedServicesOf(ctx, pod, c, argumentsOf("spec.containers["+c.Name+"]", c))
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

// namedServicesOf does so for one container.
func (s *Status) namedServicesOf(ctx context.Context, pod *corev1.Pod, c *corev1.Container, all []argument) {
	seen := map[change.Ref]bool{}
	for _, g := range all {
		for _, word := range hostPattern.FindAllString(strings.Join(g.values, "\n"), -1) {
			service, ok := s.serviceOfName(pod.Namespace, word)
			if !ok || seen[service] {
				continue
			}
			seen[service] = true
			evidence := facts.Evidence(s.ref, g.field, word)
			if s.selectsItself(service, pod) {
				own := sentence.PodNamesItsOwn(c.Name, service)
				s.addCause(own, evidence)
				s.Summary = sentence.PodHasMore(s.Summary, own)
				done := change.Patch{Object: service, Patch: `{"spec":{"publishNotReadyAddresses":true}}`}
				s.addRemedies(s.propose(done, sentence.RemedyPublish(service), sentence.RemedyPublishCost(), sentence.RemedyPublishRisk(service)))
				continue
			}
			before := len(s.Causes)
			why := s.explainService(ctx, service)
			if why.IsZero() {
				continue
			}
			s.Causes = slices.Insert(s.Causes, before, finding.Link{Message: sentence.PodNames(c.Name, service), Evidence: []finding.Evidence{evidence}})
			s.Summary = sentence.PodWaitsForService(s.Summary, service, why)
		}
	}
}

// serviceOfName is the Service that a name resolves to in a namespace.
func (s *Status) serviceOfName(namespace, name string) (change.Ref, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 1 {
		namespace = parts[1]
	}
	if len(parts) > 2 && parts[2] != "svc" || s.World.Service(namespace, parts[0]) == nil {
		return change.Ref{}, false
	}
	return change.Ref{Kind: string(cluster.Service), Namespace: namespace, Name: parts[0]}, true
}

// selectsItself reports whether a Service selects the pod itself and has no ready pod: it gets an endpoint only once such a pod is
// ready.
func (s *Status) selectsItself(ref change.Ref, pod *corev1.Pod) bool {
	svc := s.World.Service(ref.Namespace, ref.Name)
	if len(svc.Spec.Selector) == 0 || svc.Namespace != pod.Namespace || !labels.SelectorFromSet(svc.Spec.Selector).Matches(labels.Set(pod.Labels)) {
		return false
	}
	pods := facts.SelectedPods(s.World, svc.Namespace, labels.SelectorFromSet(svc.Spec.Selector))
	return !slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return serves(svc, p) })
}

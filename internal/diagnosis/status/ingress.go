package status

import (
	"context"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// backend is a backend of an Ingress. Field is its path in the Ingress, pointer the same as a JSON pointer.
type backend struct {
	field, pointer string
	service        *networkingv1.IngressServiceBackend
}

// backendsOf are the Services that are backends of an Ingress; resource backends are omitted.
func backendsOf(i *networkingv1.Ingress) []backend {
	var all []backend
	add := func(field, pointer string, b *networkingv1.IngressBackend) {
		if b != nil && b.Service != nil {
			all = append(all, backend{field, pointer, b.Service})
		}
	}
	add("spec.defaultBackend", "/spec/defaultBackend", i.Spec.DefaultBackend)
	for r, rule := range i.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for p := range rule.HTTP.Paths {
			at, in := strconv.Itoa(r), strconv.Itoa(p)
			add("spec.rules["+at+"].http.paths["+in+"].backend", "/spec/rules/"+at+"/http/paths/"+in+"/backend", &rule.HTTP.Paths[p].Backend)
		}
	}
	return all
}

// ingress reports whether the backend Services of an Ingress exist and have endpoints.
func (s *Status) ingress(ctx context.Context, i *networkingv1.Ingress) {
	s.AddUnknownKinds(cluster.Service)
	all := backendsOf(i)
	s.set("", "", sentence.IngressServes(s.ref, len(all)))
	if !s.Known(cluster.Service) {
		return
	}
	told := true // so far
	var seen []string
	for _, b := range all {
		ref := change.Ref{Kind: string(cluster.Service), Namespace: i.Namespace, Name: b.service.Name}
		svc := s.World.Service(ref.Namespace, ref.Name)
		why := message.Sentence{}
		switch {
		case svc == nil:

			why, told = sentence.ServiceMissing(ref), false
			s.addCause(sentence.ServiceMissing(ref), facts.Evidence(s.ref, b.field+".service.name", ref.Name), facts.Evidence(ref, "metadata.name", ""))
		case !servesPort(svc, b.service.Port):
			why, told = s.backendPort(svc, b), false
		case !slices.Contains(seen, ref.Name):
			why = s.explainService(ctx, ref)
		}
		seen = append(seen, ref.Name)
		if !why.IsZero() && s.Severity == "" {
			s.set("", finding.Warning, sentence.IngressFails(s.ref, why))
		}
	}
	s.ToldElsewhere = s.Severity != "" && told
}

func servesPort(svc *corev1.Service, port networkingv1.ServiceBackendPort) bool {
	return slices.ContainsFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool {
		return port.Name != "" && p.Name == port.Name || port.Name == "" && p.Port == port.Number
	})
}

// backendPort explains a port that the Service does not have.
func (s *Status) backendPort(svc *corev1.Service, b backend) message.Sentence {
	field, asked := b.field+".service.port.name", b.service.Port.Name
	if asked == "" {
		field, asked = b.field+".service.port.number", strconv.Itoa(int(b.service.Port.Number))
	}
	ref := facts.RefTo(cluster.Service, svc)
	var ports []string
	evidence := []finding.Evidence{facts.Evidence(s.ref, field, asked)}
	for at, p := range svc.Spec.Ports {
		ports = append(ports, strconv.Itoa(int(p.Port)))
		evidence = append(evidence, facts.Evidence(ref, "spec.ports["+strconv.Itoa(at)+"].port", ports[at]))
	}

	s.addCause(sentence.BackendPort(ref, asked, message.ListOf(ports)), evidence...)
	if len(svc.Spec.Ports) == 1 {
		patch := `[{"op":"replace","path":"` + b.pointer + `/service/port","value":{"number":` + ports[0] + `}}]`
		s.addRemedies(s.proposeCommand(change.PatchJSON(s.ref, patch), sentence.RemedyBackendPort(s.ref, message.ListOf(ports), ref), sentence.RemedyBackendPortCost(), sentence.RemedyBackendPortRisk()))
	}
	return sentence.BackendPort(ref, asked, message.ListOf(ports))
}

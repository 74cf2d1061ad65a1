package status

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// endpointSliceDelay is how long the endpoint of a ready pod may be missing: the EndpointSlice controller batches changes for seconds.
const endpointSliceDelay = time.Minute

// endpoints are the endpoints in a Service's EndpointSlices.
type endpoints struct {
	// n is the number of all endpoints, ready of those that get traffic, and ending of those that terminate and still serve.
	n, ready, ending int
	slices           []*discoveryv1.EndpointSlice
}

// endpointsOf reads the EndpointSlices of a Service; false if they are not known. The Service of the API server always has one: if there is none at
// all, EndpointSlices were not read.
func (s *Status) endpointsOf(svc *corev1.Service) (endpoints, bool) {
	all := s.World.EndpointSlices()
	if !s.Known(cluster.EndpointSlice) || len(all) == 0 {
		return endpoints{}, false
	}
	var e endpoints
	for _, slice := range all {
		if slice.Namespace != svc.Namespace || slice.Labels[discoveryv1.LabelServiceName] != svc.Name {
			continue
		}
		e.slices = append(e.slices, slice)
		for _, endpoint := range slice.Endpoints { // Unset conditions mean ready (k8s.io/api/discovery/v1, EndpointConditions).
			is := endpoint.Conditions
			ready := ptr.Deref(is.Ready, true)
			e.n++
			if ready {
				e.ready++
			}
			if !ready && ptr.Deref(is.Serving, ready) && ptr.Deref(is.Terminating, false) {
				e.ending++
			}
		}
	}
	return e, true
}

// missingPort is the first port of a Service that its endpoints do not have: kube-proxy matches ports by name. A headless Service has only addresses.
func (e endpoints) missingPort(svc *corev1.Service) *corev1.ServicePort {
	if svc.Spec.ClusterIP == corev1.ClusterIPNone {
		return nil
	}
	for i := range svc.Spec.Ports {
		port := &svc.Spec.Ports[i]
		if !slices.ContainsFunc(e.slices, func(slice *discoveryv1.EndpointSlice) bool {
			return slices.ContainsFunc(slice.Ports, func(p discoveryv1.EndpointPort) bool { return ptr.Deref(p.Name, "") == port.Name })
		}) {
			return port
		}
	}
	return nil
}

// manualEndpoints explains a Service without a selector: something other than Kubernetes manages its endpoints.
func (s *Status) manualEndpoints(svc *corev1.Service) {
	e, known := s.endpointsOf(svc)
	if !known {
		s.set(string(svc.Spec.Type), "", sentence.ServiceByHand(s.ref, known, e.ready, e.n))
		s.addUnknown(s.ref, sentence.EndpointsUnread())
		return
	}
	evidence := append([]finding.Evidence{facts.Evidence(s.ref, "spec.selector", "")}, e.evidence()...)
	port := e.missingPort(svc)
	switch {
	case e.ready == 0:
		s.set(noEndpoints, finding.Warning, sentence.ServiceByHandNone(s.ref, e.n))
		s.addCause(sentence.ServiceByHandNone(s.ref, e.n), evidence...)
	case port != nil:
		name := cmp.Or(port.Name, strconv.Itoa(int(port.Port)))
		s.set(noEndpoints, finding.Warning, sentence.ServiceByHandPort(s.ref, name))
		s.addCause(sentence.ServiceByHandPort(s.ref, name), evidence...)
	default:
		s.set(string(svc.Spec.Type), "", sentence.ServiceByHand(s.ref, known, e.ready, e.n))
	}
}

// evidence is the state of each endpoint, as in its EndpointSlice.
func (e endpoints) evidence() []finding.Evidence {
	var all []finding.Evidence
	for _, slice := range e.slices {
		ref := facts.RefTo(cluster.EndpointSlice, slice)
		if len(slice.Endpoints) == 0 {
			all = append(all, facts.Evidence(ref, "endpoints", ""))
		}
		for i := range slice.Endpoints {
			if ready := slice.Endpoints[i].Conditions.Ready; ready != nil && i == 0 {
				all = append(all, facts.Evidence(ref, "endpoints[0].conditions.ready", strconv.FormatBool(*ready)))
			}
		}
	}
	return all
}

// notInEndpointSlice explains a Service with ready pods that are in no EndpointSlice although they should be by now. It reports whether that is the
// case.
func (s *Status) notInEndpointSlice(svc *corev1.Service, ready []*corev1.Pod) bool {
	e, known := s.endpointsOf(svc)
	if !known || e.ready > 0 {
		return false
	}
	if slices.ContainsFunc(ready, func(pod *corev1.Pod) bool {
		c := kube.PodCondition(pod, corev1.PodReady)
		return c == nil || c.LastTransitionTime.IsZero() || s.since(c.LastTransitionTime) < endpointSliceDelay
	}) {
		return false
	}
	evidence := append([]finding.Evidence{s.selectorEvidence(svc)}, e.evidence()...)
	s.set(noEndpoints, finding.Warning, sentence.ServiceUnlisted(s.ref, len(ready)))
	s.addCause(sentence.ServiceUnlisted(s.ref, len(ready)), evidence...)
	s.addUnknown(s.ref, sentence.EndpointsControllerUntold())
	return true
}

// endpointsTerminating explains a Service whose last pods are terminating and still serve, unless the workload is scaled to zero. It reports whether
// that is the case.
func (s *Status) endpointsTerminating(ctx context.Context, svc *corev1.Service, selector labels.Selector) bool {
	var ending []change.Ref
	var evidence []finding.Evidence
	for _, pod := range facts.PodsIn(s.World, svc.Namespace) {
		if pod.DeletionTimestamp != nil && !cluster.Ended(pod) && selector.Matches(labels.Set(pod.Labels)) && kube.IsPodReady(pod) {
			ref := facts.RefTo(cluster.Pod, pod)
			ending = append(ending, ref)
			evidence = append(evidence, stateEvidence(pod))
		}
	}
	makers := facts.WorkloadsSelectedBy(s.World, svc.Namespace, selector)
	if len(ending) == 0 || slices.ContainsFunc(makers, facts.ScaledToZero) {
		return false
	}
	e, _ := s.endpointsOf(svc)
	pods, n, answers := s.Enumerate(ending), len(ending), e.ready+e.ending > 0
	s.set(noEndpoints, finding.Critical, sentence.ServiceEnding(s.ref, pods, n, answers))
	s.addCause(sentence.ServiceEnding(s.ref, pods, n, answers), evidence[:min(len(evidence), query.MaxListed)]...)
	for _, maker := range refsOf(makers) {
		if why := s.Explain(ctx, maker); why.Severity != "" {
			s.include(why)
		}
	}
	return true
}

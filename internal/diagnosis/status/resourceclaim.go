package status

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// resourceClaimMissing explains a pod whose ResourceClaim, or whose DeviceClass, does not exist. It reports whether that is the case.
func (s *Status) resourceClaimMissing(pod *corev1.Pod) bool {
	m, missing := s.MissingResourceClaim(pod)
	if !missing {
		return false
	}
	others := s.namesOf(m.Missing)
	if m.Missing.Kind == string(cluster.DeviceClass) {
		s.deviceClassMissing(pod, m, others)
		return true
	}
	field := "resourceClaimTemplateName"
	if m.Missing.Kind == string(cluster.ResourceClaim) {
		field = "resourceClaimName"
	}

	evidence := []finding.Evidence{facts.Evidence(s.ref, "spec.resourceClaims["+m.Name+"]."+field, m.Missing.Name)}
	if m.Event != nil {
		evidence = append(evidence, query.EventEvidence(m.Event))
	}
	s.set(PodState(pod), finding.Critical, sentence.DeviceClaimMissing(s.ref, m.Missing, m.Name, pod.Namespace))
	s.addCause(sentence.DeviceClaimMissing(s.ref, m.Missing, m.Name, pod.Namespace), evidence...)
	s.advise(sentence.RemedyDeviceClaim(m.Missing, pod.Namespace, len(pod.OwnerReferences) > 0, others))
	return true
}

// namesOf are the first names of objects of the same kind and namespace.
func (s *Status) namesOf(ref change.Ref) message.List {
	var names []string
	for _, o := range s.World.Objects(cluster.Kind(ref.Kind)) {
		if o.GetNamespace() == ref.Namespace && len(names) < query.MaxListed {
			names = append(names, o.GetName())
		}
	}
	return message.ListOf(names)
}

// deviceClassMissing explains a pod whose claim requests devices of a DeviceClass that does not exist.
func (s *Status) deviceClassMissing(pod *corev1.Pod, m query.MissingResourceClaim, others message.List) {
	why := sentence.DeviceClassMissing(s.ref, m.Missing, m.Request, m.Claim)
	evidence := []finding.Evidence{facts.Evidence(m.Claim, m.Field, m.Missing.Name)}
	if c := kube.PodCondition(pod, corev1.PodScheduled); c != nil {
		evidence = append(evidence, facts.EvidenceSince(s.ref, "status.conditions[PodScheduled]", c.Message, c.LastTransitionTime))
	}
	s.set(PodState(pod), finding.Critical, why)
	s.addCause(why, evidence...)
	in := m.Claim
	for _, c := range pod.Spec.ResourceClaims {
		if c.Name == m.Name && c.ResourceClaimTemplateName != nil {
			in = change.Ref{Kind: string(cluster.ResourceClaimTemplate), Namespace: pod.Namespace, Name: *c.ResourceClaimTemplateName}
		}
	}
	s.advise(sentence.RemedyDeviceClass(m.Missing, in, in != m.Claim, others))
}

package status

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// resourceClaimMissing explains a pod whose ResourceClaim does not exist. It reports whether that is the case.
func (s *Status) resourceClaimMissing(pod *corev1.Pod) bool {
	m, missing := s.MissingResourceClaim(pod)
	if !missing {
		return false
	}
	var others []string
	for _, o := range s.World.Objects(cluster.Kind(m.Missing.Kind)) {
		if o.GetNamespace() == pod.Namespace && len(others) < query.MaxListed {
			others = append(others, o.GetName())
		}
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
	s.advise(sentence.RemedyDeviceClaim(m.Missing, pod.Namespace, len(pod.OwnerReferences) > 0, message.ListOf(others)))
	return true
}

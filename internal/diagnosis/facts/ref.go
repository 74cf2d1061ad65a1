package facts

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

// RefTo is the reference to an object.
func RefTo(kind cluster.Kind, object metav1.Object) change.Ref {
	return change.Ref{Kind: string(kind), Namespace: object.GetNamespace(), Name: object.GetName()}
}

// GroupRef is the reference to a node group.
func GroupRef(g cluster.Group) change.Ref { return change.Ref{Kind: "Group", Name: g.Name} }

// ZoneRef is the reference to a zone.
func ZoneRef(zone string) change.Ref { return change.Ref{Kind: "Zone", Name: zone} }

// Evidence is evidence without a time.
func Evidence(object change.Ref, field, value string) finding.Evidence {
	return finding.Evidence{Object: object, Field: field, Value: value}
}

// EvidenceSince is evidence with the time since which it is so, if the API has one.
func EvidenceSince(object change.Ref, field, value string, since metav1.Time) finding.Evidence {
	evidence := Evidence(object, field, value)
	if !since.IsZero() {
		evidence.Time = &since
	}
	return evidence
}

// RefStrings are references as in kubectl commands.
func RefStrings(refs []change.Ref) []string {
	names := make([]string, 0, len(refs))
	for _, ref := range refs {
		names = append(names, ref.String())
	}
	return names
}

// NodeRef is the reference to a node.
func NodeRef(name string) change.Ref { return change.Ref{Kind: string(cluster.Node), Name: name} }

// PodRefs are the references to pods.
func PodRefs(pods []*corev1.Pod) []change.Ref {
	refs := make([]change.Ref, 0, len(pods))
	for _, pod := range pods {
		refs = append(refs, RefTo(cluster.Pod, pod))
	}
	return refs
}

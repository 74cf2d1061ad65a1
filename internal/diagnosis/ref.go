package diagnosis

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

func refTo(kind cluster.Kind, object metav1.Object) change.Ref {
	return change.Ref{Kind: string(kind), Namespace: object.GetNamespace(), Name: object.GetName()}
}

func groupRef(g cluster.Group) change.Ref { return change.Ref{Kind: "Group", Name: g.Name} }

func zoneRef(zone string) change.Ref { return change.Ref{Kind: "Zone", Name: zone} }

// fact is evidence without a time.
func fact(object change.Ref, field, value string) finding.Evidence {
	return finding.Evidence{Object: object, Field: field, Value: value}
}

// factSince is evidence that came to be at a time, if the API told it.
func factSince(object change.Ref, field, value string, since metav1.Time) finding.Evidence {
	evidence := fact(object, field, value)
	if !since.IsZero() {
		evidence.Time = &since
	}
	return evidence
}

// refStrings names things as a person types them.
func refStrings(refs []change.Ref) []string {
	names := make([]string, 0, len(refs))
	for _, ref := range refs {
		names = append(names, ref.String())
	}
	return names
}

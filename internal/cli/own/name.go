package own

import (
	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/input"
)

// RemediationName is a Remediation's name as a person gives it: alone, or with its kind, as naosu and kubectl -o name print it. It is
// false if another kind, or no name, is given.
func RemediationName(args ...string) (name string, ok bool) {
	const kind = "Remediation"
	ref, ok := input.ParseResource(args, kind)
	return ref.Name, ok && ref.Kind == kind && ref.Namespace == ""
}

// SubjectOf is what a Remediation is about, as kind/name: its node, or the first of its subjects.
func SubjectOf(r *v1alpha1.Remediation) string {
	if len(r.Spec.Subjects) > 0 && r.Spec.Node.Name == "" {
		first := r.Spec.Subjects[0]
		return change.Ref{Kind: first.Kind, Namespace: first.Namespace, Name: first.Name}.String()
	}
	return change.Ref{Kind: "Node", Name: r.Spec.Node.Name}.String()
}

package diagnosis_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestPendingPlaceholder: a placeholder pod of a HeadroomPolicy that is Pending is nothing that does not run, and neither is its Deployment; another pod of the
// same template is. Asked for by name, it is explained.
func TestPendingPlaceholder(t *testing.T) {
	for _, held := range []bool{true, false} {
		template := w.Template("room", "50", w.Priority(-10))
		if held {
			template.Labels[v1alpha1.HeadroomPolicyLabel] = "policy-1"
		}
		objects := w.Of(w.Node("n1", "a"), w.Deployment("room", template, ""))
		pod := ""
		for _, o := range objects {
			switch o := o.(type) {
			case *corev1.Pod:
				pod, o.Labels = o.Name, template.Labels
			case interface{ SetLabels(map[string]string) }:
				if held {
					o.SetLabels(template.Labels)
				}
			}
		}
		judge := objects.CompleteJudge(t)
		q := query.Query{World: judge.World(), Judge: judge}
		broken := len(diagnosis.Overview(t.Context(), q, diagnosis.Scope{}).Explanations) > 0
		audited := slices.ContainsFunc(diagnosis.Audit(t.Context(), q, nil).Findings, func(f finding.Finding) bool { return f.Severity == finding.Critical })
		if broken == held || audited == held {
			t.Errorf("held by a policy: %t; why finds it broken: %t, audit: %t", held, broken, audited)
		}
		q.Subject = &change.Ref{Kind: "Pod", Namespace: "default", Name: pod}
		if e := diagnosis.Explain(t.Context(), q); len(e.Findings) != 1 || e.Findings[0].Code != finding.N504 {
			t.Errorf("held by a policy: %t; asked for by name: %s", held, message.English().Say(e.Summary))
		}
	}
}

package admission

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

// Of the taints of a Node, the controller adds and removes only the out-of-service taint: with its annotation, on a Node that is not ready.
func TestOutOfServiceTaint(t *testing.T) {
	b := newFixture(t)
	const (
		refused = "in the taints of a Node"
		others  = `{"key":"t","effect":"NoSchedule"}`
		outOf   = `{"key":"node.kubernetes.io/out-of-service","value":"nodeshutdown","effect":"NoExecute"}`
		note    = `{"` + failoverpolicy.OutOfServiceAnnotation + `":"{}"}`
		noNote  = `{"` + failoverpolicy.OutOfServiceAnnotation + `":null}`
	)
	node := func(annotations string, taints ...string) string {
		return fmt.Sprintf(`{"metadata":{"annotations":%s},"spec":{"taints":[%s]}}`, annotations, strings.Join(taints, ","))
	}
	for name, tc := range map[string]struct {
		ready      corev1.ConditionStatus
		was, patch string
		why        string
	}{
		"added":                             {corev1.ConditionUnknown, node(`{}`, others), node(note, others, outOf), ""},
		"added to a Node without status":    {"", node(`{}`, others), node(note, others, outOf), ""},
		"added before the others":           {corev1.ConditionFalse, node(`{}`, others), node(note, outOf, others), ""},
		"added to a Node that is ready":     {corev1.ConditionTrue, node(`{}`, others), node(note, others, outOf), refused},
		"added without the annotation":      {corev1.ConditionUnknown, node(`{}`, others), node(`{}`, others, outOf), refused},
		"added in the place of another":     {corev1.ConditionUnknown, node(`{}`, others), node(note, outOf), refused},
		"added with another effect":         {corev1.ConditionUnknown, node(`{}`), node(note, strings.Replace(outOf, "NoExecute", "NoSchedule", 1)), refused},
		"added with another value":          {corev1.ConditionUnknown, node(`{}`), node(note, strings.Replace(outOf, "nodeshutdown", "x", 1)), refused},
		"another taint with the annotation": {corev1.ConditionUnknown, node(`{}`), node(note, `{"key":"u","effect":"NoExecute"}`), refused},
		"removed":                           {corev1.ConditionUnknown, node(note, others, outOf), node(noNote, others), ""},
		"removed from a Node that is ready": {corev1.ConditionTrue, node(note, outOf), node(noNote), ""},
		"removed with others":               {corev1.ConditionUnknown, node(note, others, outOf), node(noNote), refused},
		"a person's, removed":               {corev1.ConditionUnknown, node(`{}`, others, outOf), node(`{}`, others), refused},
		"a person's, noted and removed":     {corev1.ConditionUnknown, node(`{}`, others, outOf), node(note, others), refused},
		"the annotation alone, removed":     {corev1.ConditionUnknown, node(note, others), node(noNote, others), ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-4"}}
			b.create(t, n)
			t.Cleanup(func() { _ = b.admin.Delete(context.WithoutCancel(t.Context()), n) })
			if tc.ready != "" {
				status := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":%q}]}}`, tc.ready)
				if err := b.admin.Status().Patch(t.Context(), n, merge(status)); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.admin.Patch(t.Context(), n, merge(tc.was)); err != nil {
				t.Fatal(err)
			}
			wantRefused(t, b.as(t, controller).Patch(t.Context(), n, merge(tc.patch)), tc.why)
		})
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-4"}}
	b.create(t, n)
	t.Cleanup(func() { _ = b.admin.Delete(context.WithoutCancel(t.Context()), n) })
	if err := b.admin.Patch(t.Context(), n, merge(node(`{}`))); err != nil { // without the taint of a new Node
		t.Fatal(err)
	}
	wantRefused(t, b.as(t, aborter).Patch(t.Context(), n.DeepCopy(), merge(node(note, outOf))), "requires the verb automate")
	if err := b.admin.Patch(t.Context(), n, merge(node(note, outOf))); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, b.as(t, aborter).Patch(t.Context(), n, merge(node(noNote))), "")
}

package admission

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/action"
)

// The controller has every right on nodes here that RBAC can give, and changes of them what its work takes.
func TestNodes(t *testing.T) {
	b := newFixture(t)
	const (
		noSpec, noMetadata, noAnnotations, noNode = "change only taints and unschedulable", "change only annotations", "must not overwrite those of others", "must not create or delete Nodes"
		noTaint, autoscaler, karpenter            = "in the taints of a Node", "cluster-autoscaler.kubernetes.io/scale-down-disabled", "karpenter.sh/do-not-disrupt"
	)
	annotated := func(key, value string) string { return fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, key, value) }
	noting := func(key, value, note string) string {
		return fmt.Sprintf(`{"metadata":{"annotations":{%q:%s,"naosu.dev/scale-down-disabled-by":%s}}}`, key, value, note)
	}
	// What the controller itself has done before, in some cases.
	before := map[string]string{
		"uncordon":               `{"metadata":{"annotations":{"` + action.CordonedByAnnotation + `":"r"}},"spec":{"unschedulable":true}}`,
		"its own word taken off": noting(autoscaler, `"true"`, `"r `+autoscaler+`"`),
	}
	// The node has a label, an annotation, a taint and an autoscaler's word that are others'.
	const others = `{"metadata":{"labels":{"l":"v"},"annotations":{"a":"v","` + karpenter + `":"false"}},"spec":{"taints":[{"key":"t","effect":"NoSchedule"}],"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]}}`
	for name, tc := range map[string]struct{ patch, why string }{
		"cordon":                         {`{"metadata":{"annotations":{"` + action.CordonedByAnnotation + `":"r"}},"spec":{"unschedulable":true}}`, ""},
		"uncordon":                       {`{"metadata":{"annotations":{"` + action.CordonedByAnnotation + `":null}},"spec":{"unschedulable":null}}`, ""},
		"keep the autoscaler away":       {noting(autoscaler, `"true"`, `"r `+autoscaler+`"`), ""},
		"keep it away and note nothing":  {annotated(autoscaler, `"true"`), noAnnotations},
		"keep it away and note another":  {noting(autoscaler, `"true"`, `"r `+karpenter+`"`), noAnnotations},
		"let the autoscaler in":          {noting(autoscaler, `"false"`, `"r `+autoscaler+`"`), noAnnotations},
		"Karpenter's, which is others'":  {noting(karpenter, `"true"`, `"r `+karpenter+`"`), noAnnotations},
		"others' word taken off":         {annotated(karpenter, `null`), noAnnotations},
		"noted and taken off at once":    {noting(karpenter, `null`, `"r `+karpenter+`"`), noAnnotations},
		"its own word taken off":         {noting(autoscaler, `null`, `null`), ""},
		"another annotation":             {annotated("b", `"v"`), noAnnotations},
		"others' annotation":             {annotated("a", `"w"`), noAnnotations},
		"others' annotation taken away":  {annotated("a", `null`), noAnnotations},
		"all annotations taken away":     {`{"metadata":{"annotations":null}}`, noAnnotations},
		"a person's word to naosu":       {annotated("naosu.dev/do-not-disrupt", `"true"`), noAnnotations},
		"a label":                        {`{"metadata":{"labels":{"m":"v"}}}`, noMetadata},
		"others' label":                  {`{"metadata":{"labels":{"l":"w"}}}`, noMetadata},
		"others' label taken away":       {`{"metadata":{"labels":{"l":null}}}`, noMetadata},
		"a finalizer":                    {`{"metadata":{"finalizers":["a.example/b"]}}`, "of the finalizers of a Node"},
		"an owner":                       {`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"x","uid":"y"}]}}`, noMetadata},
		"a taint":                        {`{"spec":{"taints":[{"key":"t","effect":"NoSchedule"},{"key":"u","effect":"NoExecute"}]}}`, noTaint},
		"the taints taken away":          {`{"spec":{"taints":null}}`, noTaint},
		"the provider's ID":              {`{"spec":{"providerID":"aws:///z/i-1"}}`, noSpec},
		"a cordon and a taint":           {`{"spec":{"unschedulable":true,"taints":null}}`, noTaint},
		"a cordon and a label":           {`{"metadata":{"labels":{"l":"w"}},"spec":{"unschedulable":true}}`, noMetadata},
		"its status, which is dropped":   {`{"status":{"phase":"Running"}}`, ""},
		"nothing":                        {`{}`, ""},
		"a cordon and an annotation":     {`{"metadata":{"annotations":{"b":"v"}},"spec":{"unschedulable":true}}`, noAnnotations},
		"others' word under its own key": {annotated(strings.ToUpper(karpenter), `"true"`), noAnnotations},
	} {
		t.Run(name, func(t *testing.T) {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-2"}}
			b.create(t, n)
			t.Cleanup(func() { _ = b.admin.Delete(context.WithoutCancel(t.Context()), n) })
			if err := b.admin.Patch(t.Context(), n, merge(others)); err != nil {
				t.Fatal(err)
			}
			if first, done := before[name]; done {
				if err := b.as(t, controller).Patch(t.Context(), n, merge(first)); err != nil {
					t.Fatal(err)
				}
			}
			wantRefused(t, b.as(t, controller).Patch(t.Context(), n.DeepCopy(), merge(tc.patch)), tc.why)
		})
	}
	asController := b.as(t, controller)
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}
	wantRefused(t, asController.Delete(t.Context(), n.DeepCopy(), client.DryRunAll), noNode)
	wantRefused(t, asController.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-3"}}, client.DryRunAll), noNode)
	wantRefused(t, asController.Status().Patch(t.Context(), n.DeepCopy(), merge(`{"status":{"conditions":[]}}`), client.DryRunAll), noNode)
	wantRefused(t, asController.Patch(t.Context(), n.DeepCopy(), applied(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"`+node+`","labels":{"a":"b"}}}`), append(force, client.DryRunAll)...), noMetadata)
	if err := b.admin.Patch(t.Context(), n.DeepCopy(), merge(`{"metadata":{"labels":{"a":"b"}},"spec":{"taints":null}}`), client.DryRunAll); err != nil {
		t.Errorf("an administrator's patch: %v", err)
	}
}

// The API server's own check of the expressions.
func TestPolicyTypes(t *testing.T) {
	b := newFixture(t)
	for _, name := range []string{"naosu-remediations", "naosu-controller-nodes", "naosu-controller-pods", "naosu-controller-secrets"} {
		b.soon(t, func(ctx context.Context) error {
			var policy admissionregistrationv1.ValidatingAdmissionPolicy
			if err := b.admin.Get(ctx, client.ObjectKey{Name: name}, &policy); err != nil || policy.Status.ObservedGeneration != policy.Generation {
				return fmt.Errorf("%s is not checked yet: %w", name, err)
			}
			for _, w := range policy.Status.TypeChecking.ExpressionWarnings {
				t.Errorf("%s: %s: %s", name, w.FieldRef, w.Warning)
			}
			return nil
		})
	}
}

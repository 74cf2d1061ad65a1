package admission

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// nodeEdit changes a Node.
type nodeEdit func(*corev1.Node)

func addTaint(taint corev1.Taint) nodeEdit {
	return func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, taint) }
}

func addTaintFirst(taint corev1.Taint) nodeEdit {
	return func(n *corev1.Node) { n.Spec.Taints = slices.Insert(n.Spec.Taints, 0, taint) }
}

func removeTaint(taint corev1.Taint) nodeEdit {
	return func(n *corev1.Node) {
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&taint) })
	}
}

func annotateAs(annotation string) nodeEdit {
	return func(n *corev1.Node) { metav1.SetMetaDataAnnotation(&n.ObjectMeta, annotation, "{}") }
}

func removeAnnotationOf(annotation string) nodeEdit {
	return func(n *corev1.Node) { delete(n.Annotations, annotation) }
}

var (
	annotate         = annotateAs(failoverpolicy.OutOfServiceAnnotation)
	removeAnnotation = removeAnnotationOf(failoverpolicy.OutOfServiceAnnotation)
)

// update changes a Node as it is then, also if the node lifecycle controller writes its taints meanwhile.
func update(ctx context.Context, as client.Client, n *corev1.Node, edits ...nodeEdit) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := as.Get(ctx, client.ObjectKeyFromObject(n), n); err != nil {
			return err
		}
		for _, edit := range edits {
			edit(n)
		}
		return as.Update(ctx, n)
	})
}

// Of the taints of a Node, the controller adds and removes only the out-of-service taint: with its annotation, on a Node that is not ready.
func TestOutOfServiceTaint(t *testing.T) {
	b := newFixture(t)
	const refused = "in the taints of a Node"
	var (
		outOf        = kube.OutOfServiceTaint
		other        = corev1.Taint{Key: "t", Effect: corev1.TaintEffectNoSchedule}
		unlike       = corev1.Taint{Key: "u", Effect: corev1.TaintEffectNoExecute}
		otherEffect  = corev1.Taint{Key: outOf.Key, Value: outOf.Value, Effect: corev1.TaintEffectNoSchedule}
		otherValue   = corev1.Taint{Key: outOf.Key, Value: "x", Effect: outOf.Effect}
		outOfService = []nodeEdit{addTaint(other), addTaint(outOf), annotate}
	)
	b.editNodes(t, map[string]nodeCase{
		"added":                             {corev1.ConditionUnknown, []nodeEdit{addTaint(other)}, []nodeEdit{addTaint(outOf), annotate}, ""},
		"added to a Node without status":    {"", []nodeEdit{addTaint(other)}, []nodeEdit{addTaint(outOf), annotate}, ""},
		"added before the others":           {corev1.ConditionFalse, []nodeEdit{addTaint(other)}, []nodeEdit{addTaintFirst(outOf), annotate}, ""},
		"added to a Node that is ready":     {corev1.ConditionTrue, []nodeEdit{addTaint(other)}, []nodeEdit{addTaint(outOf), annotate}, refused},
		"added without the annotation":      {corev1.ConditionUnknown, nil, []nodeEdit{addTaint(outOf)}, refused},
		"added in the place of another":     {corev1.ConditionUnknown, []nodeEdit{addTaint(other)}, []nodeEdit{removeTaint(other), addTaint(outOf), annotate}, refused},
		"added with another effect":         {corev1.ConditionUnknown, nil, []nodeEdit{addTaint(otherEffect), annotate}, refused},
		"added with another value":          {corev1.ConditionUnknown, nil, []nodeEdit{addTaint(otherValue), annotate}, refused},
		"another taint with the annotation": {corev1.ConditionUnknown, nil, []nodeEdit{addTaint(unlike), annotate}, refused},
		"removed":                           {corev1.ConditionUnknown, outOfService, []nodeEdit{removeTaint(outOf), removeAnnotation}, ""},
		"removed from a Node that is ready": {corev1.ConditionTrue, outOfService, []nodeEdit{removeTaint(outOf), removeAnnotation}, ""},
		"removed with another":              {corev1.ConditionUnknown, outOfService, []nodeEdit{removeTaint(outOf), removeTaint(other), removeAnnotation}, refused},
		"a person's, removed":               {corev1.ConditionUnknown, []nodeEdit{addTaint(outOf)}, []nodeEdit{removeTaint(outOf)}, refused},
		"a person's, annotated and removed": {corev1.ConditionUnknown, []nodeEdit{addTaint(outOf)}, []nodeEdit{removeTaint(outOf), annotate}, refused},
		"the annotation alone, removed":     {corev1.ConditionUnknown, []nodeEdit{addTaint(other), annotate}, []nodeEdit{removeAnnotation}, ""},
	})
	n := newNode(t, b)
	wantRefused(t, update(t.Context(), b.as(t, aborter), n, addTaint(outOf), annotate), "requires the verb automate")
	if err := update(t.Context(), b.admin, n, outOfService...); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, update(t.Context(), b.as(t, aborter), n, removeTaint(outOf), removeAnnotation), "")
}

// The controller adds and removes the taint of a silent Node, with its annotation, also while Kubernetes takes the Node for ready.
func TestSilentTaint(t *testing.T) {
	b := newFixture(t)
	const refused = "in the taints of a Node"
	var (
		silent, asSilent = failoverpolicy.SilentTaint, annotateAs(failoverpolicy.SilentAnnotation)
		other            = corev1.Taint{Key: "t", Effect: corev1.TaintEffectNoSchedule}
		evicts           = corev1.Taint{Key: silent.Key, Effect: corev1.TaintEffectNoExecute}
		declared         = []nodeEdit{addTaint(other), addTaint(silent), asSilent}
	)
	b.editNodes(t, map[string]nodeCase{
		"added":                              {corev1.ConditionTrue, []nodeEdit{addTaint(other)}, []nodeEdit{addTaint(silent), asSilent}, ""},
		"added without the annotation":       {corev1.ConditionTrue, nil, []nodeEdit{addTaint(silent)}, refused},
		"added with another's":               {corev1.ConditionTrue, nil, []nodeEdit{addTaint(silent), annotate}, refused},
		"one that evicts":                    {corev1.ConditionTrue, nil, []nodeEdit{addTaint(evicts), asSilent}, refused},
		"out of service with its annotation": {corev1.ConditionTrue, nil, []nodeEdit{addTaint(kube.OutOfServiceTaint), asSilent}, refused},
		"removed":                            {corev1.ConditionTrue, declared, []nodeEdit{removeTaint(silent), removeAnnotationOf(failoverpolicy.SilentAnnotation)}, ""},
		"removed with another":               {corev1.ConditionTrue, declared, []nodeEdit{removeTaint(silent), removeTaint(other)}, refused},
		"a person's, removed":                {corev1.ConditionTrue, []nodeEdit{addTaint(silent)}, []nodeEdit{removeTaint(silent)}, refused},
	})
	n := newNode(t, b)
	wantRefused(t, update(t.Context(), b.as(t, aborter), n, addTaint(silent), asSilent), "requires the verb automate")
}

// nodeCase is a Node as others have edited it, with the status of its condition Ready, and an edit by the controller. why it is refused is empty if it is
// not.
type nodeCase struct {
	ready   corev1.ConditionStatus
	was, by []nodeEdit
	why     string
}

func (b *fixture) editNodes(t *testing.T, cases map[string]nodeCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, b)
			if tc.ready != "" {
				status := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":%q}]}}`, tc.ready)
				if err := b.admin.Status().Patch(t.Context(), n, merge(status)); err != nil {
					t.Fatal(err)
				}
			}
			if err := update(t.Context(), b.admin, n, tc.was...); err != nil {
				t.Fatal(err)
			}
			wantRefused(t, update(t.Context(), b.as(t, controller), n, tc.by...), tc.why)
		})
	}
}

func newNode(t *testing.T, b *fixture) *corev1.Node {
	t.Helper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-4"}}
	b.create(t, n)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_ = update(ctx, b.admin, n, func(n *corev1.Node) { n.Finalizers = nil })
		_ = b.admin.Delete(ctx, n)
	})
	return n
}

func addFinalizer(name string) nodeEdit {
	return func(n *corev1.Node) { n.Finalizers = append(n.Finalizers, name) }
}

func removeFinalizer(name string) nodeEdit {
	return func(n *corev1.Node) {
		n.Finalizers = slices.DeleteFunc(n.Finalizers, func(f string) bool { return f == name })
	}
}

// Of the finalizers of a Node, the controller adds its own, to a Node that is not ready, and removes it.
func TestNodeFinalizer(t *testing.T) {
	b := newFixture(t)
	const (
		refused = "of the finalizers of a Node"
		others  = "karpenter.sh/termination"
	)
	own := failoverpolicy.Finalizer
	b.editNodes(t, map[string]nodeCase{
		"added":                             {corev1.ConditionUnknown, nil, []nodeEdit{addFinalizer(own)}, ""},
		"added beside another's":            {corev1.ConditionFalse, []nodeEdit{addFinalizer(others)}, []nodeEdit{addFinalizer(own)}, ""},
		"added to a Node without status":    {"", nil, []nodeEdit{addFinalizer(own)}, ""},
		"added to a Node that is ready":     {corev1.ConditionTrue, nil, []nodeEdit{addFinalizer(own)}, refused},
		"removed":                           {corev1.ConditionUnknown, []nodeEdit{addFinalizer(others), addFinalizer(own)}, []nodeEdit{removeFinalizer(own)}, ""},
		"removed from a Node that is ready": {corev1.ConditionTrue, []nodeEdit{addFinalizer(own)}, []nodeEdit{removeFinalizer(own)}, ""},
		"another's, added":                  {corev1.ConditionUnknown, nil, []nodeEdit{addFinalizer("example.com/a")}, refused},
		"another's, removed":                {corev1.ConditionUnknown, []nodeEdit{addFinalizer(others)}, []nodeEdit{removeFinalizer(others)}, refused},
		"added in the place of another's":   {corev1.ConditionUnknown, []nodeEdit{addFinalizer(others)}, []nodeEdit{removeFinalizer(others), addFinalizer(own)}, refused},
		"removed with another's":            {corev1.ConditionUnknown, []nodeEdit{addFinalizer(own), addFinalizer(others)}, []nodeEdit{removeFinalizer(own), removeFinalizer(others)}, refused},
		"added, with a label":               {corev1.ConditionUnknown, nil, []nodeEdit{addFinalizer(own), func(n *corev1.Node) { metav1.SetMetaDataLabel(&n.ObjectMeta, "a", "b") }}, "in the metadata of a Node"},
	})
	n := newNode(t, b)
	wantRefused(t, update(t.Context(), b.as(t, aborter), n, addFinalizer(own)), "requires the verb automate")
	if err := update(t.Context(), b.admin, n, addFinalizer(own)); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, update(t.Context(), b.as(t, aborter), n, removeFinalizer(own)), "")
}

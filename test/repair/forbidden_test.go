package repair

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// A controller whose rights were taken while it had cordoned a node says in the record who must uncordon it, and ends when
// somebody has.
func TestForbiddenToUncordon(t *testing.T) {
	w := newAbortWorld(t)
	w.api.Before = func(call memory.Call) error {
		if call.Kind == "Node" && call.Writes() {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, call.Key.Name, nil)
		}
		return nil
	}
	p := &action.Performer{
		Client: w.api.Client, Reader: w.api.Client, Records: w.records, Advisor: action.AbortOnly{}, Clock: clock.RealClock{},
		Leading: func(context.Context) (bool, error) { return true, nil },
	}
	runs := w.remediation("runs")
	runs.Annotations = map[string]string{v1alpha1.RemediationAbortAnnotation: "true"}
	w.must(w.api.Direct.Update(t.Context(), runs))
	var before string
	for range 3 {
		if _, err := p.Advance(t.Context(), "runs", nil); !apierrors.IsForbidden(err) {
			t.Fatalf("it is %v", err)
		}
		r := w.remediation("runs")
		last := r.Status.Steps[len(r.Status.Steps)-1]
		if last.Name != v1alpha1.StepUncordon || last.EndedAt != nil || !strings.Contains(last.Message, "n1") || !strings.Contains(last.Message, action.CordonedByAnnotation) {
			t.Fatalf("its last step is %+v", last)
		}
		if before != "" && r.ResourceVersion != before {
			t.Error("it says so again and again")
		}
		before = r.ResourceVersion
	}
	if e := w.ledger().Entries; !w.cordoned() || !e[0].Ended.IsZero() {
		t.Errorf("a node that is cordoned does not count: %+v", e)
	}
	var node corev1.Node
	w.must(w.api.Direct.Get(t.Context(), client.ObjectKey{Name: "n1"}, &node))
	node.Spec.Unschedulable, node.Annotations = false, nil
	w.must(w.api.Direct.Update(t.Context(), &node))
	if _, err := p.Advance(t.Context(), "runs", nil); err != nil {
		t.Fatal(err)
	}
	w.aborted("runs")
}

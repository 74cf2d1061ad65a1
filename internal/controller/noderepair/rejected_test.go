package noderepair

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// doer is machines that do what they are asked, by noting it.
type doer struct {
	machines
	did []string
}

func (d *doer) Reboot(_ context.Context, m cloud.Machine) (cloud.Operation, error) {
	d.did = append(d.did, "reboot "+m.Node)
	return cloud.Operation{}, nil
}

// newWholeBench is a bench whose nodes are in the API too.
func newWholeBench(t *testing.T, p cloud.Provider, objects ...runtime.Object) *bench {
	t.Helper()
	b := newBench(t, p, objects...)
	for _, o := range objects {
		if n, is := o.(*corev1.Node); is {
			if err := b.Client.Create(t.Context(), n.DeepCopy()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

// TestRejectionIsNotForgotten rejects a repair, lets many others of the same policy be made and ended, and looks whether
// what was rejected is proposed again, and done.
func TestRejectionIsNotForgotten(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	d := &doer{machines: machines{may: v1alpha1.MayYes}}
	b := newWholeBench(t, d, append(healthy(9), &p, node("n1", "1a", down(30*24*time.Hour)))...)
	b.plan(t)
	r := b.remediations(t)[0]
	r.Spec.Approval = v1alpha1.Rejected
	if err := b.Client.Update(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	pass := func() {
		if _, err := b.ReconcileAll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	for i := range 2 * maxEnded { // of other nodes, younger
		other := over(fmt.Sprint("other-", i), "links", v1alpha1.RemediationNotNeededReason)
		other.CreationTimestamp = metav1.NewTime(now.Add(time.Second))
		if err := b.Client.Create(t.Context(), other); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		pass()
	}
	stands := false
	for _, one := range b.remediations(t) {
		if of := one.Spec.Node.Name; of == "n1" && one.Name != r.Name {
			t.Errorf("%s is proposed again, as %s", of, one.Name)
		}
		stands = stands || one.Name == r.Name
	}
	if len(d.did) > 0 || !stands {
		t.Errorf("done: %v; the rejected record is kept: %t", d.did, stands)
	}
	if n := len(b.remediations(t)); n != maxEnded+1 {
		t.Errorf("%d records are kept, want %d and the rejected one", n, maxEnded)
	}
}

// TestOldButNeeded has one record of each kind that something rests on, older than all that are kept for their age.
func TestOldButNeeded(t *testing.T) {
	p := policy(v1alpha1.ModeAuto)
	own := objects{policies: []v1alpha1.NodeRepairPolicy{p}}
	add := func(name string, age time.Duration, change func(*v1alpha1.Remediation)) {
		r := over(name, "links", v1alpha1.RemediationGaveUpReason)
		r.CreationTimestamp = ago(age)
		if change != nil {
			change(r)
		}
		own.remediations = append(own.remediations, *r)
	}
	takes := func(node string) func(*v1alpha1.Remediation) {
		return func(r *v1alpha1.Remediation) {
			r.Status.Steps = []v1alpha1.Step{{Name: v1alpha1.StepWait, Operation: "node/" + node}, {Name: v1alpha1.StepVerify}}
		}
	}
	of := func(node string) func(*v1alpha1.Remediation) {
		return func(r *v1alpha1.Remediation) { r.Spec.Node.Name = node }
	}
	for i := range maxEnded {
		add(fmt.Sprintf("other-%d", i), time.Hour, nil)
	}
	add("last-of-n1", 2*time.Hour, of("n1"))
	add("one-before-of-n1", 3*time.Hour, of("n1"))
	add("brought-n2", 2*time.Hour, takes("n2"))
	add("brought-n2-it-says", 3*time.Hour, takes("n2"))
	add("brought-what-is-gone", 2*time.Hour, takes("n9"))
	add("keeps-n3-cordoned", 2*time.Hour, nil)
	n3 := node("n3", "1a")
	n3.Spec.Unschedulable, n3.Annotations = true, map[string]string{action.CordonedByAnnotation: "keeps-n3-cordoned"}
	gone := map[string]bool{}
	for _, r := range obsolete(own, []*corev1.Node{node("n1", "1a"), node("n2", "1a"), n3}) {
		gone[r.Name] = true
	}
	for name, want := range map[string]bool{
		"last-of-n1": false, "brought-n2": false, "keeps-n3-cordoned": false,
		"one-before-of-n1": true, "brought-n2-it-says": true, "brought-what-is-gone": true,
	} {
		if gone[name] != want {
			t.Errorf("%s is deleted: %t", name, gone[name])
		}
	}
}

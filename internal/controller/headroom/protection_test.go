package headroom

import (
	"errors"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// protecting is a policy that protects Jobs and holds no room.
func protecting(p *v1alpha1.HeadroomPolicy) {
	p.Spec.Survive, p.Spec.MaxRoom = v1alpha1.HeadroomFailures{}, v1alpha1.HeadroomAmount{}
	p.Spec.Protect = &v1alpha1.HeadroomProtection{PriorityClassName: v1alpha1.HeadroomProtectedClass}
}

func protectedClass() *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.HeadroomProtectedClass}, Value: v1alpha1.HeadroomProtectedPriority, PreemptionPolicy: new(corev1.PreemptNever),
	}
}

// admissionObjects are those that the chart makes in mode auto.
func admissionObjects() []client.Object {
	of := metav1.ObjectMeta{Name: v1alpha1.HeadroomProtectionPolicy}
	return []client.Object{&admissionv1.MutatingAdmissionPolicy{ObjectMeta: of}, &admissionv1.MutatingAdmissionPolicyBinding{ObjectMeta: of}}
}

// expectProtection reconciles, and expects a reason and a class that Jobs are given.
func (f *fixture) expectProtection(t *testing.T, reason, class string) {
	t.Helper()
	f.reconcile(t)
	status := f.policy(t).Status
	c := meta.FindStatusCondition(status.Conditions, v1alpha1.HeadroomProtected)
	if c == nil || c.Reason != reason || status.Protection.PriorityClassName != class {
		t.Errorf("the condition is %+v and Jobs are given %+v, want %s and %q", c, status.Protection, reason, class)
	}
	if meta.FindStatusCondition(status.Conditions, v1alpha1.HeadroomCovered) != nil {
		t.Error("a policy without failures is said to cover them, or not to")
	}
}

// TestProtects has the class in the status for exactly as long as everything that it takes is there.
func TestProtects(t *testing.T) {
	f := newFixture(t, twoApps(), policy(protecting))
	f.expectProtection(t, v1alpha1.HeadroomNoPriorityClassReason, "")
	for _, o := range append(admissionObjects(), protectedClass()) {
		if err := f.api.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if _, last := o.(*schedulingv1.PriorityClass); !last {
			f.expectProtection(t, v1alpha1.HeadroomNoPriorityClassReason, "")
		}
	}
	f.expectProtection(t, v1alpha1.HeadroomProtectedReason, v1alpha1.HeadroomProtectedClass)
	for _, o := range append(admissionObjects(), protectedClass()) {
		if err := f.api.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		reason := v1alpha1.HeadroomNotInstalledReason
		if _, is := o.(*schedulingv1.PriorityClass); is {
			reason = v1alpha1.HeadroomNoPriorityClassReason
		}
		f.expectProtection(t, reason, "")
		o.SetResourceVersion("")
		if err := f.api.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		f.expectProtection(t, v1alpha1.HeadroomProtectedReason, v1alpha1.HeadroomProtectedClass)
	}
	f.edit(t, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode = v1alpha1.ModeReport })
	f.expectProtection(t, v1alpha1.HeadroomReportOnlyReason, "")
	f.edit(t, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Protect, p.Spec.Survive.Nodes = nil, 1 })
	f.reconcile(t)
	if status := f.policy(t).Status; status.Protection != nil || meta.FindStatusCondition(status.Conditions, v1alpha1.HeadroomProtected) != nil {
		t.Errorf("a policy that protects nothing says that it does: %+v", status)
	}
}

// TestProtectKilled has the Reconciler die at each of its writes: the next one ends with the same status.
func TestProtectKilled(t *testing.T) {
	for at := range 4 {
		f := newFixture(t, twoApps(), append(admissionObjects(), policy(protecting), protectedClass())...)
		n := 0
		f.write = func() error {
			if n++; n == at {
				return errors.New("killed")
			}
			return nil
		}
		for range 3 {
			if _, err := f.Reconcile(t.Context()); err != nil {
				f.Reconciler = f.another(t)
			}
		}
		f.expectProtection(t, v1alpha1.HeadroomProtectedReason, v1alpha1.HeadroomProtectedClass)
	}
}

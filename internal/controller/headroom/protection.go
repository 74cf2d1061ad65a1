package headroom

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/protection"
	"github.com/naosu-dev/naosu/internal/textutil"
)

// protect is what a policy protects; nil if it protects nothing.
func (c *Reconciler) protect(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) (*protection.Assessment, error) {
	if policy.Spec.Protect == nil {
		return nil, nil
	}
	admission, err := c.admission(ctx)
	if err != nil {
		return nil, err
	}
	a := protection.Assess(world, policy, admission, c.assessed[policy.UID].preempted)
	return &a, nil
}

// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingadmissionpolicies;mutatingadmissionpolicybindings,resourceNames=naosu-protection,verbs=get

// admission is whether the API server gives Jobs a PriorityClass.
func (c *Reconciler) admission(ctx context.Context) (protection.Admission, error) {
	for _, o := range []client.Object{&admissionv1.MutatingAdmissionPolicy{}, &admissionv1.MutatingAdmissionPolicyBinding{}} {
		err := c.Reader.Get(ctx, client.ObjectKey{Name: v1alpha1.HeadroomProtectionPolicy}, o)
		switch {
		case meta.IsNoMatchError(err):
			return protection.NotServed, nil
		case apierrors.IsNotFound(err):
			return protection.NotInstalled, nil
		case apierrors.IsForbidden(err):
			return protection.NotReadable, nil
		case err != nil:
			return "", fmt.Errorf("reading the admission policy %s: %w", v1alpha1.HeadroomProtectionPolicy, err)
		}
	}
	return protection.Installed, nil
}

// setProtection writes into a policy's status what the policy protects; nil is nothing.
func setProtection(s *v1alpha1.HeadroomPolicyStatus, generation int64, now metav1.Time, a *protection.Assessment) {
	if a == nil {
		s.Protection = nil
		meta.RemoveStatusCondition(&s.Conditions, v1alpha1.HeadroomProtected)
		return
	}
	s.Protection = &a.Status
	meta.SetStatusCondition(&s.Conditions, metav1.Condition{
		Type: v1alpha1.HeadroomProtected, Status: a.Protected, Reason: a.Reason, Message: textutil.Truncate(message.English().Say(a.Why), longestMessage),
		ObservedGeneration: generation, LastTransitionTime: now,
	})
}

// tellProtection makes an Event of a condition Protected whose reason has changed.
func (c *Reconciler) tellProtection(about *v1alpha1.HeadroomPolicy, a *protection.Assessment) {
	before := meta.FindStatusCondition(about.Status.Conditions, v1alpha1.HeadroomProtected)
	if a == nil || before == nil && a.Protected != metav1.ConditionTrue || before != nil && before.Reason == a.Reason {
		return
	}
	kind := corev1.EventTypeWarning
	if a.Protected == metav1.ConditionTrue {
		kind = corev1.EventTypeNormal
	}
	c.Records.Event(about, kind, a.Reason, "Protect", message.English().Say(a.Why))
}

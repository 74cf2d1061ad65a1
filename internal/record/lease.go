package record

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lease reads the controller's Lease past any cache; nil if there is none.
func (r *Records) Lease(ctx context.Context) (*coordinationv1.Lease, error) {
	var lease coordinationv1.Lease
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: r.namespace(), Name: LeaseName}, &lease)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the Lease %s/%s: %w", r.namespace(), LeaseName, err)
	}
	return &lease, nil
}

// Holder is who holds a Lease at a time; empty if nobody does.
//
// Source: LeaderElector.isLeaseValid in k8s.io/client-go/tools/leaderelection.
func Holder(lease *coordinationv1.Lease, now time.Time) string {
	if lease == nil || lease.Spec.HolderIdentity == nil || lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		return ""
	}
	if lease.Spec.RenewTime.Add(time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second).Before(now) {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// TakeLease has somebody hold the Lease for a duration, whoever held it as it was read. It fails with a conflict if the Lease is
// not as read any more.
func (r *Records) TakeLease(ctx context.Context, read *coordinationv1.Lease, identity string, lasts time.Duration) (*coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: LeaseName}}
	if read != nil {
		lease = read.DeepCopy()
	}
	transitions := int32(1)
	if lease.Spec.LeaseTransitions != nil {
		transitions += *lease.Spec.LeaseTransitions
	}
	now := metav1.NewMicroTime(r.Clock.Now())
	lease.Spec = coordinationv1.LeaseSpec{
		HolderIdentity: &identity, LeaseDurationSeconds: new(int32(lasts / time.Second)), AcquireTime: &now, RenewTime: &now, LeaseTransitions: &transitions,
	}
	if read == nil {
		return lease, r.leaseWritten(r.Client.Create(ctx, lease))
	}
	return lease, r.leaseWritten(r.Client.Update(ctx, lease))
}

// ReleaseLease gives the Lease up as it was taken, so that others need not wait until it is over.
func (r *Records) ReleaseLease(ctx context.Context, taken *coordinationv1.Lease) error {
	lease := taken.DeepCopy()
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = new(""), new(int32(1))
	return r.leaseWritten(r.Client.Update(ctx, lease))
}

func (r *Records) leaseWritten(err error) error {
	if err != nil {
		return fmt.Errorf("write the Lease %s/%s: %w", r.namespace(), LeaseName, err)
	}
	return nil
}

package controller

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/record"
)

// defaultLease is controller-runtime's own.
const defaultLease = 15 * time.Second

// leadership is whether this process may act.
type leadership struct {
	lock    resourcelock.Interface // nil without leader election; it is the elector's alone, which is not locked against others
	lease   client.ObjectKey
	reader  client.Reader
	elected <-chan struct{}
}

func newLeadership(config *rest.Config, reader client.Reader, o Options) (*leadership, error) {
	if !o.LeaderElect {
		return &leadership{}, nil
	}
	lease := o.Lease
	if lease == 0 {
		lease = defaultLease
	}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, o.Namespace, record.LeaseName,
		resourcelock.ResourceLockConfig{Identity: identity()}, config, lease*2/3)
	if err != nil {
		return nil, fmt.Errorf("making the lease: %w", err)
	}
	return &leadership{lock: lock, lease: client.ObjectKey{Namespace: o.Namespace, Name: record.LeaseName}, reader: reader}, nil
}

// holdsLease reads the lease itself: a process that was stopped for a while and goes on does not know yet that another leads.
func (l *leadership) holdsLease(ctx context.Context) (bool, error) {
	if !l.isElected() {
		return false, nil
	}
	if l.lock == nil {
		return true, nil
	}
	var lease coordinationv1.Lease
	switch err := l.reader.Get(ctx, l.lease, &lease); {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("reading the lease: %w", err)
	}
	return lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == l.lock.Identity(), nil
}

// isElected says whether this process was elected, as far as it knows without asking.
func (l *leadership) isElected() bool {
	select {
	case <-l.elected:
		return true
	default:
		return false
	}
}

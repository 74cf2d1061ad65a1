package controller

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// usualLease is controller-runtime's own.
const usualLease = 15 * time.Second

// leadership is whether this process may act.
type leadership struct {
	lock    resourcelock.Interface // nil without leader election
	elected <-chan struct{}
}

func newLeadership(config *rest.Config, o Options) (*leadership, error) {
	if !o.LeaderElect {
		return &leadership{}, nil
	}
	lease := o.Lease
	if lease == 0 {
		lease = usualLease
	}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, o.Namespace, LeaseName,
		resourcelock.ResourceLockConfig{Identity: identity()}, config, lease*2/3)
	if err != nil {
		return nil, fmt.Errorf("making the lease: %w", err)
	}
	return &leadership{lock: lock}, nil
}

// held reads the lease itself: a process that was stopped for a while and goes on does not know yet that another leads.
func (l *leadership) held(ctx context.Context) (bool, error) {
	select {
	case <-l.elected:
	default:
		return false, nil
	}
	if l.lock == nil {
		return true, nil
	}
	lease, _, err := l.lock.Get(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("reading the lease: %w", err)
	}
	return lease.HolderIdentity == l.lock.Identity(), nil
}

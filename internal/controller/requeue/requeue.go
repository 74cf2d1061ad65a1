// Package requeue decides when a controller reconciles again.
package requeue

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	// SyncRetry is the time to the next attempt while the watch has not synced, or after a conflict.
	SyncRetry = time.Second
	// errorRetry is the time to the next attempt after an error.
	errorRetry = 5 * time.Second
)

// After is the time to the next reconcile: again if there was no error. It does not back off after errors: a repair must not wait for a
// quarter of an hour because an earlier step failed often. An error other than a conflict is logged.
func After(ctx context.Context, again time.Duration, err error) reconcile.Result {
	switch {
	case err == nil:
	case apierrors.IsConflict(err):
		again = SyncRetry // Another client wrote, or the cache is behind.
	default:
		log.FromContext(ctx).Error(err, "it is tried again", "after", errorRetry)
		again = errorRetry
	}
	return reconcile.Result{RequeueAfter: again}
}

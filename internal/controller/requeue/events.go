package requeue

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// BatchDelay is how long events are collected before a reconcile: the watch of the Snapshot must have them too.
const BatchDelay = 500 * time.Millisecond

// Queue is the queue of a controller.
type Queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Batched adds the same request for each event, after BatchDelay.
func Batched(request reconcile.Request) handler.Funcs {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q Queue) { q.AddAfter(request, BatchDelay) },
		UpdateFunc: func(_ context.Context, _ event.UpdateEvent, q Queue) { q.AddAfter(request, BatchDelay) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q Queue) { q.AddAfter(request, BatchDelay) },
	}
}

// OnceReady reconciles, without a request, once ready returns true.
func OnceReady(ready func() bool, again func(context.Context) (time.Duration, error)) reconcile.Func {
	return func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		if !ready() {
			return reconcile.Result{RequeueAfter: SyncRetry}, nil
		}
		next, err := again(ctx)
		return After(ctx, next, err), nil
	}
}

// Decided passes what people decide about the Remediations of a kind of policy: that they are approved, rejected, aborted or deleted; and those that are there
// at the start. What people requested counts as of the kind that processes it.
func Decided(policyKind string) predicate.Funcs {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			return e.Object.(*v1alpha1.Remediation).Spec.PolicyKind() == policyKind
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := e.ObjectOld.(*v1alpha1.Remediation), e.ObjectNew.(*v1alpha1.Remediation)
			return after.Spec.PolicyKind() == policyKind && (before.Generation != after.Generation ||
				before.Annotations[v1alpha1.RemediationAbortAnnotation] != after.Annotations[v1alpha1.RemediationAbortAnnotation])
		},
	}
}

package addresses

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
)

// batchDelay is how long events are collected before a reconcile.
const batchDelay = 500 * time.Millisecond

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// request is the only one: the first policy by name decides.
var request = reconcile.Request{NamespacedName: types.NamespacedName{Name: "addresses"}}

// AddTo adds the controller of the Reconciler to a manager. It does nothing until ready returns true.
func (c *Reconciler) AddTo(mgr manager.Manager, ready func() bool) error {
	enqueue := handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q queue) { q.AddAfter(request, batchDelay) },
		UpdateFunc: func(_ context.Context, _ event.UpdateEvent, q queue) { q.AddAfter(request, batchDelay) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q queue) { q.AddAfter(request, batchDelay) },
	}
	err := builder.ControllerManagedBy(mgr).Named("addresses").
		Watches(&v1alpha1.AddressPolicy{}, enqueue, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Remediation{}, enqueue, builder.WithPredicates(decided)).
		Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			if !ready() {
				return reconcile.Result{RequeueAfter: requeue.SyncRetry}, nil
			}
			again, err := c.Reconcile(ctx)
			return requeue.After(ctx, again, err), nil
		}))
	if err != nil {
		return fmt.Errorf("adding the controller that watches addresses: %w", err)
	}
	return nil
}

// decided passes what people decide about the Remediations of AddressPolicies: their approval, and that they are aborted or deleted; and those that are there
// at the start.
var decided = predicate.Funcs{
	CreateFunc: func(e event.CreateEvent) bool {
		return e.Object.(*v1alpha1.Remediation).Spec.Policy.Kind == v1alpha1.AddressPolicyKind
	},
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.Remediation), e.ObjectNew.(*v1alpha1.Remediation)
		return after.Spec.Policy.Kind == v1alpha1.AddressPolicyKind && (before.Generation != after.Generation ||
			before.Annotations[v1alpha1.RemediationAbortAnnotation] != after.Annotations[v1alpha1.RemediationAbortAnnotation])
	},
}

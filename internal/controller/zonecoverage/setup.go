package zonecoverage

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
	"github.com/naosu-dev/naosu/internal/zonecoverage"
)

// batchDelay is how long events are collected before a reconcile: the watch of the Snapshot must have them too.
const batchDelay = 500 * time.Millisecond

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// request is the only one: policies share the node groups.
var request = reconcile.Request{NamespacedName: types.NamespacedName{Name: "zones"}}

// AddTo adds the controller of the Reconciler to a manager. It does nothing until ready returns true. Pods are looked at when nodes change, and twice a
// minute.
func (c *Reconciler) AddTo(mgr manager.Manager, nodes cache.Informer, ready func() bool) error {
	enqueue := handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q queue) { q.AddAfter(request, batchDelay) },
		UpdateFunc: func(_ context.Context, _ event.UpdateEvent, q queue) { q.AddAfter(request, batchDelay) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q queue) { q.AddAfter(request, batchDelay) },
	}
	err := builder.ControllerManagedBy(mgr).Named("zonecoverage").
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: enqueue, Predicates: []predicate.Predicate{nodeChanged}}).
		Watches(&v1alpha1.HeadroomPolicy{}, enqueue, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Remediation{}, enqueue, builder.WithPredicates(decided)).
		Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			if !ready() {
				return reconcile.Result{RequeueAfter: requeue.SyncRetry}, nil
			}
			again, err := c.Reconcile(ctx)
			return requeue.After(ctx, again, err), nil
		}))
	if err != nil {
		return fmt.Errorf("adding the controller that covers zones: %w", err)
	}
	return nil
}

// nodeChanged passes changes of whether nodes are usable.
var nodeChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return before.UID != after.UID || zonecoverage.IsUsable(before) != zonecoverage.IsUsable(after)
	},
}

// decided passes what people decide about the Remediations of HeadroomPolicies: that they are approved, rejected, aborted or deleted; and those that are
// there at the start.
var decided = predicate.Funcs{
	CreateFunc: func(e event.CreateEvent) bool {
		return e.Object.(*v1alpha1.Remediation).Spec.Policy.Kind == v1alpha1.HeadroomPolicyKind
	},
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.Remediation), e.ObjectNew.(*v1alpha1.Remediation)
		return after.Spec.Policy.Kind == v1alpha1.HeadroomPolicyKind && (before.Generation != after.Generation ||
			before.Annotations[v1alpha1.RemediationAbortAnnotation] != after.Annotations[v1alpha1.RemediationAbortAnnotation])
	},
}

package failover

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

const (
	// batchDelay is how long events are collected before a reconcile: the watch of the Snapshot must have them too.
	batchDelay = 500 * time.Millisecond
	// podDelay is the same for pods, of which some come and go all the time: each reconcile looks at all, and may write a status.
	podDelay = 5 * time.Second
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// request is the only one: all policies are looked at together, since the first that selects a pod decides.
var request = reconcile.Request{NamespacedName: types.NamespacedName{Name: "pods"}}

// AddTo adds the controller of the Reconciler to a manager. It does nothing until ready returns true.
func (c *Reconciler) AddTo(mgr manager.Manager, nodes, pods cache.Informer, ready func() bool) error {
	err := builder.ControllerManagedBy(mgr).Named("failover").
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: enqueueAfter(batchDelay), Predicates: []predicate.Predicate{nodeChanged}}).
		WatchesRawSource(&source.Informer{Informer: pods, Handler: enqueueAfter(podDelay), Predicates: []predicate.Predicate{podChanged}}).
		Watches(&v1alpha1.FailoverPolicy{}, enqueueAfter(batchDelay), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			if !ready() {
				return reconcile.Result{RequeueAfter: requeue.SyncRetry}, nil
			}
			again, err := c.Reconcile(ctx)
			return requeue.After(ctx, again, err), nil
		}))
	if err != nil {
		return fmt.Errorf("adding the controller that sets tolerations: %w", err)
	}
	return nil
}

func enqueueAfter(delay time.Duration) handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q queue) { q.AddAfter(request, delay) },
		UpdateFunc: func(_ context.Context, _ event.UpdateEvent, q queue) { q.AddAfter(request, delay) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q queue) { q.AddAfter(request, delay) },
	}
}

// nodeChanged passes changes after which pods can be changed, or no longer, or after which a node may be declared out of service or may
// be back.
var nodeChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return failoverpolicy.Healthy(before) != failoverpolicy.Healthy(after) || failoverpolicy.Silent(before) != failoverpolicy.Silent(after) ||
			before.Status.NodeInfo.BootID != after.Status.NodeInfo.BootID || (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
	},
}

// podChanged passes changes after which another policy may decide for a pod, or decide otherwise; what kubelets report may not.
var podChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Pod), e.ObjectNew.(*corev1.Pod)
		return before.UID != after.UID || before.Spec.NodeName != after.Spec.NodeName || cluster.Ended(before) != cluster.Ended(after) ||
			(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) || !maps.Equal(before.Labels, after.Labels) ||
			!equality.Semantic.DeepEqual(before.Spec.Tolerations, after.Spec.Tolerations) || !equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences)
	},
}

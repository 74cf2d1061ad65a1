package headroom

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// request is the only one: what one policy holds bears on the others.
var request = reconcile.Request{NamespacedName: types.NamespacedName{Name: "policies"}}

// AddTo adds the controller of the Reconciler to a manager. It does nothing until ready returns true. Of pods, it follows placeholder pods only: whether
// others need more room is looked at when nodes change, and twice a minute.
func (c *Reconciler) AddTo(mgr manager.Manager, nodes, pods, classes cache.Informer, ready func() bool) error {
	enqueue := handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q requeue.Queue) { q.AddAfter(request, requeue.BatchDelay) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q requeue.Queue) {
			c.see(e.ObjectNew)
			q.AddAfter(request, requeue.BatchDelay)
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q requeue.Queue) {
			c.see(e.Object)
			q.AddAfter(request, requeue.BatchDelay)
		},
	}
	err := builder.ControllerManagedBy(mgr).Named("headroom").
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: enqueue, Predicates: []predicate.Predicate{nodeChanged}}).
		WatchesRawSource(&source.Informer{Informer: pods, Handler: enqueue, Predicates: []predicate.Predicate{placeholderChanged}}).
		WatchesRawSource(&source.Informer{Informer: classes, Handler: enqueue}).
		Watches(&v1alpha1.HeadroomPolicy{}, enqueue, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(requeue.OnceReady(ready, c.Reconcile))
	if err != nil {
		return fmt.Errorf("adding the controller that holds headroom: %w", err)
	}
	return nil
}

// see notes that a placeholder pod was preempted.
func (c *Reconciler) see(o client.Object) {
	if pod, is := o.(*corev1.Pod); is {
		c.preemptions.note(pod)
	}
}

// nodeChanged passes changes of where pods may run.
var nodeChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return before.UID != after.UID || kube.IsNodeReady(before) != kube.IsNodeReady(after) || before.Spec.Unschedulable != after.Spec.Unschedulable
	},
}

// placeholderChanged passes changes of placeholder pods that bear on what they cover.
var placeholderChanged = predicate.Funcs{
	CreateFunc: func(e event.CreateEvent) bool { return headroompolicy.IsPlaceholder(e.Object) },
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Pod), e.ObjectNew.(*corev1.Pod)
		_, preempted := preemptedAt(after)
		return headroompolicy.IsPlaceholder(after) && (preempted || before.Spec.NodeName != after.Spec.NodeName || (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil))
	},
	DeleteFunc: func(e event.DeleteEvent) bool { return headroompolicy.IsPlaceholder(e.Object) },
}

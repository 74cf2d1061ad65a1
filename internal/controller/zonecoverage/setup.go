package zonecoverage

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
	"github.com/naosu-dev/naosu/internal/zonecoverage"
)

// request is the only one: policies share the node groups.
var request = reconcile.Request{NamespacedName: types.NamespacedName{Name: "zones"}}

// AddTo adds the controller of the Reconciler to a manager. It does nothing until ready returns true. Pods are looked at when nodes change, and twice a
// minute.
func (c *Reconciler) AddTo(mgr manager.Manager, nodes cache.Informer, ready func() bool) error {
	enqueue := requeue.Batched(request)
	err := builder.ControllerManagedBy(mgr).Named("zonecoverage").
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: enqueue, Predicates: []predicate.Predicate{nodeChanged}}).
		Watches(&v1alpha1.HeadroomPolicy{}, enqueue, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Remediation{}, enqueue, builder.WithPredicates(requeue.Decided(v1alpha1.HeadroomPolicyKind))).
		Complete(requeue.OnceReady(ready, c.Reconcile))
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

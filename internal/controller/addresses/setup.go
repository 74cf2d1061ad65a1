package addresses

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
)

// request is the only one: the first policy by name decides.
var request = reconcile.Request{NamespacedName: types.NamespacedName{Name: "addresses"}}

// AddTo adds the controller of the Reconciler to a manager. It does nothing until ready returns true.
func (c *Reconciler) AddTo(mgr manager.Manager, ready func() bool) error {
	enqueue := requeue.Batched(request)
	err := builder.ControllerManagedBy(mgr).Named("addresses").
		Watches(&v1alpha1.AddressPolicy{}, enqueue, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Remediation{}, enqueue, builder.WithPredicates(requeue.Decided(v1alpha1.AddressPolicyKind))).
		Complete(requeue.OnceReady(ready, c.Reconcile))
	if err != nil {
		return fmt.Errorf("adding the controller that watches addresses: %w", err)
	}
	return nil
}

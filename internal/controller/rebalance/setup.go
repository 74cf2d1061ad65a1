package rebalance

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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/rebalancepolicy"
)

// request is the only one: all policies are looked at together, since the first that selects a workload decides.
var request = reconcile.Request{NamespacedName: types.NamespacedName{Name: "workloads"}}

// AddTo adds the controller of the Reconciler to a manager. It does nothing until ready returns true. Pods are not followed: their balance is
// looked at when nodes change, and once a minute.
func (c *Reconciler) AddTo(mgr manager.Manager, nodes cache.Informer, ready func() bool) error {
	enqueue := requeue.Batched(request)
	err := builder.ControllerManagedBy(mgr).Named("rebalance").
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: enqueue, Predicates: []predicate.Predicate{nodeChanged}}).
		Watches(&v1alpha1.RebalancePolicy{}, enqueue, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Remediation{}, enqueue, builder.WithPredicates(decided)).
		Complete(requeue.OnceReady(ready, c.Reconcile))
	if err != nil {
		return fmt.Errorf("adding the controller that keeps workloads in balance: %w", err)
	}
	return nil
}

// nodeChanged passes changes of where pods may run.
var nodeChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return before.UID != after.UID || kube.IsNodeReady(before) != kube.IsNodeReady(after) || !rebalancepolicy.SameSchedulability(before, after)
	},
}

// decided passes what people decide about the Remediations of RebalancePolicies, and what they request. The controller itself creates the others.
var decided = func() predicate.Funcs {
	decided := requeue.Decided(v1alpha1.RebalancePolicyKind)
	decided.CreateFunc = func(e event.CreateEvent) bool { return e.Object.(*v1alpha1.Remediation).Spec.Request != nil }
	return decided
}()

package noderepair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/controller/requeue"
)

const (
	// batchDelay is how long events are collected before a reconcile: the watch of the Snapshot must have them too, and many nodes
	// change at once.
	batchDelay = 500 * time.Millisecond
	// garbageCollectionPeriod is the time between two garbage collections.
	garbageCollectionPeriod = 5 * time.Minute
	// workers is how many Remediations are advanced concurrently.
	workers = 4
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// planRequest is the only request of the planner: all policies are planned together, since the first that has a rule decides.
var planRequest = reconcile.Request{NamespacedName: types.NamespacedName{Name: "plan"}}

// controllers are the controllers and runnables of a manager that call a Reconciler.
type controllers struct {
	*Reconciler
	// ready says whether the watch has synced.
	ready func() bool
	// lastPlan is when Plan was last called, with a monotonic reading: the wall clock may be set meanwhile. nil is never.
	lastPlan atomic.Pointer[time.Time]
}

// AddTo adds the controllers of the Reconciler to a manager. They do nothing until ready returns true. The function returned is a
// liveness check: it fails if this process leads and has not planned for long.
func (c *Reconciler) AddTo(mgr manager.Manager, nodes cache.Informer, ready func() bool) (live func() error, err error) {
	d := &controllers{Reconciler: c, ready: ready}
	if err := d.addPlanner(mgr, nodes); err != nil {
		return nil, fmt.Errorf("adding the controller that proposes repairs: %w", err)
	}
	if err := d.addPerformer(mgr, nodes); err != nil {
		return nil, fmt.Errorf("adding the controller that performs repairs: %w", err)
	}
	if err := mgr.Add(manager.RunnableFunc(d.collectGarbagePeriodically)); err != nil {
		return nil, fmt.Errorf("adding the controller that cleans up: %w", err)
	}
	return d.livez, nil
}

func (d *controllers) addPlanner(mgr manager.Manager, nodes cache.Informer) error {
	enqueue := requeue.Batched(planRequest)
	initial := source.Func(func(_ context.Context, q queue) error {
		q.Add(planRequest)
		return nil
	})
	return builder.ControllerManagedBy(mgr).Named("noderepair-plan").
		WatchesRawSource(initial).
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: enqueue, Predicates: []predicate.Predicate{nodeChanged}}).
		Watches(&v1alpha1.NodeRepairPolicy{}, enqueue, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Remediation{}, enqueue, builder.WithPredicates(phaseChanged)).
		Complete(reconcile.Func(d.plan))
}

func (d *controllers) plan(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	d.lastPlan.Store(new(d.Clock.Now()))
	if !d.ready() {
		return reconcile.Result{RequeueAfter: requeue.SyncRetry}, nil
	}
	again, err := d.Plan(ctx)
	return requeue.After(ctx, again, err), nil
}

func (d *controllers) addPerformer(mgr manager.Manager, nodes cache.Informer) error {
	ofNode := d.enqueueRemediations(func(r *v1alpha1.Remediation, o client.Object) bool { return r.Spec.Node.Name == o.GetName() })
	ofPolicy := d.enqueueRemediations(func(r *v1alpha1.Remediation, o client.Object) bool { return r.Spec.Policy.Name == o.GetName() })
	return builder.ControllerManagedBy(mgr).Named("noderepair-remediation").
		For(&v1alpha1.Remediation{}, builder.WithPredicates(changedByOthers)).
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: ofNode, Predicates: []predicate.Predicate{nodeChanged}}).
		Watches(&v1alpha1.NodeRepairPolicy{}, ofPolicy, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(reconcile.Func(d.advance))
}

func (d *controllers) advance(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if !d.ready() {
		return reconcile.Result{RequeueAfter: requeue.SyncRetry}, nil
	}
	again, err := d.Advance(ctx, request.Name)
	return requeue.After(ctx, again, err), nil
}

// enqueueRemediations enqueues the Remediations that have not ended and concern a changed object.
func (d *controllers) enqueueRemediations(of func(*v1alpha1.Remediation, client.Object) bool) handler.EventHandler {
	add := func(ctx context.Context, o client.Object, q queue) {
		var all v1alpha1.RemediationList
		if err := d.Client.List(ctx, &all); err != nil {
			log.FromContext(ctx).Error(err, "a change is not followed up at once")
			return
		}
		for i := range all.Items {
			if r := &all.Items[i]; r.Status.Phase != v1alpha1.PhaseEnded && of(r, o) {
				q.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(r)}, batchDelay)
			}
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { add(ctx, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { add(ctx, e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { add(ctx, e.Object, q) },
	}
}

func (d *controllers) collectGarbagePeriodically(ctx context.Context) error {
	for {
		wait := garbageCollectionPeriod
		if !d.ready() {
			wait = requeue.SyncRetry
		} else if err := d.CollectGarbage(ctx); err != nil {
			log.FromContext(ctx).Error(err, "clearing up what ended Remediations have left")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// livez fails if nothing was planned for several resync intervals. A process that does not lead never fails.
func (d *controllers) livez() error {
	const missedResyncs = 5
	lastPlan := d.lastPlan.Load()
	if lastPlan == nil {
		return nil
	}
	if silent := d.Clock.Since(*lastPlan); silent > missedResyncs*resyncInterval {
		return fmt.Errorf("nothing was planned for %s", silent.Round(time.Second))
	}
	return nil
}

// phaseChanged passes changes of which nodes have a Remediation that has not ended.
var phaseChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.Remediation), e.ObjectNew.(*v1alpha1.Remediation)
		return before.Status.Phase != after.Status.Phase
	},
}

// changedByOthers passes changes of a Remediation by others than this controller: its spec, annotations and the agent's report.
var changedByOthers = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.Remediation), e.ObjectNew.(*v1alpha1.Remediation)
		return before.Generation != after.Generation || !maps.Equal(before.Annotations, after.Annotations) || !agentReportEqual(before.Status.Agent, after.Status.Agent)
	},
	DeleteFunc: func(event.DeleteEvent) bool { return false },
}

func agentReportEqual(a, b *v1alpha1.AgentReport) bool {
	return (a == nil) == (b == nil) && (a == nil || a.State == b.State && a.At.Equal(&b.At) && (a.Evidence == nil) == (b.Evidence == nil))
}

// nodeChanged passes changes that may change a decision; heartbeats may not.
var nodeChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return before.UID != after.UID || before.Spec.Unschedulable != after.Spec.Unschedulable || before.Spec.ProviderID != after.Spec.ProviderID ||
			before.Status.NodeInfo.BootID != after.Status.NodeInfo.BootID || (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) ||
			!maps.Equal(before.Labels, after.Labels) || !maps.Equal(before.Annotations, after.Annotations) ||
			!slices.EqualFunc(before.Status.Conditions, after.Status.Conditions, conditionEqual)
	},
}

func conditionEqual(a, b corev1.NodeCondition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

package noderepair

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
)

const (
	// together is how long changes are gathered before they are looked at: the watch that told of them must know them
	// too, and many nodes change at once.
	together = 500 * time.Millisecond
	// notYet is how soon to look again while the watch has not read everything.
	notYet = time.Second
	// retry is how soon what failed is tried again.
	retry = 5 * time.Second
	// swept is how often what was left behind is looked for.
	swept = 5 * time.Minute
	// workers is how many Remediations are advanced at once.
	workers = 4
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// planned is the one request of the planner: rules of one policy bear on what another's may do.
var planned = reconcile.Request{NamespacedName: types.NamespacedName{Name: "plan"}}

// driver has a Concern look again when something changes.
type driver struct {
	*Concern
	// ready says whether the watch has read everything once.
	ready func() bool
	// looked is when it was last planned, in Unix nanoseconds.
	looked atomic.Int64
}

// AddTo has a manager drive the Concern, once ready says so. Nodes tell of their changes; live is an error when the Concern,
// though it leads, has not looked for long.
func (c *Concern) AddTo(mgr manager.Manager, nodes cache.Informer, ready func() bool) (live func() error, err error) {
	d := &driver{Concern: c, ready: ready}
	if err := d.addPlanner(mgr, nodes); err != nil {
		return nil, fmt.Errorf("adding the controller that proposes repairs: %w", err)
	}
	if err := d.addPerformer(mgr, nodes); err != nil {
		return nil, fmt.Errorf("adding the controller that performs repairs: %w", err)
	}
	if err := mgr.Add(manager.RunnableFunc(d.sweepOften)); err != nil {
		return nil, fmt.Errorf("adding the controller that cleans up: %w", err)
	}
	return d.live, nil
}

func (d *driver) addPlanner(mgr manager.Manager, nodes cache.Informer) error {
	look := handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q queue) { q.AddAfter(planned, together) },
		UpdateFunc: func(_ context.Context, _ event.UpdateEvent, q queue) { q.AddAfter(planned, together) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q queue) { q.AddAfter(planned, together) },
	}
	begin := source.Func(func(_ context.Context, q queue) error {
		q.Add(planned)
		return nil
	})
	return builder.ControllerManagedBy(mgr).Named("noderepair-plan").
		WatchesRawSource(begin).
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: look, Predicates: []predicate.Predicate{nodeChanged}}).
		Watches(&v1alpha1.NodeRepairPolicy{}, look, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.Remediation{}, look, builder.WithPredicates(ended)).
		Complete(reconcile.Func(d.plan))
}

func (d *driver) plan(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	d.looked.Store(d.Clock.Now().UnixNano())
	if !d.ready() {
		return reconcile.Result{RequeueAfter: notYet}, nil
	}
	again, err := d.Plan(ctx)
	return after(ctx, again, err), nil
}

func (d *driver) addPerformer(mgr manager.Manager, nodes cache.Informer) error {
	ofNode := d.open(func(r *v1alpha1.Remediation, o client.Object) bool { return r.Spec.Node.Name == o.GetName() })
	ofPolicy := d.open(func(r *v1alpha1.Remediation, o client.Object) bool { return r.Spec.Policy.Name == o.GetName() })
	return builder.ControllerManagedBy(mgr).Named("noderepair-remediation").
		For(&v1alpha1.Remediation{}, builder.WithPredicates(told)).
		WatchesRawSource(&source.Informer{Informer: nodes, Handler: ofNode, Predicates: []predicate.Predicate{nodeChanged}}).
		Watches(&v1alpha1.NodeRepairPolicy{}, ofPolicy, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(reconcile.Func(d.advance))
}

func (d *driver) advance(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if !d.ready() {
		return reconcile.Result{RequeueAfter: notYet}, nil
	}
	again, err := d.Advance(ctx, request.Name)
	return after(ctx, again, err), nil
}

// after tells when to look again. What failed is tried again at a steady pace: a repair must not wait for a quarter of an
// hour because something else failed long enough.
func after(ctx context.Context, again time.Duration, err error) reconcile.Result {
	switch {
	case err == nil:
	case apierrors.IsConflict(err):
		again = notYet // Somebody else wrote, or what was read came from a cache that is behind.
	default:
		log.FromContext(ctx).Error(err, "it is tried again", "after", retry)
		again = retry
	}
	return reconcile.Result{RequeueAfter: again}
}

// open asks for the Remediations that go on and have to do with a changed object.
func (d *driver) open(of func(*v1alpha1.Remediation, client.Object) bool) handler.EventHandler {
	add := func(ctx context.Context, o client.Object, q queue) {
		var all v1alpha1.RemediationList
		if err := d.Client.List(ctx, &all); err != nil {
			log.FromContext(ctx).Error(err, "a change is not followed up at once")
			return
		}
		for i := range all.Items {
			if r := &all.Items[i]; r.Status.Phase != v1alpha1.PhaseEnded && of(r, o) {
				q.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(r)}, together)
			}
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { add(ctx, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { add(ctx, e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { add(ctx, e.Object, q) },
	}
}

func (d *driver) sweepOften(ctx context.Context) error {
	for {
		wait := swept
		if !d.ready() {
			wait = notYet
		} else if err := d.Sweep(ctx); err != nil {
			log.FromContext(ctx).Error(err, "clearing up what ended Remediations have left")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// live is an error when nothing was planned for many times as long as it should take. Before it leads, nothing is.
func (d *driver) live() error {
	const many = 5
	looked := d.looked.Load()
	if silent := d.Clock.Since(time.Unix(0, looked)); looked != 0 && silent > many*resync {
		return fmt.Errorf("nothing was planned for %s", silent.Round(time.Second))
	}
	return nil
}

// ended lets through what changes which nodes have a Remediation that goes on.
var ended = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.Remediation), e.ObjectNew.(*v1alpha1.Remediation)
		return before.Status.Phase != after.Status.Phase
	},
}

// told lets through what others say of a Remediation; what naosu writes into its status is known here already.
var told = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1alpha1.Remediation), e.ObjectNew.(*v1alpha1.Remediation)
		return before.Generation != after.Generation || !maps.Equal(before.Annotations, after.Annotations) || !agentSame(before.Status.Agent, after.Status.Agent)
	},
	DeleteFunc: func(event.DeleteEvent) bool { return false },
}

func agentSame(a, b *v1alpha1.AgentReport) bool {
	return (a == nil) == (b == nil) && (a == nil || a.State == b.State && a.At.Equal(&b.At) && (a.Evidence == nil) == (b.Evidence == nil))
}

// nodeChanged lets through what may change a decision, and not heartbeats.
var nodeChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return before.UID != after.UID || before.Spec.Unschedulable != after.Spec.Unschedulable || before.Spec.ProviderID != after.Spec.ProviderID ||
			before.Status.NodeInfo.BootID != after.Status.NodeInfo.BootID || (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) ||
			!maps.Equal(before.Labels, after.Labels) || !maps.Equal(before.Annotations, after.Annotations) ||
			!slices.EqualFunc(before.Status.Conditions, after.Status.Conditions, conditionSame)
	},
}

func conditionSame(a, b corev1.NodeCondition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

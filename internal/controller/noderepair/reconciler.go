package noderepair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
)

// Reconciler proposes and performs repairs of nodes. Its state is in the API, but for answers of clouds that it caches, and it starts
// no goroutine: the controllers of AddTo call Plan and Advance, or a test calls ReconcileAll.
type Reconciler struct {
	// World is the latest Snapshot of the watched cluster.
	World func() *cluster.Snapshot
	// Client reads naosu's own objects, from a cache or not, and writes.
	Client client.Client
	// Reader reads past any cache.
	Reader  client.Reader
	Records *record.Records
	// Providers manage the machines; Gaps are the providers that are not available.
	Providers cloud.Providers
	Gaps      []cloud.Gap
	// Discovered returns both as they are now; nil if they do not change.
	Discovered func() (cloud.Providers, []cloud.Gap)
	// Checks are the guard's checks; nil is guard.Checks.
	Checks []guard.Check
	// Leading says whether this process holds the controller's lease.
	Leading func(context.Context) (bool, error)
	// Elected says without a request whether this process was elected, for metrics; nil means that it was.
	Elected func() bool
	// ServerReady returns nil if the API server reports that it is ready.
	ServerReady func(context.Context) error
	// Log gets each step of a Remediation; the zero value drops it.
	Log   logr.Logger
	Clock clock.PassiveClock

	repairers repairerCache
	forecasts forecaster
	readiness readinessCache
	verdicts  verdicts
}

// providersAndGaps are the providers of machines, and those that are not available.
func (c *Reconciler) providersAndGaps() (cloud.Providers, []cloud.Gap) {
	if c.Discovered != nil {
		return c.Discovered()
	}
	return c.Providers, c.Gaps
}

func (c *Reconciler) providers() cloud.Providers {
	providers, _ := c.providersAndGaps()
	return providers
}

// performer performs Remediations; the Reconciler is its Advisor.
func (c *Reconciler) performer() *action.Performer {
	return &action.Performer{
		Client: c.Client, Reader: c.Reader, Records: c.Records, Providers: c.providers(), Advisor: c, Leading: c.Leading, Clock: c.Clock, OnUpdate: c.logTransition,
	}
}

// logTransition logs the phase of a Remediation and its step, where they changed.
func (c *Reconciler) logTransition(before, after *v1alpha1.Remediation) {
	log := c.Log.WithValues("remediation", after.Name, "node", after.Spec.Node.Name, "action", after.Spec.Action())
	was, is := len(before.Status.Steps), len(after.Status.Steps)
	if is > 0 && after.Status.Phase == v1alpha1.PhaseRunning && (was != is || before.Status.Phase != after.Status.Phase) {
		log.Info("Step started", "step", after.Status.Steps[is-1].Name)
	}
	if before.Status.Phase == after.Status.Phase {
		return
	}
	switch end := meta.FindStatusCondition(after.Status.Conditions, v1alpha1.RemediationSucceeded); end {
	case nil:
		log.Info("Phase changed", "phase", after.Status.Phase)
	default:
		log.Info("Phase changed", "phase", after.Status.Phase, "outcome", end.Reason, "message", end.Message)
	}
}

// resyncInterval is the longest time between two plans, whatever events came.
const resyncInterval = time.Minute

// ReconcileAll plans, advances every Remediation that has not ended, and returns after what time to do so again at the latest.
func (c *Reconciler) ReconcileAll(ctx context.Context) (time.Duration, error) {
	again, err := c.Plan(ctx)
	errs := []error{err}
	var all v1alpha1.RemediationList
	if err := c.Client.List(ctx, &all); err != nil {
		return again, errors.Join(append(errs, fmt.Errorf("reading the Remediations: %w", err))...)
	}
	for i := range all.Items {
		next, err := c.Advance(ctx, all.Items[i].Name)
		if err == nil && next > 0 {
			again = min(again, next)
		}
		errs = append(errs, err)
	}
	return again, errors.Join(errs...)
}

// Advance performs the next transitions of one Remediation, and returns after what time to call it again; zero is at the next event.
func (c *Reconciler) Advance(ctx context.Context, name string) (time.Duration, error) {
	var r v1alpha1.Remediation
	switch err := c.Client.Get(ctx, client.ObjectKey{Name: name}, &r); {
	case apierrors.IsNotFound(err):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("reading Remediation %s: %w", name, err)
	case r.Spec.Drill != nil && (r.Status.Phase == v1alpha1.PhaseEnded || r.DeletionTimestamp != nil):
		return 0, nil
	case r.Spec.Drill != nil:
		return c.drill(ctx, &r)
	case !isNodeRepair(&r):
		return 0, nil
	case r.Status.Phase == v1alpha1.PhaseEnded && !controllerutil.ContainsFinalizer(&r, v1alpha1.RemediationFinalizer):
		return 0, nil
	}
	var policy v1alpha1.NodeRepairPolicy
	switch err := c.Client.Get(ctx, client.ObjectKey{Name: r.Spec.Policy.Name}, &policy); {
	case apierrors.IsNotFound(err):
		return c.performer().Advance(ctx, name, nil)
	case err != nil:
		return 0, fmt.Errorf("reading policy %s: %w", r.Spec.Policy.Name, err)
	}
	return c.performer().Advance(ctx, name, &policy)
}

// isNodeRepair says whether a Remediation is a repair of a node, or a drill of one.
func isNodeRepair(r *v1alpha1.Remediation) bool {
	return r.Spec.Drill != nil || r.Spec.Policy.Kind == v1alpha1.NodeRepairPolicyKind
}

// CollectGarbage removes what ended Remediations have left behind.
func (c *Reconciler) CollectGarbage(ctx context.Context) error {
	return c.performer().CollectGarbage(ctx)
}

func (c *Reconciler) checks() []guard.Check {
	if c.Checks == nil {
		return guard.Checks()
	}
	return c.Checks
}

// objects are naosu's own.
type objects struct {
	policies     []v1alpha1.NodeRepairPolicy
	remediations []v1alpha1.Remediation
}

// +kubebuilder:rbac:groups=naosu.dev,resources=noderepairpolicies;remediations,verbs=get;list;watch

func (c *Reconciler) objects(ctx context.Context) (objects, error) {
	var policies v1alpha1.NodeRepairPolicyList
	if err := c.Client.List(ctx, &policies); err != nil {
		return objects{}, fmt.Errorf("reading the policies: %w", err)
	}
	var remediations v1alpha1.RemediationList
	if err := c.Client.List(ctx, &remediations); err != nil {
		return objects{}, fmt.Errorf("reading the Remediations: %w", err)
	}
	others := func(r v1alpha1.Remediation) bool { return !isNodeRepair(&r) }
	return objects{policies.Items, slices.DeleteFunc(remediations.Items, others)}, nil
}

// policy is the one of a name, which must exist.
func (o objects) policy(name string) *v1alpha1.NodeRepairPolicy {
	return &o.policies[slices.IndexFunc(o.policies, func(p v1alpha1.NodeRepairPolicy) bool { return p.Name == name })]
}

// openRemediations is how many Remediations of each policy have not ended, by its name.
func (o objects) openRemediations() map[string]int {
	open := map[string]int{}
	for i := range o.remediations {
		if r := &o.remediations[i]; r.Status.Phase != v1alpha1.PhaseEnded {
			open[r.Spec.Policy.Name]++
		}
	}
	return open
}

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

// Concern mends nodes. It keeps nothing that the API does not hold, but answers of clouds for a while, and starts nothing
// by itself: whoever drives it calls Plan and Advance, or Pass, again and again.
type Concern struct {
	// World is the cluster, as it is watched.
	World func() *cluster.Snapshot
	// Client reads naosu's own objects, from a cache or not, and writes.
	Client client.Client
	// Reader reads past any cache.
	Reader  client.Reader
	Records *record.Records
	// Providers run the machines; Gaps are those that could not be asked.
	Providers cloud.Providers
	Gaps      []cloud.Gap
	// Discovered has both as they are by now; nil where they stay as they are.
	Discovered func() (cloud.Providers, []cloud.Gap)
	// Checks must all allow before anything is done; nil is all that there are.
	Checks []guard.Check
	// Leading says whether this process holds the controller's lease.
	Leading func(context.Context) (bool, error)
	// Elected says without asking whether this process was elected, for metrics; nil is that it was.
	Elected func() bool
	// ServerReady is nil if the API server says that it is ready.
	ServerReady func(context.Context) error
	// Log is told of each step of a Remediation; the zero value says nothing.
	Log   logr.Logger
	Clock clock.PassiveClock

	repairers repairers
	forecasts forecaster
	readiness readiness
	verdicts  verdicts
}

// machines are those who run them, and those that could not be asked, as is known by now.
func (c *Concern) machines() (cloud.Providers, []cloud.Gap) {
	if c.Discovered != nil {
		return c.Discovered()
	}
	return c.Providers, c.Gaps
}

func (c *Concern) providers() cloud.Providers {
	providers, _ := c.machines()
	return providers
}

// performer carries Remediations out, and asks the Concern before it does.
func (c *Concern) performer() *action.Performer {
	return &action.Performer{
		Client: c.Client, Reader: c.Reader, Records: c.Records, Providers: c.providers(), Advisor: c, Leading: c.Leading, Clock: c.Clock, Say: c.say,
	}
}

// say tells the log what became of a Remediation: its phase, and the step that it is at.
func (c *Concern) say(before, after *v1alpha1.Remediation) {
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

// resync is how often everything is looked at anew, whatever has been heard.
const resync = time.Minute

// Pass plans, advances every Remediation that goes on, and says when to do so again at the latest.
func (c *Concern) Pass(ctx context.Context) (time.Duration, error) {
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

// Advance does what is next of one Remediation, and says after what time to look again; zero is when something changes.
func (c *Concern) Advance(ctx context.Context, name string) (time.Duration, error) {
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

// isNodeRepair says whether a Remediation is of this concern: a repair, or a drill of one.
func isNodeRepair(r *v1alpha1.Remediation) bool {
	return r.Spec.Drill != nil || r.Spec.Policy.Kind == v1alpha1.NodeRepairPolicyKind
}

// Sweep undoes what Remediations that are over have left behind.
func (c *Concern) Sweep(ctx context.Context) error { return c.performer().Sweep(ctx) }

func (c *Concern) checks() []guard.Check {
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

func (c *Concern) objects(ctx context.Context) (objects, error) {
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

// policy is the one of a name that is known to be there.
func (o objects) policy(name string) *v1alpha1.NodeRepairPolicy {
	return &o.policies[slices.IndexFunc(o.policies, func(p v1alpha1.NodeRepairPolicy) bool { return p.Name == name })]
}

// open is how many Remediations of each policy go on.
func (o objects) open() map[string]int {
	open := map[string]int{}
	for i := range o.remediations {
		if r := &o.remediations[i]; r.Status.Phase != v1alpha1.PhaseEnded {
			open[r.Spec.Policy.Name]++
		}
	}
	return open
}

package rebalance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/rebalancepolicy"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

const (
	// resyncInterval is the time between two reconciles without an event.
	resyncInterval = time.Minute
	// replanInterval is the time between two plans for workloads for which none was found, while no node changes.
	replanInterval = 10 * time.Minute
	// settleInterval is the time to the next plan where pods of such workloads are starting or terminating.
	settleInterval = 30 * time.Second
	// minWait is the least time to the next reconcile.
	minWait = time.Second
)

// plannedBy are the kinds that must be known for a plan: without them, a pod that must not be evicted may look as if it could be.
var plannedBy = []cluster.Kind{cluster.Node, cluster.Pod, cluster.Namespace, cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet, cluster.PodDisruptionBudget, cluster.PersistentVolumeClaim}

var errUnknown = errors.New("pods, their owners, nodes, namespaces or PodDisruptionBudgets are not known: they cannot be read, or have not been read yet")

// Reconciler keeps workloads in balance as RebalancePolicies ask for. It starts no goroutine: the controller of AddTo calls Reconcile, or a test does.
type Reconciler struct {
	// Snapshot is the latest one of the watched cluster.
	Snapshot func() *cluster.Snapshot
	// Client reads naosu's own objects, from a cache or not, and writes.
	Client client.Client
	// Reader reads past any cache.
	Reader  client.Reader
	Records *record.Records
	// ClusterFacts are the guard's facts that are of the cluster as a whole.
	ClusterFacts func(context.Context, *cluster.Snapshot) guard.Facts
	// Permit adds to a ruling whether the controller's role permits what a Remediation does; nil adds nothing.
	Permit func(context.Context, *v1alpha1.Remediation, guard.Ruling) guard.Ruling
	// Leading says whether this process holds the controller's lease.
	Leading func(context.Context) (bool, error)
	// Elected says without a request whether this process was elected, for metrics; nil means that it was.
	Elected func() bool
	Log     logr.Logger
	Clock   clock.PassiveClock

	start      sync.Once
	rebalancer *action.Rebalancer
	// fruitless are the last plans without evictions, by policy.
	fruitless map[string]fruitless
	// nodes are the nodes of the last reconcile.
	nodes  rebalancepolicy.NodeHistory
	counts counts
}

// fruitless is what a plan without evictions was made for, and why it has none.
type fruitless struct {
	at, nodeChange time.Time
	generation     int64
	unbalanced     []change.Ref
	unmet          []rebalance.Unmet
	nodes          []rebalance.NodeUtilization
}

// interval is the time to the next plan, if nothing changes.
func (f fruitless) interval() time.Duration {
	if slices.ContainsFunc(f.unmet, func(u rebalance.Unmet) bool { return u.Reason == rebalance.InMotion }) ||
		slices.ContainsFunc(f.nodes, func(n rebalance.NodeUtilization) bool { return n.Reason == rebalance.InMotion }) {
		return settleInterval
	}
	return replanInterval
}

func (c *Reconciler) init() {
	c.fruitless = map[string]fruitless{}
	c.rebalancer = &action.Rebalancer{
		Client: c.Client, Reader: c.Reader, Records: c.Records, Advisor: c, Leading: c.Leading, Clock: c.Clock, OnUpdate: c.noteUpdate,
	}
}

// +kubebuilder:rbac:groups=naosu.dev,resources=rebalancepolicies,verbs=get;list;watch

// Reconcile advances the Remediations of all policies, plans for policies without one, and writes the policies' status. It returns after what time to
// reconcile again at the latest; zero is at the next event.
func (c *Reconciler) Reconcile(ctx context.Context) (time.Duration, error) {
	c.start.Do(c.init)
	world := c.Snapshot()
	c.nodes.Observe(world, c.Clock.Now())
	policies, remediations, err := c.own(ctx)
	if err != nil {
		return resyncInterval, err
	}
	open := record.Open(remediations)
	if len(policies)+len(open) == 0 {
		c.counts.setUnbalanced(nil)
		return 0, nil
	}
	for _, kind := range plannedBy {
		if !world.Knowledge(kind).Known() {
			return resyncInterval, errUnknown
		}
	}
	if running := slices.IndexFunc(open, isRunning); running >= 0 {
		return c.advance(ctx, &open[running])
	}
	again, counted := resyncInterval, map[string]int{}
	var errs error
	for i := range policies {
		next, err := c.reconcile(ctx, world, &policies[i], policies, remediations, counted)
		again, errs = min(again, next), errors.Join(errs, err)
	}
	c.counts.setUnbalanced(counted)
	if len(open) > 0 {
		next, err := c.advanceUntilOneRuns(ctx)
		again, errs = min(again, next), errors.Join(errs, err)
	}
	return max(again, minWait), errors.Join(errs, c.Records.Prune(ctx, remediations))
}

// advanceUntilOneRuns performs the next transitions of each Remediation, as read past any cache, until one of them runs.
func (c *Reconciler) advanceUntilOneRuns(ctx context.Context) (time.Duration, error) {
	all, err := c.Records.List(ctx)
	if err != nil {
		return resyncInterval, err
	}
	open := slices.DeleteFunc(record.Open(all), isOther)
	if running := slices.IndexFunc(open, isRunning); running >= 0 {
		return c.advance(ctx, &open[running])
	}
	again := resyncInterval
	var errs error
	for i := range open {
		next, err := c.advance(ctx, &open[i])
		errs = errors.Join(errs, err)
		if next > 0 {
			again = min(again, next)
		}
		now, err := c.Records.Get(ctx, open[i].Name)
		if err != nil && !apierrors.IsNotFound(err) {
			return again, errors.Join(errs, err)
		}
		if err == nil && isRunning(*now) {
			break
		}
	}
	return again, errs
}

func isRunning(r v1alpha1.Remediation) bool { return r.Status.Phase == v1alpha1.PhaseRunning }

// isOther says whether a Remediation is neither for a RebalancePolicy nor requested by a person.
func isOther(r v1alpha1.Remediation) bool {
	return r.Spec.PolicyKind() != v1alpha1.RebalancePolicyKind
}

// own are the policies by name, and all their Remediations and those that people requested.
func (c *Reconciler) own(ctx context.Context) ([]v1alpha1.RebalancePolicy, []v1alpha1.Remediation, error) {
	var policies v1alpha1.RebalancePolicyList
	if err := c.Client.List(ctx, &policies); err != nil {
		return nil, nil, fmt.Errorf("reading the RebalancePolicies: %w", err)
	}
	var remediations v1alpha1.RemediationList
	if err := c.Client.List(ctx, &remediations); err != nil {
		return nil, nil, fmt.Errorf("reading the Remediations: %w", err)
	}
	slices.SortFunc(policies.Items, func(a, b v1alpha1.RebalancePolicy) int { return cmp.Compare(a.Name, b.Name) })
	return policies.Items, slices.DeleteFunc(remediations.Items, isOther), nil
}

// advance performs the next transitions of a Remediation, for its policy as read past any cache.
func (c *Reconciler) advance(ctx context.Context, r *v1alpha1.Remediation) (time.Duration, error) {
	policy, err := c.policyOf(ctx, r)
	if err != nil {
		return resyncInterval, err
	}
	next, err := c.rebalancer.Advance(ctx, r.Name, policy)
	if next == 0 {
		next = minWait // It has ended; what follows is looked at soon.
	}
	return next, err
}

// policyOf is the policy that a Remediation is for, nil if it is gone. What a person requested is forecast first; it stays without a forecast if it is not
// planned again as requested, and is obsolete then.
func (c *Reconciler) policyOf(ctx context.Context, r *v1alpha1.Remediation) (*v1alpha1.RebalancePolicy, error) {
	if r.Spec.Request != nil {
		return rebalancepolicy.PolicyOf(r), c.forecast(ctx, r)
	}
	policy := &v1alpha1.RebalancePolicy{}
	switch err := c.Reader.Get(ctx, client.ObjectKey{Name: r.Spec.Policy.Name}, policy); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading the RebalancePolicy %s: %w", r.Spec.Policy.Name, err)
	case !names(r, policy):
		return nil, nil
	}
	return policy, nil
}

// forecast writes the forecast of what a person requested, if it has none yet and is planned again as requested.
func (c *Reconciler) forecast(ctx context.Context, r *v1alpha1.Remediation) error {
	if r.Status.Forecast != nil || r.Status.Phase == v1alpha1.PhaseRunning || r.Spec.Approval == v1alpha1.Rejected {
		return nil
	}
	if leads, err := c.Leading(ctx); err != nil || !leads {
		return err
	}
	judge, err := scheduling.New(ctx, c.Snapshot(), scheduling.Options{})
	if err != nil {
		return fmt.Errorf("planning evictions: %w", err)
	}
	forecast, err := rebalancepolicy.ForecastOf(ctx, judge, r, c.Clock.Now())
	if err != nil || forecast == nil {
		return err
	}
	_, err = c.Records.UpdateStatus(ctx, r, func(s *v1alpha1.RemediationStatus) { s.Forecast, s.Phase = forecast, v1alpha1.PhaseProposed })
	return err
}

// names says whether a Remediation is for a policy, and not for an earlier one of its name.
func names(r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy) bool {
	return r.Spec.Policy.Name == policy.Name && r.Spec.Policy.UID == policy.UID
}

// reconcile plans for a policy if its workloads are out of balance and it has no open Remediation, and writes its status.
func (c *Reconciler) reconcile(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.RebalancePolicy, policies []v1alpha1.RebalancePolicy, remediations []v1alpha1.Remediation, counted map[string]int) (time.Duration, error) {
	now := c.Clock.Now()
	selection := rebalancepolicy.Select(world, policies)
	whole := selection.Options(policy, func(change.Ref) bool { return false }, now)
	all, unbalanced := rebalance.Unbalanced(world, whole)
	overutilized := rebalance.Overutilized(world, whole)
	counted[policy.Name] = len(unbalanced)
	again, err := resyncInterval, error(nil)
	hasOpen := slices.ContainsFunc(record.Open(remediations), func(r v1alpha1.Remediation) bool { return names(&r, policy) })
	balanced := len(unbalanced)+len(overutilized) == 0
	if !balanced && !hasOpen && !policy.Spec.Paused {
		options := selection.Options(policy, rebalancepolicy.Resting(remediations, now), now)
		options.OutOfTime = rebalance.Deadline(c.Clock, rebalance.SearchTime)
		again, err = c.plan(ctx, world, policy, options)
	}
	if balanced || policy.Spec.Paused {
		delete(c.fruitless, policy.Name)
	}
	observed := observation{len(all), len(unbalanced), nil, selection.UtilizationObstacle(policy)}
	if whole.MaxUtilizationDeviation > 0 {
		observed.overutilized = new(int32(len(overutilized)))
	}
	return again, errors.Join(err, c.updateStatus(ctx, policy, observed))
}

// plan plans for a policy once no node has changed for the dwell time, and creates a Remediation of the evictions.
func (c *Reconciler) plan(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.RebalancePolicy, o rebalance.Options) (time.Duration, error) {
	unbalanced := offBalance(world, o)
	_, changed := c.nodes.LastChange(world)
	now := c.Clock.Now()
	if left := rebalancepolicy.Dwell(policy) - now.Sub(changed); left > 0 {
		return min(left, resyncInterval), nil
	}
	last, known := c.fruitless[policy.Name]
	same := known && last.nodeChange.Equal(changed) && last.generation == policy.Generation && slices.Equal(last.unbalanced, unbalanced)
	if len(unbalanced) == 0 {
		return resyncInterval, nil
	}
	if left := last.interval() - now.Sub(last.at); same && left > 0 {
		return min(left, resyncInterval), nil
	}
	judge, err := scheduling.New(ctx, world, scheduling.Options{})
	if err != nil {
		return resyncInterval, fmt.Errorf("planning evictions: %w", err)
	}
	plan, err := rebalance.New(ctx, judge, o)
	if err != nil {
		return resyncInterval, fmt.Errorf("planning evictions: %w", err)
	}
	if len(plan.Waves) == 0 {
		none := fruitless{now, changed, policy.Generation, unbalanced, plan.Unmet, plan.Nodes}
		c.fruitless[policy.Name] = none
		return min(none.interval(), resyncInterval), nil
	}
	delete(c.fruitless, policy.Name)
	return minWait, c.propose(ctx, world, policy, plan)
}

// offBalance are the workloads that are out of balance, and the overutilized nodes.
func offBalance(world *cluster.Snapshot, o rebalance.Options) []change.Ref {
	_, unbalanced := rebalance.Unbalanced(world, o)
	return append(unbalanced, rebalance.Overutilized(world, o)...)
}

// propose creates a Remediation of a plan, unless the policy has an open one already.
func (c *Reconciler) propose(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.RebalancePolicy, plan rebalance.Plan) error {
	if leads, err := c.Leading(ctx); err != nil || !leads {
		return err
	}
	all, err := c.Records.List(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(record.Open(all), func(r v1alpha1.Remediation) bool { return names(&r, policy) }) {
		return nil
	}
	proposed, forecast := rebalancepolicy.Propose(policy, plan, world, c.Clock.Now())
	made, err := c.Records.Create(ctx, proposed)
	if err != nil {
		return err
	}
	c.Log.Info("Evictions proposed", "policy", policy.Name, "remediation", made.Name, "pods", len(made.Spec.Changes), "result", plan.Result)
	_, err = c.Records.UpdateStatus(ctx, made, func(s *v1alpha1.RemediationStatus) { s.Forecast, s.Phase = forecast, v1alpha1.PhaseProposed })
	return err
}

// World is the cluster as it is known now.
func (c *Reconciler) World() *cluster.Snapshot { return c.Snapshot() }

// IsObsolete says of a Remediation that has evicted nothing whether its plan is not needed any more.
func (c *Reconciler) IsObsolete(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy) (bool, error) {
	world := c.Snapshot()
	selection, err := c.selection(ctx, world)
	if err != nil {
		return false, err
	}
	unbalanced := offBalance(world, c.optionsOf(r, policy, selection))
	return !selection.DecidesAll(r) || rebalancepolicy.IsObsolete(r, world, unbalanced), nil
}

// optionsOf are those by which a Remediation is judged: its policy's, or those of the person who requested it, who alone knows whether autoscalers consolidate
// nodes.
func (c *Reconciler) optionsOf(r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy, selection rebalancepolicy.Selection) rebalance.Options {
	if r.Spec.Request != nil {
		return rebalancepolicy.RequestOptions(r)
	}
	return selection.Options(policy, func(change.Ref) bool { return false }, c.Clock.Now())
}

func (c *Reconciler) selection(ctx context.Context, world *cluster.Snapshot) (rebalancepolicy.Selection, error) {
	policies, _, err := c.own(ctx)
	return rebalancepolicy.Select(world, policies), err
}

// CheckGuard runs the guard's checks.
func (c *Reconciler) CheckGuard(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy) (guard.Ruling, error) {
	world := c.Snapshot()
	facts := c.ClusterFacts(ctx, world)
	if read, err := c.Records.ReadLedger(ctx); err == nil {
		facts.Ledger = guard.Known(read.Ledger, c.Clock.Now())
	}
	node, at := c.nodes.LastChange(world)
	facts.LastNodeChange = guard.Known(guard.NodeChange{Node: node, At: at}, world.Taken())
	dwell := rebalancepolicy.Dwell(policy)
	if r.Spec.Request != nil {
		dwell = 0 // Whoever requested the plan has seen the nodes.
	}
	ruling := guard.Decide(guard.RebalanceChecks(), guard.Proposal{
		Remediation: r.Name, UID: r.UID, Action: v1alpha1.ActionEvict, Approval: r.Spec.Approval, Confirmed: world.Taken(), Dwell: dwell,
		Policy: v1alpha1.NodeRepairPolicySpec{Mode: policy.Spec.Mode, Paused: policy.Spec.Paused, MaintenanceWindow: policy.Spec.MaintenanceWindow},
	}, facts)
	if c.Permit != nil {
		ruling = c.Permit(ctx, r, ruling)
	}
	return ruling, nil
}

// Holds says whether the evictions of a plan from a wave on are still what the policy asks for, and, as simulated, lead to the balance that was forecast.
func (c *Reconciler) Holds(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.RebalancePolicy, fromWave int) (bool, error) {
	world := c.Snapshot()
	selection, err := c.selection(ctx, world)
	pods, there := rebalancepolicy.Evicted(r, world, fromWave)
	if err != nil || !there || !selection.DecidesAll(r) {
		return false, err
	}
	judge, err := scheduling.New(ctx, world, scheduling.Options{})
	if err != nil {
		return false, fmt.Errorf("simulating evictions: %w", err)
	}
	return rebalance.Holds(ctx, judge, pods, rebalancepolicy.Excess(r), c.optionsOf(r, policy, selection))
}

// noteUpdate logs what has changed in the status of a Remediation, counts evictions, and makes an Event of its beginning and its end.
func (c *Reconciler) noteUpdate(before, after *v1alpha1.Remediation) {
	log := c.Log.WithValues("remediation", after.Name, "policy", after.Spec.Policy.Name)
	for i, step := range after.Status.Steps {
		if ended := step.EndedAt != nil && (i >= len(before.Status.Steps) || before.Status.Steps[i].EndedAt == nil); ended {
			log.Info("Step ended", "step", step.Name, "eviction", step.Change, "result", step.Result, "message", step.Message)
			if step.Name == v1alpha1.StepAct {
				c.counts.addEviction(after.Spec.Policy.Name, string(step.Result))
			}
		}
	}
	if before.Status.Phase == after.Status.Phase {
		return
	}
	about, by := reference(after)
	switch end := meta.FindStatusCondition(after.Status.Conditions, v1alpha1.RemediationSucceeded); {
	case end != nil:
		log.Info("Phase changed", "phase", after.Status.Phase, "outcome", end.Reason, "message", end.Message)
		kind := corev1.EventTypeNormal
		if end.Reason == v1alpha1.RemediationDidNotHelpReason || end.Reason == v1alpha1.RemediationGaveUpReason || end.Reason == v1alpha1.RemediationNotAsForecastReason {
			kind = corev1.EventTypeWarning
		}
		c.Records.Event(about, kind, "Rebalance"+end.Reason, string(v1alpha1.ActionEvict), end.Message)
	default:
		log.Info("Phase changed", "phase", after.Status.Phase)
		if after.Status.Phase == v1alpha1.PhaseRunning {
			began := sentence.RebalanceBegan("remediation/"+after.Name, len(after.Spec.Changes), by)
			c.Records.Event(about, corev1.EventTypeNormal, "RebalanceBegan", string(v1alpha1.ActionEvict), message.English().Say(began))
		}
	}
}

// reference is the object that Events of a Remediation are about, and who asks for its evictions: its policy, or the Remediation itself and the person who
// requested it.
func reference(r *v1alpha1.Remediation) (about client.Object, by string) {
	if r.Spec.Request != nil {
		about = &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: r.Name, UID: r.UID}}
		about.GetObjectKind().SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Remediation"))
		return about, r.Spec.Request.By
	}
	about = &v1alpha1.RebalancePolicy{ObjectMeta: metav1.ObjectMeta{Name: r.Spec.Policy.Name, UID: r.Spec.Policy.UID}}
	about.GetObjectKind().SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.RebalancePolicyKind))
	return about, "rebalancepolicy/" + r.Spec.Policy.Name
}

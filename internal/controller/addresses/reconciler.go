package addresses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/addresspolicy"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
)

const (
	// resyncInterval is the time between two reconciles without an event.
	resyncInterval = time.Minute
	// minReadInterval is the least time between two readings of the network, whatever asks for them.
	minReadInterval = 10 * time.Second
	// minWait is the least time to the next reconcile.
	minWait = time.Second
)

var (
	errUnknown   = errors.New("the nodes or the network are not known")
	errNoDeleter = errors.New("there is no access to AWS")
)

// Reconciler carries out the AddressPolicy that decides. It starts no goroutine: the controller of AddTo calls Reconcile, or a test does.
type Reconciler struct {
	// Snapshot is the latest one of the watched cluster, with the network that was read last.
	Snapshot func() *cluster.Snapshot
	// ReadNetwork reads the network of the nodes; false if they are of no cloud whose network naosu reads.
	ReadNetwork func(context.Context) (cloud.Network, bool)
	// FindDeleter finds who deletes interfaces; nil if there is no access to AWS.
	FindDeleter func() cloud.InterfaceDeleter
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
	Clock   clock.Clock

	start     sync.Once
	reclaimer *action.Reclaimer
	// last is the last reading of the network.
	last   reading
	counts counts
}

// reading is one reading of the network, and what was decided about its interfaces for the generation of a policy.
type reading struct {
	at         time.Time
	generation int64
	uid        types.UID
	// known says that it was complete, and that decisions is what was decided.
	known     bool
	decisions []reclaim.Decision
}

// +kubebuilder:rbac:groups=naosu.dev,resources=addresspolicies,verbs=get;list;watch

// Reconcile reads the network if that is due, writes the status of the policies, proposes what is to be deleted, and advances Remediations. It returns
// after what time to reconcile again at the latest; zero is at the next event.
func (c *Reconciler) Reconcile(ctx context.Context) (time.Duration, error) {
	c.start.Do(func() {
		c.reclaimer = &action.Reclaimer{Records: c.Records, Advisor: c, Leading: c.Leading, Clock: c.Clock, OnUpdate: c.noteUpdate}
	})
	policies, remediations, err := c.own(ctx)
	if err != nil {
		return resyncInterval, err
	}
	open := record.Open(remediations)
	if len(policies) == 0 {
		c.counts.clear()
	}
	if len(policies)+len(open) == 0 {
		return 0, nil
	}
	again := resyncInterval
	var errs error
	for i := range policies {
		if i > 0 {
			errs = errors.Join(errs, c.deferTo(ctx, &policies[i], &policies[0]))
			continue
		}
		next, err := c.pass(ctx, &policies[i], remediations)
		again, errs = min(again, next), errors.Join(errs, err)
	}
	for i := range open {
		next, err := c.advance(ctx, &open[i], policies)
		again, errs = min(again, next), errors.Join(errs, err)
	}
	return max(again, minWait), errors.Join(errs, c.Records.Prune(ctx, remediations))
}

// own are the policies by name, and all their Remediations.
func (c *Reconciler) own(ctx context.Context) ([]v1alpha1.AddressPolicy, []v1alpha1.Remediation, error) {
	var policies v1alpha1.AddressPolicyList
	if err := c.Client.List(ctx, &policies); err != nil {
		return nil, nil, fmt.Errorf("reading the AddressPolicies: %w", err)
	}
	var remediations v1alpha1.RemediationList
	if err := c.Client.List(ctx, &remediations); err != nil {
		return nil, nil, fmt.Errorf("reading the Remediations: %w", err)
	}
	slices.SortFunc(policies.Items, func(a, b v1alpha1.AddressPolicy) int { return cmp.Compare(a.Name, b.Name) })
	others := func(r v1alpha1.Remediation) bool { return r.Spec.Policy.Kind != v1alpha1.AddressPolicyKind }
	return policies.Items, slices.DeleteFunc(remediations.Items, others), nil
}

// advance performs the next transitions of a Remediation, for its policy as read past any cache. A policy that does not decide counts as gone.
func (c *Reconciler) advance(ctx context.Context, r *v1alpha1.Remediation, policies []v1alpha1.AddressPolicy) (time.Duration, error) {
	policy := &v1alpha1.AddressPolicy{}
	switch err := c.Reader.Get(ctx, client.ObjectKey{Name: r.Spec.Policy.Name}, policy); {
	case apierrors.IsNotFound(err):
		policy = nil
	case err != nil:
		return resyncInterval, fmt.Errorf("reading the AddressPolicy %s: %w", r.Spec.Policy.Name, err)
	case policy.UID != r.Spec.Policy.UID, len(policies) > 0 && policies[0].Name != policy.Name:
		policy = nil
	}
	next, err := c.reclaimer.Advance(ctx, r.Name, policy)
	if next == 0 {
		next = minWait // It has ended; what follows is looked at soon.
	}
	return next, err
}

// pass reads the network if that is due, writes the status of the policy, and proposes what is to be deleted.
func (c *Reconciler) pass(ctx context.Context, cached *v1alpha1.AddressPolicy, remediations []v1alpha1.Remediation) (time.Duration, error) {
	if left := c.untilDue(cached, remediations); left > 0 {
		return left, nil
	}
	policy := &v1alpha1.AddressPolicy{}
	if err := c.Reader.Get(ctx, client.ObjectKeyFromObject(cached), policy); err != nil {
		return minWait, client.IgnoreNotFound(err)
	}
	seen := c.observe(ctx, policy, remediations)
	c.last = reading{at: c.Clock.Now(), generation: policy.Generation, uid: policy.UID, known: seen.known, decisions: seen.decisions}
	written, err := c.Records.UpdateAddressPolicyStatus(ctx, policy, seen.apply)
	if err != nil {
		c.last = reading{} // What was observed is not kept, and does not count.
		return minWait, err
	}
	c.counts.set(written, seen.subnets)
	c.noteLow(written, seen.changes)
	if !seen.known {
		return resyncInterval, nil
	}
	if made, err := c.propose(ctx, written, addresspolicy.Eligible(seen.decisions)); made || err != nil {
		return minWait, err
	}
	return min(addresspolicy.Interval(policy), resyncInterval), nil
}

// untilDue is the time until the network is to be read for a policy: at once if the policy has changed, and soon after a Remediation has ended.
func (c *Reconciler) untilDue(policy *v1alpha1.AddressPolicy, remediations []v1alpha1.Remediation) time.Duration {
	interval := addresspolicy.Interval(policy)
	if !c.last.known {
		interval = min(interval, resyncInterval)
	}
	last, _ := addresspolicy.LastRun(policy, remediations)
	if c.last.generation != policy.Generation || c.last.uid != policy.UID || !equality.Semantic.DeepEqual(last, policy.Status.LastRun) {
		interval = minReadInterval
	}
	if since := c.Clock.Since(c.last.at); since >= 0 {
		return interval - since
	}
	return 0 // The clock was set back.
}

// propose creates a Remediation of what may be deleted, and says whether it did. It does not if the policy has an open one already.
func (c *Reconciler) propose(ctx context.Context, policy *v1alpha1.AddressPolicy, eligible []cloud.Interface) (made bool, err error) {
	if len(eligible) == 0 || policy.Spec.Paused {
		return false, nil
	}
	if leads, err := c.Leading(ctx); err != nil || !leads {
		return false, err
	}
	all, err := c.Records.List(ctx)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(record.Open(all), func(r v1alpha1.Remediation) bool { return r.Spec.Policy == policy.Reference() }) {
		return false, nil
	}
	proposed := addresspolicy.Propose(policy, eligible, all, c.Clock.Now())
	if proposed == nil {
		return false, nil
	}
	created, err := c.Records.Create(ctx, proposed)
	if err != nil {
		return false, err
	}
	c.Log.Info("Deletions of interfaces proposed", "policy", policy.Name, "remediation", created.Name, "interfaces", len(created.Spec.Changes))
	_, err = c.Records.UpdateStatus(ctx, created, func(s *v1alpha1.RemediationStatus) { s.Phase = v1alpha1.PhaseProposed })
	return true, err
}

// IsObsolete says of a Remediation that has deleted nothing whether none of its interfaces may be deleted any more.
func (c *Reconciler) IsObsolete(r *v1alpha1.Remediation, policy *v1alpha1.AddressPolicy) bool {
	return c.last.known && c.last.uid == policy.UID && c.last.at.After(r.CreationTimestamp.Time) && addresspolicy.IsObsolete(r, c.last.decisions)
}

// CheckGuard runs the guard's checks.
func (c *Reconciler) CheckGuard(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.AddressPolicy) guard.Ruling {
	world := c.Snapshot()
	ruling := guard.Decide(guard.AddressChecks(), guard.Proposal{
		Remediation: r.Name, UID: r.UID, Action: v1alpha1.ActionDeleteInterface, Approval: r.Spec.Approval, Confirmed: world.Taken(),
		Policy: v1alpha1.NodeRepairPolicySpec{Mode: policy.Spec.Mode, Paused: policy.Spec.Paused, MaintenanceWindow: policy.Spec.MaintenanceWindow},
	}, c.ClusterFacts(ctx, world))
	if c.Permit != nil {
		ruling = c.Permit(ctx, r, ruling)
	}
	return ruling
}

// Scope is what is known of the cluster now, and the observations that the policy keeps. It is an error if nodes or network are not known.
func (c *Reconciler) Scope(_ context.Context, policy *v1alpha1.AddressPolicy) (reclaim.Scope, []reclaim.Observation, error) {
	world := c.Snapshot()
	report := addresses.Compute(world)
	if report == nil || report.Scope.Nodes == nil || len(addresspolicy.UnreadParts(world.Network())) > 0 {
		return reclaim.Scope{}, nil, errUnknown
	}
	scope := report.Scope
	scope.Limits = addresspolicy.Limits(policy)
	return scope, addresspolicy.Observations(policy, nil), nil
}

// Deleter deletes interfaces.
func (c *Reconciler) Deleter() (cloud.InterfaceDeleter, error) {
	if found := c.FindDeleter(); found != nil {
		return found, nil
	}
	return nil, errNoDeleter
}

// Remaining are those of some interfaces that EC2 shows now.
func (c *Reconciler) Remaining(ctx context.Context, ids []string) ([]string, error) {
	n, offered := c.ReadNetwork(ctx)
	if _, unread := n.Unread[cloud.Interfaces]; unread || !offered {
		return nil, errUnknown
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return !slices.ContainsFunc(n.Interfaces, func(i cloud.Interface) bool { return i.ID == id })
	}), nil
}

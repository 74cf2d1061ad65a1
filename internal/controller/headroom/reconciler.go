package headroom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/protection"
	"github.com/naosu-dev/naosu/internal/record"
)

const (
	// resyncInterval is the time between two reconciles without an event.
	resyncInterval = 30 * time.Second
	// assessInterval is the least time between two assessments of one policy whose spec has not changed, and assessShare how many times longer than an
	// assessment takes it is at least.
	assessInterval = 5 * time.Second
	assessShare    = 5
	// minWait is the least time to the next reconcile.
	minWait = time.Second
)

// Reconciler holds the room of HeadroomPolicies. It starts no goroutine: the controller of AddTo calls Reconcile, or a test does.
type Reconciler struct {
	// Snapshot is the latest one of the watched cluster.
	Snapshot func() *cluster.Snapshot
	// Client reads naosu's own objects, from a cache or not, and writes; Reader reads past any cache.
	Client  client.Client
	Reader  client.Reader
	Records *record.Records
	// Namespace is where the room is held, and Image what placeholder pods run.
	Namespace, Image string
	// Prices are those of nodes that are known.
	Prices headroom.Prices
	// ClusterFacts are the guard's facts that are of the cluster as a whole.
	ClusterFacts func(context.Context, *cluster.Snapshot) guard.Facts
	// Leading says whether this process holds the controller's lease.
	Leading func(context.Context) (bool, error)
	// Elected says without a request whether this process was elected, for metrics; nil means that it was.
	Elected func() bool
	Log     logr.Logger
	Clock   clock.PassiveClock

	start  sync.Once
	writer *action.RoomWriter
	// assessed is what is known of each policy, by UID.
	assessed map[types.UID]assessed
	// preemptions are those of placeholder pods that are being measured.
	preemptions preemptions
	counts      counts
}

// assessed is the last assessment of a policy, and when the next may be made.
type assessed struct {
	headroompolicy.Assessment
	// preempted are the Jobs that it protects in vain.
	preempted  []change.NamespacedRef
	generation int64
	next       time.Time
}

func (c *Reconciler) init() {
	c.assessed = map[types.UID]assessed{}
	c.writer = &action.RoomWriter{Client: c.Client, Reader: c.Reader, Leading: c.Leading, Namespace: c.Namespace, Image: c.Image}
}

// +kubebuilder:rbac:groups=naosu.dev,resources=headroompolicies,verbs=get;list;watch

// Reconcile gives back the room of policies that are gone, resizes that of the others, and writes the policies' status. It returns after what time to
// reconcile again at the latest; zero is at the next event.
func (c *Reconciler) Reconcile(ctx context.Context) (time.Duration, error) {
	c.start.Do(c.init)
	if leads, err := c.Leading(ctx); err != nil || !leads {
		return resyncInterval, err
	}
	var list v1alpha1.HeadroomPolicyList
	if err := c.Client.List(ctx, &list); err != nil {
		return resyncInterval, fmt.Errorf("reading the HeadroomPolicies: %w", err)
	}
	existing, err := c.writer.Existing(ctx)
	if err != nil {
		return resyncInterval, err
	}
	policies := list.Items
	slices.SortFunc(policies, func(a, b v1alpha1.HeadroomPolicy) int { return cmp.Compare(a.Name, b.Name) })
	c.forget(policies)
	maker, err := c.writer.Maker(ctx, nil)
	if err != nil {
		return resyncInterval, err
	}
	if orphans := maker.Orphans(existing, policies); len(orphans.Deployments)+len(orphans.DaemonSets) > 0 {
		// The cache of policies may be behind.
		if err := c.writer.Remove(ctx, orphans, c.gone); err != nil {
			return resyncInterval, err
		}
	}
	world, now := c.Snapshot(), c.Clock.Now()
	measuring := c.measure(world, now)
	if len(policies) == 0 {
		return 0, nil
	}
	again, errs := resyncInterval, error(nil)
	for i := range policies {
		next, wrote, err := c.reconcile(ctx, world, &policies[i], existing)
		errs = errors.Join(errs, err)
		if next > 0 {
			again = min(again, next)
		}
		if wrote { // What another policy holds bears on the next one.
			return minWait, errs
		}
	}
	if measuring {
		again = minWait
	}
	return max(again, minWait), errs
}

// gone says whether no policy has a UID, as read past any cache.
func (c *Reconciler) gone(ctx context.Context, uid string) (bool, error) {
	var list v1alpha1.HeadroomPolicyList
	if err := c.Reader.List(ctx, &list); err != nil {
		return false, fmt.Errorf("reading the HeadroomPolicies: %w", err)
	}
	return !slices.ContainsFunc(list.Items, func(p v1alpha1.HeadroomPolicy) bool { return string(p.UID) == uid }), nil
}

// forget drops what is known of policies that are gone.
func (c *Reconciler) forget(policies []v1alpha1.HeadroomPolicy) {
	var names []string
	known := map[types.UID]bool{}
	for i := range policies {
		names, known[policies[i].UID] = append(names, policies[i].Name), true
	}
	for uid := range c.assessed {
		if !known[uid] {
			delete(c.assessed, uid)
		}
	}
	c.counts.keep(names)
}

// assess is the Assessment of a policy: the last one, if it is too early for another; fresh is false then.
func (c *Reconciler) assess(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) (a headroompolicy.Assessment, fresh bool, err error) {
	last, known := c.assessed[policy.UID]
	began := c.Clock.Now()
	if known && last.generation == policy.Generation && began.Before(last.next) {
		return last.Assessment, false, nil
	}
	if a, err = headroompolicy.Assess(ctx, world, policy, c.Prices); err != nil {
		return a, false, err
	}
	var preempted []change.NamespacedRef
	if policy.Spec.Protect != nil {
		if preempted, err = protection.Preempted(ctx, world, policy); err != nil {
			return a, false, err
		}
	}
	now := c.Clock.Now()
	c.assessed[policy.UID] = assessed{a, preempted, policy.Generation, now.Add(max(assessInterval, assessShare*now.Sub(began)))}
	return a, true, nil
}

// reconcile resizes the room of a policy if it is due, and writes its status. wrote is whether the room was changed.
func (c *Reconciler) reconcile(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, existing headroompolicy.Objects) (again time.Duration, wrote bool, err error) {
	a, fresh, err := c.assess(ctx, world, policy)
	if err != nil {
		return resyncInterval, false, err
	}
	protected, err := c.protect(ctx, world, policy)
	if err != nil {
		return resyncInterval, false, err
	}
	now := c.Clock.Now()
	d := headroompolicy.Decide(policy, a, now)
	if !fresh {
		d.Resize = false // It may have changed since.
	}
	wanted, act := a.Plan, d.Resize
	if !policy.Holds() && !policy.Spec.Paused {
		wanted, act = headroompolicy.Plan{}, true
	}
	if act && policy.Holds() {
		act = c.mayResize(ctx, c.Snapshot(), policy, &a) // In a large cluster, the assessment has taken minutes.
	}
	var failed error
	if act {
		wrote, failed = c.resize(ctx, world, policy, existing, wanted)
		if apierrors.IsForbidden(failed) {
			a.Covered, a.Reason, a.Why = metav1.ConditionFalse, v1alpha1.PolicyNotPermittedReason, sentence.HeadroomPolicyForbidden(c.Namespace)
			failed = nil
		}
	}
	if wrote {
		delete(c.assessed, policy.UID)
	}
	c.counts.set(policy.Name, a)
	if a.Covered == metav1.ConditionTrue {
		c.preemptions.restored(policy, now, &c.counts)
	}
	return d.Wait, wrote, errors.Join(failed, c.updateStatus(ctx, policy, a, d, protected, wrote))
}

// mayResize says whether the guard allows it, and the PriorityClass of the placeholder pods is as it should be.
func (c *Reconciler) mayResize(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, a *headroompolicy.Assessment) bool {
	if name, exists := headroompolicy.HasClass(world, policy); !exists {
		a.Covered, a.Reason, a.Why = metav1.ConditionFalse, v1alpha1.HeadroomNoPriorityClassReason, sentence.HeadroomPolicyNoClass(name)
		return false
	}
	ruling := guard.Decide(guard.HeadroomChecks(), guard.Proposal{Confirmed: world.Taken()}, c.ClusterFacts(ctx, world))
	if ruling.Decision != guard.Allow {
		c.Log.Info("The room is not resized now", "policy", policy.Name, "check", ruling.Check, "reason", message.English().Say(ruling.Message))
	}
	return ruling.Decision == guard.Allow
}

// resize makes the room of a policy what is wanted.
func (c *Reconciler) resize(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, existing headroompolicy.Objects, wanted headroompolicy.Plan) (bool, error) {
	maker, err := c.writer.Maker(ctx, policy)
	if err != nil {
		return false, err
	}
	changes := maker.Diff(policy, existing, maker.Make(world, policy, wanted))
	if changes.None() {
		return false, nil
	}
	if err := c.writer.Apply(ctx, policy, changes); err != nil {
		return false, err
	}
	c.Log.Info("Room resized", "policy", policy.Name, "room", wanted.String())
	return true, nil
}

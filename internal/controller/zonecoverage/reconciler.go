package zonecoverage

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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/zonecoverage"
)

const (
	// resyncInterval is the time between two reconciles without an event.
	resyncInterval = 30 * time.Second
	// readInterval is the least time between two readings of a node group.
	readInterval = 15 * time.Second
	// minWait is the least time to the next reconcile.
	minWait = time.Second
)

var (
	errNoAccess = errors.New("there is no access to a provider that sizes node groups")
	errUnread   = errors.New("objects of the cluster cannot be read")
	errNoGroup  = errors.New("the node is in no node group that its provider sizes")
)

// Reconciler carries out the zone coverage of HeadroomPolicies. The placeholder pods of policies that are gone are given back by the controller of their room. It starts no goroutine: the controller of AddTo calls Reconcile, or a test does.
type Reconciler struct {
	// Snapshot is the latest one of the watched cluster.
	Snapshot func() *cluster.Snapshot
	// FindSizer finds who sizes node groups; nil if there is no access.
	FindSizer func() cloud.NodeGroupSizer
	// Client reads naosu's own objects, from a cache or not, and writes; Reader reads past any cache.
	Client  client.Client
	Reader  client.Reader
	Records *record.Records
	// ClusterFacts are the guard's facts that are of the cluster as a whole.
	ClusterFacts func(context.Context, *cluster.Snapshot) guard.Facts
	// Permit adds to a ruling whether the controller's role permits what a Remediation does; nil adds nothing.
	Permit func(context.Context, *v1alpha1.Remediation, guard.Ruling) guard.Ruling
	// Namespace is where placeholder pods are, and Image what they run.
	Namespace, Image string
	// Leading says whether this process holds the controller's lease.
	Leading func(context.Context) (bool, error)
	// Elected says without a request whether this process was elected, for metrics; nil means that it was.
	Elected func() bool
	Log     logr.Logger
	Clock   clock.PassiveClock

	start   sync.Once
	resizer *action.NodeGroupResizer
	writer  *action.RoomWriter
	// groups are what was read of node groups, by the name of their first node.
	groups map[string]reading
	counts counts
}

// reading is what was read of a node group.
type reading struct {
	at    time.Time
	found *cloud.NodeGroup
	err   error
}

// Reconcile writes which zones are covered to the status of the policies, proposes resizes of node groups, and advances Remediations. It returns after what time
// to reconcile again at the latest; zero is at the next event.
func (c *Reconciler) Reconcile(ctx context.Context) (time.Duration, error) {
	c.start.Do(func() {
		c.groups = map[string]reading{}
		c.writer = &action.RoomWriter{Client: c.Client, Reader: c.Reader, Leading: c.Leading, Namespace: c.Namespace, Image: c.Image}
		c.resizer = &action.NodeGroupResizer{Records: c.Records, Advisor: c, Leading: c.Leading, Clock: c.Clock, OnUpdate: c.noteUpdate}
	})
	if leads, err := c.Leading(ctx); err != nil || !leads {
		return resyncInterval, err
	}
	policies, remediations, err := c.own(ctx)
	if err != nil {
		return resyncInterval, err
	}
	c.counts.keep(policies)
	open := record.Open(remediations)
	if len(policies)+len(open) == 0 {
		return 0, nil
	}
	again, errs := resyncInterval, error(nil)
	for i := range open {
		clear(c.groups) // What was read is about to change.
		next, err := c.advance(ctx, &open[i])
		again, errs = min(again, max(next, minWait)), errors.Join(errs, err)
	}
	if len(open) > 0 { // What has become of them bears on what follows.
		if remediations, err = c.remediations(ctx); err != nil {
			return minWait, errors.Join(errs, err)
		}
	}
	if len(policies) > 0 {
		next, err := c.cover(ctx, policies, remediations)
		again, errs = min(again, next), errors.Join(errs, err)
	}
	return max(again, minWait), errors.Join(errs, c.Records.Prune(ctx, remediations))
}

// own are the policies that cover zones or have done so, by name, and all their Remediations.
func (c *Reconciler) own(ctx context.Context) ([]v1alpha1.HeadroomPolicy, []v1alpha1.Remediation, error) {
	var policies v1alpha1.HeadroomPolicyList
	if err := c.Client.List(ctx, &policies); err != nil {
		return nil, nil, fmt.Errorf("reading the HeadroomPolicies: %w", err)
	}
	none := func(p v1alpha1.HeadroomPolicy) bool { return p.Spec.ZoneCoverage == nil && !hasStatus(&p) }
	policies.Items = slices.DeleteFunc(policies.Items, none)
	slices.SortFunc(policies.Items, func(a, b v1alpha1.HeadroomPolicy) int { return cmp.Compare(a.Name, b.Name) })
	remediations, err := c.remediations(ctx)
	return policies.Items, remediations, err
}

// remediations are those of HeadroomPolicies, past any cache: that one is open keeps another from being proposed.
func (c *Reconciler) remediations(ctx context.Context) ([]v1alpha1.Remediation, error) {
	all, err := c.Records.List(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(r v1alpha1.Remediation) bool { return r.Spec.Policy.Kind != v1alpha1.HeadroomPolicyKind }), nil
}

// advance performs the next transitions of a Remediation, for its policy as read past any cache.
func (c *Reconciler) advance(ctx context.Context, r *v1alpha1.Remediation) (time.Duration, error) {
	policy := &v1alpha1.HeadroomPolicy{}
	switch err := c.Reader.Get(ctx, client.ObjectKey{Name: r.Spec.Policy.Name}, policy); {
	case apierrors.IsNotFound(err):
		policy = nil
	case err != nil:
		return resyncInterval, fmt.Errorf("reading the HeadroomPolicy %s: %w", r.Spec.Policy.Name, err)
	case policy.UID != r.Spec.Policy.UID:
		policy = nil
	}
	return c.resizer.Advance(ctx, r.Name, policy)
}

// cover writes the status of each policy, and proposes what is due.
func (c *Reconciler) cover(ctx context.Context, policies []v1alpha1.HeadroomPolicy, remediations []v1alpha1.Remediation) (time.Duration, error) {
	world := c.Snapshot()
	coverage, err := zonecoverage.Assess(ctx, world)
	if err != nil {
		return resyncInterval, err
	}
	again, errs := resyncInterval, error(nil)
	for i := range policies {
		policy := &v1alpha1.HeadroomPolicy{}
		if err := c.Reader.Get(ctx, client.ObjectKeyFromObject(&policies[i]), policy); err != nil {
			errs = errors.Join(errs, client.IgnoreNotFound(err))
			continue
		}
		o := c.observe(ctx, world, policy, coverage, remediations)
		errs = errors.Join(errs, c.hold(ctx, world, policy, &o))
		written, err := c.updateStatus(ctx, policy, o)
		if err != nil {
			errs = errors.Join(errs, err)
			continue
		}
		again = min(again, max(o.wait, minWait))
		made, err := c.propose(ctx, written, o)
		if errs = errors.Join(errs, err); made { // It bears on the next policy.
			return minWait, errs
		}
	}
	return again, errs
}

// propose creates a Remediation for the first zone for which one is due, and says whether it did.
func (c *Reconciler) propose(ctx context.Context, policy *v1alpha1.HeadroomPolicy, o observation) (bool, error) {
	at := slices.IndexFunc(o.zones, func(z observedZone) bool { return z.decision.Due })
	if at < 0 {
		return false, nil
	}
	if leads, err := c.Leading(ctx); err != nil || !leads {
		return false, err
	}
	zone := o.zones[at]
	created, err := c.Records.Create(ctx, zonecoverage.Propose(policy, zone.Zone, zone.status, *zone.decision.Resize, c.Clock.Now()))
	if err != nil {
		return false, err
	}
	c.Log.Info("Resize of a node group proposed", "policy", policy.Name, "remediation", created.Name, "zone", zone.Name, "group", zone.decision.Resize.Group, "to", zone.decision.Resize.Desired)
	_, err = c.Records.UpdateStatus(ctx, created, func(s *v1alpha1.RemediationStatus) {
		if s.Phase == "" {
			s.Phase = v1alpha1.PhaseProposed
		}
	})
	return true, err
}

// read reads the node groups of candidates, each at most every readInterval.
func (c *Reconciler) read(ctx context.Context, candidates []zonecoverage.Candidate) []zonecoverage.Group {
	var groups []zonecoverage.Group
	for _, candidate := range candidates {
		key := candidate.Nodes[0].Name
		last, known := c.groups[key]
		if age := c.Clock.Since(last.at); !known || age < 0 || age >= readInterval {
			last = reading{at: c.Clock.Now()}
			last.found, last.err = c.readGroup(ctx, candidate)
			c.groups[key] = last
		}
		groups = append(groups, zonecoverage.Group{Candidate: candidate, Found: last.found, Err: last.err})
	}
	return groups
}

// readGroup reads a node group; nil if there is no access to its provider.
func (c *Reconciler) readGroup(ctx context.Context, candidate zonecoverage.Candidate) (*cloud.NodeGroup, error) {
	sizer := c.FindSizer()
	if sizer == nil {
		return nil, nil
	}
	ref, err := sizer.NodeGroupOf(ctx, cloud.MachineOf(candidate.Nodes[0]))
	switch {
	case err != nil:
		return nil, err
	case ref == nil:
		return nil, errNoGroup
	}
	return sizer.NodeGroup(ctx, *ref)
}

// CheckGuard runs the guard's checks.
func (c *Reconciler) CheckGuard(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.HeadroomPolicy) guard.Ruling {
	world := c.Snapshot()
	ruling := guard.Decide(guard.NodeGroupChecks(), guard.Proposal{
		Remediation: r.Name, UID: r.UID, Action: v1alpha1.ActionResizeNodeGroup, Approval: r.Spec.Approval, Confirmed: world.Taken(),
		Policy: v1alpha1.NodeRepairPolicySpec{Mode: policy.Spec.Mode, Paused: policy.Spec.Paused},
	}, c.ClusterFacts(ctx, world))
	if c.Permit != nil {
		ruling = c.Permit(ctx, r, ruling)
	}
	return ruling
}

// IsCovered assesses the zones anew. A zone without volumes in use is covered.
func (c *Reconciler) IsCovered(ctx context.Context, zone string) (bool, error) {
	coverage, err := zonecoverage.Assess(ctx, c.Snapshot())
	if err != nil {
		return false, err
	}
	if len(coverage.Unread) > 0 {
		return false, errUnread
	}
	return !slices.ContainsFunc(coverage.Zones, func(z zonecoverage.Zone) bool { return z.Name == zone && z.Covered != metav1.ConditionTrue }), nil
}

// Nodes are those of the cluster.
func (c *Reconciler) Nodes() []*corev1.Node { return c.Snapshot().Nodes() }

// Sizer sizes node groups.
func (c *Reconciler) Sizer() (cloud.NodeGroupSizer, error) {
	if found := c.FindSizer(); found != nil {
		return found, nil
	}
	return nil, errNoAccess
}

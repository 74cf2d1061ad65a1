package failover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// minReadInterval and maxReadInterval bound the time between two readings of the machine of a silent node. In between it is a tenth of
	// how long its machine has been read.
	minReadInterval = 10 * time.Second
	maxReadInterval = 2 * time.Minute
	// proofDelay is the time to the reading that follows the first of a machine that is off.
	proofDelay = failoverpolicy.MinProofInterval + time.Second
	// spokenInterval is the time between two looks at whether a node that was declared silent has given a sign of life.
	spokenInterval = 5 * time.Second
	// statesTimeout bounds the query of the providers.
	statesTimeout = 20 * time.Second
)

// The reasons of Events on nodes.
const (
	outOfServiceReason = "OutOfService"
	notSetReason       = "OutOfServiceNotSet"
	backReason         = "BackInService"
	keptReason         = "NodeKept"
	silentReason       = "NodeSilent"
	notReplacedReason  = "PodsNotReplaced"
	spokeReason        = "NodeResponds"
)

// outOfService declares nodes out of service whose machines are proven to be off, and takes back what it has declared of those that are
// back. It returns after what time to reconcile again at the latest; zero is at the next event.
func (c *Reconciler) outOfService(ctx context.Context, world *cluster.Snapshot, policies []v1alpha1.FailoverPolicy) (time.Duration, error) {
	returned, declared := returnedNodes(world)
	spoken, saidSilent := spokenNodes(world)
	silent := failoverpolicy.Candidates(world, policies)
	c.forgetReadings(silent)
	var again time.Duration
	if declared > 0 {
		again = resyncInterval
	}
	kept := failoverpolicy.NodesWithFinalizer(world)
	if saidSilent+len(kept) > 0 {
		again = spokenInterval
	}
	if len(returned)+len(spoken)+len(silent)+len(kept) == 0 {
		return again, nil
	}
	if leads, err := c.Leading(ctx); err != nil || !leads || c.Clock.Since(world.Taken()) > maxWorldAge {
		return minBackoff, err
	}
	var failed []error
	for _, node := range returned {
		failed = append(failed, c.withdraw(ctx, node))
	}
	for _, node := range spoken {
		failed = append(failed, c.withdrawSilent(ctx, node))
	}
	next, err := c.proveOff(ctx, world, silent)
	failed = append(failed, err, c.updateFinalizers(ctx, world, silent, kept))
	return earlier(again, next), errors.Join(failed...)
}

// updateFinalizers adds failoverpolicy.Finalizer to silent nodes that need it and of whose machines the provider has a record, and removes it from those
// that need it no more.
func (c *Reconciler) updateFinalizers(ctx context.Context, world *cluster.Snapshot, silent []failoverpolicy.Candidate, kept []*corev1.Node) error {
	var failed []error
	for _, one := range silent {
		last := c.readings[one.Node.UID]
		if failoverpolicy.HasFinalizer(one.Node) || one.Node.DeletionTimestamp != nil || !last.Recorded() || !failoverpolicy.NeedsFinalizer(world, one.Node, true, last, 0) {
			continue
		}
		changed, err := action.AddFinalizer(ctx, c.Client, c.Reader, one.Node)
		if changed {
			c.Log.Info("Node is kept until its volumes are released", "node", one.Node.Name, "policy", one.Policy.Name)
			c.event(one.Node, corev1.EventTypeNormal, keptReason, sentence.FailoverKept("node/"+one.Node.Name, "failoverpolicy/"+one.Policy.Name))
		}
		failed = append(failed, err)
	}
	c.noteDeletions(kept)
	for _, node := range kept {
		asked := slices.ContainsFunc(silent, func(one failoverpolicy.Candidate) bool { return one.Node.UID == node.UID })
		if failoverpolicy.NeedsFinalizer(world, node, asked, c.readings[node.UID], c.deletedFor(node)) {
			continue
		}
		changed, err := action.RemoveFinalizer(ctx, c.Client, c.Reader, node.Name)
		if changed {
			c.Log.Info("Node is kept no more", "node", node.Name)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// noteDeletions notes since when it is seen that nodes are being deleted.
func (c *Reconciler) noteDeletions(kept []*corev1.Node) {
	deletions := map[types.UID]time.Time{}
	for _, node := range kept {
		if since, seen := c.deletions[node.UID]; seen {
			deletions[node.UID] = since
		} else if node.DeletionTimestamp != nil {
			deletions[node.UID] = c.Clock.Now()
		}
	}
	c.deletions = deletions
}

// deletedFor is for how long a node is being deleted: by the clocks, or as this process has seen it, if that is longer. The clocks of the API server and of this process may
// differ by any time, and then the latter still bounds it.
func (c *Reconciler) deletedFor(node *corev1.Node) time.Duration {
	since, seen := c.deletions[node.UID]
	if !seen {
		return 0
	}
	return max(c.Clock.Since(node.DeletionTimestamp.Time), c.Clock.Since(since))
}

// returnedNodes are the nodes that naosu has declared out of service and that look as if they were back, and how many it has declared.
func returnedNodes(world *cluster.Snapshot) (returned []*corev1.Node, declared int) {
	for _, node := range world.Nodes() {
		d, is := failoverpolicy.DeclarationOf(node)
		if !is {
			continue
		}
		declared++
		if !kube.IsOutOfService(node) || d.Returned(node, world.Lease(corev1.NamespaceNodeLease, node.Name)) {
			returned = append(returned, node)
		}
	}
	return returned, declared
}

// spokenNodes are the nodes that naosu has declared silent and that have given a sign of life since, and how many it has declared.
func spokenNodes(world *cluster.Snapshot) (spoken []*corev1.Node, declared int) {
	for _, node := range world.Nodes() {
		d, is := failoverpolicy.SilenceOf(node)
		if !is {
			continue
		}
		declared++
		if d.Spoke(node, world.Lease(corev1.NamespaceNodeLease, node.Name)) {
			spoken = append(spoken, node)
		}
	}
	return spoken, declared
}

func (c *Reconciler) withdrawSilent(ctx context.Context, node *corev1.Node) error {
	changed, err := action.WithdrawSilent(ctx, c.Client, c.Reader, node.Name)
	if changed {
		c.Log.Info("Node gives signs of life again", "node", node.Name)
		c.event(node, corev1.EventTypeNormal, spokeReason, sentence.FailoverSpoke("node/"+node.Name))
	}
	return err
}

func (c *Reconciler) withdraw(ctx context.Context, node *corev1.Node) error {
	changed, err := action.WithdrawOutOfService(ctx, c.Client, c.Reader, node.Name)
	if changed {
		c.Log.Info("Node is back in service", "node", node.Name)
		c.event(node, corev1.EventTypeNormal, backReason, sentence.FailoverBack("node/"+node.Name))
	}
	return err
}

// proveOff reads the machines of silent nodes that are due, and declares those out of service that are proven to be off.
func (c *Reconciler) proveOff(ctx context.Context, world *cluster.Snapshot, silent []failoverpolicy.Candidate) (again time.Duration, err error) {
	now := c.Clock.Now()
	var due []failoverpolicy.Candidate
	var machines []cloud.Machine
	for _, one := range silent {
		if left := c.readAfter(one.Node, now); left > 0 {
			again = earlier(again, left)
			continue
		}
		due, machines = append(due, one), append(machines, cloud.MachineOf(one.Node))
	}
	if len(due) == 0 {
		return again, nil
	}
	states, unanswered := c.states(ctx, machines)
	for _, one := range unanswered {
		err = errors.Join(err, fmt.Errorf("read the state of machines from %s: %w", one.Provider, one.Err))
	}
	for _, one := range due {
		reading := failoverpolicy.NewReading(now, states[one.Node.Name], one.Node, world.Lease(corev1.NamespaceNodeLease, one.Node.Name))
		first := c.readings[one.Node.UID]
		if reading.State.Message != first.State.Message {
			c.Log.Info("Machine of a silent node", "node", one.Node.Name, "policy", one.Policy.Name, "machine", reading.State.Message)
		}
		c.readings[one.Node.UID] = reading
		if _, before := c.readSince[one.Node.UID]; !before {
			c.readSince[one.Node.UID] = now
		}
		again = earlier(again, c.readAfter(one.Node, now))
		if failoverpolicy.ProveOff(first, reading) {
			err = errors.Join(err, c.declare(ctx, one, reading))
		}
	}
	return again, err
}

func (c *Reconciler) states(ctx context.Context, machines []cloud.Machine) (map[string]cloud.State, []cloud.Unanswered) {
	ctx, cancel := context.WithTimeout(ctx, statesTimeout)
	defer cancel()
	providers, _ := c.Providers()
	return providers.States(ctx, machines)
}

// +kubebuilder:rbac:groups=naosu.dev,resources=failoverpolicies,verbs=get

// declare declares a node out of service whose machine is proven to be off, if the policy still asks for it as read past any cache.
func (c *Reconciler) declare(ctx context.Context, one failoverpolicy.Candidate, proof failoverpolicy.Reading) error {
	var policy v1alpha1.FailoverPolicy
	switch err := c.Reader.Get(ctx, client.ObjectKeyFromObject(one.Policy), &policy); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read the policy %s: %w", one.Policy.Name, err)
	case policy.UID != one.Policy.UID || !failoverpolicy.Declares(&policy):
		return nil
	}
	d := proof.Declare(one.Policy)
	changed, err := action.DeclareOutOfService(ctx, c.Client, c.Reader, one.Node, d)
	switch {
	case changed:
		c.counts.addDeclared(one.Policy.Name)
		c.backoff.DeleteEntry(string(one.Node.UID))
		c.Log.Info("Node is out of service", "node", one.Node.Name, "policy", one.Policy.Name, "machine", d.Proof)
		c.event(one.Node, corev1.EventTypeWarning, outOfServiceReason, sentence.FailoverOutOfService("node/"+one.Node.Name, d.By, d.Proof))
	case apierrors.IsConflict(err):
		return nil // The next readings decide.
	case err != nil:
		c.backoff.Next(string(one.Node.UID), c.Clock.Now())
		c.event(one.Node, corev1.EventTypeWarning, notSetReason, sentence.FailoverNotDeclared("node/"+one.Node.Name, d.By, err.Error()))
	default:
		return nil // The node is back, or was declared before.
	}
	return err
}

// readAfter is the time until the machine of a silent node is to be read: at once when the node is deleted, since the machine may have been terminated.
func (c *Reconciler) readAfter(node *corev1.Node, now time.Time) time.Duration {
	last, read := c.readings[node.UID]
	if !read || last.Outdated(node) {
		return 0
	}
	interval := min(max(now.Sub(c.readSince[node.UID])/10, minReadInterval), maxReadInterval)
	if last.State.IsOff() {
		interval = proofDelay
	}
	if c.backoff.IsInBackOffSinceUpdate(string(node.UID), now) { // after an attempt that failed
		interval = max(interval, c.backoff.Get(string(node.UID)))
	}
	return max(0, last.At.Add(interval).Sub(now))
}

// forgetReadings drops readings of nodes that are not silent any more.
func (c *Reconciler) forgetReadings(silent []failoverpolicy.Candidate) {
	for uid := range c.readings {
		if !slices.ContainsFunc(silent, func(one failoverpolicy.Candidate) bool { return one.Node.UID == uid }) {
			delete(c.readings, uid)
			delete(c.readSince, uid)
		}
	}
}

func (c *Reconciler) event(node *corev1.Node, kind, reason string, why message.Sentence) {
	about := node.DeepCopy()
	about.APIVersion, about.Kind = "v1", "Node"
	c.Records.Event(about, kind, reason, "Failover", message.English().Say(why))
}

// earlier is the shorter of two times to the next reconcile, of which zero is none.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

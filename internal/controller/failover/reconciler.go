package failover

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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/record"
)

const (
	// changesPerSecond and changeBurst limit the changes of pods. Each takes three requests, and repairs share the client.
	changesPerSecond = 5
	changeBurst      = 10
	// batchSize is how many pods are changed before the status is written and the cluster is looked at again.
	batchSize = 50
	// maxWorldAge is how old the Snapshot may be for pods to be changed.
	maxWorldAge = time.Minute
	// resyncInterval is the time between two reconciles without an event.
	resyncInterval = time.Minute
	// nextBatch is the time to the next batch of pods.
	nextBatch = time.Second
	// minBackoff and maxBackoff bound the time to the next attempt after a failure, which doubles.
	minBackoff = 10 * time.Second
	maxBackoff = 10 * time.Minute
)

// every is the key of the backoff of all pods.
const every = "every pod"

var errPodsUnknown = errors.New("pods, nodes or namespaces are not known: they cannot be read, or have not been read yet")

// Reconciler changes pods and declares nodes out of service as FailoverPolicies ask for. It starts no goroutine: the controller of AddTo calls Reconcile, or a test does.
type Reconciler struct {
	// World is the latest Snapshot of the watched cluster.
	World func() *cluster.Snapshot
	// Client reads FailoverPolicies, from a cache or not, and writes.
	Client client.Client
	// Reader reads past any cache.
	Reader client.Reader
	// Providers are those that report the state of machines, and those that cannot be queried.
	Providers func() (cloud.Providers, []cloud.Gap)
	Records   *record.Records
	// Leading says whether this process holds the controller's lease.
	Leading func(context.Context) (bool, error)
	// Elected says without a request whether this process was elected, for metrics; nil means that it was.
	Elected func() bool
	Log     logr.Logger
	Clock   clock.Clock

	start   sync.Once
	limiter flowcontrol.RateLimiter
	backoff *flowcontrol.Backoff
	// readings are the last of the machines of silent nodes, by the node's UID.
	readings map[types.UID]failoverpolicy.Reading
	// readSince is when the machine of a node was first read since the node is silent, deletions when it was first seen that a node is being deleted.
	readSince, deletions map[types.UID]time.Time
	// obstacles are why the last changes failed, by policy, until one succeeds.
	obstacles map[string]obstacle
	counts    counts
}

// obstacle is a reason of the condition Ready, and the error that it stands for.
type obstacle struct {
	reason string
	err    error
}

func (c *Reconciler) init() {
	c.limiter = flowcontrol.NewTokenBucketRateLimiterWithClock(changesPerSecond, changeBurst, c.Clock)
	c.backoff = flowcontrol.NewBackOff(minBackoff, maxBackoff)
	c.backoff.Clock = c.Clock
	c.obstacles = map[string]obstacle{}
	c.readings, c.readSince = map[types.UID]failoverpolicy.Reading{}, map[types.UID]time.Time{}
}

// +kubebuilder:rbac:groups=naosu.dev,resources=failoverpolicies,verbs=list;watch

// Reconcile declares nodes out of service, changes the pods that are due, at most batchSize, and writes the policies' status. It returns after what time to reconcile
// again at the latest; zero is at the next event.
func (c *Reconciler) Reconcile(ctx context.Context) (time.Duration, error) {
	c.start.Do(c.init)
	var policies v1alpha1.FailoverPolicyList
	if err := c.Client.List(ctx, &policies); err != nil {
		return resyncInterval, fmt.Errorf("reading the FailoverPolicies: %w", err)
	}
	world := c.World()
	_, declared := returnedNodes(world)
	if _, silent := spokenNodes(world); len(policies.Items)+declared+silent+len(failoverpolicy.NodesWithFinalizer(world)) == 0 {
		c.counts.setPods(nil, nil)
		return 0, nil
	}
	for _, kind := range []cluster.Kind{cluster.Pod, cluster.Node, cluster.Namespace} {
		if !world.Knowledge(kind).Known() {
			return resyncInterval, errPodsUnknown
		}
	}
	all := failoverpolicy.Assess(world, policies.Items)
	c.counts.setPods(policies.Items, all)
	sooner, errs := c.outOfService(ctx, world, policies.Items)
	again, err := c.change(ctx, world, all)
	again, errs = earlier(again, sooner), errors.Join(errs, err)
	for i := range policies.Items {
		errs = errors.Join(errs, c.updateStatus(ctx, &policies.Items[i], all))
	}
	return again, errs
}

// change changes the pods that are due under policies that act.
func (c *Reconciler) change(ctx context.Context, world *cluster.Snapshot, all []failoverpolicy.Assessment) (time.Duration, error) {
	c.backoff.GC()
	now := c.Clock.Now()
	asked, backedOff := 0, c.backoff.IsInBackOffSinceUpdate(every, now)
	due := slices.DeleteFunc(slices.Clone(all), func(a failoverpolicy.Assessment) bool {
		if a.State != failoverpolicy.Due || !a.Policy.Acts() {
			return true
		}
		asked++
		return backedOff || c.backoff.IsInBackOffSinceUpdate(string(a.Pod.UID), now)
	})
	slices.SortStableFunc(due, func(a, b failoverpolicy.Assessment) int { // What has failed comes last.
		return cmp.Compare(c.backoff.Get(string(a.Pod.UID)), c.backoff.Get(string(b.Pod.UID)))
	})
	c.forget(all)
	switch {
	case asked == 0:
		return resyncInterval, nil
	case len(due) == 0 || c.Clock.Since(world.Taken()) > maxWorldAge:
		return minBackoff, nil
	}
	if leads, err := c.Leading(ctx); err != nil || !leads {
		return minBackoff, err
	}
	for i := range due[:min(len(due), batchSize)] {
		if err := c.limiter.Wait(ctx); err != nil {
			return 0, fmt.Errorf("waiting to change the next pod: %w", err)
		}
		if goOn := c.changeOne(ctx, &due[i]); !goOn {
			return minBackoff, nil
		}
	}
	return nextBatch, nil
}

// changeOne changes one pod, and says whether to go on with others. A failure is logged and kept for the status.
func (c *Reconciler) changeOne(ctx context.Context, a *failoverpolicy.Assessment) (goOn bool) {
	changed, err := action.SetTolerationSeconds(ctx, c.Client, c.Reader, a.Pod, a.Changes)
	switch {
	case changed:
		c.counts.add(a.Policy.Name, changedResult)
		c.Log.Info("Toleration seconds set", "policy", a.Policy.Name, "namespace", a.Pod.Namespace, "pod", a.Pod.Name, "changes", a.Changes)
	case err == nil:
		return true // It is no longer due, or was changed before.
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		c.counts.add(a.Policy.Name, conflictResult)
		return true // It is looked at again.
	default:
		return c.noteFailure(a, err)
	}
	delete(c.obstacles, a.Policy.Name)
	c.backoff.DeleteEntry(string(a.Pod.UID))
	c.backoff.DeleteEntry(every)
	return true
}

// noteFailure keeps why a change has failed, and says whether to go on with other pods: what is forbidden is probably so for all.
func (c *Reconciler) noteFailure(a *failoverpolicy.Assessment, err error) (goOn bool) {
	now := c.Clock.Now()
	c.counts.add(a.Policy.Name, failedResult)
	c.Log.Error(err, "Toleration seconds not set", "policy", a.Policy.Name, "namespace", a.Pod.Namespace, "pod", a.Pod.Name)
	c.backoff.Next(string(a.Pod.UID), now)
	if !apierrors.IsForbidden(err) {
		c.obstacles[a.Policy.Name] = obstacle{v1alpha1.PolicyChangesLostReason, err}
		return errors.Is(err, action.ErrUndone) || apierrors.IsInvalid(err)
	}
	c.obstacles[a.Policy.Name] = obstacle{v1alpha1.PolicyNotPermittedReason, err}
	c.backoff.Next(every, now)
	return false
}

// forget drops the obstacles of policies that have nothing left to change.
func (c *Reconciler) forget(all []failoverpolicy.Assessment) {
	for name := range c.obstacles {
		if !slices.ContainsFunc(all, func(a failoverpolicy.Assessment) bool {
			return a.Policy.Name == name && a.State == failoverpolicy.Due && a.Policy.Acts()
		}) {
			delete(c.obstacles, name)
		}
	}
}

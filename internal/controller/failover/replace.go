package failover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/nodeliveness"
)

const (
	// replaceTimeout bounds the requests for one node, and replaceRetry is the time to the next attempt after one that failed.
	replaceTimeout = 15 * time.Second
	replaceRetry   = 2 * time.Second
	// writesAtOnce is how many pods of a node are written or deleted at the same time.
	writesAtOnce = 10
	// maxSilentWorldAge is how old the Snapshot may be for pods to be replaced.
	maxSilentWorldAge = 25 * time.Second
)

// replacedBy are the kinds that must be known for pods to be replaced.
var replacedBy = []cluster.Kind{cluster.Pod, cluster.Node, cluster.Namespace, cluster.ReplicaSet, cluster.Deployment}

// replace has the pods of a silent node replaced, and others set not ready, as policies want, and keeps new ones off it.
func (w *SilenceWatcher) replace(ctx context.Context, node nodeliveness.Node, policies []v1alpha1.FailoverPolicy) {
	ctx, cancel := context.WithTimeout(ctx, replaceTimeout)
	defer cancel()
	err := w.tryReplace(ctx, node, policies)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.acting, node.UID)
	delete(w.retry, node.UID)
	if err == nil {
		delete(w.obstructed, node.UID)
		return
	}
	w.retry[node.UID] = w.Clock.Now().Add(replaceRetry)
	if why := (obstructed{}); !errors.As(err, &why) {
		w.Log.Error(err, "Pods of a silent node are not replaced", "node", node.Name)
	} else if w.obstructed[node.UID] != why.reason { // It is told once.
		w.obstructed[node.UID] = why.reason
		w.Log.Info("Pods of a silent node are not replaced for now", "node", node.Name, "why", why.reason)
		w.event(why.node, corev1.EventTypeWarning, notReplacedReason, sentence.FailoverNotReplaced("node/"+node.Name, why.by, why.reason))
	}
}

// obstructed is why nothing is done about a silent node now; by names the policies that ask for it.
type obstructed struct {
	node       *corev1.Node
	by, reason string
}

func (o obstructed) Error() string { return o.reason }

func (w *SilenceWatcher) tryReplace(ctx context.Context, node nodeliveness.Node, policies []v1alpha1.FailoverPolicy) error {
	world, verdict := w.World(), w.verdict(node.UID)
	seen := world.Node(node.Name)
	if seen == nil || seen.UID != node.UID || verdict.State != nodeliveness.Silent || seen.DeletionTimestamp != nil {
		return nil
	}
	replaced, unready := failoverpolicy.OnSilence(world, policies, node.Name, verdict.QuietFor)
	w.tellReport(seen, verdict, replaced, unready)
	acts := func(all []failoverpolicy.Decided) []failoverpolicy.Decided {
		return slices.DeleteFunc(all, func(d failoverpolicy.Decided) bool { return !d.Policy.Acts() })
	}
	replaced, unready = acts(replaced), acts(unready)
	by := policiesOf(replaced, unready)
	if by == "" {
		return nil
	}
	if why := w.obstacle(world, seen); why != "" {
		return obstructed{seen, by, why}
	}
	if leads, err := w.Leading(ctx); err != nil || !leads {
		return err
	}
	if err := w.confirm(ctx, &replaced, &unready); err != nil {
		return err
	}
	if by = policiesOf(replaced, unready); by == "" {
		return nil
	}
	d := failoverpolicy.Declaration{
		By: by, Proof: message.English().Say(silenceProof(verdict)), BootID: seen.Status.NodeInfo.BootID,
		RenewTime: failoverpolicy.RenewTime(world.Lease(corev1.NamespaceNodeLease, node.Name)),
	}
	silent, changed, err := w.declare(ctx, world, seen, d)
	if err != nil || !silent {
		return err
	}
	if changed {
		w.counts.addSilent()
		w.Log.Info("Node is silent", "node", node.Name, "by", d.By, "proof", d.Proof, "replaced", len(replaced), "notReady", len(unready))
		w.event(seen, corev1.EventTypeWarning, silentReason, sentence.FailoverSilent("node/"+node.Name, d.Proof, d.By, len(replaced), len(unready)))
	}
	return errors.Join(w.eachPod(ctx, seen, replaced, w.deletePod), w.eachPod(ctx, seen, unready, w.setNotReady))
}

// declare declares a node silent, one after the other: each declaration counts for the next, also where the Snapshot does not have it yet.
func (w *SilenceWatcher) declare(ctx context.Context, world *cluster.Snapshot, node *corev1.Node, d failoverpolicy.Declaration) (silent, changed bool, err error) {
	if err := w.declaring.Acquire(ctx, 1); err != nil {
		return false, false, fmt.Errorf("wait until another node is declared silent: %w", err)
	}
	defer w.declaring.Release(1)
	now := w.Clock.Now()
	maps.DeleteFunc(w.declared, func(_ types.UID, at time.Time) bool { return now.Sub(at) > maxSilentWorldAge }) // The Snapshot has these.
	if why := failoverpolicy.SilenceObstacle(world, node, slices.Collect(maps.Keys(w.declared))...); why != "" {
		return false, false, obstructed{node, d.By, why}
	}
	silent, changed, err = action.DeclareSilent(ctx, w.Client, w.Reader, node, d)
	if changed {
		if w.declared == nil {
			w.declared = map[types.UID]time.Time{}
		}
		w.declared[node.UID] = now
	}
	return silent, changed, err
}

// obstacle is why nothing is to be done about a silent node now; empty if there is nothing against it.
func (w *SilenceWatcher) obstacle(world *cluster.Snapshot, node *corev1.Node) string {
	if age := w.Clock.Since(world.Taken()); age > maxSilentWorldAge {
		return fmt.Sprintf("the cluster data is more than %s old", maxSilentWorldAge)
	}
	for _, kind := range replacedBy {
		if !world.Knowledge(kind).Known() {
			return fmt.Sprintf("it is not known which %ss there are", kind)
		}
	}
	return failoverpolicy.SilenceObstacle(world, node)
}

// confirm leaves of pods those whose policies, read past any cache, still ask for what is done about them.
func (w *SilenceWatcher) confirm(ctx context.Context, pods ...*[]failoverpolicy.Decided) error {
	asks := map[types.UID]bool{}
	for _, some := range pods {
		for _, d := range *some {
			if _, read := asks[d.Policy.UID]; read {
				continue
			}
			var policy v1alpha1.FailoverPolicy
			err := w.Reader.Get(ctx, client.ObjectKeyFromObject(d.Policy), &policy)
			if err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("read the policy %s: %w", d.Policy.Name, err)
			}
			asks[d.Policy.UID] = err == nil && policy.UID == d.Policy.UID && policy.Acts() && policy.Generation == d.Policy.Generation
		}
		*some = slices.DeleteFunc(*some, func(d failoverpolicy.Decided) bool { return !asks[d.Policy.UID] })
	}
	return nil
}

// eachPod does something to pods as long as their node is silent.
func (w *SilenceWatcher) eachPod(ctx context.Context, node *corev1.Node, pods []failoverpolicy.Decided, do func(context.Context, failoverpolicy.Decided) error) error {
	var writes errgroup.Group
	writes.SetLimit(writesAtOnce)
	for _, d := range pods {
		writes.Go(func() error {
			if w.verdict(node.UID).State != nodeliveness.Silent {
				return errSpoke
			}
			if err := do(ctx, d); !apierrors.IsConflict(err) { // One that has changed is looked at again.
				return err
			}
			return nil
		})
	}
	err := writes.Wait()
	if err != nil && !errors.Is(err, errSpoke) {
		w.event(node, corev1.EventTypeWarning, notReplacedReason, sentence.FailoverNotReplaced("node/"+node.Name, policiesOf(pods), err.Error()))
	}
	return err
}

func (w *SilenceWatcher) deletePod(ctx context.Context, d failoverpolicy.Decided) error {
	done, err := action.DeletePod(ctx, w.Client, w.Reader, d.Pod)
	if done {
		w.counts.addReplaced(d.Policy.Name)
		w.Log.Info("Pod of a silent node deleted", "policy", d.Policy.Name, "namespace", d.Pod.Namespace, "pod", d.Pod.Name, "node", d.Pod.Spec.NodeName)
	}
	return err
}

func (w *SilenceWatcher) setNotReady(ctx context.Context, d failoverpolicy.Decided) error {
	done, err := action.SetNotReady(ctx, w.Client, w.Reader, d.Pod, w.Clock.Now())
	if done {
		w.counts.addNotReady(d.Policy.Name)
		w.Log.Info("Pod of a silent node set not ready", "policy", d.Policy.Name, "namespace", d.Pod.Namespace, "pod", d.Pod.Name, "node", d.Pod.Spec.NodeName)
	}
	return err
}

// tellReport tells once, while a node is silent, what policies in mode Report would have done.
func (w *SilenceWatcher) tellReport(node *corev1.Node, verdict nodeliveness.Verdict, replaced, unready []failoverpolicy.Decided) {
	reports := func(all []failoverpolicy.Decided) []failoverpolicy.Decided {
		return slices.DeleteFunc(slices.Clone(all), func(d failoverpolicy.Decided) bool { return d.Policy.Acts() })
	}
	replaced, unready = reports(replaced), reports(unready)
	by := policiesOf(replaced, unready)
	w.mu.Lock()
	told := w.told[node.UID]
	w.told[node.UID] = told || by != ""
	w.mu.Unlock()
	if by == "" || told {
		return
	}
	w.Log.Info("Node is silent, and nothing is done in mode Report", "node", node.Name, "replaced", len(replaced), "notReady", len(unready))
	w.event(node, corev1.EventTypeWarning, silentReason,
		sentence.FailoverWouldReplace("node/"+node.Name, silenceProof(verdict), by, len(replaced), len(unready)))
}

func silenceProof(v nodeliveness.Verdict) message.Sentence {
	return sentence.FailoverSilenceProof(v.QuietFor.Round(time.Second).String(), v.Unreached)
}

// policiesOf names the policies that decide for pods, such as failoverpolicy/a, failoverpolicy/b; empty for no pods.
func policiesOf(pods ...[]failoverpolicy.Decided) string {
	var names []string
	for _, d := range slices.Concat(pods...) {
		names = append(names, "failoverpolicy/"+d.Policy.Name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

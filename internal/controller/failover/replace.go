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
	// deletesAtOnce is how many pods are deleted at the same time.
	deletesAtOnce = 10
	// maxSilentWorldAge is how old the Snapshot may be for pods to be replaced.
	maxSilentWorldAge = 25 * time.Second
)

// replacedBy are the kinds that must be known for pods to be replaced.
var replacedBy = []cluster.Kind{cluster.Pod, cluster.Node, cluster.Namespace, cluster.ReplicaSet, cluster.Deployment}

// replace has the pods of a silent node replaced that policies want to be, and keeps new ones off it.
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
	all := failoverpolicy.Replacements(world, policies, node.Name, verdict.QuietFor)
	w.tellReport(seen, verdict, all)
	all = slices.DeleteFunc(all, func(r failoverpolicy.Replacement) bool { return !r.Policy.Acts() })
	if len(all) == 0 {
		return nil
	}
	if why := w.obstacle(world, seen); why != "" {
		return obstructed{seen, policiesOf(all), why}
	}
	if leads, err := w.Leading(ctx); err != nil || !leads {
		return err
	}
	all, err := w.confirmed(ctx, all)
	if err != nil || len(all) == 0 {
		return err
	}
	d := failoverpolicy.Declaration{
		By: policiesOf(all), Proof: message.English().Say(silenceProof(verdict)), BootID: seen.Status.NodeInfo.BootID,
		RenewTime: failoverpolicy.RenewTime(world.Lease(corev1.NamespaceNodeLease, node.Name)),
	}
	silent, changed, err := w.declare(ctx, world, seen, d)
	if err != nil || !silent {
		return err
	}
	if changed {
		w.counts.addSilent()
		w.Log.Info("Node is silent", "node", node.Name, "by", d.By, "proof", d.Proof, "pods", len(all))
		w.event(seen, corev1.EventTypeWarning, silentReason, sentence.FailoverSilent("node/"+node.Name, d.Proof, d.By, len(all)))
	}
	return w.deletePods(ctx, seen, all)
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

// confirmed are the replacements whose policies, read past any cache, still ask for them.
func (w *SilenceWatcher) confirmed(ctx context.Context, all []failoverpolicy.Replacement) ([]failoverpolicy.Replacement, error) {
	asks := map[types.UID]bool{}
	for _, r := range all {
		if _, read := asks[r.Policy.UID]; read {
			continue
		}
		var policy v1alpha1.FailoverPolicy
		err := w.Reader.Get(ctx, client.ObjectKeyFromObject(r.Policy), &policy)
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("read the policy %s: %w", r.Policy.Name, err)
		}
		asks[r.Policy.UID] = err == nil && policy.UID == r.Policy.UID && policy.Acts() && policy.Generation == r.Policy.Generation
	}
	return slices.DeleteFunc(all, func(r failoverpolicy.Replacement) bool { return !asks[r.Policy.UID] }), nil
}

// deletePods deletes pods as long as their node is silent.
func (w *SilenceWatcher) deletePods(ctx context.Context, node *corev1.Node, all []failoverpolicy.Replacement) error {
	var deletes errgroup.Group
	deletes.SetLimit(deletesAtOnce)
	for _, r := range all {
		deletes.Go(func() error {
			if w.verdict(node.UID).State != nodeliveness.Silent {
				return errSpoke
			}
			done, err := action.DeletePod(ctx, w.Client, w.Reader, r.Pod)
			if apierrors.IsConflict(err) {
				return nil // It has changed, and is looked at again.
			}
			if done {
				w.counts.addReplaced(r.Policy.Name)
				w.Log.Info("Pod of a silent node deleted", "policy", r.Policy.Name, "namespace", r.Pod.Namespace, "pod", r.Pod.Name, "node", node.Name)
			}
			return err
		})
	}
	err := deletes.Wait()
	if err != nil && !errors.Is(err, errSpoke) {
		w.event(node, corev1.EventTypeWarning, notReplacedReason, sentence.FailoverNotReplaced("node/"+node.Name, policiesOf(all), err.Error()))
	}
	return err
}

// tellReport tells once, while a node is silent, what policies in mode Report would have replaced.
func (w *SilenceWatcher) tellReport(node *corev1.Node, verdict nodeliveness.Verdict, all []failoverpolicy.Replacement) {
	reported := slices.DeleteFunc(slices.Clone(all), func(r failoverpolicy.Replacement) bool { return r.Policy.Acts() })
	w.mu.Lock()
	told := w.told[node.UID]
	if len(reported) > 0 {
		w.told[node.UID] = true
	}
	w.mu.Unlock()
	if len(reported) == 0 || told {
		return
	}
	w.Log.Info("Node is silent, and nothing is replaced in mode Report", "node", node.Name, "pods", len(reported))
	w.event(node, corev1.EventTypeWarning, silentReason,
		sentence.FailoverWouldReplace("node/"+node.Name, silenceProof(verdict), policiesOf(reported), len(reported)))
}

func silenceProof(v nodeliveness.Verdict) message.Sentence {
	return sentence.FailoverSilenceProof(v.QuietFor.Round(time.Second).String(), v.Unreached)
}

// policiesOf names the policies of replacements, such as failoverpolicy/a, failoverpolicy/b.
func policiesOf(all []failoverpolicy.Replacement) string {
	var names []string
	for _, r := range all {
		names = append(names, "failoverpolicy/"+r.Policy.Name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

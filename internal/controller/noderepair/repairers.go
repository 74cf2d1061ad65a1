package noderepair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// How long a list of other repairers is used: for the guard half of the minute that a fact may be old; for a policy's status as long
// as permissions.
const (
	guardRepairersMaxAge  = 30 * time.Second
	statusRepairersMaxAge = 10 * time.Minute
)

// repairerCache caches the other repairers of machines, since clouds limit requests. The zero value is ready to use.
type repairerCache struct {
	mu    sync.Mutex
	found []cloud.Repairer
	at    time.Time
	err   error
}

// get is the list of repairers, at most so old.
func (r *repairerCache) get(ctx context.Context, clock clock.PassiveClock, providers cloud.Providers, nodes []*corev1.Node, age time.Duration) ([]cloud.Repairer, time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at.IsZero() || clock.Since(r.at) > age || r.err != nil && clock.Since(r.at) > guardRepairersMaxAge {
		r.found, r.err = listRepairers(ctx, providers, nodes)
		r.at = clock.Now()
	}
	return r.found, r.at, r.err
}

func listRepairers(ctx context.Context, providers cloud.Providers, nodes []*corev1.Node) ([]cloud.Repairer, error) {
	found, failed := providers.Repairers(ctx, nodes)
	var errs []error
	for _, one := range failed {
		errs = append(errs, fmt.Errorf("asking %s who else repairs nodes: %w", one.Provider, one.Err))
	}
	return found, errors.Join(errs...)
}

// competingRepairersOf are the repairers that act on a node for one of its conditions. One of which that could not be read counts.
func competingRepairersOf(all []cloud.Repairer, node *corev1.Node) []change.Ref {
	var rivals []change.Ref
	for _, one := range all {
		if slices.Contains(one.Nodes, node.Name) && (one.MayActOnAny() || slices.ContainsFunc(node.Status.Conditions, one.MayActOn)) {
			rivals = append(rivals, one.By)
		}
	}
	return rivals
}

// withEvidence is a node with a Remediation's evidence among its conditions: a drill's is on no node, and other repairers must be
// found all the same.
func withEvidence(node *corev1.Node, evidence v1alpha1.Evidence) *corev1.Node {
	reported := node.DeepCopy()
	reported.Status.Conditions = append(reported.Status.Conditions, corev1.NodeCondition{
		Type: corev1.NodeConditionType(evidence.Condition), Status: corev1.ConditionStatus(evidence.Status), Reason: evidence.Reason,
	})
	return reported
}

// competingRepairersIn are the repairers that act on one of a policy's nodes for a condition that the policy has a rule for.
func competingRepairersIn(all []cloud.Repairer, rules []v1alpha1.RepairRule, nodes []*corev1.Node) []change.Ref {
	mine := map[string]bool{}
	for _, node := range nodes {
		mine[node.Name] = true
	}
	var rivals []change.Ref
	for _, one := range all {
		overlap := slices.ContainsFunc(one.Rules, func(theirs cloud.RepairerRule) bool {
			return theirs.Action != v1alpha1.ActionNone && slices.ContainsFunc(rules, func(ours v1alpha1.RepairRule) bool {
				return ours.Action != v1alpha1.ActionNone && ours.Condition == string(theirs.Condition) && string(ours.Status) == string(theirs.Status)
			})
		})
		if (overlap || one.MayActOnAny()) && slices.ContainsFunc(one.Nodes, func(name string) bool { return mine[name] }) {
			rivals = append(rivals, one.By)
		}
	}
	return rivals
}

package noderepair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// kept is how many Remediations that have ended are kept of each policy, and how many drills.
const kept = 200

// prune deletes records that are old. Each is deleted as it was read, or not at all.
func (c *Concern) prune(ctx context.Context, own objects, nodes []*corev1.Node) error {
	var errs []error
	for _, r := range old(own, nodes) {
		err := c.Client.Delete(ctx, r, client.Preconditions{UID: &r.UID, ResourceVersion: &r.ResourceVersion})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			errs = append(errs, fmt.Errorf("deleting the old Remediation %s: %w", r.Name, err))
		}
	}
	return errors.Join(errs...)
}

// old are the records that nobody needs any more. Of what has ended the latest are kept, and besides them what is proof:
// of each action as many as a policy wants that turned out as forecast, and of the drills of each reason the latest. What is decided about
// nodes that there are rests on some more, which are kept as long.
func old(own objects, nodes []*corev1.Node) []*v1alpha1.Remediation {
	needed := neededFor(nodes, own.remediations)
	earned := map[string]int{}
	for _, policy := range own.policies {
		if policy.Spec.EarnAuto != nil {
			earned[policy.Name] = int(*policy.Spec.EarnAuto)
		}
	}
	var old []*v1alpha1.Remediation
	seen, proofs, drilled := map[string]int{}, map[string]int{}, map[[2]string]bool{}
	for _, r := range latestFirst(own.remediations) {
		of := r.Spec.Policy.Name // none, of drills
		seen[of]++
		keep := seen[of] <= kept || needed[r.Name]
		if outcomeOf(r) == v1alpha1.RemediationAsForecastReason {
			proof := of + "/" + string(r.Spec.Action())
			proofs[proof]++
			keep = keep || proofs[proof] <= earned[of]
		}
		if drill := r.Spec.Drill; drill != nil && !drilled[drillKey(r)] {
			drilled[drillKey(r)], keep = true, true
		}
		if !keep {
			old = append(old, r)
		}
	}
	return old
}

// neededFor are the names of the Remediations that what is decided about nodes rests on: what is proposed of them, which node
// came in whose place, and by whom they are cordoned. They are bounded by what there is in the cluster, not by time: thousands
// of rejections stand where thousands of nodes have a condition that a person leaves as it is.
func neededFor(nodes []*corev1.Node, remediations []v1alpha1.Remediation) map[string]bool {
	needed := repairpolicy.Needed(nodes, remediations)
	untaken := map[string]bool{}
	for _, node := range nodes {
		untaken[node.Name] = true
		needed[node.Annotations[action.CordonedByAnnotation]] = true
	}
	for _, r := range latestFirst(remediations) {
		if taken := action.Successor(r); untaken[taken] {
			untaken[taken], needed[r.Name] = false, true
		}
	}
	return needed
}

// drillKey is what a drill proves something of: a condition, which its evidence tells where the drill does not, and a reason.
func drillKey(r *v1alpha1.Remediation) [2]string {
	condition := r.Spec.Drill.Condition
	if agent := r.Status.Agent; condition == "" && agent != nil && agent.Evidence != nil {
		condition = agent.Evidence.Condition
	}
	return [2]string{condition, r.Spec.Drill.Reason}
}

func latestFirst(all []v1alpha1.Remediation) []*v1alpha1.Remediation {
	var ended []*v1alpha1.Remediation
	for i := range all {
		if all[i].Status.Phase == v1alpha1.PhaseEnded && all[i].DeletionTimestamp == nil {
			ended = append(ended, &all[i])
		}
	}
	slices.SortFunc(ended, func(a, b *v1alpha1.Remediation) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), strings.Compare(b.Name, a.Name))
	})
	return ended
}

// outcomeOf is how a Remediation ended, in one word; empty if it goes on.
func outcomeOf(r *v1alpha1.Remediation) string {
	if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil {
		return end.Reason
	}
	return ""
}

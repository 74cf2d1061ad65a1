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

// maxEnded is how many ended Remediations are kept of each policy, and how many drills.
const maxEnded = 200

// prune deletes obsolete Remediations, with preconditions on UID and resourceVersion.
func (c *Reconciler) prune(ctx context.Context, own objects, nodes []*corev1.Node) error {
	var errs []error
	for _, r := range obsolete(own, nodes) {
		err := c.Client.Delete(ctx, r, client.Preconditions{UID: &r.UID, ResourceVersion: &r.ResourceVersion})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			errs = append(errs, fmt.Errorf("deleting the old Remediation %s: %w", r.Name, err))
		}
	}
	return errors.Join(errs...)
}

// obsolete are the ended Remediations that are not needed any more. The latest maxEnded are kept; of each action as many that turned
// out as forecast as the policy's earnAuto asks for; of the drills of each reason the latest; and those that decisions about present
// nodes depend on.
func obsolete(own objects, nodes []*corev1.Node) []*v1alpha1.Remediation {
	needed := referenced(nodes, own.remediations)
	earned := map[string]int{}
	for _, policy := range own.policies {
		if policy.Spec.EarnAuto != nil {
			earned[policy.Name] = int(*policy.Spec.EarnAuto)
		}
	}
	var old []*v1alpha1.Remediation
	seen, proofs, drilled := map[string]int{}, map[string]int{}, map[[2]string]bool{}
	for _, r := range endedNewestFirst(own.remediations) {
		of := r.Spec.Policy.Name // none, of drills
		seen[of]++
		keep := seen[of] <= maxEnded || needed[r.Name]
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

// referenced are the names of the Remediations that decisions about present nodes depend on: proposals, successors of replaced nodes,
// and cordons. Their number is bounded by the cluster, not by time: thousands of rejections hold where thousands of nodes keep a
// condition that a person rejected to repair.
func referenced(nodes []*corev1.Node, remediations []v1alpha1.Remediation) map[string]bool {
	needed := repairpolicy.NeededRemediations(nodes, remediations)
	untaken := map[string]bool{}
	for _, node := range nodes {
		untaken[node.Name] = true
		needed[node.Annotations[action.CordonedByAnnotation]] = true
	}
	for _, r := range endedNewestFirst(remediations) {
		if taken := action.Successor(r); untaken[taken] {
			untaken[taken], needed[r.Name] = false, true
		}
	}
	return needed
}

// drillKey is the condition and reason that a drill tests; the condition is that of its evidence where the drill names none.
func drillKey(r *v1alpha1.Remediation) [2]string {
	condition := r.Spec.Drill.Condition
	if agent := r.Status.Agent; condition == "" && agent != nil && agent.Evidence != nil {
		condition = agent.Evidence.Condition
	}
	return [2]string{condition, r.Spec.Drill.Reason}
}

func endedNewestFirst(all []v1alpha1.Remediation) []*v1alpha1.Remediation {
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

// outcomeOf is the reason of the condition Succeeded; empty if the Remediation has not ended.
func outcomeOf(r *v1alpha1.Remediation) string {
	if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil {
		return end.Reason
	}
	return ""
}

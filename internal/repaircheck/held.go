package repaircheck

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Held are N304 for repairs that are due and that the guard delays or denies, and for policies that are braked. That a person is to
// approve, or that pods have been in the way for less than podsGracePeriod, is for information; mode Report is no finding.
func Held(f Facts) []finding.Finding {
	found := []finding.Finding{}
	for i := range f.Policies {
		p := &f.Policies[i]
		if ready := meta.FindStatusCondition(p.Status.Conditions, v1alpha1.PolicyReady); ready != nil && ready.Reason == v1alpha1.PolicyBrakedReason {
			ref := change.Ref{Kind: v1alpha1.NodeRepairPolicyKind, Name: p.Name}
			found = append(found, heldFinding(sentence.HeldPolicy(ref, ready.Message), finding.Warning, ready, ref))
		}
	}
	for i := range f.Remediations {
		r := &f.Remediations[i]
		allowed := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed)
		if r.Spec.Drill != nil || r.Status.Phase == v1alpha1.PhaseEnded || allowed == nil || allowed.Status == metav1.ConditionTrue || allowed.Reason == string(guard.ReportOnly) {
			continue
		}
		ref, node := change.Ref{Kind: "Remediation", Name: r.Name}, change.Ref{Kind: "Node", Name: r.Spec.Node.Name}
		action := string(r.Spec.Action())
		one := heldFinding(sentence.HeldRemediation(action, node, r.Spec.Evidence.Reason, ref, allowed.Message), finding.Warning, allowed, node, ref)
		one.Causes = append(one.Causes, otherVerdicts(r, allowed, &one.Causes[0])...)
		if transient(r, allowed, f.Now) {
			one.Severity = finding.Info
		}
		if allowed.Reason == string(guard.AwaitingApproval) {
			one.Severity = finding.Info
			one.Remedies = append(one.Remedies, finding.Remedy{Message: sentence.HeldApprove(ref, action, node, r.Spec.Evidence.Reason, allowed.Message), Command: "naosu approve " + r.Name})
		}
		found = append(found, one)
	}
	return found
}

// podsGracePeriod is how long pods may delay a repair before a person should look: pods end, and nodes are added.
const podsGracePeriod = time.Hour

// transient says whether a repair is delayed because of pods, and for less than podsGracePeriod.
func transient(r *v1alpha1.Remediation, allowed *metav1.Condition, now time.Time) bool {
	switch guard.Reason(allowed.Reason) {
	case guard.PodsWouldWait, guard.PodsWouldPreempt, guard.PodsWouldBeLost, guard.DisruptionBudget, guard.LastReplica:
	default:
		return false
	}
	at := slices.IndexFunc(r.Status.Verdicts, func(v v1alpha1.Verdict) bool {
		return v.Decision != v1alpha1.DecisionAllow && v.Reason == allowed.Reason
	})
	return at >= 0 && !now.IsZero() && now.Sub(r.Status.Verdicts[at].Since.Time) < podsGracePeriod
}

// otherVerdicts are the verdicts of further checks than that of the condition, whose verdict becomes evidence of it.
func otherVerdicts(r *v1alpha1.Remediation, allowed *metav1.Condition, told *finding.Link) []finding.Link {
	var links []finding.Link
	for _, v := range r.Status.Verdicts {
		if v.Decision == v1alpha1.DecisionAllow {
			continue
		}
		since := v.Since
		evidence := finding.Evidence{
			Object: change.Ref{Kind: "Remediation", Name: r.Name}, Field: "status.verdicts[" + v.Check + "]", Value: string(v.Decision) + " " + v.Reason, Time: &since,
		}
		if v.Reason == allowed.Reason && v.Message == allowed.Message {
			told.Evidence = append(told.Evidence, evidence)
			continue
		}
		links = append(links, finding.Link{Message: message.Verbatim(v.Message), Evidence: []finding.Evidence{evidence}})
	}
	return links
}

// heldFinding is a finding whose evidence is a condition.
func heldFinding(said message.Sentence, severity finding.Severity, c *metav1.Condition, subjects ...change.Ref) finding.Finding {
	since := c.LastTransitionTime
	return finding.Finding{
		Code: finding.N304, Severity: severity, Subjects: subjects, Message: said,
		Causes: []finding.Link{{Message: message.Verbatim(c.Message), Evidence: []finding.Evidence{{
			Object: subjects[len(subjects)-1], Field: "status.conditions[" + c.Type + "]", Value: string(c.Status) + " " + c.Reason, Time: &since,
		}}}},
		RuledOut: []finding.Link{}, Remedies: []finding.Remedy{}, Unknown: []finding.Gap{},
	}
}

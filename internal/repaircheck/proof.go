package repaircheck

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Annotations of a drill's Remediation, by which a later check knows what it proved.
const (
	// RepairerAnnotation is the repairer that was expected to act, as noderepairpolicy/NAME.
	RepairerAnnotation = "naosu.dev/drilled-repairer"
	// AgentImageAnnotation is the image of the agent on the node.
	AgentImageAnnotation = "naosu.dev/drilled-agent-image"
)

// ProofMaxAge is how long a drill counts as a proof: roles, quotas and agents change.
const ProofMaxAge = 30 * 24 * time.Hour

// checkProof looks for the latest Remediation that proves the chain: a drill through the policy to the same action, a repair by it, or,
// the only one that proves other repairers, a drill that set the condition.
func checkProof(c *checker, ch chain) (link, bool) {
	if ch.by() == "" || ch.action() == v1alpha1.ActionNone {
		return link{}, false
	}
	last := c.latestRemediation(ch, func(*v1alpha1.Remediation) bool { return true })
	if last == nil {
		if ch.policy == nil {
			return unknown(sentence.ProofTheirs(ch.by())), true
		}
		return unknown(sentence.ProofNoDrill(ch.by())), true
	}
	end := ended(last)
	ref, at := "remediation/"+last.Name, end.LastTransitionTime.UTC().Format(time.RFC3339)
	stale := c.staleProof(last, end, ch)
	switch {
	case end.Status == metav1.ConditionTrue && stale != nil:
		return unknown(stale(ref, at)), true
	case end.Status != metav1.ConditionTrue:
		if stale != nil {
			return unknown(sentence.ProofCutBefore(ref, at, end.Message)), true
		}
		return broken(sentence.ProofDrillFailed(ref, at, end.Message)), true
	}
	reason := last.Spec.Evidence.Reason
	if last.Spec.Drill != nil {
		reason = last.Spec.Drill.Reason
	}
	l := link{state: Holds, said: sentence.ProofShown(ref, at), proof: &Evidence{last.Name, reason, end.LastTransitionTime}}
	return l, true
}

// latestRemediation is the latest Remediation that is about a chain and of a kind; nil if there is none.
func (c *checker) latestRemediation(ch chain, kind func(*v1alpha1.Remediation) bool) *v1alpha1.Remediation {
	var last *v1alpha1.Remediation
	for i := range c.f.Remediations {
		r := &c.f.Remediations[i]
		if end := ended(r); end != nil && kind(r) && isAbout(r, end, ch) && (last == nil || finished(last).Before(finished(r))) {
			last = r
		}
	}
	return last
}

// finished is when a Remediation ended: the time of its last step is more precise than the condition's, which is in seconds.
func finished(r *v1alpha1.Remediation) time.Time {
	at := ended(r).LastTransitionTime.Time
	if n := len(r.Status.Steps); n > 0 && r.Status.Steps[n-1].EndedAt != nil && r.Status.Steps[n-1].EndedAt.After(at) {
		return r.Status.Steps[n-1].EndedAt.Time
	}
	return at
}

// provenByAction says whether the action helped a machine of the same group lately, which proves more than any dry run.
func (c *checker) provenByAction(ch chain) bool {
	last := c.latestRemediation(ch, func(r *v1alpha1.Remediation) bool {
		return (r.Spec.Drill == nil || r.Spec.Drill.Depth == v1alpha1.DrillRaised) && c.sameGroup(ch, r)
	})
	if last == nil || ended(last).Status != metav1.ConditionTrue {
		return false
	}
	return c.staleProof(last, ended(last), ch) == nil
}

// ended is the condition Succeeded of an ended Remediation; nil if it has not ended.
func ended(r *v1alpha1.Remediation) *metav1.Condition {
	if r.Status.Phase != v1alpha1.PhaseEnded {
		return nil
	}
	return meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
}

// isAbout says whether an ended Remediation is about a chain.
func isAbout(r *v1alpha1.Remediation, end *metav1.Condition, ch chain) bool {
	drill := r.Spec.Drill
	switch {
	case drill == nil:
		helped := end.Reason == v1alpha1.RemediationAsForecastReason || end.Reason == v1alpha1.RemediationNotAsForecastReason
		return helped && ch.policy != nil && r.Spec.Policy.Names(ch.policy) && r.Spec.Action() == ch.rule.Action
	case drill.Depth == v1alpha1.DrillRaised:
		return r.Annotations[RepairerAnnotation] == ch.by() && drill.Condition == ch.report.Condition && drill.Reason == ch.report.Reason
	case ch.policy == nil || ch.report.Agent != Naosu && ch.report.Agent != Kubelet:
		return false
	case end.Status != metav1.ConditionTrue: // It is about its own reason only.
		return drill.Reason == ch.report.Reason
	}
	return r.Status.Match != nil && r.Status.Match.Policy.Names(ch.policy) && r.Status.Match.Action() == ch.rule.Action
}

// staleProof says why a proof no longer counts; nil if it does.
func (c *checker) staleProof(r *v1alpha1.Remediation, end *metav1.Condition, ch chain) func(remediation, at any) message.Sentence {
	image, now := r.Annotations[AgentImageAnnotation], c.f.AgentImages[r.Spec.Node.Name]
	match := r.Status.Match
	switch {
	case c.f.Now.Sub(end.LastTransitionTime.Time) > ProofMaxAge:
		return sentence.ProofStaleAge
	case ch.policy != nil && match != nil && match.Generation != ch.policy.Generation:
		return sentence.ProofStalePolicy
	case image != "" && now != "" && image != now:
		return sentence.ProofStaleAgent
	}
	return nil
}

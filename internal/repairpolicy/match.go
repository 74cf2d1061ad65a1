package repairpolicy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
)

// RuleMatch is a rule and the condition that meets it.
type RuleMatch struct {
	Rule      v1alpha1.RepairRule
	Condition corev1.NodeCondition
	// Due is when the condition will have had its status for as long as the rule waits.
	Due time.Time
}

// IsDue says whether the rule has waited long enough. Before that, the node is unhealthy and nothing is proposed.
func (f RuleMatch) IsDue(now time.Time) bool { return !f.Due.After(now) }

// MeetingCondition is the condition that meets a rule, if it has the status and one of the reasons, for however long.
func MeetingCondition(rule v1alpha1.RepairRule, conditions []corev1.NodeCondition) (corev1.NodeCondition, bool) {
	at := slices.IndexFunc(conditions, func(c corev1.NodeCondition) bool {
		return string(c.Type) == rule.Condition && string(c.Status) == string(rule.Status) &&
			(len(rule.Reasons) == 0 || slices.Contains(rule.Reasons, c.Reason))
	})
	if at < 0 {
		return corev1.NodeCondition{}, false
	}
	return conditions[at], true
}

// Match is the rule of a policy that decides about conditions: the first that is due, or, where none is, the one that will be due
// first; false if none is met. A rule that is met but not due does not keep a later one from deciding; one that is due does, also where
// its action is None. By a condition without a lastTransitionTime no rule is ever due, as it is not known for how long it has its status.
func Match(rules []v1alpha1.RepairRule, conditions []corev1.NodeCondition, now time.Time) (RuleMatch, bool) {
	var next RuleMatch
	met := false
	for _, rule := range rules {
		condition, ok := MeetingCondition(rule, conditions)
		if !ok || condition.LastTransitionTime.IsZero() {
			continue
		}
		found := RuleMatch{rule, condition, condition.LastTransitionTime.Add(rule.For.Duration)}
		if found.IsDue(now) {
			return found, true
		}
		if !met || found.Due.Before(next.Due) {
			next, met = found, true
		}
	}
	return next, met
}

// MatchLasting is the rule that decides about evidence once it has lasted long enough, as a drill needs to know.
func MatchLasting(rules []v1alpha1.RepairRule, evidence v1alpha1.Evidence) (RuleMatch, bool) {
	at := evidence.Since
	if at.IsZero() {
		at = metav1.Unix(0, 0)
	}
	const longest = 168 * time.Hour // that a rule can ask for
	return Match(rules, []corev1.NodeCondition{{
		Type: corev1.NodeConditionType(evidence.Condition), Status: corev1.ConditionStatus(evidence.Status),
		Reason: evidence.Reason, Message: evidence.Message, LastTransitionTime: at,
	}}, at.Add(longest))
}

// MeetsAny says whether conditions meet any rule, for however long, also one whose action is None: a condition that is left to a person
// does not make the node healthy.
func MeetsAny(rules []v1alpha1.RepairRule, conditions []corev1.NodeCondition) bool {
	return slices.ContainsFunc(rules, func(rule v1alpha1.RepairRule) bool {
		_, met := MeetingCondition(rule, conditions)
		return met
	})
}

// Preexisting are the types of conditions that meet a rule before the node is acted on, for however long, but for that of the evidence.
// They are at most as many as a step of a Remediation holds.
func Preexisting(rules []v1alpha1.RepairRule, evidence v1alpha1.Evidence, conditions []corev1.NodeCondition) []string {
	var types []string
	for _, c := range conditions {
		if string(c.Type) != evidence.Condition && MeetsAny(rules, []corev1.NodeCondition{c}) {
			types = append(types, string(c.Type))
		}
	}
	slices.Sort(types)
	types = slices.Compact(types)
	const most = 64
	return types[:min(len(types), most)]
}

// NeedsRepair says whether a node still needs a Remediation: until its machine is acted on, whether the evidence holds; after that,
// whether it holds, the node is not Ready, or any condition meets a rule that did not before. What was there before and belongs to
// another rule, such as one whose action is None, is no failure of the repair.
func NeedsRepair(rules []v1alpha1.RepairRule, r *v1alpha1.Remediation, node *corev1.Node) bool {
	holds := EvidenceHolds(rules, r, node.Status.Conditions)
	at := slices.IndexFunc(r.Status.Steps, func(s v1alpha1.Step) bool { return s.Name == v1alpha1.StepAct })
	if at < 0 {
		return holds
	}
	others := slices.DeleteFunc(slices.Clone(node.Status.Conditions), func(c corev1.NodeCondition) bool {
		return slices.Contains(r.Status.Steps[at].Preexisting, string(c.Type))
	})
	return holds || !kube.IsNodeReady(node) || MeetsAny(rules, others)
}

// EvidenceHolds says whether the evidence of a Remediation still holds: its rule is still met, or, where the policy has no such rule any
// more, the condition still has the status.
func EvidenceHolds(rules []v1alpha1.RepairRule, r *v1alpha1.Remediation, conditions []corev1.NodeCondition) bool {
	at := slices.IndexFunc(rules, func(rule v1alpha1.RepairRule) bool { return rule.Name == r.Spec.Policy.Rule })
	if at >= 0 {
		_, met := MeetingCondition(rules[at], conditions)
		return met
	}
	_, met := MeetingCondition(v1alpha1.RepairRule{Condition: r.Spec.Evidence.Condition, Status: r.Spec.Evidence.Status}, conditions)
	return met
}

// UnhealthySince is since when a node has the condition of evidence; now, if it has not, as in a drill.
func UnhealthySince(node *corev1.Node, evidence v1alpha1.Evidence, now time.Time) time.Time {
	condition, met := MeetingCondition(v1alpha1.RepairRule{Condition: evidence.Condition, Status: evidence.Status}, node.Status.Conditions)
	if !met {
		return now
	}
	return condition.LastTransitionTime.Time
}

package repairpolicy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Found is a rule, and the condition that meets it.
type Found struct {
	Rule      v1alpha1.RepairRule
	Condition corev1.NodeCondition
	// Due is when the condition will have been so for as long as the rule demands.
	Due time.Time
}

// IsDue says whether the rule decides by now. Before that, the node is ill and nothing follows from it.
func (f Found) IsDue(now time.Time) bool { return !f.Due.After(now) }

// Meets finds the condition that a rule is about, if it has the status and one of the reasons, for however long.
func Meets(rule v1alpha1.RepairRule, conditions []corev1.NodeCondition) (corev1.NodeCondition, bool) {
	at := slices.IndexFunc(conditions, func(c corev1.NodeCondition) bool {
		return string(c.Type) == rule.Condition && string(c.Status) == string(rule.Status) &&
			(len(rule.Reasons) == 0 || slices.Contains(rule.Reasons, c.Reason))
	})
	if at < 0 {
		return corev1.NodeCondition{}, false
	}
	return conditions[at], true
}

// Match is what a policy's rules say of conditions: the first rule that is due, or, where none is, the one that will be
// first; false if no rule is met. A rule that is met but not yet due keeps no later one from deciding; one that is due
// does, also where its action is None. A condition that does not tell since when it is so meets rules, but none is ever due by it,
// as nobody knows for how long it has been so.
func Match(rules []v1alpha1.RepairRule, conditions []corev1.NodeCondition, now time.Time) (Found, bool) {
	var next Found
	met := false
	for _, rule := range rules {
		condition, ok := Meets(rule, conditions)
		if !ok || condition.LastTransitionTime.IsZero() {
			continue
		}
		found := Found{rule, condition, condition.LastTransitionTime.Add(rule.For.Duration)}
		if found.IsDue(now) {
			return found, true
		}
		if !met || found.Due.Before(next.Due) {
			next, met = found, true
		}
	}
	return next, met
}

// Would is what rules would say of evidence once it has lasted: what a drill has to know.
func Would(rules []v1alpha1.RepairRule, evidence v1alpha1.Evidence) (Found, bool) {
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

// Ill says whether conditions meet any rule, for however long, one whose action is None too: that a person sees to it does
// not make the node well.
func Ill(rules []v1alpha1.RepairRule, conditions []corev1.NodeCondition) bool {
	return slices.ContainsFunc(rules, func(rule v1alpha1.RepairRule) bool {
		_, met := Meets(rule, conditions)
		return met
	})
}

// Preexisting are the types of conditions that meet a rule, but for that of the evidence: what else ails a node before it is
// acted on, for however long. At most as many as a step of a Remediation takes.
func Preexisting(rules []v1alpha1.RepairRule, evidence v1alpha1.Evidence, conditions []corev1.NodeCondition) []string {
	var types []string
	for _, c := range conditions {
		if string(c.Type) != evidence.Condition && Ill(rules, []corev1.NodeCondition{c}) {
			types = append(types, string(c.Type))
		}
	}
	slices.Sort(types)
	types = slices.Compact(types)
	const most = 64
	return types[:min(len(types), most)]
}

// Needs says whether a node still needs a Remediation: until its machine is acted on, whether the evidence holds; after that,
// whether it holds, the node is not Ready, or anything that the rules call ill is there that was not before. What was there
// before and is another rule's, as one's that leaves it to a person, is no fault of the repair's.
func Needs(rules []v1alpha1.RepairRule, r *v1alpha1.Remediation, node *corev1.Node) bool {
	holds := Holds(rules, r, node.Status.Conditions)
	at := slices.IndexFunc(r.Status.Steps, func(s v1alpha1.Step) bool { return s.Name == v1alpha1.StepAct })
	if at < 0 {
		return holds
	}
	others := slices.DeleteFunc(slices.Clone(node.Status.Conditions), func(c corev1.NodeCondition) bool {
		return slices.Contains(r.Status.Steps[at].Preexisting, string(c.Type))
	})
	return holds || !kube.IsNodeReady(node) || Ill(rules, others)
}

// Holds says whether the evidence of a Remediation is still so: its rule is still met, or, where the policy has no such rule any
// more, the condition still has the status.
func Holds(rules []v1alpha1.RepairRule, r *v1alpha1.Remediation, conditions []corev1.NodeCondition) bool {
	at := slices.IndexFunc(rules, func(rule v1alpha1.RepairRule) bool { return rule.Name == r.Spec.Policy.Rule })
	if at >= 0 {
		_, met := Meets(rules[at], conditions)
		return met
	}
	_, met := Meets(v1alpha1.RepairRule{Condition: r.Spec.Evidence.Condition, Status: r.Spec.Evidence.Status}, conditions)
	return met
}

// IllSince is since when a node's condition is as evidence says; now, if it is not so, as in a drill.
func IllSince(node *corev1.Node, evidence v1alpha1.Evidence, now time.Time) time.Time {
	condition, met := Meets(v1alpha1.RepairRule{Condition: evidence.Condition, Status: evidence.Status}, node.Status.Conditions)
	if !met {
		return now
	}
	return condition.LastTransitionTime.Time
}

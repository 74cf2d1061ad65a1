package repairpolicy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// Objection is why a policy would not propose a Remediation now; NoObjection if it would.
type Objection string

// The objections.
const (
	NoObjection Objection = ""
	// NotSelected is that the policy does not select the node.
	NotSelected Objection = "NotSelected"
	// NoSuchRule is that the policy has no rule of that name.
	NoSuchRule Objection = "NoSuchRule"
	// NotDue is that the node's conditions have not met the rule for as long as it demands.
	NotDue Objection = "NotDue"
	// AnotherRule is that another rule of the policy decides about the node.
	AnotherRule Objection = "AnotherRule"
	// AnotherAction is that the rule asks for another action, or its ladder is at another step.
	AnotherAction Objection = "AnotherAction"
)

// ObjectionTo is why a policy, as it is now, would not propose a Remediation of a node as it is now. A Remediation alone proves nothing:
// a person who may create one, or who edits the policy afterwards, must not get an action that the policy's rules do not ask for. It is
// what Propose would propose: the policy selects the node, the rule that decides about its conditions is the Remediation's, and the
// action is that rule's or the step of the escalation that follows what did not help.
func ObjectionTo(policy *v1alpha1.NodeRepairPolicySpec, node *corev1.Node, r *v1alpha1.Remediation, l ledger.Ledger, now time.Time) Objection {
	named := func(rule v1alpha1.RepairRule) bool { return rule.Name == r.Spec.Policy.Rule }
	found, met := Match(policy.Rules, node.Status.Conditions, now)
	switch {
	case !selects(policy, node):
		return NotSelected
	case !slices.ContainsFunc(policy.Rules, named):
		return NoSuchRule
	case !met || !found.IsDue(now):
		return NotDue
	case !named(found.Rule):
		return AnotherRule
	case found.Rule.Action == v1alpha1.ActionNone:
		return AnotherAction
	}
	asked := PlanOf(found.Rule, NextAction(policy, found.Rule.Action, MachineOf(node), l, now))
	if !equality.Semantic.DeepEqual(r.Spec.InOrder(), asked.InOrder()) {
		return AnotherAction
	}
	return NoObjection
}

// selects says whether a policy selects a node. An invalid selector, which the API server does not admit, selects none.
func selects(policy *v1alpha1.NodeRepairPolicySpec, node *corev1.Node) bool {
	selector, err := metav1.LabelSelectorAsSelector(&policy.NodeSelector)
	return err == nil && selector.Matches(labels.Set(node.Labels))
}

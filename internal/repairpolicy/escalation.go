package repairpolicy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// bySeverity orders actions from the mildest to the harshest.
var bySeverity = []v1alpha1.Action{v1alpha1.ActionRestartService, v1alpha1.ActionReboot, v1alpha1.ActionReplace}

// NextAction is what is tried on a machine when a rule asks for an action: that action, or, where it failed as often as its step of
// the escalation allows, the mildest harsher step that has attempts left. At the last step it stays there: the guard denies what did
// not help until the failure is forgotten.
func NextAction(spec *v1alpha1.NodeRepairPolicySpec, action v1alpha1.Action, machine ledger.Machine, l ledger.Ledger, now time.Time) v1alpha1.Action {
	failures := func(tried v1alpha1.Action) int {
		return l.Failures(machine, tried, now.Add(-RememberFailure(spec)))
	}
	next := action
	for failures(next) >= AllowedAttempts(spec, next) {
		harsher := slices.IndexFunc(spec.Escalation, func(step v1alpha1.EscalationStep) bool {
			return slices.Index(bySeverity, step.Action) > slices.Index(bySeverity, next)
		})
		if harsher < 0 {
			break
		}
		next = spec.Escalation[harsher].Action
	}
	return next
}

// AllowedAttempts is how often a policy's escalation allows an action on one node: once where it has no such step.
func AllowedAttempts(policy *v1alpha1.NodeRepairPolicySpec, action v1alpha1.Action) int {
	for _, step := range policy.Escalation {
		if step.Action == action {
			return max(1, int(step.Attempts))
		}
	}
	return 1
}

// MachineOf is the machine of a Node.
func MachineOf(node *corev1.Node) ledger.Machine {
	return ledger.Machine{Node: node.Name, UID: node.UID, ProviderID: node.Spec.ProviderID}
}

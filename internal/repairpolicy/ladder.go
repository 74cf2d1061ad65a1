package repairpolicy

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
)

// harshness orders actions from the mildest to the harshest.
var harshness = []v1alpha1.Action{v1alpha1.ActionRestartService, v1alpha1.ActionReboot, v1alpha1.ActionReplace}

// Next is what is tried on a machine when a rule asks for an action: that action, or, where it has not helped as often as its
// step of the ladder allows, the mildest harsher step that has attempts left. On the ladder's end it stays there: the guard
// denies what did not help, and the Remediation says so until it is forgotten.
func Next(spec *v1alpha1.NodeRepairPolicySpec, action v1alpha1.Action, machine guard.Machine, ledger guard.Ledger, now time.Time) v1alpha1.Action {
	failed := func(tried v1alpha1.Action) int {
		return ledger.Failures(machine, tried, now.Add(-guard.Memory(spec)))
	}
	next := action
	for failed(next) >= guard.Attempts(spec, next) {
		harsher := slices.IndexFunc(spec.Escalation, func(step v1alpha1.EscalationStep) bool {
			return slices.Index(harshness, step.Action) > slices.Index(harshness, next)
		})
		if harsher < 0 {
			break
		}
		next = spec.Escalation[harsher].Action
	}
	return next
}

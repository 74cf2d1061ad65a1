package action

import (
	"context"
	"errors"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// AbortOnly is the Advisor of a Performer that only aborts: no step starts.
type AbortOnly struct{}

var errAbortOnly = errors.New("no step of an aborted Remediation starts")

// Assess is Advisor's.
func (AbortOnly) Assess(context.Context, *v1alpha1.Remediation, guard.Fact[ledger.Ledger]) (outcome.Outcome, error) {
	return outcome.Outcome{}, errAbortOnly
}

// CheckGuard is Advisor's.
func (AbortOnly) CheckGuard(context.Context, *v1alpha1.Remediation, *v1alpha1.NodeRepairPolicy, outcome.Outcome, guard.Fact[ledger.Ledger]) (guard.Ruling, error) {
	return guard.Ruling{}, errAbortOnly
}

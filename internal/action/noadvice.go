package action

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// NoAdvice is the Advisor of who only aborts: nothing can be begun by it.
type NoAdvice struct{}

var errNoAdvice = errors.New("no step of an aborted Remediation starts")

// Assess is Advisor's.
func (NoAdvice) Assess(context.Context, *v1alpha1.Remediation, guard.Fact[ledger.Ledger]) (simulation.Outcome, error) {
	return simulation.Outcome{}, errNoAdvice
}

// Rule is Advisor's.
func (NoAdvice) Rule(context.Context, *v1alpha1.Remediation, simulation.Outcome, guard.Fact[ledger.Ledger]) (guard.Ruling, error) {
	return guard.Ruling{}, errNoAdvice
}

// Ill is Advisor's.
func (NoAdvice) Ill(*corev1.Node, *v1alpha1.Remediation) bool { return true }

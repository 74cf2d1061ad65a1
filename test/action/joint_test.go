package action

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// attentive is an advisor that sees by which ledgers it is asked, and lets something happen while it plays the first future.
type attentive struct {
	advisor
	assessed  []ledger.Ledger
	meanwhile func()
}

func (a *attentive) Assess(ctx context.Context, r *v1alpha1.Remediation, ledger guard.Fact[ledger.Ledger]) (outcome.Outcome, error) {
	a.assessed = append(a.assessed, ledger.Value)
	if len(a.assessed) == 1 {
		a.meanwhile()
	}
	return a.advisor.Assess(ctx, r, ledger)
}

func (a *attentive) CheckGuard(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy, o outcome.Outcome, ledger guard.Fact[ledger.Ledger]) (guard.Ruling, error) {
	if o.Compared != nil {
		if diff := cmp.Diff(a.assessed[len(a.assessed)-1], ledger.Value); diff != "" {
			a.w.t.Errorf("the future was played by another ledger than is ruled by (-played +ruled):\n%s", diff)
		}
	}
	return a.advisor.CheckGuard(ctx, r, policy, o, ledger)
}

// TestFutureIsPlayedByTheLedgerThatIsWritten has another repair begin while the future of one is played: the room that this
// future counts on may be the other's, so that it is played again.
func TestFutureIsPlayedByTheLedgerThatIsWritten(t *testing.T) {
	w, ctx := newWorld(t, reboot), t.Context()
	two := new(intstr.FromInt32(2))
	w.policy.Spec.Budgets = v1alpha1.Budgets{Zone: two, Group: two, Cluster: two}
	w.publish(ctx)
	p := w.performer()
	other := ledger.Entry{Remediation: "other", UID: "other", Node: "n2", Zone: "b", Group: "workers", Action: reboot, Began: start}
	a := &attentive{advisor: advisor{w}, meanwhile: func() {
		ledger, err := p.Records.ReadLedger(ctx)
		if err == nil {
			err = p.Records.WriteLedger(ctx, ledger, ledger.Reserve(other))
		}
		if err != nil {
			t.Fatal(err)
		}
	}}
	p.Advisor = a
	r := w.remediation(ctx)
	if _, err := p.Advance(ctx, r.Name, w.policy); err != nil {
		t.Fatal(err)
	}
	if began := w.remediation(ctx).Status.Phase; began != v1alpha1.PhaseRunning || len(a.assessed) != 2 || len(a.assessed[1].Entries) != 1 {
		t.Errorf("%s after futures that were played by %+v, want Running after a second one beside the other's repair", began, a.assessed)
	}
}

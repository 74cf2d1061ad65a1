package action

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// Advisor is what the performer asks before it acts. The controller answers from its watch.
type Advisor interface {
	// Assess is the future in which the action, and nothing else, is done.
	Assess(context.Context, *v1alpha1.Remediation) (simulation.Outcome, error)
	// Rule runs all checks of the guard on fresh facts, of which the performer has read the ledger itself: what is reserved
	// is written back to the very ledger that was ruled by. The Outcome is that of Assess.
	Rule(context.Context, *v1alpha1.Remediation, simulation.Outcome, guard.Fact[guard.Ledger]) (guard.Ruling, error)
	// Ill says whether the evidence of a Remediation holds for a node as it is given, for however short a time. After a
	// replacement it is asked of the new node.
	Ill(*corev1.Node, *v1alpha1.Remediation) bool
}

// Performer performs Remediations. It has no state of its own and starts nothing: all is in the API, so that any number of
// them may follow each other.
type Performer struct {
	// Client writes; what it lists may come from a cache, and needs no index.
	Client client.Client
	// Reader reads past any cache. Nothing is done that was not looked at through it right before.
	Reader    client.Reader
	Records   *record.Records
	Providers cloud.Providers
	Advisor   Advisor
	// Leading says whether this process holds the controller's lease, asked right before each act.
	Leading func(context.Context) (bool, error)
	Clock   clock.PassiveClock
	// Say hears of each status that was written, for metrics; may be nil.
	Say func(before, after *v1alpha1.Remediation)
}

// Advance does what is next of one Remediation until something has to be waited for, and says after what time to look again;
// zero is when something changes. The policy is nil if it is gone. It is idempotent, and an error is worth another try.
func (p *Performer) Advance(ctx context.Context, name string, policy *v1alpha1.NodeRepairPolicy) (again time.Duration, err error) {
	return 0, errNotBuilt
}

// Sweep undoes what Remediations that have ended, or that somebody deleted, have left: cordons, and reservations in the
// ledger. The controller calls it when it begins to lead and every few minutes.
func (p *Performer) Sweep(ctx context.Context) error { return errNotBuilt }

package action

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Advisor forecasts and runs the guard's checks for the Performer. The controller answers from its watch.
type Advisor interface {
	// Assess simulates the action beside the ongoing disruptions of the ledger, and compares the outcome with the same one without
	// the action. CheckGuard is given the same ledger then, so that two decisions never count the same free capacity.
	Assess(context.Context, *v1alpha1.Remediation, guard.Fact[ledger.Ledger]) (outcome.Outcome, error)
	// CheckGuard runs all checks of the guard on fresh facts, of which the performer has read the policy and the ledger itself: what
	// is reserved is written back to the very ledger that the checks read. The ledger is not known (zero) if it could not be read.
	// The Outcome is that of Assess, or empty where only those checks matter that need none.
	CheckGuard(context.Context, *v1alpha1.Remediation, *v1alpha1.NodeRepairPolicy, outcome.Outcome, guard.Fact[ledger.Ledger]) (guard.Ruling, error)
}

// Performer performs Remediations. It has no state but the API's, so that any number of Performers may follow each other.
type Performer struct {
	// Client writes; what it lists may come from a cache, and needs no index.
	Client client.Client
	// Reader reads past any cache. Nothing is changed that was not read through it right before.
	Reader    client.Reader
	Records   *record.Records
	Providers cloud.Providers
	Advisor   Advisor
	// Leading says whether this process holds the controller's lease; it is called right before each change.
	Leading func(context.Context) (bool, error)
	Clock   clock.PassiveClock
	// OnUpdate is called with each status that was written; may be nil.
	OnUpdate func(before, after *v1alpha1.Remediation)
}

// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=naosu.dev,resources=noderepairpolicies,verbs=get
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=pods/eviction,verbs=create
// +kubebuilder:rbac:groups=apps,resources=replicasets;statefulsets,verbs=get
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get

// maxTransitions bounds one call of Advance.
const maxTransitions = 32

// Advance performs transitions of one Remediation until it has to wait, and returns after what time to call it again; zero is at the
// next event. The policy is as the caller has it, nil if it is gone. Advance is idempotent and may be retried after an error.
func (p *Performer) Advance(ctx context.Context, name string, policy *v1alpha1.NodeRepairPolicy) (again time.Duration, err error) {
	for range maxTransitions {
		r, err := p.Records.Get(ctx, name)
		if err != nil {
			return 0, client.IgnoreNotFound(err)
		}
		s, err := p.observe(ctx, r, policy)
		if err != nil {
			return 0, err
		}
		m := nextTransition(r, s)
		if m.effect != noEffect || m.writes() {
			if leading, err := p.leads(ctx); err != nil || !leading {
				return 0, err
			}
		}
		wait, err := p.perform(ctx, r, s, m)
		switch {
		case apierrors.IsConflict(err): // The object has changed since it was read: read again.
		case err != nil:
			return 0, err
		case wait > 0 && s.readErr != nil:
			return 0, s.readErr
		case wait > 0 || m.effect == noEffect && !m.writes():
			return wait, nil
		}
	}
	return time.Second, nil
}

func (p *Performer) leads(ctx context.Context) (bool, error) {
	leading, err := p.Leading(ctx)
	if err != nil {
		return false, fmt.Errorf("see whether this process leads: %w", err)
	}
	return leading, nil
}

// perform records a transition, and then has its effect.
func (p *Performer) perform(ctx context.Context, r *v1alpha1.Remediation, s observation, m transition) (again time.Duration, err error) {
	switch m.effect {
	case checkGuard:
		return p.checkGuard(ctx, r, s)
	case actuate:
		return 0, p.actuate(ctx, r, s, m)
	}
	if m.writes() {
		if r, err = p.write(ctx, r, m); err != nil {
			return 0, err
		}
	}
	switch m.effect {
	case cordon:
		err = p.cordon(ctx, r, s.node)
	case evict:
		err = p.evict(ctx, m.pods)
	case uncordon:
		err = p.uncordon(ctx, s.node)
		if apierrors.IsForbidden(err) {
			err = errors.Join(err, p.recordForbidden(ctx, r))
		}
	case finish:
		err = p.finish(ctx, r, s)
	case addFinalizer:
		err = p.Records.AddFinalizer(ctx, r)
	case removeFinalizer:
		err = p.Records.RemoveFinalizer(ctx, r)
	}
	return m.requeueAfter, err
}

package monitor

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// validPeriods is for how many periods the result of a look is valid: on a busy host a look may be late, or missed.
const validPeriods = 3

// LookFunc looks once. It returns evidence of the faults that it finds, and of reasons that are Inapplicable or Unreadable here; reasons that
// it does not mention are well. An error says that nothing could be read.
type LookFunc func(ctx context.Context) ([]evidence.Evidence, error)

// ErrReportedElsewhere is the error of a LookFunc whose reasons another monitor reports for now: no evidence is emitted.
var ErrReportedElsewhere = errors.New("another monitor reports it")

// Periodic is a monitor that looks at something periodically.
type Periodic struct {
	// Title is the monitor's name: the package and the part, such as "network/links".
	Title string
	// IDs are the reasons that a look is about.
	IDs []reason.ID
	// Period is the time between looks. The first comes at once.
	Period time.Duration
	// Source is what is read, for evidence that names no source.
	Source string
	Find   LookFunc
	// Wake triggers a look at once. It may be nil.
	Wake <-chan struct{}
	// Clock is the real one if nil.
	Clock clock.Clock
}

// Name is the Title.
func (m Periodic) Name() string { return m.Title }

// Reasons are those that the looks are about.
func (m Periodic) Reasons() []reason.ID { return m.IDs }

// Look looks once, and emits evidence of every reason.
func (m Periodic) Look(ctx context.Context, emit Emit) error {
	at := m.clock().Now()
	found, err := m.Find(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // The agent is being stopped, which says nothing of the host.
	}
	if errors.Is(err, ErrReportedElsewhere) {
		return nil
	}
	mentioned := map[reason.ID]bool{}
	for _, e := range found {
		mentioned[e.Reason] = mentioned[e.Reason] || e.State == evidence.Inapplicable || e.State == evidence.Unreadable
		emit(m.withDefaults(e, at))
	}
	for _, id := range m.IDs {
		switch {
		case mentioned[id]:
		case err != nil:
			emit(m.withDefaults(evidence.Evidence{Reason: id, State: evidence.Unreadable, Raw: err.Error()}, at))
		default:
			emit(m.withDefaults(evidence.Evidence{Reason: id, State: m.stateWithoutFault(id)}, at))
		}
	}
	return err
}

// stateWithoutFault is the state of a reason at a look that found no fault of it. Of a reason that occurrences tell it is Readable: that there
// was none since the last look revokes no earlier one.
func (Periodic) stateWithoutFault(id reason.ID) evidence.State {
	if r, known := reason.Find(string(id)); known && !r.Polled() {
		return evidence.Readable
	}
	return evidence.Well
}

func (m Periodic) withDefaults(e evidence.Evidence, at time.Time) evidence.Evidence {
	e.At, e.Until, e.Source = at, at.Add(validPeriods*m.Period), cmp.Or(e.Source, m.Source)
	return e
}

// Run looks at once and then every Period, with a jitter of a tenth, so that the nodes of a cluster do not look at the same time. A look that
// fails makes the reasons Unreadable and does not end it.
func (m Periodic) Run(ctx context.Context, emit Emit) error {
	for {
		_ = m.Look(ctx, emit) // The error is in the evidence.
		jittered := m.Period + time.Duration((rand.Float64()-0.5)/5*float64(m.Period))
		timer := m.clock().NewTimer(jittered)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-m.Wake:
			timer.Stop()
		case <-timer.C():
		}
	}
}

func (m Periodic) clock() clock.Clock {
	if m.Clock == nil {
		return clock.RealClock{}
	}
	return m.Clock
}

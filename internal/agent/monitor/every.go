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

// patience is for how many periods a look holds: on a busy host one may be late, or missed.
const patience = 3

// Finding is what one look finds: Faults, and reasons that are Inapplicable or Unreadable here. Reasons that it does not
// mention are well. An error says that nothing could be read.
type Finding func(ctx context.Context) ([]evidence.Evidence, error)

// ErrElsewhere is a Finding's error where another monitor tells of its reasons for now, so that it tells nothing.
var ErrElsewhere = errors.New("another monitor tells of it")

// Every is a monitor that looks at something, time and again.
type Every struct {
	Title string
	Of    []reason.ID
	// Period is the time between looks. The first comes at once.
	Period time.Duration
	// Source is what is read, for evidence that does not say it.
	Source string
	Find   Finding
	// Wake brings the next look forward whenever it is sent to: something has happened. Nil if nothing tells.
	Wake <-chan struct{}
	// Clock is the wall's if nil.
	Clock clock.Clock
}

// Name is the Title.
func (m Every) Name() string { return m.Title }

// Reasons are those that the looks are about.
func (m Every) Reasons() []reason.ID { return m.Of }

// Look finds once, and tells of every reason.
func (m Every) Look(ctx context.Context, tell Tell) error {
	at := m.clock().Now()
	found, err := m.Find(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // Whoever stops the agent is no news of the host.
	}
	if errors.Is(err, ErrElsewhere) {
		return nil
	}
	mentioned := map[reason.ID]bool{}
	for _, e := range found {
		mentioned[e.Reason] = mentioned[e.Reason] || e.State == evidence.Inapplicable || e.State == evidence.Unreadable
		tell(m.stamped(e, at))
	}
	for _, id := range m.Of {
		switch {
		case mentioned[id]:
		case err != nil:
			tell(m.stamped(evidence.Evidence{Reason: id, State: evidence.Unreadable, Raw: err.Error()}, at))
		default:
			tell(m.stamped(evidence.Evidence{Reason: id, State: m.without(id)}, at))
		}
	}
	return err
}

// without is what a look tells of a reason beside its Faults. That nothing occurred since the last look takes no earlier
// occurrence back.
func (Every) without(id reason.ID) evidence.State {
	if r, known := reason.Find(string(id)); known && !r.Looked() {
		return evidence.Readable
	}
	return evidence.Well
}

func (m Every) stamped(e evidence.Evidence, at time.Time) evidence.Evidence {
	e.At, e.Until, e.Source = at, at.Add(patience*m.Period), cmp.Or(e.Source, m.Source)
	return e
}

// Run looks at once and then every Period, give or take a tenth, so that the nodes of a cluster do not do so together. A
// look that fails is told of as such and does not end it.
func (m Every) Run(ctx context.Context, tell Tell) error {
	for {
		_ = m.Look(ctx, tell) // told
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

func (m Every) clock() clock.Clock {
	if m.Clock == nil {
		return clock.RealClock{}
	}
	return m.Clock
}

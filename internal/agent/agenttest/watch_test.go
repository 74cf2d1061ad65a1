package agenttest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// told is a monitor that a test has tell what it likes.
type told struct{ monitor.Emit }

func (*told) Name() string                             { return "told" }
func (*told) Reasons() []reason.ID                     { return nil }
func (*told) Look(context.Context, monitor.Emit) error { return nil }
func (m *told) Run(ctx context.Context, emit monitor.Emit) error {
	m.Emit = emit
	<-ctx.Done()
	return nil
}

// late is a test whose monitor, and which itself, the machine lets run a minute after what they are about.
func late(t *testing.T, id reason.ID, test func(w *agenttest.Watched, told func(evidence.State, time.Duration))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &told{}
		w := agenttest.Watch(t, []monitor.Monitor{m}, agenttest.Sooner(id))
		synctest.Wait()
		test(w, func(state evidence.State, ago time.Duration) {
			at := time.Now().Add(-ago)
			m.Emit(evidence.Evidence{Reason: id, Entity: "a", State: state, At: at, Until: at.Add(time.Second), Raw: string(state)})
		})
	})
}

// What occurred stands for a second, and was told of later than that.
func TestOccurrenceToldLate(t *testing.T) {
	late(t, reason.AppCrash, func(w *agenttest.Watched, told func(evidence.State, time.Duration)) {
		told(evidence.Fault, time.Minute)
		w.Stands(reason.AppCrash, "a")
		w.Goes(reason.AppCrash, "a")
	})
}

// What occurred is over when the test asks.
func TestOccurrenceAskedForLate(t *testing.T) {
	late(t, reason.AppCrash, func(w *agenttest.Watched, told func(evidence.State, time.Duration)) {
		told(evidence.Fault, 0)
		time.Sleep(time.Minute) //nolint:forbidigo // the bubble's clock
		w.Stands(reason.AppCrash, "a", "Fault")
		w.Goes(reason.AppCrash, "a")
	})
}

// A look takes longer than what it finds holds.
func TestLookToldLate(t *testing.T) {
	late(t, reason.InterfaceNotUp, func(w *agenttest.Watched, told func(evidence.State, time.Duration)) {
		told(evidence.Fault, time.Minute)
		w.Stands(reason.InterfaceNotUp, "a")
		go func() { time.Sleep(time.Minute); told(evidence.Well, time.Minute/2) }() //nolint:forbidigo // the bubble's clock
		before := time.Now()
		w.Goes(reason.InterfaceNotUp, "a")
		if time.Since(before) != time.Minute {
			t.Error("gone, though no look has found it so")
		}
	})
}

package agent_test

import (
	"context"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// fixedStates is a monitor that emits states of a reason, one after the other.
type fixedStates struct {
	monitor.Periodic
	states []evidence.State
}

func (m fixedStates) Look(_ context.Context, emit monitor.Emit) error {
	for _, state := range m.states {
		emit(evidence.Evidence{Reason: reason.AppBlocked, State: state, Raw: m.Title})
	}
	return nil
}

// What one of several monitors of a reason cannot read is not known, whatever another says, and whoever says it first.
func TestCheckOfSeveralMonitors(t *testing.T) {
	states := func(states ...evidence.State) []evidence.State { return states }
	for name, tc := range map[string]struct {
		one, other []evidence.State
		want       evidence.State
	}{
		"both read":               {states(evidence.Readable), states(evidence.Readable), evidence.Well},
		"one cannot":              {states(evidence.Unreadable), states(evidence.Readable), evidence.Unreadable},
		"the other cannot":        {states(evidence.Readable), states(evidence.Unreadable), evidence.Unreadable},
		"one can after all":       {states(evidence.Unreadable, evidence.Readable), states(evidence.Readable), evidence.Well},
		"one can no more":         {states(evidence.Readable, evidence.Unreadable), states(evidence.Readable), evidence.Unreadable},
		"the other says nothing":  {states(evidence.Readable), nil, evidence.Well},
		"one is of no use":        {states(evidence.Inapplicable), nil, evidence.Inapplicable},
		"a fault, whatever is so": {states(evidence.Unreadable), states(evidence.Fault), evidence.Fault},
	} {
		r, _ := reason.Find(string(reason.AppBlocked))
		var monitors []monitor.Monitor
		for title, states := range map[string][]evidence.State{"one": tc.one, "other": tc.other} {
			monitors = append(monitors, fixedStates{monitor.Periodic{Title: title, IDs: []reason.ID{reason.AppBlocked}}, states})
		}
		if seen := agent.Check(t.Context(), monitors, []reason.Reason{r}); len(seen) != 1 || seen[0].State != tc.want {
			t.Errorf("%s: %+v, want %s", name, seen, tc.want)
		}
	}
}

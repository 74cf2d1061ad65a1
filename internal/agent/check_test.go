package agent_test

import (
	"context"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// telling is a monitor that tells states of a reason, one after the other.
type telling struct {
	monitor.Periodic
	states []evidence.State
}

func (m telling) Look(_ context.Context, emit monitor.Emit) error {
	for _, state := range m.states {
		emit(evidence.Evidence{Reason: reason.AppBlocked, State: state, Raw: m.Title})
	}
	return nil
}

// What one of several monitors of a reason cannot read is not known, whatever another says, and whoever says it first.
func TestCheckOfSeveralMonitors(t *testing.T) {
	looks := func(states ...evidence.State) []evidence.State { return states }
	for name, tc := range map[string]struct {
		one, other []evidence.State
		want       evidence.State
	}{
		"both read":               {looks(evidence.Readable), looks(evidence.Readable), evidence.Well},
		"one cannot":              {looks(evidence.Unreadable), looks(evidence.Readable), evidence.Unreadable},
		"the other cannot":        {looks(evidence.Readable), looks(evidence.Unreadable), evidence.Unreadable},
		"one can after all":       {looks(evidence.Unreadable, evidence.Readable), looks(evidence.Readable), evidence.Well},
		"one can no more":         {looks(evidence.Readable, evidence.Unreadable), looks(evidence.Readable), evidence.Unreadable},
		"the other says nothing":  {looks(evidence.Readable), nil, evidence.Well},
		"one is of no use":        {looks(evidence.Inapplicable), nil, evidence.Inapplicable},
		"a fault, whatever is so": {looks(evidence.Unreadable), looks(evidence.Fault), evidence.Fault},
	} {
		r, _ := reason.Find(string(reason.AppBlocked))
		var monitors []monitor.Monitor
		for title, states := range map[string][]evidence.State{"one": tc.one, "other": tc.other} {
			monitors = append(monitors, telling{monitor.Periodic{Title: title, IDs: []reason.ID{reason.AppBlocked}}, states})
		}
		if seen := agent.Check(t.Context(), monitors, []reason.Reason{r}); len(seen) != 1 || seen[0].State != tc.want {
			t.Errorf("%s: %+v, want %s", name, seen, tc.want)
		}
	}
}

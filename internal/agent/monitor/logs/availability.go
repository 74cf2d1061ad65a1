package logs

import (
	"slices"
	"strings"
	"sync"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// availability emits which reasons are Unreadable, because one of their logs cannot be read, and which are Inapplicable, because this host
// has none of their logs, or not the hardware that they are about.
type availability struct {
	m        *Monitor
	emit     monitor.Emit
	hardware *devices

	mu      sync.Mutex
	logs    map[string]logState // of those that were opened, or tried to
	emitted map[reason.ID]logState
}

// logState is whether a log can be read, and why not.
type logState struct {
	state evidence.State // Readable, Unreadable or Inapplicable
	why   string
}

func newAvailability(m *Monitor, emit monitor.Emit, positions *positionStore) *availability {
	return &availability{m: m, emit: emit, hardware: &devices{host: m.host, positions: positions}, logs: map[string]logState{}, emitted: map[reason.ID]logState{}}
}

// note records whether a source can be read, and emits what that changes.
func (s *availability) note(from source, err error) {
	now := logState{state: evidence.Readable}
	switch {
	case err != nil && absent(err) && from.optional:
		now = logState{evidence.Inapplicable, err.Error()}
	case err != nil:
		now = logState{evidence.Unreadable, err.Error()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, log := range from.logs {
		s.logs[log] = now
	}
	s.hardware.look(s.m.clock.Now())
	for id, logs := range s.m.logsOf {
		is, known := s.stateOf(logs)
		if none := s.hardware.whyInapplicable(s.m.byID[id]); none != nil {
			is, known = *none, true
		}
		if !known || s.emitted[id] == is {
			continue
		}
		s.emitted[id] = is
		s.emit(evidence.Evidence{Reason: id, State: is.state, At: s.m.clock.Now(), Source: "logs", Raw: is.why})
	}
}

// stateOf is the state of a reason whose lines are in these logs: Unreadable if one of them is, Inapplicable if all are. It is false until
// all were tried.
func (s *availability) stateOf(logs []string) (logState, bool) {
	worst := logState{state: evidence.Inapplicable}
	var why []string
	for _, log := range logs {
		is, tried := s.logs[log]
		if !tried {
			return logState{}, false
		}
		switch {
		case is.state == evidence.Unreadable, worst.state == evidence.Unreadable:
			worst.state = evidence.Unreadable
		case is.state == evidence.Readable:
			worst.state = evidence.Readable
		}
		if is.state != evidence.Readable && is.why != "" && !slices.Contains(why, is.why) {
			why = append(why, is.why)
		}
	}
	if worst.state != evidence.Readable {
		worst.why = strings.Join(why, "; ")
	}
	return worst, true
}

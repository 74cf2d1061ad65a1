package logs

import (
	"slices"
	"strings"
	"sync"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// silence tells which reasons are not to be known, as a log of theirs cannot be read, or are no matter here, as there is
// none of their logs or nothing that they are about.
type silence struct {
	m        *Monitor
	emit     monitor.Emit
	hardware *devices

	mu   sync.Mutex
	logs map[string]condition // of those that were tried
	told map[reason.ID]condition
}

// condition is whether a log can be read, and why not.
type condition struct {
	state evidence.State // Readable, Unreadable or Inapplicable
	why   string
}

func newSilence(m *Monitor, emit monitor.Emit, marks *keeper) *silence {
	return &silence{m: m, emit: emit, hardware: &devices{host: m.host, marks: marks}, logs: map[string]condition{}, told: map[reason.ID]condition{}}
}

// note takes in how it went with a source, and tells what that changes.
func (s *silence) note(from source, err error) {
	now := condition{state: evidence.Readable}
	switch {
	case err != nil && absent(err) && from.optional:
		now = condition{evidence.Inapplicable, err.Error()}
	case err != nil:
		now = condition{evidence.Unreadable, err.Error()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, log := range from.logs {
		s.logs[log] = now
	}
	s.hardware.look(s.m.clock.Now())
	for id, logs := range s.m.logsOf {
		is, known := s.of(logs)
		if none := s.hardware.without(s.m.about[id]); none != nil {
			is, known = *none, true
		}
		if !known || s.told[id] == is {
			continue
		}
		s.told[id] = is
		s.emit(evidence.Evidence{Reason: id, State: is.state, At: s.m.clock.Now(), Source: "logs", Raw: is.why})
	}
}

// of is how it is with a reason that these logs tell of: one that cannot be read may hide it, and if there is none, nor is
// the reason. It is known once all were tried.
func (s *silence) of(logs []string) (condition, bool) {
	worst := condition{state: evidence.Inapplicable}
	var why []string
	for _, log := range logs {
		is, tried := s.logs[log]
		if !tried {
			return condition{}, false
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

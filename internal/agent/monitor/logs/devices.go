package logs

import (
	"fmt"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/hardware"
)

// devices are what accelerators the host has, and had since boot: a GPU that falls off the bus may be gone from it, and is no less
// the node's.
type devices struct {
	host  host.Host
	marks *keeper

	kinds  []reason.Hardware
	err    error
	looked time.Time
	// printable says that processes may write records like the kernel's own.
	printable bool
}

// hardwareMark is what a mark of a kind of hardware is kept by. No log has such a name.
func hardwareMark(kind reason.Hardware) string { return "hardware:" + string(kind) }

// look reads what there is now.
func (d *devices) look(now time.Time) {
	d.looked = now
	found, err := hardware.Find(d.host)
	d.err, d.printable = err, hardware.Printable(d.host)
	past := d.marks.all()
	d.kinds = nil
	for _, kind := range []reason.Hardware{reason.NVIDIA, reason.Neuron} {
		_, was := past[hardwareMark(kind)]
		switch is := slices.Contains(found, kind); {
		case is && !was:
			d.marks.set(hardwareMark(kind), mark{})
			fallthrough
		case is, was:
			d.kinds = append(d.kinds, kind)
		}
	}
}

// without is why a reason cannot stand here, whatever the logs say; nil if it can.
func (d *devices) without(r reason.Reason) *condition {
	switch {
	case r.Hardware != "" && !slices.Contains(d.kinds, r.Hardware) && d.err != nil:
		return &condition{evidence.Unreadable, d.err.Error()}
	case r.Hardware != "" && !slices.Contains(d.kinds, r.Hardware):
		return &condition{evidence.Inapplicable, fmt.Sprintf("no accelerator of the kind %s is in this host", r.Hardware)}
	case r.Records() && d.printable:
		return &condition{evidence.Inapplicable, "any process with a Neuron device may write the kernel's log of this host, and no record of it proves anything"}
	}
	return nil
}

// stale says whether it takes a look to know if a reason may stand here: what was there once, is.
func (d *devices) stale(r reason.Reason, now time.Time) bool {
	return r.Hardware != "" && !slices.Contains(d.kinds, r.Hardware) && now.Sub(d.looked) >= poll
}

// applies says whether a line may be evidence of a reason. What was not there when the log was opened may be there by now, and the
// reason is told of then.
func (s *silence) applies(r reason.Reason) bool {
	if r.Hardware == "" && !r.Records() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hardware.stale(r, s.m.clock.Now()) {
		s.hardware.look(s.m.clock.Now())
	}
	s.hardware.printable = s.hardware.printable || hardware.Printable(s.m.host)
	none := s.hardware.without(r)
	now := condition{state: evidence.Readable}
	if none != nil {
		now = *none
	}
	if was, told := s.told[r.ID]; told && was != now {
		s.told[r.ID] = now
		s.emit(evidence.Evidence{Reason: r.ID, State: now.state, At: s.m.clock.Now(), Source: "logs", Raw: now.why})
	}
	return none == nil
}

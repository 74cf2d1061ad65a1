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

// devices are the kinds of accelerators that the host has, or had since boot: a GPU that has fallen off the bus is still the node's.
type devices struct {
	host      host.Host
	positions *positionStore

	kinds  []reason.Hardware
	err    error
	looked time.Time
	// printable says that processes may write records like the kernel's own.
	printable bool
}

// hardwareKey is the key under which the position store keeps that a kind of hardware was seen. No log has such a name.
func hardwareKey(kind reason.Hardware) string { return "hardware:" + string(kind) }

// look reads what there is now.
func (d *devices) look(now time.Time) {
	d.looked = now
	found, err := hardware.Find(d.host)
	d.err, d.printable = err, hardware.Printable(d.host)
	restored := d.positions.all()
	d.kinds = nil
	for _, kind := range []reason.Hardware{reason.NVIDIA, reason.Neuron} {
		_, was := restored[hardwareKey(kind)]
		switch is := slices.Contains(found, kind); {
		case is && !was:
			d.positions.set(hardwareKey(kind), position{})
			fallthrough
		case is, was:
			d.kinds = append(d.kinds, kind)
		}
	}
}

// whyInapplicable is why a reason cannot stand on this host, whatever the logs hold; nil if it can.
func (d *devices) whyInapplicable(r reason.Reason) *logState {
	switch {
	case r.Hardware != "" && !slices.Contains(d.kinds, r.Hardware) && d.err != nil:
		return &logState{evidence.Unreadable, d.err.Error()}
	case r.Hardware != "" && !slices.Contains(d.kinds, r.Hardware):
		return &logState{evidence.Inapplicable, fmt.Sprintf("no accelerator of the kind %s is in this host", r.Hardware)}
	case r.KernelRecordsOnly() && d.printable:
		return &logState{evidence.Inapplicable, "any process with a Neuron device may write the kernel's log of this host, and no record of it proves anything"}
	}
	return nil
}

// needsLook says whether the hardware must be looked at anew to know if a reason applies: what was seen once stays.
func (d *devices) needsLook(r reason.Reason, now time.Time) bool {
	return r.Hardware != "" && !slices.Contains(d.kinds, r.Hardware) && now.Sub(d.looked) >= pollInterval
}

// applies says whether a line may be evidence of a reason. Hardware that was not there when the log was opened may be there by now; then the
// reason is emitted as Readable.
func (s *availability) applies(r reason.Reason) bool {
	if r.Hardware == "" && !r.KernelRecordsOnly() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hardware.needsLook(r, s.m.clock.Now()) {
		s.hardware.look(s.m.clock.Now())
	}
	s.hardware.printable = s.hardware.printable || hardware.Printable(s.m.host)
	none := s.hardware.whyInapplicable(r)
	now := logState{state: evidence.Readable}
	if none != nil {
		now = *none
	}
	if was, emitted := s.emitted[r.ID]; emitted && was != now {
		s.emitted[r.ID] = now
		s.emit(evidence.Evidence{Reason: r.ID, State: now.state, At: s.m.clock.Now(), Source: "logs", Raw: now.why})
	}
	return none == nil
}

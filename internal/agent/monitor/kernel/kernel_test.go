package kernel

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// This machine, however busy with tests, has none of these faults but its clock, which the sandbox does not keep. Processes of
// other tests, which may have them, are not seen from a PID namespace of its own; their cgroups have a name, and one that wants
// memory may be all that the machine does.
func TestQuietWhenWell(t *testing.T) {
	if !alone(t) {
		return
	}
	for range 2 { // Counters need a look before.
		for _, m := range Monitors(host.Host{}, DefaultOptions()) {
			if err := m.Look(t.Context(), func(e evidence.Evidence) {
				foreign := strings.HasPrefix(e.Entity, "/naosu-") || e.Reason == reason.MemoryPressureStalled // made by the proofs of another run
				if e.State == evidence.Fault && e.Reason != reason.ClockUnsynchronized && !foreign {
					t.Errorf("%s: %s %s: %s", m.Name(), e.Reason, e.Entity, e.Raw)
				}
			}); err != nil {
				t.Errorf("%s: %v", m.Name(), err)
			}
		}
	}
}

// Periodic reason of the catalogue that is this package's is told of by one monitor, and no other is.
func TestReasonsAreTold(t *testing.T) {
	faults := map[reason.ID]int{}
	for _, m := range Monitors(host.Host{Root: t.TempDir()}, DefaultOptions()) {
		for _, id := range m.Reasons() {
			faults[id]++
		}
		// On a host where nothing can be read, nothing is well but what is told by other means than files.
		_ = m.Look(t.Context(), func(e evidence.Evidence) {
			if e.State == evidence.Well && e.Reason != reason.ForkFailedOutOfPIDs && e.Reason != reason.ClockUnsynchronized {
				t.Errorf("%s: %s is well on a host without files", m.Name(), e.Reason)
			}
			if e.State == evidence.Unreadable && e.Raw == "" {
				t.Errorf("%s: %s is unreadable for no reason", m.Name(), e.Reason)
			}
		})
	}
	for id, times := range faults {
		if r, known := reason.Find(string(id)); times != 1 || !known || r.Condition != reason.KernelReady || !r.Polled() && id != reason.AppBlocked {
			t.Errorf("%s is told of %d times, as %+v", id, times, r)
		}
	}
	if len(faults) != 15 {
		t.Errorf("%d reasons", len(faults))
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for text, right := range map[string]bool{"1": true, "70": true, "100": true, "0": false, "101": false, "-1": false, "many": false, "": false} {
		var p Percent
		if err := p.UnmarshalText([]byte(text)); (err == nil) != right {
			t.Errorf("percentage %q: %v", text, err)
		}
	}
	for text, right := range map[string]bool{"1": true, "4000": true, "0": false, "x": false} {
		var c Count
		if err := c.UnmarshalText([]byte(text)); (err == nil) != right {
			t.Errorf("number %q: %v", text, err)
		}
	}
}

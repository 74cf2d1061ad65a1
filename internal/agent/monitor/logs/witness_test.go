package logs

import (
	"fmt"
	"slices"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Lines about lost memory count where a counter says the same.
func TestUncorrectedMemoryErrorNeedsAWitness(t *testing.T) {
	const clean, lost = "MemTotal: 16 kB\nHardwareCorrupted:     0 kB\n", "MemTotal: 16 kB\nHardwareCorrupted:     4 kB\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing can be read":    {nil, nil},
		"no counter says so":     {map[string]string{"/proc/meminfo": clean, "/sys/devices/system/edac/mc/mc0/ue_count": "0\n"}, nil},
		"corrected errors":       {map[string]string{"/proc/meminfo": clean, "/sys/devices/system/edac/mc/mc0/ce_count": "9\n"}, nil},
		"strange":                {map[string]string{"/proc/meminfo": "HardwareCorrupted: lots\n", "/sys/devices/system/edac/mc/mc0/ue_count": "x\n"}, nil},
		"a controller counts it": {map[string]string{"/proc/meminfo": clean, "/sys/devices/system/edac/mc/mc0/ue_count": "0\n", "/sys/devices/system/edac/mc/mc1/ue_count": "1\n"}, []string{"UncorrectedMemoryError"}},
		"memory is given up":     {map[string]string{"/proc/meminfo": lost}, []string{"UncorrectedMemoryError"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := machine(t)
			for path, text := range tc.files {
				put(t, h, path, text)
			}
			kernel := kernelDevice(t, h)
			if _, err := fmt.Fprint(kernel, "3,1,1000000,-;Memory failure: 0x3b1a1f: recovery action for dirty LRU page: Recovered\n"); err != nil {
				t.Fatal(err)
			}
			heard := newListener()
			if err := New(h, DefaultOptions(), reason.Catalogue, "").Look(t.Context(), heard.emit); err != nil {
				t.Fatal(err)
			}
			expect(t, "faults", heard.saw(evidence.Fault), tc.want)
		})
	}
}

// A reason says that its lines need a witness, and has one.
func TestWitnesses(t *testing.T) {
	for _, r := range reason.Catalogue {
		if _, has := witnesses[r.ID]; has != (r.Basis.Kind == reason.Witness) {
			t.Errorf("the basis of %s is %q, but it has a witness: %v", r.ID, r.Basis.Kind, has)
		}
	}
	for id := range witnesses {
		if !slices.ContainsFunc(reason.Catalogue, func(r reason.Reason) bool { return r.ID == id }) {
			t.Errorf("there is no reason %s", id)
		}
	}
}

package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clocks "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Counters of two CPUs over some minutes, a look each: the reason stands once they rose in every look for three minutes, and goes
// after ten in which none did. What they had counted before the first look is of another time.
func TestThermalThrottling(t *testing.T) {
	for name, c := range map[string]struct {
		core, pack []int // of cpu0 and cpu1, a look each; -1 where there is none
		stands     string
	}{
		"none":                           {[]int{7, 7, 7, 7, 7, 7}, []int{0, 0, 0, 0, 0, 0}, "------"},
		"once":                           {[]int{7, 9, 9, 9, 9, 9}, []int{0, 0, 0, 0, 0, 0}, "------"},
		"on and on":                      {[]int{7, 8, 9, 10, 11, 12}, []int{0, 0, 0, 0, 0, 0}, "----++"},
		"here and there":                 {[]int{7, 8, 8, 9, 9, 10}, []int{0, 0, 1, 1, 2, 2}, "----++"},
		"a CPU that is taken away":       {[]int{7, 8, -1, -1, -1, -1}, []int{0, 0, 0, 0, 0, 0}, "------"},
		"a CPU that comes":               {[]int{-1, 9, 9, 9, 9, 9}, []int{0, 0, 0, 0, 0, 0}, "------"},
		"counters that begin anew":       {[]int{7, 1, 1, 1, 1, 1}, []int{9, 0, 0, 0, 0, 0}, "------"},
		"and it goes after ten minutes":  {[]int{0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "----+++++++++++-"},
		"and not while it still happens": {[]int{0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5}, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "----++++++++++++"},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			m := periodic(time.Minute, "throttle", (&throttle{host: h}).find, reason.ThermalThrottling)
			now := clocks.NewFakeClock(time.Now())
			m.Clock = now
			store := evidence.NewStore(reason.Catalogue)
			var stood strings.Builder
			for look := range c.core {
				count(t, h, "cpu0", "core_throttle_count", c.core[look])
				count(t, h, "cpu1", "package_throttle_count", c.pack[look])
				now.Step(time.Minute)
				if err := m.Look(t.Context(), store.Add); err != nil {
					t.Fatal(err)
				}
				stood.WriteByte("-+"[len(store.Snapshot(now.Now()).Standing)])
			}
			if stood.String() != c.stands {
				t.Errorf("stood %s, want %s", stood.String(), c.stands)
			}
		})
	}
}

// Where no CPU counts, as on virtual machines, there is nothing to know; what cannot be read is not known.
func TestThermalThrottlingNotKnown(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	found, err := (&throttle{host: h}).find(t.Context())
	if err != nil || len(found) != 1 || found[0].State != evidence.Inapplicable {
		t.Errorf("%+v, %v", found, err)
	}
	count(t, h, "cpu0", "core_throttle_count", 1)
	if err := os.WriteFile(h.Path("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"), []byte("many\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := (&throttle{host: h}).find(t.Context()); err == nil {
		t.Errorf("%+v", found)
	}
}

// count gives a CPU's counter a value, or takes the CPU away.
func count(t *testing.T, h host.Host, cpu, counter string, value int) {
	t.Helper()
	folder := h.Path(filepath.Join("/sys/devices/system/cpu", cpu, "thermal_throttle"))
	if value < 0 {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, counter), fmt.Appendln(nil, value), 0o600); err != nil {
		t.Fatal(err)
	}
}

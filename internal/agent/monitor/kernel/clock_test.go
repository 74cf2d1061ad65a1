package kernel

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// The clock of this machine is as the monitor says. It is not ours to change.
func TestClockHere(t *testing.T) {
	var now unix.Timex
	if _, err := unix.Adjtimex(&now); err != nil {
		t.Fatal(err)
	}
	w := watch(t, "clock", DefaultOptions())
	if now.Maxerror < 16_000_000 {
		w.Goes(reason.ClockUnsynchronized, "")
		t.Skipf("not run: this machine's clock is synchronized (maxerror %d µs), and no test's to change", now.Maxerror)
	}
	w.Stands(reason.ClockUnsynchronized, "")
}

// answer is a recorded one of adjtimex.
func answer(t *testing.T, file string) (returned int, timex unix.Timex) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/adjtimex", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, is := strings.Cut(lines.Text(), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if name == "#" || !is {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "returned":
			returned = int(n)
		case "status":
			timex.Status = int32(n)
		case "maxerror":
			timex.Maxerror = n
		case "esterror":
			timex.Esterror = n
		}
	}
	return returned, timex
}

// A clock that nothing corrects is set by a time daemon.
func TestClockRecorded(t *testing.T) {
	var file atomic.Value
	file.Store("unsynchronized-6.18.txt")
	look := clock{func(into *unix.Timex) (returned int, _ error) {
		returned, *into = answer(t, file.Load().(string))
		return returned, nil
	}}
	m := periodic(100*time.Millisecond, "clock", look.find, reason.ClockUnsynchronized)
	w := agenttest.Watch(t, []monitor.Monitor{m}, agenttest.Sooner(reason.ClockUnsynchronized))
	w.Stands(reason.ClockUnsynchronized, "")
	file.Store("timesyncd-5.11.txt")
	w.Goes(reason.ClockUnsynchronized, "")
}

func TestClock(t *testing.T) {
	for name, tc := range map[string]struct {
		timex unix.Timex
		want  []string
	}{
		"well": {unix.Timex{Status: unix.STA_PLL | unix.STA_NANO, Maxerror: 12_000}, nil},
		// The daemon sets the clock and leaves the kernel's flag, lest the kernel write the hardware's clock:
		// https://github.com/systemd/systemd/pull/13245
		"chrony without rtcsync":       {unix.Timex{Status: unix.STA_UNSYNC, Maxerror: 40_000}, nil},
		"no answer for eight hours":    {unix.Timex{Status: unix.STA_PLL, Maxerror: 15_999_500}, nil},
		"no answer for nine hours":     {unix.Timex{Status: unix.STA_PLL | unix.STA_UNSYNC, Maxerror: 16_000_000}, []string{"ClockUnsynchronized Fault "}},
		"a leap second is to be added": {unix.Timex{Status: unix.STA_PLL | unix.STA_INS, Maxerror: 500}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := clock{func(into *unix.Timex) (int, error) { *into = tc.timex; return 0, nil }}.find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			compare(t, tc.want, found)
		})
	}
	if _, err := (clock{func(*unix.Timex) (int, error) { return 0, unix.EPERM }}).find(t.Context()); err == nil {
		t.Error("a clock that may not be asked about is well")
	}
}

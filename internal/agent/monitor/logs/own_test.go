package logs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// degraded is an own reason that needs a witness.
func degraded(witness reason.SecondWitness) reason.Reason {
	return reason.Reason{
		ID: "RaidDegraded", Condition: reason.StorageReady, Severity: reason.Fatal, Own: "raid.patterns.yaml", Witness: witness,
		Matches: []reason.Match{{Log: "kernel", Pattern: `^md/raid1:(?P<entity>[^:]+): Disk failure on \S+, disabling device`}},
		Needs:   reason.Needs{Count: 2, Within: time.Hour}, Clears: reason.Clears{Quiet: time.Hour},
	}
}

// Lines of an own reason count while its witness agrees. One that cannot be asked makes the reason unknown; one that this host has not
// is of no other host.
func TestOwnWitness(t *testing.T) {
	counter := reason.SecondWitness{Counter: "/sys/block/md*/md/degraded"}
	for name, tc := range map[string]struct {
		witness reason.SecondWitness
		files   map[string]string
		faults  int
		unknown bool
	}{
		"a counter above zero":     {counter, map[string]string{"/sys/block/md0/md/degraded": "0\n", "/sys/block/md1/md/degraded": "1\n"}, 2, false},
		"a counter of zero":        {counter, map[string]string{"/sys/block/md0/md/degraded": "0\n"}, 0, false},
		"no counter":               {counter, nil, 0, false},
		"no number":                {counter, map[string]string{"/sys/block/md0/md/degraded": "yes\n"}, 0, true},
		"below zero":               {counter, map[string]string{"/sys/block/md0/md/degraded": "-1\n"}, 0, true},
		"no number, and a counter": {counter, map[string]string{"/sys/block/md0/md/degraded": "\n", "/sys/block/md1/md/degraded": "1\n"}, 2, false},
		"no systemd":               {reason.SecondWitness{Unit: "raid.service"}, nil, 0, false},
		"systemd does not answer":  {reason.SecondWitness{Unit: "raid.service"}, map[string]string{"/run/dbus/system_bus_socket": ""}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := machine(t)
			for path, text := range tc.files {
				put(t, h, path, text)
			}
			kernel := kernelDevice(t, h)
			for i := range 2 {
				if _, err := fmt.Fprintf(kernel, "3,%d,1000000,-;md/raid1:md0: Disk failure on sda1, disabling device.\n", i); err != nil {
					t.Fatal(err)
				}
			}
			r := degraded(tc.witness)
			store, heard := evidence.NewStore([]reason.Reason{r}), newListener()
			if err := New(h, DefaultOptions(), []reason.Reason{r}, "").Look(t.Context(), heard.emit); err != nil {
				t.Fatal(err)
			}
			var at time.Time // The lines are of the time of boot.
			for _, e := range heard.emitted {
				store.Add(e)
				if e.State == evidence.Fault {
					at = e.At
				}
			}
			if got := heard.saw(evidence.Fault); len(got) != tc.faults {
				t.Errorf("faults: %v, want %d", got, tc.faults)
			}
			p := store.Snapshot(at)
			if (len(p.Standing) > 0) != (tc.faults > 0) || (len(p.Unknown) > 0) != tc.unknown {
				t.Errorf("standing %v, unknown %v; want %d faults, unknown %v", p.Standing, p.Unknown, tc.faults, tc.unknown)
			}
			status := kube.True
			if tc.faults > 0 {
				status = kube.False
			} else if tc.unknown {
				status = kube.Unknown
			}
			verdict := report.Verdict(p, reason.StorageReady, r)
			if verdict.Status != status || tc.faults > 0 && (verdict.Reason != "RaidDegraded" || !strings.HasPrefix(verdict.Message, "RaidDegraded md0 since ")) {
				t.Errorf("the condition is %+v, want %s", verdict, status)
			}
		})
	}
}

// A flood of lines asks the witness once a second.
func TestOwnWitnessIsNotAskedByEachLine(t *testing.T) {
	h := machine(t)
	put(t, h, "/sys/block/md0/md/degraded", "1\n")
	m := New(h, DefaultOptions(), []reason.Reason{degraded(reason.SecondWitness{Counter: "/sys/block/md0/md/degraded"})}, "")
	own := m.witnesses["RaidDegraded"]
	if agrees, err := own.ask(); !agrees || err != nil {
		t.Fatal(agrees, err)
	}
	if err := os.Remove(h.Path("/sys/block/md0/md/degraded")); err != nil {
		t.Fatal(err)
	}
	if agrees, err := own.ask(); !agrees || err != nil {
		t.Error("it is asked again at once:", agrees, err)
	}
	own.asked = own.asked.Add(-witnessAge)
	if agrees, err := own.ask(); agrees || err == nil {
		t.Error("it is not asked again a second later")
	}
}

// What a line makes of the entity is text on one line, and short.
func TestEntitiesAreOneShortLine(t *testing.T) {
	of := compile([]reason.Reason{{ID: "Own", Matches: []reason.Match{{Log: "unit:a.service", Pattern: `(?s)^disk (?P<entity>.+)`}}}})["unit:a.service"]
	for text, want := range map[string]string{
		"disk a\nWarning forged\x1b[31m \xff": "a Warning forged [31m \uFFFD",
		"disk " + strings.Repeat("x", 1000):   strings.Repeat("x", maxEntity),
	} {
		if results := of.match(text); !slices.Equal(results, []matchResult{{reason: "Own", entity: want}}) {
			t.Errorf("%q: %v, want %v", text, results, want)
		}
	}
}

// A fault is logged, and shows in its witness a little later: the lines count then, each once, and old ones do not.
func TestLinesWaitForTheirWitness(t *testing.T) {
	h := machine(t)
	put(t, h, "/sys/block/md0/md/degraded", "0\n")
	r := degraded(reason.SecondWitness{Counter: "/sys/block/md0/md/degraded"})
	other := r
	other.ID, other.Witness, other.Severity = "RaidSeen", reason.SecondWitness{}, reason.Warning
	m := New(h, DefaultOptions(), []reason.Reason{r, other}, "")
	now := clocktesting.NewFakeClock(time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC))
	m.clock = now
	heard := newListener()
	positions := newPositionStore("", "", now)
	w := &watch{m: m, emit: heard.emit, availability: newAvailability(m, heard.emit, positions), positions: positions}
	seen := func(ago time.Duration, disk string) {
		w.handle(line{log: kernelLog, at: now.Now().Add(-ago), text: "md/raid1:" + disk + ": Disk failure on sda1, disabling device."})
	}
	seen(2*time.Hour, "md7")
	seen(time.Minute, "md0")
	seen(0, "md0")
	pendingLines := source{name: witnessLog(r.ID), logs: []string{witnessLog(r.ID)}, open: m.witnesses[r.ID].open, optional: true}
	read := func() {
		t.Helper()
		now.Step(retryDelay)
		if err := w.read(t.Context(), pendingLines, lineReader.next); err != nil {
			t.Fatal(err)
		}
	}
	read()
	expect(t, "before it agrees", heard.saw(evidence.Fault), []string{"RaidSeen md0", "RaidSeen md0", "RaidSeen md7"})
	put(t, h, "/sys/block/md0/md/degraded", "1\n")
	read()
	read()
	seen(0, "md0")
	expect(t, "after", heard.saw(evidence.Fault)[3:], []string{"RaidDegraded md0", "RaidDegraded md0", "RaidDegraded md0", "RaidSeen md0"})
}

// A flood of lines that wait keeps the last of them.
func TestLinesThatWaitAreBounded(t *testing.T) {
	own := &witness{}
	own.enqueue(line{text: "0"}) // As for another entity of the same line.
	for i := range 3 * maxPending {
		own.enqueue(line{text: fmt.Sprint(i)})
	}
	if len(own.pending) != maxPending || own.pending[0].text != fmt.Sprint(2*maxPending) {
		t.Errorf("%d wait, from %q", len(own.pending), own.pending[0].text)
	}
}

// A service that has failed is a witness, and one that runs is none.
func TestOwnWitnessOfSystemd(t *testing.T) {
	machine := systemdtest.Start(t)
	machine.Unit("raid.service", "[Service]\nExecStart=/bin/sleep infinity\n")
	machine.Systemctl("start", "raid.service")
	own := New(machine.Host, DefaultOptions(), []reason.Reason{degraded(reason.SecondWitness{Unit: "raid.service"})}, "").witnesses["RaidDegraded"]
	if agrees, err := own.ask(); agrees || err != nil {
		t.Errorf("while it runs: %v, %v", agrees, err)
	}
	machine.Unit("raid.service", "[Service]\nExecStart=/bin/sh -c 'exit 3'\n")
	machine.Systemctl("restart", "--wait", "raid.service")
	own.asked = time.Time{}
	if agrees, err := own.ask(); !agrees || err != nil {
		t.Errorf("once it has failed: %v, %v", agrees, err)
	}
	own.of.Unit, own.asked = "never.service", time.Time{}
	if agrees, err := own.ask(); agrees || err != nil {
		t.Errorf("one that is not there: %v, %v", agrees, err)
	}
}

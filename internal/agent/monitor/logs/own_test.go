package logs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
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
			book, heard := evidence.NewBook([]reason.Reason{r}), newListener()
			if err := New(h, DefaultOptions(), []reason.Reason{r}, "").Look(t.Context(), heard.tell); err != nil {
				t.Fatal(err)
			}
			var at time.Time // The lines are of the time of boot.
			for _, e := range heard.told {
				book.Note(e)
				if e.State == evidence.Fault {
					at = e.At
				}
			}
			if got := heard.saw(evidence.Fault); len(got) != tc.faults {
				t.Errorf("faults: %v, want %d", got, tc.faults)
			}
			p := book.Picture(at)
			if (len(p.Standing) > 0) != (tc.faults > 0) || (len(p.Unknown) > 0) != tc.unknown {
				t.Errorf("standing %v, unknown %v; want %d faults, unknown %v", p.Standing, p.Unknown, tc.faults, tc.unknown)
			}
			if len(p.Standing) > 0 && p.Standing[0].Entity != "md0" {
				t.Errorf("it stands for %q", p.Standing[0].Entity)
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
		if hits := of.match(text); !slices.Equal(hits, []hit{{"Own", want}}) {
			t.Errorf("%q: %q, want %q", text, hits, want)
		}
	}
}

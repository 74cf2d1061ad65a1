package evidence_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

var (
	start = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	// crashed counts lines, down is looked at.
	crashed = reason.Reason{ID: "Crashed", Severity: reason.Warning, Needs: reason.Needs{Count: 2, Within: time.Minute}, Clears: reason.Clears{Quiet: 10 * time.Minute}}
	down    = reason.Reason{ID: "Down", Severity: reason.Fatal, Needs: reason.Needs{For: 10 * time.Second}, Clears: reason.Clears{For: 20 * time.Second}}
	off     = reason.Reason{ID: "Quirk", Severity: reason.Off, Needs: reason.Needs{Count: 1, Within: time.Minute}, Clears: reason.Clears{Quiet: time.Minute}}
)

// at is evidence some seconds after the start.
func at(seconds int, id reason.ID, state evidence.State, entity string) evidence.Evidence {
	e := evidence.Evidence{Reason: id, State: state, Entity: entity, At: start.Add(time.Duration(seconds) * time.Second)}
	if id == down.ID {
		e.Until = e.At.Add(30 * time.Second)
	}
	return e
}

func TestStore(t *testing.T) {
	const fault, well = evidence.Fault, evidence.Well
	for name, tc := range map[string]struct {
		told []evidence.Evidence
		// now is in seconds after the start; stands is "Reason entity".
		now     int
		stands  []string
		unknown bool // whether Down is
	}{
		"one line is not enough":              {told: []evidence.Evidence{at(0, "Crashed", fault, "a")}, now: 1},
		"two lines are":                       {told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(50, "Crashed", fault, "a")}, now: 50, stands: []string{"Crashed a"}},
		"two lines of two entities are not":   {told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(1, "Crashed", fault, "b")}, now: 2},
		"two lines too far apart are not":     {told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(61, "Crashed", fault, "a")}, now: 61},
		"the third of which two are close is": {told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(61, "Crashed", fault, "a"), at(90, "Crashed", fault, "a")}, now: 90, stands: []string{"Crashed a"}},
		"it stays until it was quiet":         {told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(1, "Crashed", fault, "a")}, now: 600, stands: []string{"Crashed a"}},
		"and goes then":                       {told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(1, "Crashed", fault, "a")}, now: 601},
		"a positive check clears at once":     {told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(1, "Crashed", fault, "a"), at(2, "Crashed", well, "a")}, now: 3},
		"a log that is there again clears nothing": {
			told: []evidence.Evidence{at(0, "Crashed", fault, "a"), at(1, "Crashed", fault, "a"), at(2, "Crashed", evidence.Readable, "")}, now: 3, stands: []string{"Crashed a"},
		},
		"one look is not enough":     {told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(0, "Down", well, "")}, now: 1},
		"looks over ten seconds are": {told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(10, "Down", fault, "eth1"), at(10, "Down", well, "")}, now: 11, stands: []string{"Down eth1"}},
		"looks at the node itself are": {
			told: []evidence.Evidence{at(0, "Down", fault, ""), at(0, "Down", well, ""), at(10, "Down", fault, ""), at(10, "Down", well, "")}, now: 11, stands: []string{"Down "},
		},
		"a look between takes it back":  {told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(5, "Down", well, ""), at(10, "Down", fault, "eth1")}, now: 11},
		"one good look does not end it": {told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(10, "Down", fault, "eth1"), at(20, "Down", well, "")}, now: 21, stands: []string{"Down eth1"}},
		"good looks over twenty seconds do": {
			told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(10, "Down", fault, "eth1"), at(20, "Down", well, ""), at(40, "Down", well, "")}, now: 41,
		},
		"a bad one among them begins anew": {
			told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(10, "Down", fault, "eth1"), at(20, "Down", well, ""), at(30, "Down", fault, "eth1"), at(40, "Down", well, "")},
			now:  41, stands: []string{"Down eth1"},
		},
		"an entity that is well does not clear another": {
			told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(10, "Down", fault, "eth1"), at(20, "Down", well, "eth0"), at(40, "Down", well, "eth0")}, now: 41, stands: []string{"Down eth1"},
		},
		"nobody has looked yet":       {now: 0, unknown: true},
		"nobody looks any more":       {told: []evidence.Evidence{at(0, "Down", fault, "eth1"), at(10, "Down", fault, "eth1")}, now: 41, unknown: true},
		"it can be read no more":      {told: []evidence.Evidence{at(0, "Down", well, ""), at(1, "Down", evidence.Unreadable, "")}, now: 2, unknown: true},
		"what is not here is well":    {told: []evidence.Evidence{at(0, "Down", evidence.Inapplicable, "")}, now: 2},
		"a drill is no evidence":      {told: []evidence.Evidence{{Reason: "Crashed", State: fault, At: start, Drill: "n"}, {Reason: "Crashed", State: fault, At: start, Drill: "n"}}, now: 0},
		"nobody asks for what is off": {told: []evidence.Evidence{at(0, "Quirk", fault, "")}, now: 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := evidence.NewStore([]reason.Reason{crashed, down, off})
			for _, e := range tc.told {
				b.Add(e)
			}
			snapshot := b.Snapshot(start.Add(time.Duration(tc.now) * time.Second))
			var stands []string
			for _, s := range snapshot.Standing {
				stands = append(stands, string(s.Reason)+" "+s.Entity)
			}
			if diff := cmp.Diff(tc.stands, stands); diff != "" {
				t.Errorf("what stands (-want +got):\n%s", diff)
			}
			if unknown := len(snapshot.Unknown) > 0; len(tc.told) > 0 && tc.told[0].Reason == down.ID && unknown != tc.unknown {
				t.Errorf("it is unknown: %v, want %v", unknown, tc.unknown)
			}
		})
	}
}

func TestUnreported(t *testing.T) {
	if unknown := evidence.NewStore([]reason.Reason{down, crashed}).Snapshot(start).Unknown; len(unknown) != 1 || unknown[0].Reason != down.ID {
		t.Errorf("unknown is %v, want Down", unknown)
	}
}

// The snapshot says itself when to look again, and nothing changes before.
func TestSnapshotChangesAt(t *testing.T) {
	b := evidence.NewStore([]reason.Reason{crashed})
	b.Add(at(0, "Crashed", evidence.Fault, "a"))
	b.Add(at(1, "Crashed", evidence.Fault, "a"))
	snapshot := b.Snapshot(start.Add(2 * time.Second))
	if want := start.Add(601 * time.Second); !snapshot.ChangesAt.Equal(want) {
		t.Fatalf("next is %v, want %v", snapshot.ChangesAt, want)
	}
	if before := b.Snapshot(snapshot.ChangesAt.Add(-time.Nanosecond)); len(before.Standing) != 1 {
		t.Errorf("just before, %v stands", before.Standing)
	}
	if then := b.Snapshot(snapshot.ChangesAt); len(then.Standing) != 0 || !then.ChangesAt.IsZero() {
		t.Errorf("then, %v stands, next %v", then.Standing, then.ChangesAt)
	}
}

// A flood of entities is forgotten from its beginning.
func TestStoreIsBounded(t *testing.T) {
	b := evidence.NewStore([]reason.Reason{crashed})
	for i := range 10_000 {
		entity := string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		b.Add(at(i/1000, "Crashed", evidence.Fault, entity))
		b.Add(at(i/1000, "Crashed", evidence.Fault, entity))
	}
	standing := b.Snapshot(start.Add(10 * time.Second)).Standing
	if len(standing) != 64 {
		t.Errorf("%d entities are kept, want 64", len(standing))
	}
}

func TestSaveAndRestore(t *testing.T) {
	before := evidence.NewStore([]reason.Reason{crashed, down})
	for _, e := range []evidence.Evidence{
		at(0, "Crashed", evidence.Fault, "a"), at(1, "Crashed", evidence.Fault, "a"), at(1, "Crashed", evidence.Fault, "b"),
		at(0, "Down", evidence.Fault, "eth1"), at(10, "Down", evidence.Fault, "eth1"),
	} {
		before.Add(e)
	}
	data, err := before.Save("boot-1")
	if err != nil {
		t.Fatal(err)
	}
	restart := start.Add(5 * time.Minute)

	after := evidence.NewStore([]reason.Reason{crashed, down})
	if err := after.Restore(data, "boot-1", restart); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Snapshot(start.Add(20*time.Second)).Standing, after.Snapshot(restart).Standing); diff != "" {
		t.Errorf("what stands after a restart (-before +after):\n%s", diff)
	}

	rebooted := evidence.NewStore([]reason.Reason{crashed, down})
	if err := rebooted.Restore(data, "boot-2", restart); err != nil {
		t.Fatal(err)
	}
	if standing := rebooted.Snapshot(restart).Standing; len(standing) > 0 {
		t.Errorf("after a reboot %v stands", standing)
	}
	if err := rebooted.Restore([]byte("{"), "boot-2", restart); err == nil {
		t.Error("half a file is taken for a whole one")
	}
}

// A clock that was put back makes nothing stand for longer than it would: what was kept is of the past.
func TestRestoreAfterTheClockWasPutBack(t *testing.T) {
	before := evidence.NewStore([]reason.Reason{crashed})
	before.Add(at(0, "Crashed", evidence.Fault, "a"))
	before.Add(at(1, "Crashed", evidence.Fault, "a"))
	data, err := before.Save("boot-1")
	if err != nil {
		t.Fatal(err)
	}
	after := evidence.NewStore([]reason.Reason{crashed})
	back := start.Add(-8 * time.Hour)
	if err := after.Restore(data, "boot-1", back); err != nil {
		t.Fatal(err)
	}
	for i, wait := range []time.Duration{time.Minute, crashed.Clears.Quiet} {
		want := 1 - i
		if standing := after.Snapshot(back.Add(wait)).Standing; len(standing) != want {
			t.Errorf("%v later %v stands", wait, standing)
		}
	}
}

// A snapshot that asked to be looked at now would be looked at for ever.
func TestSnapshotChangesLater(t *testing.T) {
	b := evidence.NewStore([]reason.Reason{crashed, down})
	b.Add(at(0, "Down", evidence.Fault, "eth1"))
	b.Add(at(0, "Crashed", evidence.Fault, "a"))
	b.Add(at(1, "Crashed", evidence.Fault, "a"))
	for seconds := range 700 {
		now := start.Add(time.Duration(seconds) * time.Second)
		if next := b.Snapshot(now).ChangesAt; !next.IsZero() && !next.After(now) {
			t.Fatalf("after %d s, next is %v", seconds, next)
		}
	}
}

// A drill's Store takes its own evidence and no other's: neither the node's faults nor another drill's.
func TestDrillStore(t *testing.T) {
	for nonce, stands := range map[string]int{"mine": 1, "": 0, "another": 0} {
		b := evidence.NewDrillStore([]reason.Reason{crashed}, "mine")
		for _, second := range []int{0, 1} {
			e := at(second, "Crashed", evidence.Fault, "a")
			e.Drill = nonce
			b.Add(e)
		}
		if p := b.Snapshot(start.Add(time.Second)); len(p.Standing) != stands {
			t.Errorf("of drill %q: %d stand, want %d", nonce, len(p.Standing), stands)
		}
	}
}

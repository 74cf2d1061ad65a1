package cloud

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPlacement(t *testing.T) {
	tests := map[string]struct {
		group GroupSpec
		then  func(*fixture)
		want  map[string]int
	}{
		"two over three zones leave the last of the order empty": {
			group: workers(2, 6),
			want:  map[string]int{"us-east-1a": 1, "us-east-1b": 1},
		},
		"a scenario may set another order": {
			group: GroupSpec{Name: "workers", InstanceType: "m5.large", Desired: 2, ZoneOrder: []string{"us-east-1c", "us-east-1a"}},
			want:  map[string]int{"us-east-1a": 1, "us-east-1c": 1},
		},
		"growth goes to the zones with fewest": {
			group: workers(2, 6),
			then:  func(b *fixture) { b.must(b.SetDesired("workers", 6)) },
			want:  map[string]int{"us-east-1a": 2, "us-east-1b": 2, "us-east-1c": 2},
		},
		"a group may keep to some zones": {
			group: GroupSpec{Name: "workers", InstanceType: "m5.large", Desired: 4, Zones: []string{"us-east-1b", "us-east-1c"}},
			want:  map[string]int{"us-east-1b": 2, "us-east-1c": 2},
		},
		"a lost zone is passed over": {
			group: workers(1, 6),
			then: func(b *fixture) {
				b.must(b.LoseZone("us-east-1b"))
				b.must(b.SetDesired("workers", 4))
			},
			want: map[string]int{"us-east-1a": 2, "us-east-1c": 2},
		},
		"what a lost zone was launching is launched elsewhere": {
			group: workers(1, 6),
			then: func(b *fixture) {
				b.must(b.SetDesired("workers", 3))
				b.must(b.LoseZone("us-east-1b"))
			},
			want: map[string]int{"us-east-1a": 2, "us-east-1c": 1},
		},
		"a zone that is back is filled again": {
			group: workers(1, 6),
			then: func(b *fixture) {
				b.must(b.LoseZone("us-east-1b"))
				b.must(b.SetDesired("workers", 6))
				b.advanceBy(time.Minute)
				b.must(b.RestoreZone("us-east-1b"))
			},
			want: map[string]int{"us-east-1a": 2, "us-east-1b": 2, "us-east-1c": 2},
		},
		"with AZRebalance suspended it stays empty": {
			group: GroupSpec{
				Name: "workers", InstanceType: "m5.large", Desired: 0, Max: 6, SuspendedProcesses: []string{"AZRebalance"},
				ZoneOrder: []string{"us-east-1a", "us-east-1b", "us-east-1c"},
			},
			then: func(b *fixture) {
				b.must(b.LoseZone("us-east-1b"))
				b.must(b.SetDesired("workers", 6))
				b.advanceBy(time.Minute)
				b.must(b.RestoreZone("us-east-1b"))
			},
			want: map[string]int{"us-east-1a": 3, "us-east-1c": 3},
		},
		"a terminated instance is replaced where it stood": {
			group: workers(3, 6),
			then:  func(b *fixture) { b.must(b.Terminate(b.inZone("workers", "us-east-1b").ID, false)) },
			want:  map[string]int{"us-east-1a": 1, "us-east-1b": 1, "us-east-1c": 1},
		},
		"scale-in by hand that leaves a group lopsided is evened out": {
			group: workers(4, 6),
			then:  func(b *fixture) { b.must(b.Terminate(b.inZone("workers", "us-east-1c").ID, true)) },
			want:  map[string]int{"us-east-1a": 1, "us-east-1b": 1, "us-east-1c": 1},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := started(t, test.group)
			if test.then != nil {
				test.then(b)
			}
			b.advanceBy(time.Hour / 2)
			if diff := cmp.Diff(test.want, b.zones("workers")); diff != "" {
				t.Errorf("instances by zone (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScaleInTakesAnOldest(t *testing.T) {
	b := started(t, GroupSpec{Name: "workers", InstanceType: "m5.large", Zones: []string{"us-east-1a"}, Desired: 2, Max: 4})
	first, second := b.members("workers")[0], b.members("workers")[1]
	b.advanceBy(time.Minute)
	b.must(b.SetDesired("workers", 3))
	third := b.members("workers")[2]

	b.must(b.SetDesired("workers", 2))
	gone := map[string]bool{first.ID: b.instance(first.ID).State == ShuttingDown, second.ID: b.instance(second.ID).State == ShuttingDown}
	if gone[first.ID] == gone[second.ID] {
		t.Errorf("of the two oldest instances exactly one should end, got %v", gone)
	}
	if state := b.instance(third.ID).State; state != Pending {
		t.Errorf("the newest instance is %s, want it to stay", state)
	}
}

// Rebalancing must not take an instance away before its replacement is up.
func TestRebalanceLaunchesBeforeItTerminates(t *testing.T) {
	b := started(t, workers(1, 4))
	b.must(b.LoseZone("us-east-1c"))
	b.must(b.SetDesired("workers", 4))
	b.advanceBy(time.Minute)
	b.must(b.RestoreZone("us-east-1c"))

	b.advanceBy(defaultBootDelay - time.Second)
	if got, want := len(b.members("workers")), 5; got != want {
		t.Errorf("while the new instance boots the group has %d instances, want %d", got, want)
	}
	b.advanceBy(time.Second)
	if got, want := len(b.members("workers")), 4; got != want {
		t.Errorf("once it is up the group has %d instances, want %d", got, want)
	}
}

func TestLaunchSuspended(t *testing.T) {
	spec := workers(3, 3)
	spec.SuspendedProcesses = []string{"Launch"}
	b := started(t, spec)
	if got := len(b.members("workers")); got != 3 {
		t.Fatalf("the group begins with %d instances, want 3", got)
	}
	b.must(b.Terminate(b.members("workers")[0].ID, false))
	b.advanceBy(time.Hour)
	if got := len(b.members("workers")); got != 2 {
		t.Errorf("while it launches nothing the group has %d instances, want 2", got)
	}
	b.must(b.Suspend("workers", false))
	if got := len(b.members("workers")); got != 3 {
		t.Errorf("when it launches again the group has %d instances, want 3", got)
	}
	b.must(b.Suspend("workers", true, "Launch"))
	b.must(b.Terminate(b.members("workers")[0].ID, false))
	if got := len(b.members("workers")); got != 2 {
		t.Errorf("suspended again the group has %d instances, want 2", got)
	}
}

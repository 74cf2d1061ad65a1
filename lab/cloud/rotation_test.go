package cloud

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Story 1: three nodes in three zones are replaced by two, which come up in 1a and 1b.
func TestRotationLeavesZoneEmpty(t *testing.T) {
	for _, old := range []OldInstances{OldTerminate, OldStop, OldLeave} {
		t.Run(string(old), func(t *testing.T) {
			b := started(t, workers(3, 6))
			before := b.members("workers")

			b.must(b.Rotate("workers", Rotation{Desired: new(2), Old: old}))
			b.advanceBy(10 * time.Minute)

			if diff := cmp.Diff(map[string]int{"us-east-1a": 1, "us-east-1b": 1}, b.zones("workers")); diff != "" {
				t.Errorf("new instances by zone (-want +got):\n%s", diff)
			}
			want := map[OldInstances]InstanceState{OldTerminate: Terminated, OldStop: Stopped, OldLeave: Running}[old]
			for _, i := range before {
				if got := b.instance(i.ID).State; got != want {
					t.Errorf("old instance in %s is %s, want %s", i.Zone, got, want)
				}
			}
			for _, i := range b.members("workers") {
				if i.LaunchVersion != 2 {
					t.Errorf("instance %s is of launch version %d, want 2", i.ID, i.LaunchVersion)
				}
			}

			b.must(b.SetDesired("workers", 3))
			b.advanceBy(time.Minute)
			if got := b.zones("workers")["us-east-1c"]; got != 1 {
				t.Errorf("after the resize 1c holds %d instances, want 1", got)
			}
		})
	}
}

func TestRotationKeepsOldUntilNewAreUp(t *testing.T) {
	b := started(t, workers(3, 6))
	before := b.members("workers")
	b.must(b.Rotate("workers", Rotation{}))
	b.advanceBy(defaultBootDelay - time.Second)
	for _, i := range before {
		if got := b.instance(i.ID).State; got != Running {
			t.Errorf("while the new instances boot, old %s is %s", i.ID, got)
		}
	}
	b.advanceBy(time.Second)
	for _, i := range before {
		if got := b.instance(i.ID).State; got != ShuttingDown {
			t.Errorf("once the new instances are up, old %s is %s", i.ID, got)
		}
	}
}

func TestRotationOldLeave(t *testing.T) {
	b := started(t, workers(3, 6))
	left := b.inZone("workers", "us-east-1c")
	b.must(b.Rotate("workers", Rotation{Desired: new(2), Old: OldLeave}))
	b.advanceBy(time.Minute)
	b.must(b.Terminate(left.ID, false))
	b.advanceBy(10 * time.Minute)
	if got, want := b.instance(left.ID).State, Terminated; got != want {
		t.Errorf("the old instance is %s, want %s", got, want)
	}
	if diff := cmp.Diff(map[string]int{"us-east-1a": 1, "us-east-1b": 1}, b.zones("workers")); diff != "" {
		t.Errorf("instances by zone (-want +got):\n%s", diff)
	}
}

func TestRotationIntoOtherZones(t *testing.T) {
	b := started(t, workers(3, 6))
	b.must(b.Rotate("workers", Rotation{Zones: []string{"us-east-1b"}}))
	b.advanceBy(10 * time.Minute)
	if diff := cmp.Diff(map[string]int{"us-east-1b": 3}, b.zones("workers")); diff != "" {
		t.Errorf("instances by zone (-want +got):\n%s", diff)
	}
}

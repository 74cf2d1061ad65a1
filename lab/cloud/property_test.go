package cloud

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever is asked of a group, once it has settled with all zones healthy it has its desired size, and its zones differ
// by no more than one instance.
func TestSettledGroupsAreEven(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newFixture(t, Options{Spec: Spec{
			Seed:   rapid.Uint64().Draw(rt, "seed"),
			Groups: []GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 3, Max: 30}},
		}})
		zone := rapid.SampledFrom(b.Zones())
		rt.Repeat(map[string]func(*rapid.T){
			"resize": func(rt *rapid.T) { b.must(b.SetDesired("workers", rapid.IntRange(0, 30).Draw(rt, "desired"))) },
			"lose":   func(rt *rapid.T) { b.must(b.LoseZone(zone.Draw(rt, "zone"))) },
			"restore": func(rt *rapid.T) {
				b.must(b.RestoreZone(zone.Draw(rt, "zone")))
			},
			"rotate": func(rt *rapid.T) {
				old := rapid.SampledFrom([]OldInstances{OldTerminate, OldStop, OldLeave}).Draw(rt, "old")
				b.must(b.Rotate("workers", Rotation{Old: old}))
			},
			"terminate": func(rt *rapid.T) {
				if i, some := drawMember(rt, b); some {
					decrement := rapid.Bool().Draw(rt, "decrement") && b.Groups()[0].Desired > 0
					b.must(b.Terminate(i.ID, decrement))
				}
			},
			"stop and start": func(rt *rapid.T) {
				if i, some := drawMember(rt, b); some && i.State == Running {
					b.must(b.StopInstance(i.ID))
					b.advanceBy(shutdownTime)
					_ = b.StartInstance(i.ID) // refused in a lost zone
				}
			},
			"wait": func(rt *rapid.T) {
				b.advanceBy(time.Duration(rapid.IntRange(1, 300).Draw(rt, "seconds")) * time.Second)
			},
			"": func(rt *rapid.T) { checkNames(rt, b) },
		})
		for _, z := range b.Zones() {
			b.must(b.RestoreZone(z))
		}
		b.advanceBy(shutdownTime)
		for _, i := range b.members("workers") {
			if i.State == Stopped {
				b.must(b.StartInstance(i.ID))
			}
		}
		b.advanceBy(2 * time.Hour)
		checkEven(rt, b)
	})
}

func drawMember(rt *rapid.T, b *fixture) (Instance, bool) {
	members := b.members("workers")
	if len(members) == 0 {
		return Instance{}, false
	}
	return rapid.SampledFrom(members).Draw(rt, "instance"), true
}

func checkEven(rt *rapid.T, b *fixture) {
	zones, total := b.zones("workers"), 0
	least, most := 1<<30, 0
	for _, z := range b.Zones() {
		least, most, total = min(least, zones[z]), max(most, zones[z]), total+zones[z]
	}
	if desired := b.Groups()[0].Desired; total != desired || most-least > 1 {
		rt.Fatalf("settled at %v, desired %d", zones, desired)
	}
}

func checkNames(rt *rapid.T, b *fixture) {
	seen := map[string]bool{}
	for _, i := range b.Instances() {
		for _, name := range []string{i.ID, i.NodeName, i.PrivateIP} {
			if seen[name] {
				rt.Fatalf("%s names two instances", name)
			}
			seen[name] = true
		}
	}
}

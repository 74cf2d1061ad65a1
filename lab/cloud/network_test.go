package cloud

import "testing"

// A subnet has an end: what does not fit in one zone goes to another, what fits nowhere waits.
func TestFullSubnets(t *testing.T) {
	const subnet = subnetHighest - subnetFirst + 1
	b := newFixture(t, Options{Spec: Spec{Zones: []string{"x", "y"}, Groups: []GroupSpec{
		{Name: "x", InstanceType: "m5.large", Zones: []string{"x"}, Desired: subnet - 1, Max: subnet},
	}}})
	b.must(b.AddGroup(GroupSpec{Name: "both", InstanceType: "m5.large", Desired: 4, Max: 4, ZoneOrder: []string{"x", "y"}}))
	perZone := map[string]int{}
	for _, i := range b.members("both") {
		perZone[i.Zone]++
	}
	if perZone["x"] != 1 || perZone["y"] != 3 {
		t.Errorf("with room for one in x the group stands at %v", perZone)
	}
	b.must(b.SetDesired("x", subnet))
	if got := len(b.members("x")); got != subnet-1 {
		t.Errorf("group x has %d instances in a full subnet, want %d", got, subnet-1)
	}
}

func BenchmarkLaunch1000(b *testing.B) {
	for b.Loop() {
		newFixture(b, Options{Spec: Spec{Groups: []GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 1000}}}})
	}
}

package cloud

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExisting builds a cloud round machines that are there: they count for their group, and nothing is launched beside
// them until a group lacks something.
func TestExisting(t *testing.T) {
	small := InstanceType{Name: "vm.small", CPU: "2", Memory: "4Gi", Capacity: map[string]string{"example.com/gpu": "1"}}
	machine := func(id, zone string) Instance {
		return Instance{
			ID: id, Group: "pool", Zone: zone, Type: "vm.small", Capacity: small, NodeName: "node-" + id, State: Running, Booted: true,
			Labels: map[string]string{"pool": "pool"},
		}
	}
	b := newFixture(t, Options{
		Spec: Spec{
			Zones: []string{"a", "b", "c"}, InstanceTypes: []InstanceType{small},
			Groups: []GroupSpec{{
				Name: "pool", InstanceType: "vm.small", Desired: 2, Max: 5, Labels: map[string]string{"pool": "pool"}, Foreign: true,
				SuspendedProcesses: []string{"AZRebalance"},
			}},
		},
		Existing: Existing{
			Instances: []Instance{machine("1", "a"), machine("2", "a")},
			Volumes:   []Volume{{ID: "vol-1", Zone: "a", Size: gibibyte, AttachedTo: "1"}},
		},
	})
	b.advanceBy(defaultBootDelay)
	var nodes []string
	for _, i := range b.Instances() {
		nodes = append(nodes, i.NodeName)
	}
	if diff := cmp.Diff([]string{"node-1", "node-2"}, nodes); diff != "" {
		t.Fatalf("nodes at the start (-want +got):\n%s", diff)
	}
	if v, found := b.Volume("vol-1"); !found || v.AttachedTo != "1" {
		t.Errorf("the volume is %+v, want it attached as it was", v)
	}

	b.must(b.SetDesired("pool", 3))
	b.advanceBy(defaultBootDelay)
	added := b.Instances()[2]
	if added.Zone == "a" || !added.Booted || added.Capacity.Capacity["example.com/gpu"] != "1" {
		t.Errorf("scaling out added %+v, want one like the others in another zone", added)
	}
	if diff := cmp.Diff(map[string]string{"pool": "pool"}, added.Labels); diff != "" {
		t.Errorf("labels of a foreign group's node (-want +got):\n%s", diff)
	}
}

// TestExistingNames adds to what another cloud of the same seed had made: nothing is called as what is there.
func TestExistingNames(t *testing.T) {
	region := func(desired int) Spec {
		return Spec{Groups: []GroupSpec{{Name: "pool", InstanceType: "m5.large", Desired: desired}}}
	}
	first := newFixture(t, Options{Spec: region(1), InstantStart: true})
	volume, err := first.CreateVolume("us-east-1a", gibibyte, "")
	first.must(err)
	second := newFixture(t, Options{Spec: region(2), InstantStart: true, Existing: Existing{Instances: first.Instances(), Volumes: first.Volumes()}})
	if i := second.Instances(); len(i) != 2 || i[0].ID == i[1].ID || i[0].NodeName == i[1].NodeName {
		t.Errorf("instances %+v, want two of different names", i)
	}
	if another, err := second.CreateVolume("us-east-1a", gibibyte, ""); err != nil || another.ID == volume.ID {
		t.Errorf("volume %s beside %s, err = %v", another.ID, volume.ID, err)
	}
}

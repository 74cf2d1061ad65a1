package cloud

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// visibleState is what a cloud shows to readers.
type visibleState struct {
	Groups    []Group
	Instances []Instance
	Volumes   []Volume
}

func visible(b *fixture) visibleState { return visibleState{b.Groups(), b.Instances(), b.Volumes()} }

func busy(t *testing.T, o Options) *fixture {
	t.Helper()
	b := newFixture(t, o)
	b.advanceBy(time.Minute)
	v, err := b.CreateVolume(b.members("workers")[0].Zone, gibibyte, "pvc-1")
	b.must(err)
	b.must(b.AttachVolume(v.ID, b.members("workers")[0].ID))
	b.must(b.Rotate("workers", Rotation{Desired: new(2), Old: OldStop}))
	b.must(b.LoseZone("us-east-1c"))
	b.advanceBy(15 * time.Second)
	return b
}

func TestSameSeed(t *testing.T) {
	story := func(seed uint64) visibleState {
		spec := Spec{Seed: seed, Groups: []GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 3, Max: 6}}}
		return visible(busy(t, Options{Spec: spec}))
	}
	if diff := cmp.Diff(story(7), story(7)); diff != "" {
		t.Errorf("two tellings with one seed differ:\n%s", diff)
	}
	if cmp.Equal(story(7).Instances[0].ID, story(8).Instances[0].ID) {
		t.Error("two seeds give the same instance ID")
	}
}

func TestSeedsFillZonesInDifferentOrders(t *testing.T) {
	firsts := map[string]bool{}
	for seed := range uint64(20) {
		b := newFixture(t, Options{Spec: Spec{Seed: seed, Groups: []GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 1}}}})
		firsts[b.Instances()[0].Zone] = true
	}
	if len(firsts) != 3 {
		t.Errorf("twenty seeds begin in %v, want each zone among them", firsts)
	}
}

func TestStateIsRestored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab", "cloud.json")
	spec := Spec{Seed: 3, Groups: []GroupSpec{workers(3, 6)}}
	before := busy(t, Options{Spec: spec, StatePath: path, InstantStart: true})

	// Another Spec: what is kept wins.
	after := newFixture(t, Options{Spec: Spec{Region: "eu-west-1"}, StatePath: path, InstantStart: true})
	if diff := cmp.Diff(visible(before), visible(after)); diff != "" {
		t.Errorf("the restarted cloud differs (-before +after):\n%s", diff)
	}
	after.clock.SetTime(before.clock.Now())
	for _, b := range []*fixture{before, after} {
		b.must(b.RestoreZone("us-east-1c"))
		b.must(b.SetDesired("workers", 6))
		b.advanceBy(10 * time.Minute)
	}
	if diff := cmp.Diff(visible(before), visible(after)); diff != "" {
		t.Errorf("the restarted cloud went on differently (-before +after):\n%s", diff)
	}
}

func TestStateThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud.json")
	if err := os.WriteFile(path, []byte(`{"groups": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := New(Options{StatePath: path})
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an error that names %s", err, path)
	}
}

func TestStateThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{StatePath: filepath.Join(file, "cloud.json")}); err == nil {
		t.Error("a state that cannot be kept is no error")
	}
}

func TestValidate(t *testing.T) {
	group := func(change func(*GroupSpec)) Spec {
		g := workers(2, 3)
		change(&g)
		return Spec{Groups: []GroupSpec{g}}
	}
	tests := map[string]struct {
		spec Spec
		want string
	}{
		"nothing":        {},
		"a good group":   {spec: group(func(*GroupSpec) {})},
		"no name":        {spec: group(func(g *GroupSpec) { g.Name = "" }), want: `groups[0].name: Required value`},
		"unknown type":   {spec: group(func(g *GroupSpec) { g.InstanceType = "" }), want: `groups[0].instanceType: Not found: ""`},
		"unknown zone":   {spec: group(func(g *GroupSpec) { g.Zones = []string{"x"}; g.ZoneOrder = nil }), want: `groups[0].zones[0]: Unsupported value: "x"`},
		"order outside":  {spec: group(func(g *GroupSpec) { g.Zones = []string{"us-east-1a", "us-east-1b"} }), want: `groups[0].zoneOrder[2]: Unsupported value: "us-east-1c"`},
		"below min":      {spec: group(func(g *GroupSpec) { g.Min = 3 }), want: `groups[0].desired: Invalid value: 2: Desired capacity:2 must be between the specified min size:3 and max size:3`},
		"max below min":  {spec: group(func(g *GroupSpec) { g.Min = 4 }), want: `groups[0].max: Invalid value: 3: Max bound, 3, must be greater than or equal to min bound, 4`},
		"process":        {spec: group(func(g *GroupSpec) { g.SuspendedProcesses = []string{"Rest"} }), want: `groups[0].suspendedProcesses[0]: Unsupported value: "Rest"`},
		"twice":          {spec: Spec{Groups: []GroupSpec{workers(1, 1), workers(1, 1)}}, want: `groups[1].name: Duplicate value: "workers"`},
		"zone twice":     {spec: Spec{Zones: []string{"a", "a"}}, want: `zones[1]: Duplicate value: "a"`},
		"bad quantity":   {spec: Spec{InstanceTypes: []InstanceType{{Name: "x", CPU: "two", Memory: "1Gi"}}}, want: `instanceTypes[0].cpu: Invalid value: "two"`},
		"no memory":      {spec: Spec{InstanceTypes: []InstanceType{{Name: "x", CPU: "2", Memory: "0"}}}, want: `instanceTypes[0].memory: Invalid value: "0": must be greater than zero`},
		"own type hides": {spec: Spec{InstanceTypes: []InstanceType{{Name: "m5.large", CPU: "1", Memory: "1Gi"}}, Groups: []GroupSpec{workers(1, 1)}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := test.spec.Validate(nil).ToAggregate()
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got %v, want none", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

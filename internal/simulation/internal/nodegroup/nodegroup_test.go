package nodegroup_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func nodesOf(o outcome.Outcome) []string {
	names := []string{}
	for _, n := range o.World.Nodes() {
		names = append(names, n.Name+"/"+cluster.Zone(n))
	}
	return names
}

func TestGroups(t *testing.T) {
	fitsNot := testworld.DaemonSet("big", testworld.Template("big", "2"), "n1")
	waits := fitsNot[1].(*corev1.Pod)
	waits.Spec.NodeName, waits.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	waits.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}},
		}}},
	}}}
	uninitialized := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
	}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
		nodes  []string
	}{
		"a new node gets pending pods and a pod of each DaemonSet": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "1"), "n1", ""), testworld.DaemonSet("agent", testworld.Template("agent", "0"), "n1")),
			change.AddNodes{Count: 1},
			[]string{"created agent-* >workers-a-new-1", "moved web-1-b >workers-a-new-1"},
			[]string{"n1/a", "workers-a-new-1/a"},
		},
		"in the zone of a volume": {
			testworld.Of(testworld.Node("n1", "a"), testworld.ZonalClaim("data", "c"), testworld.StatefulSet("db", testworld.Template("db", "1", testworld.Mounting("data")), "")),
			change.AddNodes{Count: 1, Zone: "c"},
			[]string{"moved db-0 >workers-c-new-1"},
			[]string{"n1/a", "workers-c-new-1/c"},
		},
		"a new node stays uninitialized where the others do": {
			testworld.Of(testworld.Node("n1", "a", uninitialized), testworld.Node("n2", "a", uninitialized), testworld.Deployment("web", testworld.Template("web", "1"), "")),
			change.AddNodes{Count: 1},
			nil,
			[]string{"n1/a", "n2/a", "workers-a-new-1/a"},
		},
		"and is initialized where one of the others only starts": {
			testworld.Of(testworld.Node("n1", "a", uninitialized), testworld.Node("n2", "a", testworld.CPU("1")), testworld.Node("n3", "a", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "1"), "n2", "n3", "")),
			change.AddNodes{Count: 1},
			[]string{"moved web-1-c >workers-a-new-1"},
			[]string{"n1/a", "n2/a", "n3/a", "workers-a-new-1/a"},
		},
		"a group adds a node in the zone with the fewest": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "b")),
			change.ResizeGroup{Group: "workers", To: 6, Zones: []string{"a", "b", "c"}},
			nil,
			[]string{"n1/a", "n2/a", "n3/b", "workers-b-new-1/b", "workers-c-new-1/c", "workers-c-new-2/c"},
		},
		"and removes one in the zone with the most": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a"), testworld.Node("n3", "b"), testworld.Deployment("web", testworld.Template("web", "1"), "n2"), testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1", "n2", "n3")),
			change.ResizeGroup{Group: "workers", To: 2},
			[]string{"ended agent-n2 n2> FateDaemon", "moved web-1-a n2>n3"},
			[]string{"n1/a", "n3/b"},
		},
		"a DaemonSet's pods pending for removed nodes are removed": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.DaemonSet("agent", testworld.Template("agent", "0"), "n1"), fitsNot),
			change.RotateGroup{Group: "workers"},
			[]string{"created agent-* >workers-a-new-1", "ended agent-n1 n1> FateDaemon", "ended big-n1 FateDaemon", "waiting big-* FateUnschedulable"},
			[]string{"workers-a-new-1/a"},
		},
		"a rotation adds as many, then drains the old": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "1", testworld.InZone("a")), "n1"), testworld.Deployment("api", testworld.Template("api", "1", testworld.InZone("b")), "n2")),
			change.RotateGroup{Group: "workers"},
			[]string{"moved api-1-a n2>workers-b-new-1", "moved web-1-a n1>workers-a-new-1"},
			[]string{"workers-a-new-1/a", "workers-b-new-1/b"},
		},
		"a rotation to more nodes": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b")),
			change.RotateGroup{Group: "workers", To: 4},
			nil,
			[]string{"workers-a-new-1/a", "workers-a-new-2/a", "workers-b-new-1/b", "workers-b-new-2/b"},
		},
		"a rotation into other zones leaves a volume's pod pending": {
			testworld.Of(testworld.Node("n1", "c"), testworld.Node("n2", "c"), testworld.ZonalClaim("data", "c"), testworld.StatefulSet("db", testworld.Template("db", "1", testworld.Mounting("data")), "n1")),
			change.RotateGroup{Group: "workers", Zones: []string{"a", "b"}},
			[]string{"waiting db-0 n1> FateUnschedulable"},
			[]string{"workers-a-new-1/a", "workers-b-new-1/b"},
		},
		"a node that a budget protects stays": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1"), testworld.Budget("keep", "web", 1)),
			change.RotateGroup{Group: "workers"},
			[]string{"waiting web-1-a n1>n1 FateBlocked"},
			[]string{"n1/a", "workers-a-new-1/a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := tc.world.Run(t, tc.change)
			testworld.ExpectFates(t, result, tc.want...)
			if diff := cmp.Diff(tc.nodes, nodesOf(result)); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGroupsAfterLosses adds nodes after some were lost: the zone that lost a node has the fewest.
func TestGroupsAfterLosses(t *testing.T) {
	to := func(n int) change.Change { return change.ResizeGroup{Group: "workers", To: n} }
	for name, tc := range map[string]struct {
		changes []change.Change
		want    []string
	}{
		"a node's zone":      {[]change.Change{change.LoseNode{Node: "n1"}, to(3)}, []string{"n2/b", "n3/c", "workers-a-new-1/a"}},
		"by one more":        {[]change.Change{change.LoseNode{Node: "n1"}, change.AddNodes{Count: 1}}, []string{"n2/b", "n3/c", "workers-a-new-1/a"}},
		"not in a lost zone": {[]change.Change{change.LoseZone{Zone: "a"}, to(3)}, []string{"n2/b", "n3/c", "workers-b-new-1/b"}},
		"from none":          {[]change.Change{to(0), to(2)}, []string{"workers-a-new-1/a", "workers-b-new-1/b"}},
		"when all are lost":  {[]change.Change{change.LoseGroup{Group: "workers"}, change.AddNodes{Count: 1}}, []string{"workers-a-new-1/a"}},
		"down and up again":  {[]change.Change{to(2), to(3)}, []string{"n2/b", "n3/c", "workers-a-new-1/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			result := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Node("n3", "c")).Run(t, tc.changes...)
			if diff := cmp.Diff(tc.want, nodesOf(result)); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRotationOfUnknownZones rotates a group of which a zone has only one node: new nodes may come up in another one, unless it has
// nodes in three.
func TestRotationOfUnknownZones(t *testing.T) {
	rotate := change.RotateGroup{Group: "workers"}
	testworld.ExpectGap(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b")).Run(t, rotate), "group/workers", "GapZones")
	testworld.ExpectGap(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a")).Run(t, rotate), "group/workers", "")
	testworld.ExpectGap(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "c")).Run(t, rotate), "group/workers", "GapZones")
	testworld.ExpectGap(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "c"), testworld.Node("n4", "c")).Run(t, rotate), "group/workers", "")
	testworld.ExpectGap(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.Node("n3", "b"), testworld.Node("n4", "c")).Run(t, rotate), "group/workers", "")
	rotate.Zones = []string{"a", "b"}
	testworld.ExpectGap(t, testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b")).Run(t, rotate), "group/workers", "")
}

// TestGroupsInKnownZones: a group launches nodes in the zones that its cloud tells, also where it has none, and in no others.
func TestGroupsInKnownZones(t *testing.T) {
	tenNodes := []string{"n1/a", "n2/b"}
	for i := range 8 {
		tenNodes = append(tenNodes, fmt.Sprintf("workers-b-new-%d/b", i+1))
	}
	for name, tc := range map[string]struct {
		zones   string
		changes []change.Change
		want    []string
		gap     string
		desired int
	}{
		"a zone without a node":       {"abc", []change.Change{change.ResizeGroup{Group: "workers", To: 3}}, []string{"n1/a", "n2/b", "workers-c-new-1/c"}, "", 3},
		"not a zone of a node":        {"b", []change.Change{change.ResizeGroup{Group: "workers", To: 4}}, []string{"n1/a", "n2/b", "workers-b-new-1/b", "workers-b-new-2/b"}, "", 4},
		"added nodes":                 {"abc", []change.Change{change.AddNodes{Count: 1}}, []string{"n1/a", "n2/b", "workers-c-new-1/c"}, "", 3},
		"a rotation":                  {"abc", []change.Change{change.RotateGroup{Group: "workers", To: 3}}, []string{"workers-a-new-1/a", "workers-b-new-1/b", "workers-c-new-1/c"}, "", 3},
		"zones that the change names": {"abc", []change.Change{change.ResizeGroup{Group: "workers", To: 3, Zones: []string{"d"}}}, []string{"n1/a", "n2/b", "workers-d-new-1/d"}, "", 3},
		"not a lost zone":             {"ab", []change.Change{change.LoseZone{Zone: "a"}, change.ResizeGroup{Group: "workers", To: 2}}, []string{"n2/b", "workers-b-new-1/b"}, "", 2},
		"beyond the maximum":          {"b", []change.Change{change.ResizeGroup{Group: "workers", To: 10}}, tenNodes, "GapMaximum", 10},
		"with a higher maximum":       {"b", []change.Change{change.ResizeGroup{Group: "workers", To: 10, Max: 10}}, tenNodes, "", 10},
		"unless all are lost":         {"a", []change.Change{change.LoseZone{Zone: "a"}, change.ResizeGroup{Group: "workers", To: 2}}, []string{"n2/b", "workers-b-new-1/b"}, "GapZones", 2},
	} {
		t.Run(name, func(t *testing.T) {
			free := map[string]int64{}
			for _, zone := range tc.zones {
				free[string(zone)] = 100
			}
			world := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"))
			result, err := simulation.Run(t.Context(), world.JudgeOn(t, world.Network(free)), tc.changes, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, nodesOf(result)); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			testworld.ExpectGap(t, result, "group/workers", tc.gap)
			if got := result.World.Network().Groups[0].Desired; got != tc.desired {
				t.Errorf("the desired size is %d, want %d", got, tc.desired)
			}
		})
	}
}

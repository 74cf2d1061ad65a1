package headroom_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/headroom"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// describeRoom is a room as a line: "node workers/a: minimal n1 500m, n2 500m; +1 workers a; 2 helpless".
func describeRoom(a headroom.Answer) string {
	name := strings.Trim(a.Group+"/"+a.Zone, "/")
	if a.Subject != nil {
		name = a.Subject.Name
	}
	line := fmt.Sprintf("%s %s:", a.Kind, name)
	if a.Room == nil {
		return line
	}
	line += " " + string(a.Room.Result)
	var parts []string
	for _, p := range a.Room.Placeholders {
		cpu := p.Requests[corev1.ResourceCPU]
		parts = append(parts, p.Node+" "+cpu.String())
	}
	slices.Sort(parts)
	if len(parts) > 0 {
		line += " " + strings.Join(parts, ", ")
	}
	if n := a.Room.Needs; n != nil {
		line += fmt.Sprintf("; +%d %s %v", n.Count, n.Group, n.Zones)
	}
	if a.Room.Helpless > 0 {
		line += fmt.Sprintf("; %d helpless", a.Room.Helpless)
	}
	return line
}

func TestRoom(t *testing.T) {
	one := w.CPU("1")
	for name, tc := range map[string]struct {
		world w.Objects
		kinds []headroom.Kind
		burst []headroom.BurstOf
		want  []string
	}{
		"nothing runs": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal"},
		},
		"one pod": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "500m"), "n1")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal n2 500m"},
		},
		"a pod on each of two nodes: each covers the other": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "500m"), "n1", "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal n1 500m, n2 500m"},
		},
		"with more room, a pod runs where only another could": {
			append(w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Node("n3", "a", one), w.Node("n4", "a", one)), append(
				w.Deployment("api", w.Template("api", "300m", w.AntiAffinity(corev1.LabelHostname, "api")), "n2", "n3", "n4"),
				w.Deployment("web", w.Template("web", "500m"), "n1", "n3", "n4")...)...),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal n1 300m, n2 500m"},
		},
		"a third node covers both": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Node("n3", "a", one), w.Deployment("web", w.Template("web", "500m"), "n1", "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal n3 500m"},
		},
		"placeholders that are there are part of the room": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1"),
				w.Deployment("held", w.Template("held", "800m", w.Priority(-10)), "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal n2 600m"},
		},
		"pods of two sizes": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Deployment("web", w.Template("web", "1500m"), "n1"), w.Deployment("api", w.Template("api", "500m"), "n1")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal n2 1500m, n2 500m"},
		},
		"no room without another node": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1", "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal workers-a-new-1 600m; +1 workers map[a:1]"},
		},
		"any two nodes": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Node("n3", "a", one), w.Node("n4", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1", "n2")),
			[]headroom.Kind{headroom.TwoNodes},
			nil,
			[]string{"two-nodes : minimal n3 600m, n4 600m"},
		},
		"nothing helps": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Deployment("local", w.Template("local", "1", pinned("n1")), "n1")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal; 1 helpless"},
		},
		"a zone, and volumes that stay in it": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "b", one), w.ZonalClaim("data", "a"), w.StatefulSet("db", w.Template("db", "300m", w.Mounting("data")), "n1"),
				w.Deployment("web", w.Template("web", "600m"), "n1", "n2")),
			[]headroom.Kind{headroom.Zone},
			nil,
			[]string{"zone a: minimal workers-b-new-1 600m; +1 workers map[b:1]; 1 helpless", "zone b: minimal workers-a-new-1 600m; +1 workers map[a:1]"},
		},
		"a pod that may not preempt": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Deployment("web", w.Template("web", "1", func(s *corev1.PodSpec) {
				never := corev1.PreemptNever
				s.PreemptionPolicy = &never
			}), "n1")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: not-sized"},
		},
		"a rotation brings its nodes": {
			w.Of(w.Node("n1", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1")),
			[]headroom.Kind{headroom.Rotation},
			nil,
			[]string{"rotation workers: minimal"},
		},
		"what is recommended, where the pod ran": {
			w.Of(w.Node("n1", "a", one), w.Deployment("web", w.Template("web", "300m"), "n1"), recommends("Deployment", "web", "500m")),
			[]headroom.Kind{headroom.Step},
			nil,
			[]string{"step web: minimal n1 200m"},
		},
		"what is recommended, elsewhere": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "500m"), "n1"),
				w.Deployment("api", w.Template("api", "400m"), "n1"), recommends("Deployment", "web", "700m")),
			[]headroom.Kind{headroom.Step},
			nil,
			[]string{"step web: minimal n2 700m"},
		},
		"two pods, of which one could take what the other leaves": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.StatefulSet("web", w.Template("web", "300m"), "n1", "n2"), recommends("StatefulSet", "web", "500m")),
			[]headroom.Kind{headroom.Step},
			nil,
			[]string{"step web: minimal n1 200m, n2 200m"},
		},
		"a lost pod comes back with what is recommended": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "500m"), "n1"), recommends("Deployment", "web", "700m")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a: minimal n2 700m"},
		},
		"a burst": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "300m"), "n1")),
			[]headroom.Kind{headroom.Burst},
			[]headroom.BurstOf{{Workload: change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}, More: 2}},
			[]string{"burst web: minimal n2 300m, n2 300m"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, a := range compute(t, judgeOf(t, tc.world), headroom.Options{Kinds: tc.kinds, Bursts: tc.burst, Sized: true}).Answers {
				got = append(got, describeRoom(a))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("rooms (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRoomForStep pins the room to the nodes of the DaemonSet; where pods are in the way, no room helps.
func TestRoomForStep(t *testing.T) {
	set := w.DaemonSet("agent", w.Template("agent", "100m", w.Priority(2000001000)), "n1", "n2")
	objects := w.Of(w.Node("n1", "a", w.CPU("1")), w.Node("n2", "a", w.CPU("1")), set, w.Deployment("web", w.Template("web", "850m"), "n1"))
	set[0].(*appsv1.DaemonSet).Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")}
	got := compute(t, judgeOf(t, objects), headroom.Options{Kinds: []headroom.Kind{headroom.Step}, Sized: true}).Answers
	if want := "step agent: minimal n2 100m; 2 helpless"; len(got) != 1 || describeRoom(got[0]) != want {
		t.Errorf("got %s, want %s", describeRoom(got[0]), want)
	}
}

// TestReserve adds up what is free, and what of it the room that survives all failures leaves.
func TestReserve(t *testing.T) {
	cpu := func(list corev1.ResourceList) string {
		q := list[corev1.ResourceCPU]
		return q.String()
	}
	one := w.CPU("1")
	for name, tc := range map[string]struct {
		world              w.Objects
		status             headroom.ReserveStatus
		free, held, giveUp string
	}{
		"room for the larger of two pods": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Node("n3", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1"), w.Deployment("api", w.Template("api", "200m"), "n2")),
			headroom.Computed, "2200m", "0", "1600m",
		},
		"placeholders that hold too much": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1"), w.Deployment("held", w.Template("held", "900m", w.Priority(-10)), "n2")),
			headroom.Computed, "1400m", "900m", "800m",
		},
		"too few nodes": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1", "n2")),
			headroom.MoreNodes, "800m", "0", "0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := compute(t, judgeOf(t, tc.world), headroom.Options{Kinds: []headroom.Kind{headroom.Node, headroom.Rotation}, Sized: true}).Reserve
			if got.Status != tc.status || cpu(got.Free) != tc.free || cpu(got.Held) != tc.held || cpu(got.GiveBack) != tc.giveUp {
				t.Errorf("%s: free %s, held %s, could be given back %s", got.Status, cpu(got.Free), cpu(got.Held), cpu(got.GiveBack))
			}
		})
	}
	report := compute(t, judgeOf(t, w.Of(w.Node("n1", "a")), cluster.DaemonSet), headroom.Options{Kinds: []headroom.Kind{headroom.Step}, Sized: true})
	if report.Reserve.Status != headroom.UnknownReserve {
		t.Errorf("with a failure of unknown cost, the reserve is %s", report.Reserve.Status)
	}
}

// In a cluster of several thousand nodes, rooms for the loss of nodes are looked for by those who have patience, and others by nobody.
func TestTractable(t *testing.T) {
	judge := bigJudge(t, 3000)
	for _, tc := range []struct {
		kind          headroom.Kind
		patient, want bool
	}{
		{headroom.Node, false, false},
		{headroom.Node, true, true},
		{headroom.Zone, true, false},
	} {
		got := headroom.Tractable(judge, headroom.Options{Kinds: []headroom.Kind{tc.kind}, Patient: tc.patient})
		if all := len(got) > 0 && !slices.Contains(got, false); all != tc.want {
			t.Errorf("%s, patient %v: %v, want all: %v", tc.kind, tc.patient, got, tc.want)
		}
	}
}

// Rooms for the loss of a node are made as small as they may be also where placeholders are preempted otherwise than their room is taken while it is free.
func TestIrreducibleInLargeCluster(t *testing.T) {
	for _, a := range compute(t, bigJudge(t, 40), headroom.Options{Kinds: []headroom.Kind{headroom.Node}, Sized: true}).Answers {
		if a.Room.Result != headroom.Minimal && a.Room.Result != headroom.Irreducible {
			t.Error(describeRoom(a))
		}
	}
}

package headroom_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/scheduling"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestParsePrices(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want headroom.Prices
		err  string
	}{
		"prices":       {"m5.large: 0.096\nm5.xlarge: 1\n", headroom.Prices{"m5.large": 0.096, "m5.xlarge": 1}, ""},
		"nothing":      {"", nil, "there is no price in it"},
		"zero":         {"m5.large: 0", nil, "m5.large: the price must be a number that is more than 0"},
		"negative":     {"a: 1\nb: -1", nil, "b: the price must be a number that is more than 0"},
		"infinite":     {"a: .inf", nil, "*"},
		"a word":       {"m5.large: cheap", nil, "*"},
		"a list":       {"[1, 2]", nil, "*"},
		"a type twice": {"a: 1\na: 2", nil, "*"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := headroom.ParsePrices([]byte(tc.text))
			switch {
			case tc.err == "" && err != nil, tc.err != "" && err == nil, tc.err != "" && tc.err != "*" && err.Error() != tc.err:
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("prices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrices puts the room where it costs least, and tells what it costs an hour if the prices of its nodes are known.
func TestPrices(t *testing.T) {
	of := func(name, instanceType string) *corev1.Node {
		node := w.Node(name, "a", w.CPU("2"))
		node.Labels[corev1.LabelInstanceTypeStable] = instanceType
		return node
	}
	world := w.Of(of("n1", "old"), of("n2", "dear"), of("n3", "cheap"), w.Deployment("web", w.Template("web", "500m"), "n1"))
	for name, tc := range map[string]struct {
		prices headroom.Prices
		node   string
		price  float64
	}{
		"the third is cheaper":  {headroom.Prices{"old": 1, "dear": 0.4, "cheap": 0.2}, "n3", 0.05},
		"the second is cheaper": {headroom.Prices{"old": 1, "dear": 0.1, "cheap": 0.2}, "n2", 0.025},
		"a price is not known":  {headroom.Prices{"dear": 0.4, "cheap": 0.2}, "", math.NaN()},
		"no price is known":     {headroom.Prices{"other": 1}, "", 0},
		"no prices":             {nil, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			report := compute(t, judgeOf(t, world), headroom.Options{Kinds: []headroom.Kind{headroom.Node}, Sized: true, Prices: tc.prices})
			for _, a := range report.Answers {
				if a.InstanceType != "old" {
					continue
				}
				room := a.Room
				if room.Result != headroom.Minimal || len(room.Placeholders) != 1 || tc.node != "" && room.Placeholders[0].Node != tc.node {
					t.Fatal(describeRoom(a))
				}
				want := tc.price
				if math.IsNaN(want) {
					want = tc.prices[map[string]string{"n2": "dear", "n3": "cheap"}[room.Placeholders[0].Node]] / 4
				}
				switch {
				case want == 0 && room.Price != nil:
					t.Errorf("the room costs %f, though its price is not known", *room.Price)
				case want > 0 && (room.Price == nil || math.Abs(*room.Price-want) > 1e-9):
					t.Errorf("price %v, want %f", room.Price, want)
				}
			}
		})
	}
}

// TestIrreducible holds the rooms of a cluster with more nodes than all smaller rooms are tried for: none of their placeholders can be left out.
func TestIrreducible(t *testing.T) {
	var objects w.Objects
	var names []string
	for i := range 12 {
		names = append(names, string(rune('a'+i))+"-node")
		objects = append(objects, w.Node(names[i], "a", w.CPU("2")))
	}
	objects = append(objects, w.Deployment("web", w.Template("web", "300m"), names...)...)
	objects = append(objects, w.Deployment("api", w.Template("api", "700m"), names[:4]...)...)
	objects = append(objects, w.Deployment("job", w.Template("job", "500m"), names[3:9]...)...)
	judge := judgeOf(t, objects)
	report := compute(t, judge, headroom.Options{Kinds: []headroom.Kind{headroom.Node, headroom.Zone}, Sized: true})
	irreducible := 0
	for _, a := range report.Answers {
		if a.Room.Result == headroom.Irreducible {
			irreducible++
			holdIrreducible(t, judge, a, "300m", "500m", "700m")
		}
		if r := a.Room; r.Result != headroom.Irreducible && r.Result != headroom.Minimal || r.Cost < r.Bound-1e-9 || r.Cost > 2*r.Bound {
			t.Errorf("%s costs %f, at least %f", describeRoom(a), r.Cost, r.Bound)
		}
	}
	if irreducible == 0 {
		t.Error("no room is irreducible")
	}
	if r := report.Reserve; r.Status != headroom.Computed || r.Room.Result == headroom.Sufficient {
		t.Errorf("the reserve is %s: %+v", r.Status, r.Room)
	}
}

// holdIrreducible holds a room to survive its failure, and to survive it no longer without any one of its placeholders, or with one as small as the next smaller
// of the sizes of displaced pods.
func holdIrreducible(t *testing.T, judge *scheduling.Judge, a headroom.Answer, sizes ...string) {
	t.Helper()
	survives := func(room []headroom.Placeholder) bool {
		coverage, err := headroom.Cover(t.Context(), judge, headroom.Options{Kinds: []headroom.Kind{a.Kind}}, room)
		if err != nil || len(coverage) != 1 {
			t.Fatalf("%+v %v", coverage, err)
		}
		return coverage[0].Covered
	}
	if !survives(a.Room.Placeholders) {
		t.Errorf("the room does not survive: %s", describeRoom(a))
	}
	for i, left := range a.Room.Placeholders {
		if survives(slices.Delete(slices.Clone(a.Room.Placeholders), i, i+1)) {
			t.Errorf("without the one on %s it survives, too: %s", left.Node, describeRoom(a))
		}
		at := slices.Index(sizes, left.Requests.Cpu().String())
		if at < 1 {
			continue
		}
		smaller := slices.Clone(a.Room.Placeholders)
		smaller[i].Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(sizes[at-1])}
		if survives(smaller) {
			t.Errorf("with a smaller one on %s it survives, too: %s", left.Node, describeRoom(a))
		}
	}
}

// TestBoundBesideHelplessPods bounds the room of a failure after which some pods wait whatever room there is: the pods of the other workloads need theirs.
func TestBoundBesideHelplessPods(t *testing.T) {
	names := []string{"a-node", "b-node", "c-node", "d-node", "e-node", "f-node", "g-node", "h-node", "i-node"}
	var objects w.Objects
	for _, name := range names {
		objects = append(objects, w.Node(name, "a", w.CPU("2")))
	}
	pinned := func(spec *corev1.PodSpec) { spec.NodeSelector = map[string]string{corev1.LabelHostname: names[0]} }
	objects = append(objects, w.Deployment("pinned", w.Template("pinned", "100m", pinned), names[0])...)
	objects = append(objects, w.Deployment("web", w.Template("web", "500m"), names[0], names[0])...)
	report := compute(t, judgeOf(t, objects), headroom.Options{Kinds: []headroom.Kind{headroom.Node}, Sized: true})
	r := report.Answers[0].Room
	if r.Helpless != 1 {
		t.Fatalf("%+v: want one pod that no room helps", r)
	}
	if share := 0.5; r.Bound < share-1e-9 || r.Cost < r.Bound-1e-9 { // The two pods of web, on nodes of 2 CPUs.
		t.Errorf("the room costs %f, at least %f; want at least %f", r.Cost, r.Bound, share)
	}
}

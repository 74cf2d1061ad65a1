package scheduling_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// answers is everything a Judge says of one pod.
type answers struct {
	Fit        scheduling.Fit
	Scores     map[string]int64
	Obstacles  scheduling.Obstacles
	Preemption []scheduling.Preemption
	Placement  scheduling.Placement
	First      string
	FitsOn     []string
}

func ask(t *rapid.T, j *scheduling.Judge, p *corev1.Pod) (a answers) {
	t.Helper()
	var err [6]error
	a.Fit, err[0] = j.Fit(t.Context(), p)
	a.Scores, err[1] = j.Scores(t.Context(), p)
	a.Obstacles, err[2] = j.Obstacles(t.Context(), p)
	a.Preemption, err[3] = j.Preempt(t.Context(), p)
	a.Placement, err[4] = j.Place(t.Context(), p)
	a.First, err[5] = j.First(t.Context(), p)
	for _, err := range err {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, node := range j.World().Nodes() {
		fits, err := j.FitsOn(t.Context(), p, node.Name)
		if err != nil {
			t.Fatal(err)
		}
		if fits {
			a.FitsOn = append(a.FitsOn, node.Name)
		}
	}
	agree(t, a)
	return a
}

// aWaitingPod is one that no object of the world replaces.
func aWaitingPod(t *rapid.T) *corev1.Pod {
	p := aPod(t, "q")
	p.Spec.NodeName = ""
	return p
}

// agree holds the answers against each other.
func agree(t *rapid.T, a answers) {
	t.Helper()
	var free []string
	for _, n := range a.Obstacles.Nodes {
		if len(n.Obstacles) == 0 && len(a.Obstacles.Everywhere) == 0 {
			free = append(free, n.Node)
		}
	}
	if diff := cmp.Diff(free, a.Fit.Feasible, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("nodes without obstacles, and feasible ones (-free +feasible):\n%s", diff)
	}
	if diff := cmp.Diff(free, a.FitsOn, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("nodes without obstacles, and those that it fits on (-free +fits):\n%s", diff)
	}
	if len(free) > 0 && a.First != free[0] || len(free) == 0 && a.First != "" {
		t.Fatalf("of %v, the first is %q", free, a.First)
	}
	placed, preempts := a.Placement.Node != "", a.Placement.Preemption != nil
	if placed != (len(a.Fit.Best) > 0) || preempts != (len(a.Preemption) > 0) || placed && !slices.Contains(a.Fit.Best, a.Placement.Node) {
		t.Fatalf("placement %+v does not follow from fit %+v and preemptions %+v", a.Placement, a.Fit, a.Preemption)
	}
}

// TestEditsAndReverts holds a Judge that was edited, forked and reverted against one made of the world it should stand in.
func TestEditsAndReverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := randomSnapshot(t)
		judge, err := scheduling.New(t.Context(), snapshot, scheduling.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snapshots := []*cluster.Snapshot{snapshot}
		// Regulars are asked about again and again, so that what is kept from one answer to the next has to hold.
		regulars := rapid.SliceOfN(rapid.Custom(aWaitingPod), 2, 2).Draw(t, "regulars")
		compare := func() {
			snapshot := snapshots[len(snapshots)-1]
			if diff := cmp.Diff(snapshot.Pods(), judge.World().Pods()); diff != "" {
				t.Fatalf("pods of the world (-want +got):\n%s", diff)
			}
			fresh, err := scheduling.New(t.Context(), snapshot, scheduling.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range append(slices.Clip(regulars), aWaitingPod(t)) {
				if diff := cmp.Diff(ask(t, fresh, p), ask(t, judge, p)); diff != "" {
					t.Fatalf("a fresh judge and this one disagree on %v (-fresh +this):\n%s", p, diff)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"edit": func(t *rapid.T) {
				edits := rapid.SliceOfN(rapid.Custom(anEdit), 1, 4).Draw(t, "edits")
				if err := judge.Apply(edits...); err != nil {
					t.Fatal(err)
				}
				snapshots[len(snapshots)-1] = snapshots[len(snapshots)-1].With(edits...)
			},
			"fork": func(*rapid.T) {
				judge.Fork()
				snapshots = append(snapshots, snapshots[len(snapshots)-1])
			},
			"revert": func(t *rapid.T) {
				if len(snapshots) == 1 {
					t.Skip("nothing is forked")
				}
				judge.Revert()
				snapshots = snapshots[:len(snapshots)-1]
			},
			"ask": func(*rapid.T) { compare() },
		})
		compare()
	})
}

// TestClassesChangeNoVerdict asks about the same pods after every edit, fork and revert, so that what equivalence classes
// remember is used in worlds other than the one it was found out in, and holds every answer against the plain way. Most
// edits put a pod like one of those asked about on a node, as simulations do.
func TestClassesChangeNoVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		judge, err := scheduling.New(t.Context(), randomSnapshot(t), scheduling.Options{})
		if err != nil {
			t.Fatal(err)
		}
		regulars := rapid.SliceOfN(rapid.Custom(aWaitingPod), 4, 4).Draw(t, "regulars")
		forks := 0
		edit := func(e cluster.Edit) {
			if err := judge.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"edit":   func(t *rapid.T) { edit(anEdit(t)) },
			"like":   func(t *rapid.T) { edit(cluster.Put(like(t, rapid.SampledFrom(regulars).Draw(t, "of")))) },
			"gone":   func(t *rapid.T) { edit(cluster.Remove(like(t, regulars[0]))) },
			"forget": func(*rapid.T) { scheduling.Forget(judge) },
			"fork": func(*rapid.T) {
				judge.Fork()
				forks++
			},
			"revert": func(t *rapid.T) {
				if forks == 0 {
					t.Skip("nothing is forked")
				}
				judge.Revert()
				forks--
			},
			"": func(t *rapid.T) {
				for _, p := range regulars {
					sameVerdict(t, judge, p)
				}
			},
		})
	})
}

// TestPlain holds a judge without the fast path against one with it, as the worlds of both are edited alike.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := randomSnapshot(t)
		var judges [2]*scheduling.Judge
		for i, plain := range []bool{true, false} {
			var err error
			if judges[i], err = scheduling.New(t.Context(), snapshot, scheduling.Options{Seed: 1, Plain: plain}); err != nil {
				t.Fatal(err)
			}
		}
		forks := 0
		t.Repeat(map[string]func(*rapid.T){
			"edit": func(t *rapid.T) {
				e := anEdit(t)
				for _, judge := range judges {
					if err := judge.Apply(e); err != nil {
						t.Fatal(err)
					}
				}
			},
			"fork": func(*rapid.T) {
				forks++
				for _, judge := range judges {
					judge.Fork()
				}
			},
			"revert": func(t *rapid.T) {
				if forks == 0 {
					t.Skip("nothing is forked")
				}
				forks--
				for _, judge := range judges {
					judge.Revert()
				}
			},
			"": func(t *rapid.T) { same(t, judges[0], judges[1], aWaitingPod(t)) },
		})
	})
}

// like is a running pod of the same template.
func like(t *rapid.T, p *corev1.Pod) *corev1.Pod {
	c := *p
	c.Name = fmt.Sprintf("r%d", rapid.IntRange(0, 3).Draw(t, "pod"))
	c.UID = types.UID(c.Namespace + "-" + c.Name)
	on(fmt.Sprintf("n%d", rapid.IntRange(0, 5).Draw(t, "on")))(&c)
	return &c
}

// sameVerdict asks the plain way and the fast one everything about a pod.
func sameVerdict(t *rapid.T, j *scheduling.Judge, p *corev1.Pod) {
	t.Helper()
	same(t, scheduling.Plainly(j), j, p)
}

// same holds all that a judge with the fast path says of a pod against what one without says of the same world.
func same(t *rapid.T, plain, fast *scheduling.Judge, p *corev1.Pod) {
	t.Helper()
	want, got := ask(t, plain, p), ask(t, fast, p)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the plain way and the fast one disagree on %v (-plain +fast):\n%s", p, diff)
	}
}

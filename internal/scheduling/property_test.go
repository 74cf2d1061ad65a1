package scheduling_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// answers is everything a Judge says of one pod.
type answers struct {
	Fit        scheduling.Fit
	Obstacles  scheduling.Obstacles
	Preemption []scheduling.Preemption
	Placement  scheduling.Placement
}

func ask(t *rapid.T, j *scheduling.Judge, p *corev1.Pod) (a answers) {
	t.Helper()
	var err [5]error
	a.Fit, err[0] = j.Fit(t.Context(), p)
	a.Obstacles, err[1] = j.Obstacles(t.Context(), p)
	a.Preemption, err[2] = j.Preempt(t.Context(), p)
	a.Placement, err[3] = j.Place(t.Context(), p)
	var plain scheduling.Fit
	plain, err[4] = scheduling.PlainFit(j, t.Context(), p)
	for _, err := range err {
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(plain, a.Fit, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the plain way and the fast one disagree on %v (-plain +fast):\n%s", p, diff)
	}
	agree(t, a)
	return a
}

// agree holds the four answers against each other.
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
	placed, preempts := a.Placement.Node != "", a.Placement.Preemption != nil
	if placed != (len(a.Fit.Best) > 0) || preempts != (len(a.Preemption) > 0) || placed && !slices.Contains(a.Fit.Best, a.Placement.Node) {
		t.Fatalf("placement %+v does not follow from fit %+v and preemptions %+v", a.Placement, a.Fit, a.Preemption)
	}
}

// TestEditsAndReverts holds a Judge that was edited, forked and reverted against one made of the world it should stand in.
func TestEditsAndReverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		world := aWorld(t)
		judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
		if err != nil {
			t.Fatal(err)
		}
		worlds := []*cluster.Snapshot{world}
		compare := func() {
			world := worlds[len(worlds)-1]
			if diff := cmp.Diff(world.Pods(), judge.World().Pods()); diff != "" {
				t.Fatalf("pods of the world (-want +got):\n%s", diff)
			}
			fresh, err := scheduling.New(t.Context(), world, scheduling.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				p := aPod(t, "q")
				p.Spec.NodeName = ""
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
				worlds[len(worlds)-1] = worlds[len(worlds)-1].With(edits...)
			},
			"fork": func(*rapid.T) {
				judge.Fork()
				worlds = append(worlds, worlds[len(worlds)-1])
			},
			"revert": func(t *rapid.T) {
				if len(worlds) == 1 {
					t.Skip("nothing is forked")
				}
				judge.Revert()
				worlds = worlds[:len(worlds)-1]
			},
			"ask": func(*rapid.T) { compare() },
		})
		compare()
	})
}

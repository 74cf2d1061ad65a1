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

// aWaitingPod is one that no object of the world replaces.
func aWaitingPod(t *rapid.T) *corev1.Pod {
	p := aPod(t, "q")
	p.Spec.NodeName = ""
	return p
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

// like is a running pod of the same template.
func like(t *rapid.T, p *corev1.Pod) *corev1.Pod {
	c := *p
	c.Name = fmt.Sprintf("r%d", rapid.IntRange(0, 3).Draw(t, "pod"))
	c.UID = types.UID(c.Namespace + "-" + c.Name)
	on(fmt.Sprintf("n%d", rapid.IntRange(0, 5).Draw(t, "on")))(&c)
	return &c
}

func sameVerdict(t *rapid.T, j *scheduling.Judge, p *corev1.Pod) {
	t.Helper()
	plain, err := scheduling.PlainFit(j, t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	fast, err := j.Fit(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain, fast, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the plain way and the fast one disagree on %v (-plain +fast):\n%s", p, diff)
	}
	sameScores(t, j, p)
	sameObstacles(t, j, p)
	want := ""
	if len(plain.Feasible) > 0 {
		want = plain.Feasible[0]
	}
	if first, err := j.First(t.Context(), p); err != nil || first != want {
		t.Fatalf("the first node for %v is %q (%v), want %q", p, first, err, want)
	}
	victims, err := j.PlainPreempt(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := j.Preempt(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(victims, got); diff != "" {
		t.Fatalf("the plain way and the fast one preempt others for %v (-plain +fast):\n%s", p, diff)
	}
	const some = "n1"
	if fits, err := j.FitsOn(t.Context(), p, some); err != nil || fits != slices.Contains(plain.Feasible, some) {
		t.Fatalf("whether %v fits on %s: %v (%v), want the contrary", p, some, fits, err)
	}
}

func sameScores(t *rapid.T, j *scheduling.Judge, p *corev1.Pod) {
	t.Helper()
	fast, slow, err := j.Scores(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slow, fast); diff != "" {
		t.Fatalf("the plain way and the fast one score differently for %v (-plain +fast):\n%s", p, diff)
	}
}

func sameObstacles(t *rapid.T, j *scheduling.Judge, p *corev1.Pod) {
	t.Helper()
	plain, err := j.PlainObstacles(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	fast, err := j.Obstacles(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain, fast, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the plain way and the fast one find other obstacles for %v (-plain +fast):\n%s", p, diff)
	}
}

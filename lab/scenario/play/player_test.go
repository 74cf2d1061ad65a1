package play

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/lag"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
)

// pods is a world of pods, by what `pods.size()` gives.
type pods struct {
	count   int
	changed chan struct{}
	// takes is how long it takes to list them.
	takes time.Duration
}

func (w *pods) List(string) []any {
	time.Sleep(w.takes) //nolint:forbidigo // the bubble's clock
	var list []any
	for i := range w.count {
		list = append(list, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}})
	}
	return list
}

func (w *pods) NamedNodes([]any) map[string]*corev1.Node { return nil }

func (w *pods) become(count int) {
	w.count = count
	w.changed <- struct{}{}
}

func lasting(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }

// playing runs a pass in a synctest bubble, on a machine without lag; perform does steps by their names.
func playing(t *testing.T, pass scenario.Pass, p *pace.Pace, w *pods, until string, steps map[string]func() (action, error)) (*player, error) {
	t.Helper()
	return lagging(t, pass, p, w, noLag, until, steps)
}

func noLag() lag.Reading { return lag.Reading{} }

// lagging is playing on a machine with lag.
func lagging(t *testing.T, pass scenario.Pass, p *pace.Pace, w *pods, l func() lag.Reading, until string, steps map[string]func() (action, error)) (*player, error) {
	t.Helper()
	w.changed = make(chan struct{}, 1)
	line := newTimeline(p, nil)
	player, err := newPlayer(pass, w, w.changed, make(chan error), line, l, func(_ context.Context, s scenario.Step) (action, error) {
		if do, ok := steps[s.Name]; ok {
			return do()
		}
		return action{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	player.start()
	return player, player.run(t.Context(), until)
}

func at(e Expectation) string {
	if e.AtSeconds == nil {
		return e.Name + ": " + e.Problem
	}
	return fmt.Sprintf("%s: %g", e.Name, *e.AtSeconds)
}

func TestPlayerTimesStepsAndExpectations(t *testing.T) {
	for _, scale := range []float64{1, 10} {
		synctest.Test(t, func(t *testing.T) {
			w := &pods{}
			pass := scenario.Pass{
				Steps: []scenario.Step{
					{Name: "grow", At: lasting(time.Minute)},
					{Name: "wait"},
					{Mark: "grown"},
					{Name: "shrink", After: lasting(time.Minute)},
				},
				Expect: []scenario.Expectation{
					{Name: "none-at-first", That: "pods.size() == 0", Within: *lasting(time.Second), Holds: lasting(50 * time.Second)},
					{Name: "three", From: "grow", That: "pods.size() == 3", Within: *lasting(2 * time.Minute)},
					{Name: "never-four", From: "grow", That: "pods.size() == 4", Within: *lasting(2 * time.Minute)},
					{Name: "too-soon", From: "grow", That: "pods.size() == 3", NotBefore: lasting(40 * time.Second), Within: *lasting(2 * time.Minute)},
					{Name: "stays", From: "grown", That: "pods.size() == 3", Within: *lasting(time.Second), Holds: lasting(2 * time.Minute)},
					{Name: "ends-empty", From: "shrink", That: "pods.size() == 0", Within: *lasting(time.Minute)},
				},
			}
			p := pace.New(scale)
			later := func(d time.Duration, count int) { time.AfterFunc(p.Real(d), func() { w.become(count) }) }
			player, err := playing(t, pass, p, w, "", map[string]func() (action, error){
				"grow": func() (action, error) { later(30*time.Second, 3); return action{}, nil },
				"wait": func() (action, error) {
					return action{until: func() bool { return w.count == 3 }, tracker: tracker{deadline: time.Minute}}, nil
				},
				"shrink": func() (action, error) { later(20*time.Second, 0); return action{}, nil },
			})
			if err != nil || player.failure != "" {
				t.Fatal(err, player.failure)
			}
			var got []string
			for _, e := range player.results() {
				got = append(got, at(e))
			}
			// A change is observed after at most one interval.
			slack := minObservationInterval.Seconds() * scale
			want := []string{
				"none-at-first: 0",
				fmt.Sprintf("three: %g", 90+slack),
				"never-four: did not come true within 2m0s: pods.size() is 0",
				fmt.Sprintf("too-soon: came true after %s, sooner than the 40s it should take", 30*time.Second+p.Scenario(minObservationInterval)),
				fmt.Sprintf("stays: was true for only %s of the 2m0s it should hold: pods.size() is 0", 80*time.Second+p.Scenario(minObservationInterval)),
				fmt.Sprintf("ends-empty: %g", 170+2*slack),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("scale %g (-want +got):\n%s", scale, diff)
			}
		})
	}
}

// TestPlayerDoesNotCountItsOwnTime has what holds at a point looked at slowly: a deadline is the cluster's, not the player's.
func TestPlayerDoesNotCountItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pass := scenario.Pass{
			Steps: []scenario.Step{{Mark: "later", At: lasting(time.Minute)}},
			Expect: []scenario.Expectation{
				{Name: "three", That: "pods.size() == 3", Within: *lasting(time.Second)},
				{Name: "none", That: "pods.size() == 0", Within: *lasting(time.Second)},
				{Name: "still-none", From: "later", That: "pods.size() == 0", Within: *lasting(time.Second)},
			},
		}
		slow := func() lag.Reading {
			time.Sleep(200 * time.Millisecond) //nolint:forbidigo // the bubble's clock
			return lag.Reading{}
		}
		player, err := lagging(t, pass, pace.New(10), &pods{takes: 200 * time.Millisecond}, slow, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range player.results() {
			got = append(got, at(e))
		}
		// The point is noted when the lag before its step has been read.
		want := []string{"three: did not come true within 1s: pods.size() is 0", "none: 0", "still-none: 62"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestPlayerEndsWhenAStepFails(t *testing.T) {
	tests := []struct {
		name string
		step func() (action, error)
		want string
	}{
		{
			"refused", func() (action, error) { return action{}, errors.New("no such group") },
			"step break could not be done: no such group",
		},
		{"waits in vain", func() (action, error) {
			return action{until: func() bool { return false }, tracker: tracker{deadline: time.Minute}}, nil
		}, "step break: what it waits for did not come true within 1m0s"},
		{"waits in vain and says why", func() (action, error) {
			return action{until: func() bool { return false }, tracker: tracker{deadline: time.Minute}, explain: func() string { return "pods.size() is 0" }}, nil
		}, "step break: what it waits for did not come true within 1m0s: pods.size() is 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pass := scenario.Pass{
					Steps: []scenario.Step{{Name: "break"}, {Name: "after"}},
					Expect: []scenario.Expectation{
						{Name: "later", From: "after", That: "true", Within: *lasting(time.Hour)},
						{Name: "open", That: "pods.size() == 1", Within: *lasting(time.Hour)},
					},
				}
				player, err := playing(t, pass, pace.New(1), &pods{}, "", map[string]func() (action, error){"break": tt.step})
				if err != nil {
					t.Fatal(err)
				}
				if player.failure != tt.want {
					t.Errorf("failure = %q, want %q", player.failure, tt.want)
				}
				results := player.results()
				if got, want := at(results[0]), `later: the point "after" was not reached`; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				if got, want := at(results[1]), "open: the pass ended before its deadline"; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
}

func TestPlayerStopsAtAPoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pass := scenario.Pass{Steps: []scenario.Step{{Mark: "here", At: lasting(time.Minute)}, {Name: "beyond"}}}
		player, err := playing(t, pass, pace.New(1), &pods{}, "here", map[string]func() (action, error){
			"beyond": func() (action, error) { t.Error("a step after the point was done"); return action{}, nil },
		})
		if err != nil || player.points["here"].at != time.Minute {
			t.Errorf("reached %v, %v, want here at 1m", player.points, err)
		}
	})
}

func TestPlayerStartNeedsNoStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pass := scenario.Pass{Steps: []scenario.Step{{Name: "beyond"}}}
		_, err := playing(t, pass, pace.New(1), &pods{}, scenario.Start, map[string]func() (action, error){
			"beyond": func() (action, error) { t.Error("a step after the start was done"); return action{}, nil },
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestPlayerReportsClusterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clusterEnded := make(chan error, 1)
		clusterEnded <- errors.New("etcd: disk full")
		w := &pods{changed: make(chan struct{})}
		pass := scenario.Pass{Expect: []scenario.Expectation{{Name: "never", That: "pods.size() == 1", Within: *lasting(time.Hour)}}}
		line := newTimeline(pace.New(1), nil)
		player, err := newPlayer(pass, w, w.changed, clusterEnded, line, noLag, nil)
		if err != nil {
			t.Fatal(err)
		}
		player.start()
		if err := player.run(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("run() = %v, want the cluster's death", err)
		}
	})
}

func TestTracker(t *testing.T) {
	type look struct {
		at    time.Duration
		value bool
	}
	tests := []struct {
		name  string
		track tracker
		looks []look
		state trackerState
		since time.Duration
	}{
		{"true at once", tracker{deadline: 10}, []look{{0, true}}, met, 0},
		{"true in time", tracker{deadline: 10}, []look{{0, false}, {9, true}}, met, 9},
		{"true at the deadline", tracker{deadline: 10}, []look{{0, false}, {10, true}}, met, 10},
		{"seen too late", tracker{deadline: 10}, []look{{0, false}, {11, true}}, failed, 0},
		{"never", tracker{deadline: 10}, []look{{0, false}, {10, false}}, failed, 0},
		{"still open", tracker{deadline: 10}, []look{{0, false}, {9, false}}, waiting, 0},
		{"too soon", tracker{deadline: 10, notBefore: 5}, []look{{4, true}}, failed, 4},
		{"not too soon", tracker{deadline: 10, notBefore: 5}, []look{{4, false}, {5, true}}, met, 5},
		{"does not hold yet", tracker{deadline: 10, holds: 5}, []look{{2, true}, {6, true}}, holding, 2},
		{"holds", tracker{deadline: 10, holds: 5}, []look{{2, true}, {7, true}}, met, 2},
		{"holds past the deadline", tracker{deadline: 10, holds: 5}, []look{{9, true}, {14, true}}, met, 9},
		{"breaks and holds again", tracker{deadline: 10, holds: 5}, []look{{2, true}, {4, false}, {8, true}, {13, true}}, met, 8},
		{"breaks past the deadline", tracker{deadline: 10, holds: 5}, []look{{9, true}, {12, false}}, failed, 9},
		{"settled for good", tracker{deadline: 10}, []look{{1, true}, {2, false}, {20, false}}, met, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := tt.track
			for _, l := range tt.looks {
				tr.observe(l.at, l.value, lateness{})
			}
			if tr.state != tt.state || tr.since != tt.since && tt.state != failed {
				t.Errorf("state %d since %d, want %d since %d", tr.state, tr.since, tt.state, tt.since)
			}
		})
	}
}

package play

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/lab/lag"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
)

func TestTrackerWithLag(t *testing.T) {
	type look struct {
		at    time.Duration
		value bool
		lost  time.Duration // since the point
		just  time.Duration // in the last ten seconds of real time
	}
	// At 100 since the point, a bound of 10 + 100/4 = 35.
	const always = 10
	tests := []struct {
		name   string
		track  tracker
		before time.Duration
		looks  []look
		state  trackerState
		next   time.Duration
	}{
		{"lag before the deadline changes nothing", tracker{deadline: 100}, 0, []look{{50, true, 40, 0}}, met, 0},
		{"what was lost is added", tracker{deadline: 100}, 0, []look{{100, false, 20, 0}}, waiting, 120},
		{"what is lost meanwhile too", tracker{deadline: 100}, 0, []look{{100, false, 20, 0}, {120, false, 24, 0}}, waiting, 124},
		{"true within the extension", tracker{deadline: 100}, 0, []look{{100, false, 20, 0}, {119, true, 20, 0}}, met, 0},
		{"true after the extension", tracker{deadline: 100}, 0, []look{{121, true, 20, 0}}, failed, 0},
		{"not true within the extension", tracker{deadline: 100}, 0, []look{{100, false, 20, 0}, {120, false, 20, 0}}, failed, 0},
		{"no more than the bound is added", tracker{deadline: 100}, 0, []look{{100, false, 60, 0}}, waiting, 135},
		{"true within the bound, with more lag than that", tracker{deadline: 100}, 0, []look{{100, false, 60, 0}, {135, true, 60, 0}}, met, 0},
		{"not true within the bound", tracker{deadline: 100}, 0, []look{{145, false, 60, 0}}, waiting, 146},
		{"not true beyond the bound", tracker{deadline: 100}, 0, []look{{148, false, 60, 0}}, unjudged, 0},
		{"true beyond the bound", tracker{deadline: 100}, 0, []look{{148, true, 60, 0}}, unjudged, 0},
		{"the bound itself is not beyond it", tracker{deadline: 100}, 0, []look{{160, false, 50, 0}}, failed, 0},
		{"an unjudged one is settled", tracker{deadline: 100}, 0, []look{{148, false, 60, 0}, {149, true, 60, 0}}, unjudged, 0},

		{"holds is not shortened", tracker{deadline: 10, holds: 50}, 0, []look{{0, true, 0, 0}, {49, true, 30, 0}}, holding, 50},
		{"a break within the extension may mend", tracker{deadline: 10, holds: 50}, 0, []look{{0, true, 0, 0}, {12, false, 5, 0}, {14, true, 5, 0}, {64, true, 5, 0}}, met, 0},
		{"a break within the bound", tracker{deadline: 10, holds: 50}, 0, []look{{0, true, 0, 0}, {40, false, 20, 0}}, failed, 0},
		{"a break after much lag at once", tracker{deadline: 10, holds: 50}, 0, []look{{0, true, 0, 0}, {40, false, 20, lagBreaks}}, unjudged, 0},
		{"a break after less lag at once", tracker{deadline: 10, holds: 50}, 0, []look{{0, true, 0, 0}, {40, false, 20, lagBreaks - 1}}, failed, 0},
		{"late, with much lag at once", tracker{deadline: 100}, 0, []look{{160, false, 50, lagBreaks}}, failed, 0},
		{"a break with lag beyond the bound", tracker{deadline: 10, holds: 50}, 0, []look{{0, true, 0, 0}, {40, false, 21, 0}}, unjudged, 0},

		{"too soon, by less than the point may be late", tracker{deadline: 100, notBefore: 50}, 5, []look{{46, true, 0, 0}}, unjudged, 0},
		{"too soon, by just as much", tracker{deadline: 100, notBefore: 50}, 5, []look{{45, true, 0, 0}}, unjudged, 0},
		{"too soon, by more", tracker{deadline: 100, notBefore: 50}, 5, []look{{44, true, 0, 0}}, failed, 0},
		{"too soon, with lag since the point only", tracker{deadline: 100, notBefore: 50}, 0, []look{{46, true, 90, 0}}, failed, 0},
		{"not too soon", tracker{deadline: 100, notBefore: 50}, 5, []look{{50, true, 0, 0}}, met, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := tt.track
			for _, l := range tt.looks {
				tr.observe(l.at, l.value, lateness{before: tt.before, since: func() time.Duration { return l.lost }, recent: func() time.Duration { return l.just }, always: always})
			}
			if tr.state != tt.state {
				t.Errorf("state %d, want %d; %s", tr.state, tt.state, tr.problem)
			}
			if !tr.settled() && tr.next() != tt.next {
				t.Errorf("looks again at %d, want %d", tr.next(), tt.next)
			}
		})
	}
}

// slow is a machine on which a share of all time is lost.
func slow(share float64) func() lag.Reading {
	began := time.Now()
	return func() lag.Reading {
		passed := time.Since(began)
		return lag.Reading{Lost: time.Duration(float64(passed) * share), Recent: time.Duration(float64(min(passed, 10*time.Second)) * share)}
	}
}

// come lets there be one pod after a time of the scenario.
func come(w *pods, p *pace.Pace, after time.Duration) {
	time.AfterFunc(p.Real(after), func() { w.become(1) })
}

func TestPlayerExtendsForLag(t *testing.T) {
	for name, tc := range map[string]struct {
		share  float64
		comes  time.Duration
		expect scenario.Expectation
		want   string
	}{
		"no lag":                  {0, 110 * time.Second, scenario.Expectation{}, "failed: did not come true within 1m40s: pods.size() is 0"},
		"late by less":            {0.2, 110 * time.Second, scenario.Expectation{}, "met, 10 s after its deadline"},
		"late by more":            {0.2, 200 * time.Second, scenario.Expectation{}, "failed: did not come true within 1m40s and 25s of lag: pods.size() is 0"},
		"lag beyond the bound":    {0.9, time.Hour, scenario.Expectation{}, "not judged: did not come true within 1m40s and 2m46.7s of lag; there are 4m0s of lag, too much to judge it: pods.size() is 0"},
		"in time, with much lag":  {0.9, 90 * time.Second, scenario.Expectation{}, "met"},
		"too soon, without lag":   {0, 90 * time.Second, scenario.Expectation{NotBefore: lasting(92 * time.Second)}, "failed: came true after 1m30.1s, sooner than the 1m32s it should take"},
		"too soon, with some lag": {0.1, 90 * time.Second, scenario.Expectation{NotBefore: lasting(92 * time.Second)}, "not judged: came true after 1m30.1s, sooner than the 1m32s it should take; its point may have been noted 10s late for lag"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := pace.New(10), &pods{}
				e := tc.expect
				e.Name, e.From, e.That, e.Within = "one", "go", "pods.size() == 1", *lasting(100 * time.Second)
				// The point comes when there has been lag for ten seconds of real time.
				pass := scenario.Pass{Steps: []scenario.Step{{Name: "go", At: lasting(100 * time.Second)}}, Expect: []scenario.Expectation{e}}
				player, err := lagging(t, pass, p, w, slow(tc.share), "", map[string]func() (action, error){
					"go": func() (action, error) { come(w, p, tc.comes); return action{}, nil },
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, verdict(player.results()[0])); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func verdict(e Expectation) string {
	switch {
	case e.OverrunSeconds > 1:
		return fmt.Sprintf("met, %.0f s after its deadline", e.OverrunSeconds)
	case e.Met:
		return "met"
	case e.NotJudged:
		return "not judged: " + e.Problem
	}
	return "failed: " + e.Problem
}

// burst is a machine on which nine of the second ten seconds are lost; the bound excuses ten.
func burst() func() lag.Reading {
	began := time.Now()
	return func() lag.Reading {
		passed := time.Since(began)
		lost := func(until time.Duration) time.Duration { return max(0, min(until-10*time.Second, 9*time.Second)) }
		return lag.Reading{Lost: lost(passed), Recent: lost(passed) - lost(passed-10*time.Second)}
	}
}

// TestPlayerJudgesNothingAfterwards lets expectations fail after one that could not be judged: they may follow from it. What failed before it has failed,
// and what comes true is met.
func TestPlayerJudgesNothingAfterwards(t *testing.T) {
	expect := func(name string, within time.Duration, that string) scenario.Expectation {
		return scenario.Expectation{Name: name, That: that, Within: *lasting(within)}
	}
	holding := expect("holds", 10*time.Second, "pods.size() == 0")
	holding.Holds = lasting(time.Hour)
	soon := expect("soon", 400*time.Second, "pods.size() == 1")
	soon.NotBefore = lasting(300 * time.Second)
	synctest.Test(t, func(t *testing.T) {
		p, w := pace.New(10), &pods{}
		pass := scenario.Pass{
			Steps: []scenario.Step{{Name: "go"}, {Name: "wait"}},
			Expect: []scenario.Expectation{
				expect("before", 50*time.Second, "pods.size() == 2"), holding, soon,
				expect("after", 400*time.Second, "pods.size() == 2"), expect("one pod", 400*time.Second, "pods.size() == 1"),
			},
		}
		player, err := lagging(t, pass, p, w, burst(), "", map[string]func() (action, error){
			"go": func() (action, error) { come(w, p, 190*time.Second); return action{}, nil },
			"wait": func() (action, error) {
				return action{until: func() bool { return false }, tracker: tracker{deadline: 600 * time.Second}}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{player.failure}
		for _, e := range player.results() {
			got = append(got, e.Name+" "+verdict(e))
		}
		want := []string{
			"step wait: what it waits for did not come true within 10m0s and 1m30s of lag; it may follow from holds, which was not judged",
			"before failed: did not come true within 50s: pods.size() is 0",
			"holds not judged: was true for only 3m10.1s of the 1h0m0s it should hold; there were just 1m30s of lag, which may be why: pods.size() is 1",
			"soon not judged: came true after 3m10.1s, sooner than the 5m0s it should take; it may follow from holds, which was not judged",
			"after not judged: did not come true within 6m40s and 1m30s of lag; it may follow from holds, which was not judged: pods.size() is 1",
			"one pod met",
		}
		if diff := cmp.Diff(want, got); diff != "" || !player.unjudged {
			t.Errorf("unjudged %v; (-want +got)\n%s", player.unjudged, diff)
		}
	})
}

// TestPlayerJudgesNoRefusalAfterwards lets a step be refused after an expectation that could not be judged, or that failed.
func TestPlayerJudgesNoRefusalAfterwards(t *testing.T) {
	for name, machine := range map[string]func() func() lag.Reading{"failed": func() func() lag.Reading { return noLag }, "not judged": burst} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := pace.New(10), &pods{}
				pass := scenario.Pass{
					Steps:  []scenario.Step{{Name: "go"}, {Name: "apply", At: lasting(300 * time.Second)}},
					Expect: []scenario.Expectation{{Name: "holds", That: "pods.size() == 0", Within: *lasting(10 * time.Second), Holds: lasting(time.Hour)}},
				}
				player, err := lagging(t, pass, p, w, machine(), "", map[string]func() (action, error){
					"go":    func() (action, error) { come(w, p, 190*time.Second); return action{}, nil },
					"apply": func() (action, error) { return action{}, errors.New("refused") },
				})
				if err != nil {
					t.Fatal(err)
				}
				if want := "step apply could not be done: refused"; player.failure != want || player.unjudged != (name == "not judged") {
					t.Errorf("%q, unjudged %v, want %q", player.failure, player.unjudged, want)
				}
			})
		})
	}
}

// TestPlayerEndsUnjudged lets a step fail on a machine with too much lag: what comes after it is not judged either.
func TestPlayerEndsUnjudged(t *testing.T) {
	for name, step := range map[string]func() (action, error){
		"waits in vain": func() (action, error) {
			return action{until: func() bool { return false }, tracker: tracker{deadline: time.Minute}}, nil
		},
		"refused, late": func() (action, error) {
			<-time.After(30 * time.Second)
			return action{}, errors.New("the server does not answer")
		},
		"a command that fails, late": func() (action, error) {
			<-time.After(30 * time.Second)
			return action{until: func() bool { return false }, broken: func() string { return "exit code 1" }, tracker: tracker{deadline: time.Minute}}, nil
		},
	} {
		for share, unjudged := range map[float64]bool{0: false, 0.9: true} {
			t.Run(fmt.Sprintf("%s with lag %g", name, share), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					pass := scenario.Pass{
						Steps:  []scenario.Step{{Name: "break"}, {Name: "after"}},
						Expect: []scenario.Expectation{{Name: "later", From: "after", That: "true", Within: *lasting(time.Hour)}},
					}
					player, err := lagging(t, pass, pace.New(1), &pods{}, slow(share), "", map[string]func() (action, error){"break": step})
					if err != nil {
						t.Fatal(err)
					}
					lost, used := player.lost()
					if player.failure == "" || player.unjudged != unjudged || player.results()[0].NotJudged != unjudged || used != unjudged || lost > 0 != unjudged {
						t.Errorf("%q, unjudged %v, %+v, lost %g s, used %v", player.failure, player.unjudged, player.results(), lost, used)
					}
				})
			})
		}
	}
}

func TestJudge(t *testing.T) {
	yes, no, open := Expectation{Met: true}, Expectation{}, Expectation{NotJudged: true}
	for _, tt := range []struct {
		name           string
		expectations   []Expectation
		failure        string
		unjudged       bool
		met, notJudged bool
	}{
		{"all met", []Expectation{yes, yes}, "", false, true, false},
		{"one not met", []Expectation{yes, no}, "", false, false, false},
		{"one not judged", []Expectation{yes, open}, "", false, false, true},
		{"one of each", []Expectation{yes, no, open}, "", false, false, false},
		{"a step fails", []Expectation{yes, no}, "step x", false, false, false},
		{"a step fails, though one was not judged", []Expectation{open}, "step x", false, false, false},
		{"a step that cannot be judged", []Expectation{yes, open}, "step x", true, false, true},
		{"a step that cannot be judged after a miss", []Expectation{no, open}, "step x", true, false, false},
	} {
		r := Result{Expectations: tt.expectations, Failure: tt.failure}
		if r.judge(tt.unjudged); r.Met != tt.met || r.NotJudged != tt.notJudged {
			t.Errorf("%s: met %v, not judged %v, want %v, %v", tt.name, r.Met, r.NotJudged, tt.met, tt.notJudged)
		}
	}
}

func TestMeterJudgesErrors(t *testing.T) {
	failure := errors.New("the start did not come up")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		lost   time.Duration // in a minute
		err    error
		judged bool
	}{
		{"nothing failed", t.Context(), time.Minute, nil, true},
		{"no lag", t.Context(), 0, failure, true},
		{"lag within the bound", t.Context(), 25 * time.Second, failure, true},
		{"lag beyond the bound", t.Context(), 26 * time.Second, failure, false},
		{"ended by the caller", ended, 26 * time.Second, failure, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := meter{read: func() lag.Reading { return lag.Reading{Lost: tt.lost} }, began: time.Now()}
			<-time.After(time.Minute)
			if got := m.judge(tt.ctx, tt.err); !errors.Is(got, tt.err) || errors.Is(got, ErrNotJudged) == tt.judged {
				t.Errorf("%s: %v", tt.name, got)
			}
		})
	}
}

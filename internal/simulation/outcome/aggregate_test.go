package outcome_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

func pod(name string) change.Ref { return change.Ref{Kind: "Pod", Namespace: "default", Name: name} }

func TestAggregate(t *testing.T) {
	budget := change.Ref{Kind: "PodDisruptionBudget", Namespace: "default", Name: "web"}
	futures := []outcome.Outcome{
		{
			Fates:       []outcome.Fate{{Kind: outcome.Moved, Pod: pod("a"), To: "n1"}, {Kind: outcome.Waiting, Pod: pod("b")}},
			Violations:  []outcome.Violation{{Budget: budget, Allowed: 1, Disrupted: 2}},
			NotModelled: []outcome.Gap{{About: "nodes", Why: sentence.GapAutoscaling()}},
		},
		{
			Fates:      []outcome.Fate{{Kind: outcome.Moved, Pod: pod("a"), To: "n2"}, {Kind: outcome.Preempted, Pod: pod("b")}, {Kind: outcome.Moved, Pod: pod("b"), To: "n2"}},
			Violations: []outcome.Violation{{Budget: budget, Allowed: 1, Disrupted: 4}},
		},
		{Fates: []outcome.Fate{{Kind: outcome.Moved, Pod: pod("a"), To: "n2"}}},
		{Fates: []outcome.Fate{{Kind: outcome.Moved, Pod: pod("a"), To: "n1"}}},
	}
	all := outcome.NewAggregate(len(futures))
	for _, one := range futures {
		all.Add(one)
	}
	want := outcome.Outcome{
		Fates: []outcome.Fate{
			{Kind: outcome.Moved, Pod: pod("a"), To: "n1", Chance: 1, NodeChance: 0.5},
			{Kind: outcome.Preempted, Pod: pod("b"), Chance: 0.25, NodeChance: 0.25},
			{Kind: outcome.Moved, Pod: pod("b"), To: "n2", Chance: 0.25, NodeChance: 0.25},
			{Kind: outcome.Waiting, Pod: pod("b"), Chance: 0.25, NodeChance: 0.25},
		},
		Violations:  []outcome.Violation{{Budget: budget, Allowed: 1, Disrupted: 4, Chance: 0.5}},
		NotModelled: []outcome.Gap{{About: "nodes", Why: sentence.GapAutoscaling()}},
		Seeds:       4,
	}
	if diff := cmp.Diff(want, all.Outcome(futures[3])); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

// A gap whose numbers differ between futures is told once, as in the last of them.
func TestGapsOfSeveralFutures(t *testing.T) {
	gap := func(left int) outcome.Gap {
		return outcome.Gap{About: "daemonset/agent", Why: sentence.GapRollout("daemonset/agent", left)}
	}
	all := outcome.NewAggregate(2)
	last := outcome.Outcome{NotModelled: []outcome.Gap{gap(2)}}
	all.Add(outcome.Outcome{NotModelled: []outcome.Gap{gap(1)}})
	all.Add(last)
	if diff := cmp.Diff(last.NotModelled, all.Outcome(last).NotModelled); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

func TestGapsAreNotedOnce(t *testing.T) {
	gaps := outcome.Gaps{}
	for _, about := range []string{"b", "a", "b"} {
		gaps.Note(about, sentence.GapTimes())
	}
	want := []outcome.Gap{{About: "a", Why: sentence.GapTimes()}, {About: "b", Why: sentence.GapTimes()}}
	if diff := cmp.Diff(want, gaps.List()); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

package play_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/labcluster"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// builder builds labs whose control planes are child processes.
func builder(t *testing.T) play.Builder {
	t.Helper()
	testbed.Need(t)
	return labcluster.Builder(func(o *lab.Options) { o.ControlPlane = testbed.StartPlane })
}

// TestPlay plays a scenario with every sort of step on a real control plane.
func TestPlay(t *testing.T) {
	s, err := scenario.Load("testdata/steps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	result := played(t, s, scenario.Kubernetes, play.Options{
		Build: builder(t), Pace: pace.New(10), Observer: func(play.Update) { heard++ },
	})
	for _, e := range result.Expectations {
		if !e.Met {
			t.Errorf("expectation %s is not met: %s", e.Name, e.Problem)
		}
	}
	if result.Failure != "" {
		t.Errorf("the pass failed: %s", result.Failure)
	}
	if heard < len(result.Events) {
		t.Errorf("the observer heard of %d things, fewer than the %d events", heard, len(result.Events))
	}
	if !slices.IsSortedFunc(result.Events, func(a, b play.Event) int { return int(a.AtSeconds*100) - int(b.AtSeconds*100) }) {
		t.Error("the events are not in order")
	}
	var steps []string
	for _, e := range result.Events {
		if e.Sort == play.Step || e.Sort == play.Point {
			steps = append(steps, string(e.Sort)+" "+e.Object)
		}
	}
	want := []string{
		"point start", "step applied", "step wait", "step patched", "step deleted", "point deleted", "step power-lost", "step wait",
		"step power-back", "step resized", "step wait", "step rotated", "step wait", "step terminated", "point end",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps and points (-want +got):\n%s", diff)
	}
	if node := result.Nodes["worker-1"]; !strings.HasPrefix(node, "ip-") {
		t.Errorf("worker-1 is %q, want a node of the cloud", node)
	}
}

// TestReach leaves the cluster at the point that was asked for.
func TestReach(t *testing.T) {
	s, err := scenario.Load("testdata/steps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pass, err := s.Pass("nothing-happens")
	if err != nil {
		t.Fatal(err)
	}
	options := play.Options{Build: builder(t), Pace: pace.New(10)}
	if _, err := play.Reach(t.Context(), pass, "applied", options); err == nil || !strings.Contains(err.Error(), `no point "applied"`) {
		t.Errorf("Reach(applied) = %v, want that there is no such point", err)
	}
	reached, err := play.Reach(t.Context(), pass, "calm", options)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(reached.Cloud().Instances()); n != 2 {
		t.Errorf("the cloud has %d instances at the point, want 2", n)
	}
	if err := reached.Stop(); err != nil {
		t.Error(err)
	}
}

// TestPlayEndsWithItsContext cancels a pass as soon as its start is there.
func TestPlayEndsWithItsContext(t *testing.T) {
	s, err := scenario.Load("testdata/steps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = play.Play(ctx, s.Passes()[0], play.Options{Build: builder(t), Pace: pace.New(10), Observer: func(u play.Update) {
		if u.Event != nil {
			cancel() // as soon as the start is there
		}
	}})
	if err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("Play() = %v, want that it was cancelled", err)
	}
}

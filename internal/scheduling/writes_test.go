package scheduling_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// TestNeverWrites asks everything there is to ask about pods in random worlds: nothing may go out to a cluster, not even a
// question.
func TestNeverWrites(t *testing.T) {
	var placed, preempted int
	rapid.Check(t, func(t *rapid.T) {
		judge, err := scheduling.New(t.Context(), randomSnapshot(t), scheduling.Options{})
		if err != nil {
			t.Fatal(err)
		}
		judge.Fork()
		if err := judge.Apply(rapid.SliceOfN(rapid.Custom(anEdit), 0, 4).Draw(t, "edits")...); err != nil {
			t.Fatal(err)
		}
		p := aWaitingPod(t)
		if rapid.Bool().Draw(t, "large") {
			asking("4", "1Gi")(p)
			priority(1000)(p)
			addPods(t, judge)
		}
		a := ask(t, judge, p)
		if a.Placement.Node != "" {
			placed++
		}
		if a.Placement.Preemption != nil {
			preempted++
		}
		if _, err := judge.First(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		for _, node := range judge.World().Nodes() {
			if _, err := judge.FitsOn(t.Context(), p, node.Name); err != nil {
				t.Fatal(err)
			}
		}
		judge.Revert()
		if n := scheduling.Requests(judge); n != 0 {
			t.Fatalf("%d requests for %v", n, p)
		}
	})
	if placed == 0 || preempted == 0 {
		t.Errorf("%d pods were placed and %d preempted: the worlds are too simple", placed, preempted)
	}
}

// addPods puts one more pod on every node.
func addPods(t *rapid.T, judge *scheduling.Judge) {
	for _, n := range judge.World().Nodes() {
		if err := judge.Apply(cluster.Put(pod("on-"+n.Name, on(n.Name)))); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWritesAreRefused has plugins, and the client that they hold, do what the judge never asks them to: they get nowhere,
// and TestNeverWrites would know.
func TestWritesAreRefused(t *testing.T) {
	p, victim := pod("p"), pod("a", on("n1"))
	for name, write := range map[string]func(*scheduling.Judge) error{
		"bind": func(j *scheduling.Judge) error { return scheduling.Bind(t.Context(), j, p, "n1") },
		"preempt": func(j *scheduling.Judge) error {
			return scheduling.Client(j).CoreV1().Pods(victim.Namespace).Delete(t.Context(), victim.Name, metav1.DeleteOptions{})
		},
		"nominate": func(j *scheduling.Judge) error {
			_, err := scheduling.Client(j).CoreV1().Pods(p.Namespace).UpdateStatus(t.Context(), p, metav1.UpdateOptions{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			judge := newJudge(t, node("n1"), victim)
			err := write(judge)
			if err == nil || !strings.Contains(err.Error(), "changes none") {
				t.Errorf("got error %v", err)
			}
			if scheduling.Requests(judge) != 1 {
				t.Errorf("%d requests were counted", scheduling.Requests(judge))
			}
		})
	}
}

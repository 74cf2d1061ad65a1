package simulation_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestEachFutureParallel plays the same futures as one Judge does, in a cluster of every kind, and the first future last.
func TestEachFutureParallel(t *testing.T) {
	const futures = 12
	onSeveralCPUs(t)
	contents := clustertest.BigContents(30, 600)
	delete(contents.Knowledge, cluster.ServiceAccount) // It has none, without which no pod could be created.
	world := cluster.New(contents)
	var changes []change.Change
	for _, pod := range world.Pods() {
		if owner := world.Owner(pod); owner != nil && len(changes) < 100 {
			if _, is := owner.(*appsv1.ReplicaSet); is {
				changes = append(changes, change.Evict{Namespace: pod.Namespace, Name: pod.Name})
			}
		}
	}
	play := func(each eachFuture) (all []string, last string) {
		judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = each(t.Context(), judge, changes, simulation.Options{Seeds: futures}, func(o outcome.Outcome) error {
			last = strings.Join(testworld.DescribeFates(o), "\n")
			all = append(all, last)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		return all, last
	}
	want, wantLast := play(simulation.EachFuture)
	got, gotLast := play(simulation.EachFutureParallel)
	if !slices.Equal(got, want) || gotLast != wantLast {
		t.Errorf("%d futures, want %d; the last:\n%s\nwant:\n%s", len(got), len(want), gotLast, wantLast)
	}
	if others := slices.DeleteFunc(want, func(one string) bool { return one == wantLast }); len(others) != futures-1 {
		t.Error("another future is as the first: it cannot be told which comes last")
	}
}

// TestEachFutureParallelFails: an error of one future ends all, and a change of what is removed in every future is one.
func TestEachFutureParallelFails(t *testing.T) {
	onSeveralCPUs(t)
	w := testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"))
	failed := errors.New("failed")
	for name, tc := range map[string]struct {
		changes []change.Change
		visit   func(outcome.Outcome) error
		want    func(error) bool
	}{
		"visit": {
			changes: []change.Change{change.Evict{Namespace: "default", Name: "web-1-a"}},
			visit:   func(outcome.Outcome) error { return failed }, want: func(err error) bool { return errors.Is(err, failed) },
		},
		"removed": {
			changes: []change.Change{change.Evict{Namespace: "default", Name: "web-1-a"}, change.Evict{Namespace: "default", Name: "web-1-a"}},
			visit:   func(outcome.Outcome) error { return nil }, want: func(err error) bool { return errors.As(err, &outcome.UnknownError{}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := simulation.EachFutureParallel(t.Context(), w.Judge(t), tc.changes, simulation.Options{Seeds: 8}, tc.visit); !tc.want(err) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// eachFuture is EachFuture or EachFutureParallel.
type eachFuture func(context.Context, *scheduling.Judge, []change.Change, simulation.Options, func(outcome.Outcome) error) error

// onSeveralCPUs has a test run on four, however many there are.
func onSeveralCPUs(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

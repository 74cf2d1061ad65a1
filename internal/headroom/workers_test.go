package headroom_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// sameReports fails unless several workers compute what one does.
func sameReports(t interface {
	test
	Errorf(format string, args ...any)
}, judge *scheduling.Judge, o headroom.Options,
) {
	t.Helper()
	alone, err := headroom.Compute(t.Context(), judge, o)
	if err != nil {
		t.Fatal(err)
	}
	var last, total int
	o.Progress = func(done, all int) {
		if done < last {
			t.Errorf("after %d failures, %d are simulated", last, done)
		}
		last, total = done, all
	}
	together, err := headroom.ComputeTogether(t.Context(), judge, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(alone, together, cmpopts.IgnoreUnexported(headroom.Answer{}, headroom.Failure{}, headroom.Placeholder{})); diff != "" {
		t.Errorf("several workers compute another report (-one +several):\n%s", diff)
	}
	if last != total {
		t.Errorf("%d of %d failures were simulated", last, total)
	}
}

// TestWorkers: reports do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	t.Run("a large cluster", func(t *testing.T) {
		contents := clustertest.BigContents(30, 600)
		delete(contents.Knowledge, cluster.ServiceAccount)
		judge, err := scheduling.New(t.Context(), cluster.New(contents), scheduling.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		sameReports(t, judge, headroom.Options{Kinds: usual})
	})
	worlds := 0
	rapid.Check(t, func(t *rapid.T) {
		if worlds++; worlds > 20 {
			return
		}
		sameReports(t, judgeOf(t, drawBruteWorld(t, "a").objects), headroom.Options{Kinds: []headroom.Kind{headroom.Node, headroom.Rotation}, Sized: true})
	})
}

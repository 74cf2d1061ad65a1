package random

import (
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/test/seeded"
)

const (
	// runs are how many each core plays.
	runs = 20
	// minRuns runs have each act of failover among them: in most of them all but the confirmation of a person are done.
	minRuns = 15
)

// TestRandomFaults plays random runs, in none of which an invariant may be violated.
func TestRandomFaults(t *testing.T) {
	seeded.Check(t, runs, func(t *testing.T) seeded.Runs {
		played, all := 0, counts{}
		return seeded.Runs{
			Play: func(rt *rapid.T) {
				result := play(t, drawPlan(rt), nil)
				if len(result.violations) > 0 {
					rt.Fatal(strings.Join(result.violations, "\n"))
				}
				played++
				all.add(result.counts)
			},
			End: func() {
				if !t.Failed() && played >= minRuns && (all.replaced == 0 || all.notReady == 0 || all.silent == 0 || all.outOfService == 0 || all.withdrawn == 0 || all.patched == 0) {
					t.Errorf("in %d runs something was never done: %+v", played, all)
				}
				t.Logf("%d runs: %+v", played, all)
			},
		}
	})
}

// play plays a run in a bubble, in which minutes pass in no time.
func play(t *testing.T, p plan, rogue *rogue) (result *checker) {
	synctest.Test(t, func(t *testing.T) { result = p.play(t.Context(), rogue) })
	return result
}

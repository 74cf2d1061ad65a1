package repair

import (
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/guard"
)

// TestNights plays random nights, in none of which a crime may be committed.
func TestNights(t *testing.T) {
	repairs := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		seen := play(t, rt, p, guard.Checks())
		if len(seen.crimes) > 0 {
			rt.Fatalf("%s", strings.Join(seen.crimes, "\n"))
		}
		repairs += seen.repairs
	})
	if !t.Failed() && repairs == 0 {
		t.Error("in no night anything was repaired")
	}
	t.Logf("%d repairs", repairs)
}

func play(t *testing.T, rt *rapid.T, p plan, checks []guard.Check) *watch {
	var seen *watch
	var err error
	synctest.Test(t, func(t *testing.T) { seen, err = p.play(t.Context(), checks) })
	if err != nil {
		rt.Fatal(err)
	}
	return seen
}

package repair

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/guard"
)

var (
	withoutFlag = flag.String("without", "", "play random runs without each of these checks of the guard, separated by commas, until one violates an invariant; all is every check")
	maxRuns     = flag.Int("runs", 500, "how many runs are played at most without each check")
	firstSeed   = flag.Int("first", int(time.Now().Unix()), "the seed of the first of them")
	updateFlag  = flag.Bool("update", false, "store the runs that show what a check is for in testdata/without")
)

// plans draws plans by their seeds.
var plans = rapid.Custom(drawPlan)

// counterexample is a run in which something is violated without a check, and nothing with it.
type counterexample struct {
	Violation violation
	Plan      plan
}

func counterexampleFile(check string) string {
	return filepath.Join("testdata", "without", check+".json")
}

// TestEachCheckIsNeeded shows of each check of the guard that a stored run violates an invariant without it. TestWithout finds such runs,
// also for a new check.
func TestEachCheckIsNeeded(t *testing.T) {
	for _, check := range guard.Checks() {
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(counterexampleFile(check.Name))
			if err != nil {
				t.Fatalf("no run is known that shows what %s is for: go test ./test/repair -run TestWithout -args -without %[1]s -update (%v)", check.Name, err)
			}
			var stored counterexample
			if err := json.Unmarshal(data, &stored); err != nil {
				t.Fatal(err)
			}
			if result := play(t, t, stored.Plan, guard.Checks(), noFlaw); len(result.violations) > 0 {
				t.Errorf("with %s: %q", check.Name, result.violations)
			}
			if result := play(t, t, stored.Plan, without(check.Name), noFlaw); !result.has(stored.Violation) {
				t.Errorf("without %s the checker did not find that it %s: %d repairs, %q", check.Name, stored.Violation, result.repairs, result.violations)
			}
		})
	}
}

// TestWithout plays random runs without one check of the guard until something is violated that is not with it, for each
// check that -without names.
func TestWithout(t *testing.T) {
	if *withoutFlag == "" {
		t.Skip("-without names no check")
	}
	for _, check := range guard.Checks() {
		if *withoutFlag != "all" && !slices.Contains(strings.Split(*withoutFlag, ","), check.Name) {
			continue
		}
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			for n := range *maxRuns {
				drawn := plans.Example(*firstSeed + n)
				what := violationWithout(t, drawn, check.Name)
				if what == "" {
					continue
				}
				t.Logf("%s: seen in run %d: %s", check.Name, n+1, what)
				if *updateFlag {
					save(t, check.Name, shrink(drawn, func(p plan) bool { return violationWithout(t, p, check.Name) == what }), what)
				}
				return
			}
			t.Errorf("%s: not seen in %d runs", check.Name, *maxRuns)
		})
	}
}

// violationWithout is the first violation in a run without a check, if there is none with it.
func violationWithout(t *testing.T, drawn plan, check string) violation {
	result := play(t, t, drawn, without(check), noFlaw)
	if len(result.violations) == 0 {
		return ""
	}
	what, _, _ := strings.Cut(result.violations[0], ":")
	if with := play(t, t, drawn, guard.Checks(), noFlaw); len(with.violations) > 0 {
		t.Errorf("run %+v with all checks: %q", drawn, with.violations)
		return ""
	}
	return violation(what)
}

// shrink removes the faults and features that the violation does not need.
func shrink(drawn plan, shows func(plan) bool) plan {
	for i := 0; i < len(drawn.Faults); {
		less := drawn
		less.Faults = slices.Delete(slices.Clone(drawn.Faults), i, i+1)
		if shows(less) {
			drawn = less
		} else {
			i++
		}
	}
	for _, feature := range []string{"Slack", "PerDay", "Proceed", "Escalation", "Brake", "Room", "Direct", "Earn", "Approver", "CoolDown", "Grace", "Open", "Opens", "Data", "KeepData", "Foreign", "ControlPlane"} {
		less := drawn
		reflect.ValueOf(&less).Elem().FieldByName(feature).SetZero()
		if shows(less) {
			drawn = less
		}
	}
	return drawn
}

func save(t *testing.T, check string, drawn plan, what violation) {
	data, err := json.MarshalIndent(counterexample{what, drawn}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(counterexampleFile(check)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(counterexampleFile(check), append(bytes.TrimSpace(data), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

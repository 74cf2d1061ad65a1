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
	withoutFlag = flag.String("without", "", "play random nights without each of these checks of the guard, separated by commas, until one shows it; all is every check")
	mostNights  = flag.Int("nights", 500, "how many nights are played at most without each check")
	firstNight  = flag.Int("first", int(time.Now().Unix()), "the number of the first of them")
	updateFlag  = flag.Bool("update", false, "keep the nights that show what a check is for in testdata/without")
)

// nightsOf draws nights by their numbers.
var nightsOf = rapid.Custom(drawPlan)

// shown is a night in which something is violated without a check, and nothing with it.
type shown struct {
	Crime crime
	Night plan
}

func shownFile(check string) string { return filepath.Join("testdata", "without", check+".json") }

// TestEachCheckIsSeen shows of each check of the guard that nights see it when it is taken out. They are stored as they were found by
// TestWithout, which is how others are found when a check comes.
func TestEachCheckIsSeen(t *testing.T) {
	for _, check := range guard.Checks() {
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(shownFile(check.Name))
			if err != nil {
				t.Fatalf("no night is known that shows what %s is for: go test ./test/repair -run TestWithout -args -without %[1]s -update (%v)", check.Name, err)
			}
			var kept shown
			if err := json.Unmarshal(data, &kept); err != nil {
				t.Fatal(err)
			}
			if seen := play(t, t, kept.Night, guard.Checks(), none); len(seen.crimes) > 0 {
				t.Errorf("with %s: %q", check.Name, seen.crimes)
			}
			if seen := play(t, t, kept.Night, without(check.Name), none); !seen.has(kept.Crime) {
				t.Errorf("without %s nobody saw that it %s: %d repairs, %q", check.Name, kept.Crime, seen.repairs, seen.crimes)
			}
		})
	}
}

// TestWithout plays random nights without one check of the guard until something is violated that is not with it, for each
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
			for n := range *mostNights {
				night := nightsOf.Example(*firstNight + n)
				what := onlyWithout(t, night, check.Name)
				if what == "" {
					continue
				}
				t.Logf("%s: seen in night %d: %s", check.Name, n+1, what)
				if *updateFlag {
					keep(t, check.Name, smallest(night, func(p plan) bool { return onlyWithout(t, p, check.Name) == what }), what)
				}
				return
			}
			t.Errorf("%s: not seen in %d nights", check.Name, *mostNights)
		})
	}
}

// onlyWithout is what is violated in a night without a check first, if nothing is with it.
func onlyWithout(t *testing.T, night plan, check string) crime {
	seen := play(t, t, night, without(check), none)
	if len(seen.crimes) == 0 {
		return ""
	}
	what, _, _ := strings.Cut(seen.crimes[0], ":")
	if with := play(t, t, night, guard.Checks(), none); len(with.crimes) > 0 {
		t.Errorf("night %+v with all checks: %q", night, with.crimes)
		return ""
	}
	return crime(what)
}

// smallest is a night without faults and features that what it shows does not need.
func smallest(night plan, shows func(plan) bool) plan {
	for i := 0; i < len(night.Faults); {
		less := night
		less.Faults = slices.Delete(slices.Clone(night.Faults), i, i+1)
		if shows(less) {
			night = less
		} else {
			i++
		}
	}
	for _, feature := range []string{"Slack", "PerDay", "Proceed", "Ladder", "Brake", "Room", "Direct", "Earn", "Approver", "CoolDown", "Grace", "Open", "Opens", "Data", "KeepData", "Foreign", "ControlPlane"} {
		less := night
		reflect.ValueOf(&less).Elem().FieldByName(feature).SetZero()
		if shows(less) {
			night = less
		}
	}
	return night
}

func keep(t *testing.T, check string, night plan, what crime) {
	data, err := json.MarshalIndent(shown{what, night}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(shownFile(check)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(shownFile(check), append(bytes.TrimSpace(data), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

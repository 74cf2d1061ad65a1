package repair

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/guard"
)

// enough nights have a repair among them. Of 150 nights 91 had one; where half have, none of 20 has once in a million runs.
const enough = 20

// TestNights plays random nights, in none of which a crime may be committed. -rapid.checks says how many each core plays. They are
// the same in each run, so that what fails is a change's fault; another number in NAOSU_NIGHTS draws others, and hack/nights.sh does.
func TestNights(t *testing.T) {
	first, err := strconv.ParseUint(cmp.Or(os.Getenv("NAOSU_NIGHTS"), "1"), 10, 32)
	if err != nil {
		t.Fatalf("NAOSU_NIGHTS: %v", err)
	}
	var seeding sync.Mutex
	given := flag.Lookup("rapid.seed").Value.String() != "0" // to replay a night
	for core := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprint(core), func(t *testing.T) {
			t.Parallel()
			nights, repairs := 0, 0
			// The seed is a flag of the process, which rapid has read by the time of the first night.
			seeding.Lock()
			seeded := sync.OnceFunc(seeding.Unlock)
			defer seeded()
			if !given {
				if err := flag.Set("rapid.seed", fmt.Sprint(first<<32+uint64(core))); err != nil {
					t.Fatal(err)
				}
			}
			rapid.Check(t, func(rt *rapid.T) {
				seeded()
				seen := play(t, rt, drawPlan(rt), guard.Checks(), none)
				if len(seen.crimes) > 0 {
					rt.Fatal(strings.Join(seen.crimes, "\n"))
				}
				nights++
				repairs += seen.repairs
			})
			if !t.Failed() && repairs == 0 && nights >= enough {
				t.Errorf("in none of %d nights anything was repaired", nights)
			}
			t.Logf("%d repairs in %d nights", repairs, nights)
		})
	}
}

// TestWatch shows that the watch sees each crime: nights that pass, and in which it is committed once what prevents it is
// taken out. A PodDisruptionBudget is kept to by three checks: the future that they look at has neither room nor leave for the pods.
func TestWatch(t *testing.T) {
	for name, tc := range map[string]struct {
		night plan
		out   []string
		flaw  tamper
		crime crime
	}{
		"budgets": {
			night: plan{Nodes: 4, Zones: 1, Floors: []int{1}, Slack: 1, ZoneBudget: 1, ClusterBudget: 1, Faults: []fault{{2, 20, 1, ill}, {2, 20, 2, ill}}},
			out:   []string{"budgets"}, crime: overBudget,
		},
		"a day's limit": {
			night: plan{Nodes: 4, Zones: 1, Floors: []int{1}, Slack: 1, ZoneBudget: 1, ClusterBudget: 1, PerDay: 1, Faults: []fault{{2, 20, 1, ill}, {2, 20, 2, ill}}},
			out:   []string{"daily-limit"}, crime: overRate,
		},
		"the zone's state": {
			night: plan{Nodes: 4, Zones: 3, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Faults: []fault{{9, 18, 0, zoneOut}}},
			out:   []string{"zone-state"}, crime: throughOutage,
		},
		"the brake": {
			night: plan{Nodes: 5, Zones: 1, Floors: []int{1}, Slack: 2, ZoneBudget: 2, ClusterBudget: 1, Brake: true, Faults: []fault{{16, 2, 0, zoneIll}}},
			out:   []string{"failing-together"}, crime: pastBrake,
		},
		"PodDisruptionBudgets": {
			night: plan{Nodes: 5, Zones: 3, Floors: []int{3, 3}, ZoneBudget: 2, ClusterBudget: 1, Proceed: true, Faults: []fault{{19, 9, 0, ill}}},
			out:   []string{"disruption-budgets", "last-replica", "capacity"}, crime: overPDB,
		},
		"the last replica of two, on two nodes at once": {
			night: plan{Nodes: 4, Zones: 1, Floors: []int{1}, Slack: 1, ZoneBudget: 2, ClusterBudget: 2, Faults: []fault{{6, 20, 0, ill}, {6, 20, 1, ill}}},
			out:   []string{"disruption-budgets", "last-replica", "capacity"}, crime: lastReplica,
		},
		"what did not help": {
			night: plan{Nodes: 5, Zones: 1, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Faults: []fault{{16, 17, 0, stubborn}}},
			out:   []string{"did-not-help"}, crime: actedTwice,
		},
		"an act that is written down": {
			night: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Faults: []fault{{9, 1, 1, stubborn}, {17, 1, 7, kill}}},
			flaw:  forgetful, crime: actedTwice,
		},
		"a person who uncordons": {
			night: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 2, Faults: []fault{
				{2, 18, 0, ill}, {6, 1, 0, uncordoned}, {7, 1, 0, uncordoned}, {8, 1, 0, uncordoned}, {9, 1, 0, uncordoned}, {10, 1, 0, uncordoned}, {11, 1, 0, uncordoned},
			}},
			flaw: stubbornly, crime: undone,
		},
		"a refusal that is no attempt": {
			night: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Ladder: true, Faults: []fault{{1, 8, 4, badCloud}, {2, 40, 0, stubborn}}},
			flaw:  escalating, crime: climbed,
		},
		"a node that is to leave": {
			night: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Ladder: true, Faults: []fault{{1, 70, 3, badCloud}, {2, 70, 0, stubborn}}},
			flaw:  hasty, crime: exposed,
		},
		"somebody who goes on": {
			night: plan{Nodes: 3, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 2, Faults: []fault{{1, 18, 0, ill}, {6, 1, 6, kill}}},
			flaw:  mortal, crime: neverEnded,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if seen := play(t, t, tc.night, guard.Checks(), none); len(seen.crimes) > 0 {
				t.Errorf("with all that prevents it: %q", seen.crimes)
			}
			if seen := play(t, t, tc.night, without(tc.out...), tc.flaw); !seen.has(tc.crime) {
				t.Errorf("without what prevents it nobody saw that it %s: %d repairs, %q", tc.crime, seen.repairs, seen.crimes)
			}
		})
	}
}

func without(names ...string) []guard.Check {
	return slices.DeleteFunc(guard.Checks(), func(c guard.Check) bool { return slices.Contains(names, c.Name) })
}

// play plays a night in a bubble, in which hours pass in no time.
func play(t *testing.T, caller interface{ Fatal(...any) }, p plan, checks []guard.Check, flaw tamper) *watch {
	var seen *watch
	var err error
	synctest.Test(t, func(t *testing.T) { seen, err = p.play(t.Context(), checks, flaw) })
	if err != nil {
		caller.Fatal(err)
	}
	return seen
}

package repair

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/test/seeded"
)

// minRuns runs have a repair among them. Of 150 runs 91 had one; where half have, none of 20 has once in a million runs.
const minRuns = 20

// TestRandomFaults plays random runs, in none of which an invariant may be violated.
func TestRandomFaults(t *testing.T) {
	seeded.Check(t, 100, func(t *testing.T) seeded.Runs {
		runs, repairs := 0, 0
		return seeded.Runs{
			Play: func(rt *rapid.T) {
				result := play(t, rt, drawPlan(rt), guard.Checks(), noFlaw)
				if len(result.violations) > 0 {
					rt.Fatal(strings.Join(result.violations, "\n"))
				}
				runs++
				repairs += result.repairs
			},
			End: func() {
				if !t.Failed() && repairs == 0 && runs >= minRuns {
					t.Errorf("in none of %d runs anything was repaired", runs)
				}
				t.Logf("%d repairs in %d runs", repairs, runs)
			},
		}
	})
}

// TestChecker shows that the checker finds each violation: runs that pass, and that do not once what prevents the violation is
// removed. A PodDisruptionBudget is kept to by three checks: the future that they look at has neither room nor leave for the pods.
func TestChecker(t *testing.T) {
	for name, tc := range map[string]struct {
		plan      plan
		out       []string
		flaw      flaw
		violation violation
	}{
		"budgets": {
			plan: plan{Nodes: 4, Zones: 1, Floors: []int{1}, Slack: 1, ZoneBudget: 1, ClusterBudget: 1, Faults: []fault{{2, 20, 1, rebootFixes}, {2, 20, 2, rebootFixes}}},
			out:  []string{"budgets"}, violation: overBudget,
		},
		"a day's limit": {
			plan: plan{Nodes: 4, Zones: 1, Floors: []int{1}, Slack: 1, ZoneBudget: 1, ClusterBudget: 1, PerDay: 1, Faults: []fault{{2, 20, 1, rebootFixes}, {2, 20, 2, rebootFixes}}},
			out:  []string{"daily-limit"}, violation: overRate,
		},
		"the zone's state": {
			plan: plan{Nodes: 4, Zones: 3, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Faults: []fault{{9, 18, 0, zoneOff}}},
			out:  []string{"zone-state"}, violation: duringOutage,
		},
		"the brake": {
			plan: plan{Nodes: 5, Zones: 1, Floors: []int{1}, Slack: 2, ZoneBudget: 2, ClusterBudget: 1, Brake: true, Faults: []fault{{16, 2, 0, zoneUnhealthy}}},
			out:  []string{"failing-together"}, violation: despiteBrake,
		},
		"PodDisruptionBudgets": {
			plan: plan{Nodes: 5, Zones: 3, Floors: []int{3, 3}, ZoneBudget: 2, ClusterBudget: 1, Proceed: true, Faults: []fault{{19, 9, 0, rebootFixes}}},
			out:  []string{"disruption-budgets", "last-replica", "capacity"}, violation: overPDB,
		},
		"the last replica of two, on two nodes at once": {
			plan: plan{Nodes: 4, Zones: 1, Floors: []int{1}, Slack: 1, ZoneBudget: 2, ClusterBudget: 2, Faults: []fault{{6, 20, 0, rebootFixes}, {6, 20, 1, rebootFixes}}},
			out:  []string{"disruption-budgets", "last-replica", "capacity"}, violation: lastReplica,
		},
		"what did not help": {
			plan: plan{Nodes: 5, Zones: 1, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Faults: []fault{{16, 17, 0, rebootDoesNotFix}}},
			out:  []string{"did-not-help"}, violation: actedTwice,
		},
		"an act that is written down": {
			plan: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Faults: []fault{{9, 1, 1, rebootDoesNotFix}, {17, 1, 7, controllerKilled}}},
			flaw: unrecordedActs, violation: actedTwice,
		},
		"a person who uncordons": {
			plan: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 2, Faults: []fault{
				{2, 18, 0, rebootFixes}, {6, 1, 0, uncordoned}, {7, 1, 0, uncordoned}, {8, 1, 0, uncordoned}, {9, 1, 0, uncordoned}, {10, 1, 0, uncordoned}, {11, 1, 0, uncordoned},
			}},
			flaw: ignoresUncordon, violation: ignoredUncordon,
		},
		"a refusal that is no attempt": {
			plan: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Escalation: true, Faults: []fault{{1, 8, 4, cloudFails}, {2, 40, 0, rebootDoesNotFix}}},
			flaw: countsRefusals, violation: escalatedEarly,
		},
		"a node that is to leave": {
			plan: plan{Nodes: 6, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 1, Escalation: true, Faults: []fault{{1, 70, 3, cloudFails}, {2, 70, 0, rebootDoesNotFix}}},
			flaw: uncordonsEnded, violation: uncordonedReplaced,
		},
		"somebody who goes on": {
			plan: plan{Nodes: 3, Zones: 2, Floors: []int{2}, Slack: 1, ZoneBudget: 2, ClusterBudget: 2, Faults: []fault{{1, 18, 0, rebootFixes}, {6, 1, 6, controllerKilled}}},
			flaw: neverRestarted, violation: notEnded,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if result := play(t, t, tc.plan, guard.Checks(), noFlaw); len(result.violations) > 0 {
				t.Errorf("with all that prevents it: %q", result.violations)
			}
			if result := play(t, t, tc.plan, without(tc.out...), tc.flaw); !result.has(tc.violation) {
				t.Errorf("without what prevents it the checker did not find that it %s: %d repairs, %q", tc.violation, result.repairs, result.violations)
			}
		})
	}
}

func without(names ...string) []guard.Check {
	return slices.DeleteFunc(guard.Checks(), func(c guard.Check) bool { return slices.Contains(names, c.Name) })
}

// play plays a run in a bubble, in which hours pass in no time.
func play(t *testing.T, caller interface{ Fatal(...any) }, p plan, checks []guard.Check, flaw flaw) *checker {
	var result *checker
	var err error
	synctest.Test(t, func(t *testing.T) { result, err = p.play(t.Context(), checks, flaw) })
	if err != nil {
		caller.Fatal(err)
	}
	return result
}

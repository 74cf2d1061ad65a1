package diagnosis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Forecast simulates changes and diagnoses the resulting world. The Query's Judge must not be nil and is left unchanged. Only
// pods and findings within the Query's Limits are reported. Errors are those of simulation.Run.
func Forecast(ctx context.Context, q query.Query, changes []change.Change, o simulation.Options) (finding.Forecast, error) {
	told := forecaster{present: findings(ctx, q), inScope: map[change.Ref]bool{}, seen: map[string]bool{}}
	var result outcome.Outcome // The last one contains all futures.
	err := simulation.Inspect(ctx, q.Judge, changes, o, func(one outcome.Outcome) error {
		result = one
		future := q
		future.World, future.Cordoned, future.Tainted = one.World, cordonedBy(changes), taintedBy(changes)
		told.addFuture(ctx, future, one.Fates)
		return ctx.Err()
	})
	if err != nil {
		return finding.Forecast{}, err
	}
	forecast := finding.Forecast{
		Changes: query.List(changes), Outcome: forecastOutcome(q, result, told.inScope), Seeds: result.Seeds,
		PDBViolations: []finding.BudgetViolation{}, NotModelled: []finding.Gap{}, Findings: told.newFindings(),
	}
	forecast.Addresses, forecast.Unlaunched = forecastAddresses(q.World, result.Addresses)
	for _, violation := range result.Violations {
		forecast.PDBViolations = append(forecast.PDBViolations, finding.BudgetViolation(violation))
	}
	for _, gap := range result.NotModelled {
		forecast.NotModelled = append(forecast.NotModelled, finding.Gap{About: gap.About, Message: gap.Why})
	}
	if r := q.Addresses(); r != nil && r.Settings.Known && !r.Counted() {
		forecast.NotModelled = append(forecast.NotModelled, slices.Concat(status.AddressGaps(r), status.AddressExceptions(r))...)
	}
	return forecast, nil
}

// forecastAddresses describes what becomes of the addresses of subnets.
func forecastAddresses(world *cluster.Snapshot, a outcome.Addresses) (subnets []finding.ForecastAddresses, unlaunched []finding.Unlaunched) {
	zones := map[string]string{}
	for _, s := range world.Network().Subnets {
		zones[s.ID] = s.Zone
	}
	for _, c := range a.Subnets {
		subnets = append(subnets, finding.ForecastAddresses{Subnet: c.Subnet, Zone: zones[c.Subnet], Before: c.Before, After: c.After})
	}
	for _, group := range slices.Sorted(maps.Keys(a.Unlaunched)) {
		unlaunched = append(unlaunched, finding.Unlaunched{Group: group, Instances: a.Unlaunched[group]})
	}
	return subnets, unlaunched
}

// forecaster collects findings of several futures.
type forecaster struct {
	present []finding.Finding
	// inScope are the pods within the limits in any of the futures.
	inScope map[change.Ref]bool
	// futures are the findings of each future that differs from those before; seen are the fates of pods in them.
	futures [][]finding.Finding
	seen    map[string]bool
}

// addFuture diagnoses a future.
func (t *forecaster) addFuture(ctx context.Context, future query.Query, fates []outcome.Fate) {
	var ending strings.Builder
	for _, fate := range fates {
		t.inScope[fate.Pod] = t.inScope[fate.Pod] || future.InScope(fate.Pod)
		fmt.Fprintln(&ending, fate.Pod, fate.Pod.Namespace, fate.Kind, fate.To)
	}
	if t.seen[ending.String()] {
		return
	}
	t.seen[ending.String()] = true
	t.futures = append(t.futures, findings(ctx, future))
}

// newFindings are the findings of all futures that the present does not have, each as in the last future that has it.
func (t *forecaster) newFindings() []finding.Finding {
	all := []finding.Finding{}
	for _, found := range slices.Backward(t.futures) {
		all = append(all, findingsNotIn(found, slices.Concat(t.present, all))...)
	}
	slices.SortStableFunc(all, compareFindings)
	return all
}

// cordonedBy are the nodes that the changes cordon: no remedy should uncordon them.
func cordonedBy(changes []change.Change) []string {
	var nodes []string
	for _, c := range changes {
		switch c := c.(type) {
		case change.DrainNode:
			nodes = append(nodes, c.Node)
		case change.Cordon:
			nodes = append(nodes, c.Node)
		}
	}
	return nodes
}

// taintedBy are the taints that the changes add: no remedy should remove or tolerate them.
func taintedBy(changes []change.Change) []change.Taint {
	var taints []change.Taint
	for _, c := range changes {
		if taint, ok := c.(change.Taint); ok {
			taints = append(taints, taint)
		}
	}
	return taints
}

// simulatingCodes are the codes of rules that simulate futures themselves; they are not run on simulated futures.
var simulatingCodes = []finding.Code{finding.N103, finding.N502, finding.N503}

// findings is the diagnosis of the Query's world, without the rules that simulate.
func findings(ctx context.Context, q query.Query) []finding.Finding {
	q.Subject = nil
	rules := slices.DeleteFunc(Rules(), func(rule query.Rule) bool {
		return slices.ContainsFunc(rule.Codes(), func(code finding.Code) bool { return slices.Contains(simulatingCodes, code) })
	})
	found, _ := find(ctx, rules, q)
	slices.SortStableFunc(found, compareFindings)
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return !q.WithinLimits(f) })
	return query.Complete(finding.Explanation{Findings: found}).Findings
}

// findingsNotIn are findings that the present does not have: of another code, or with other subjects. The same problem, divided
// into other findings, is not new.
func findingsNotIn(future, present []finding.Finding) []finding.Finding {
	type topic struct {
		code    finding.Code
		subject change.Ref
	}
	known := map[topic]bool{}
	for _, f := range present {
		for _, subject := range f.Subjects {
			known[topic{f.Code, subject}] = true
		}
	}
	return slices.DeleteFunc(future, func(f finding.Finding) bool {
		return !slices.ContainsFunc(f.Subjects, func(subject change.Ref) bool { return !known[topic{f.Code, subject}] })
	})
}

// forecastOutcome describes fates and sorts them by kind: those of pods that are within the limits now or in the future (scope).
func forecastOutcome(q query.Query, result outcome.Outcome, scope map[change.Ref]bool) finding.ForecastOutcome {
	rows := map[outcome.Kind][]finding.ForecastRow{}
	touched := map[change.Ref]bool{}
	for _, fate := range result.Fates {
		touched[fate.Pod] = true
		if !q.InScope(fate.Pod) && !scope[fate.Pod] {
			continue
		}
		row := finding.ForecastRow{Pod: fate.Pod, From: fate.From, To: fate.To, Why: fate.Why, Chance: fate.Chance, NodeChance: fate.NodeChance}
		if fate.By.Name != "" {
			row.By = &fate.By
		}
		if fate.Until > 0 {
			row.Until = new(finding.Duration(fate.Until))
		}
		rows[fate.Kind] = append(rows[fate.Kind], row)
	}
	o := finding.ForecastOutcome{
		Moved: query.List(rows[outcome.Moved]), Waiting: query.List(rows[outcome.Waiting]), Delayed: query.List(rows[outcome.Delayed]),
		Preempted: query.List(rows[outcome.Preempted]), Lost: query.List(rows[outcome.Lost]), Ended: query.List(rows[outcome.Ended]),
		Created: query.List(rows[outcome.Created]), Counts: map[string]int{"stays": 0},
	}
	for _, kind := range []outcome.Kind{
		outcome.Moved, outcome.Waiting, outcome.Delayed, outcome.Preempted, outcome.Lost, outcome.Ended, outcome.Created,
	} {
		o.Counts[string(kind)] = len(rows[kind])
	}
	for _, pod := range q.World.Pods() {
		ref := facts.RefTo(cluster.Pod, pod)
		gone := result.World.Pod(pod.Namespace, pod.Name) == nil // It was terminating already.
		if !cluster.Ended(pod) && !touched[ref] && !gone && q.InScope(ref) {
			o.Counts["stays"]++
		}
	}
	return o
}

package simulation

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/internal/fates"
	"github.com/naosu-dev/naosu/internal/simulation/internal/nodelifecycle"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// harmfulKinds are the kinds of fates that are harms, the worst first.
var harmfulKinds = []outcome.Kind{outcome.Lost, outcome.Waiting, outcome.Preempted}

// Compare simulates changes in several futures, and finds in each the pods that would fare better without the changes: waiting
// pods are scheduled and ongoing evictions completed first, and only what happens to a pod after that is a harm. Nodes that are
// out of service, or will be soon, are given by name: no pod is scheduled on them, their pods need other nodes, and do not count
// as ready until the changes are done.
//
// A pod that does not run, or whose node does not respond, cannot be made to wait or be lost. The Outcome is the first future
// among those in which most pods fare worse; its fates are only those that the changes cause, and have no reasons.
func Compare(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, out ...string) (outcome.Outcome, error) {
	var shown outcome.Outcome
	seeds, most, counts, all := max(o.Seeds, 1), -1, outcome.NewFateCounts(), newHarms()
	for seed := range uint64(seeds) {
		err := withFork(ctx, judge, o, seed, func(f *future) error {
			before, err := f.settleBefore(ctx, out)
			if err != nil {
				return err
			}
			for _, c := range changes {
				if err := f.apply(ctx, c); err != nil {
					return err
				}
			}
			fates := f.fatesSince(before)
			counts.Add(fates)
			if n := all.add(f, before); n > most {
				most = n
				shown = outcome.Outcome{World: judge.World(), Fates: fates, Violations: f.engine.Budgets.Violations(), NotModelled: f.engine.Gaps.List(), Seeds: seeds}
			}
			return nil
		})
		if err != nil {
			return outcome.Outcome{}, err
		}
	}
	for i := range shown.Fates {
		shown.Fates[i].Chance = float64(counts.Of(shown.Fates[i])) / float64(seeds)
	}
	shown.Compared = all.comparison(seeds)
	return shown, nil
}

// settleBefore runs the simulation without the changes, with some nodes out of service, and returns each pod's fate by then.
func (f *future) settleBefore(ctx context.Context, out []string) (map[*fates.Record]outcome.Kind, error) {
	if err := f.engine.Edit(f.engine.Budgets.MarkUnhealthy(f.podsOnUnreachableNodes()...)...); err != nil {
		return nil, err
	}
	if err := f.emptyNodes(ctx, out); err != nil {
		return nil, err
	}
	if err := f.engine.Settle(ctx); err != nil {
		return nil, err
	}
	if err := f.engine.Edit(f.engine.Budgets.MarkUnhealthy(f.engine.Pods.Changed()...)...); err != nil {
		return nil, err
	}
	f.engine.Budgets.ClearViolations()
	before := map[*fates.Record]outcome.Kind{}
	for _, record := range f.engine.Fates.All() {
		before[record] = record.Fate.Kind
	}
	return before, nil
}

// podsOnUnreachableNodes are the pods of unreachable nodes, whatever their statuses say.
func (f *future) podsOnUnreachableNodes() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, node := range f.engine.World().Nodes() {
		if kube.IsNodeUnreachable(node) {
			pods = append(pods, f.engine.Pods.OnNode(node.Name)...)
		}
	}
	return pods
}

// emptyNodes cordons nodes and removes at once the pods that a drain would evict, regardless of budgets.
func (f *future) emptyNodes(ctx context.Context, names []string) error {
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, name := range names {
		node := f.engine.World().Node(name)
		if node == nil {
			continue
		}
		edits = append(edits, cluster.Put(nodelifecycle.WithUnschedulable(node, true)))
		pods = append(pods, slices.DeleteFunc(f.engine.Pods.OnNode(name), func(p *corev1.Pod) bool { return !cluster.Drains(p) })...)
	}
	return f.nodes.RemoveAllAndReplace(ctx, pods, edits...)
}

// fatesSince are the fates of pods that had none before.
func (f *future) fatesSince(before map[*fates.Record]outcome.Kind) []outcome.Fate {
	return fates.Reported(slices.DeleteFunc(slices.Clone(f.engine.Fates.All()), func(record *fates.Record) bool { return before[record] != "" }))
}

// harms gathers the harms and violations of several futures.
type harms struct {
	pods       map[outcome.Kind]map[change.Ref]bool
	futures    map[outcome.Kind]int
	violations map[change.Ref]outcome.Violation
	violating  int
	guessed    map[change.Ref]bool
	worse      int
}

func newHarms() *harms {
	h := &harms{pods: map[outcome.Kind]map[change.Ref]bool{}, futures: map[outcome.Kind]int{}, violations: map[change.Ref]outcome.Violation{}, guessed: map[change.Ref]bool{}}
	for _, kind := range harmfulKinds {
		h.pods[kind] = map[change.Ref]bool{}
	}
	return h
}

// add adds a future, and returns the number of its harms and violations.
func (h *harms) add(f *future, before map[*fates.Record]outcome.Kind) int {
	found := map[outcome.Kind]int{}
	for _, record := range f.engine.Fates.All() {
		kind, guess := f.harm(record, before)
		switch {
		case guess:
			h.guessed[record.Fate.Pod] = true
		case kind != "":
			found[kind]++
			h.pods[kind][record.Fate.Pod] = true
		}
	}
	violations := f.engine.Budgets.Violations()
	n := len(violations)
	for kind, pods := range found {
		h.futures[kind]++
		n += pods
	}
	for _, v := range violations {
		if worst, ok := h.violations[v.Budget]; !ok || v.Disrupted-v.Allowed > worst.Disrupted-worst.Allowed {
			h.violations[v.Budget] = v
		}
	}
	if len(violations) > 0 {
		h.violating++
	}
	if n > 0 {
		h.worse++
	}
	return n
}

func (h *harms) comparison(futures int) *outcome.Comparison {
	c := &outcome.Comparison{
		Futures: futures, Worse: h.worse, Violating: h.violating, Guessed: sortedRefs(h.guessed),
		Violations: slices.SortedFunc(maps.Values(h.violations), func(a, b outcome.Violation) int { return outcome.CompareRefs(a.Budget, b.Budget) }),
	}
	for _, kind := range harmfulKinds {
		if h.futures[kind] > 0 {
			c.Harms = append(c.Harms, outcome.Harm{Kind: kind, Pods: sortedRefs(h.pods[kind]), Futures: h.futures[kind]})
		}
	}
	return c
}

func sortedRefs(refs map[change.Ref]bool) []change.Ref {
	return slices.SortedFunc(maps.Keys(refs), outcome.CompareRefs)
}

// harm is the kind of harm that the changes do to a pod, empty if none. A guess means that they move it and that another scheduler
// decides where to.
func (f *future) harm(record *fates.Record, before map[*fates.Record]outcome.Kind) (kind outcome.Kind, guess bool) {
	was, known := before[record]
	untouched := was == "" // until the changes
	if is := record.Fate.Kind; is == was || untouched && f.notRunning(record) && is != outcome.Preempted {
		return "", false
	}
	switch foreign := f.placedByOther(record); record.Fate.Kind {
	case outcome.Moved, outcome.Delayed:
		return "", foreign && untouched
	case outcome.Waiting:
		if foreign || !known && record.ReplacesPreempted {
			return "", foreign
		}
		return outcome.Waiting, false
	case outcome.Lost, outcome.Preempted:
		return record.Fate.Kind, false
	}
	return "", false
}

// initialPod is the pod of the initial snapshot that a record begins with, nil if the pod was created later.
func (f *future) initialPod(record *fates.Record) *corev1.Pod {
	if record.Created {
		return nil
	}
	return f.engine.Initial.Pod(record.Fate.Pod.Namespace, record.Fate.Pod.Name)
}

// notRunning reports whether a pod of the initial snapshot does not run, or its node does not respond.
func (f *future) notRunning(record *fates.Record) bool {
	pod := f.initialPod(record)
	if pod == nil {
		return false
	}
	node := f.engine.Initial.Node(pod.Spec.NodeName)
	return !cluster.Runs(pod) || node != nil && kube.IsNodeUnreachable(node)
}

// placedByOther reports whether a scheduler that the Judge does not model places a pod of the initial snapshot.
func (f *future) placedByOther(record *fates.Record) bool {
	pod := f.initialPod(record)
	return pod != nil && !f.engine.Judge.Models(pod)
}

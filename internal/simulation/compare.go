package simulation

import (
	"cmp"
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Comparison is how futures with changes differ from the same futures without them.
type Comparison struct {
	// Futures is how many were played, Worse in how many of them there is a harm or a violation.
	Futures, Worse int
	// Harms are at most one of each kind: Lost, Waiting and Preempted, in this order.
	Harms []Harm
	// Violations are the PodDisruptionBudgets that the changes do not keep to, each at its worst; Violating is in how many
	// futures there are any.
	Violations []Violation
	Violating  int
	// Guessed are pods that the changes move and that a scheduler places which the Judge does not speak for: where they land,
	// and whether they do, is a guess.
	Guessed []change.Ref
}

// Harm is a kind of fate that pods have with the changes and would not have without them.
type Harm struct {
	Kind Kind
	// Pods are those that have it in any of the futures, by namespace and name; Futures is in how many of them there are any.
	Pods    []change.Ref
	Futures int
}

// harmful are the kinds of fates that are harms, the worst first.
var harmfulKinds = []Kind{Lost, Waiting, Preempted}

// Compare plays changes in several futures, and finds in each what becomes of pods that would fare better without the changes:
// what waits is placed first, evictions that are under way go to their end, and a harm is what only then befalls a pod. Nodes
// that are out, or will be before long, are given by name: nothing is placed on them, their pods need other places, and do not
// count as ready until the changes are done.
//
// A pod that does not run, or that nobody answers for, cannot be made to wait or be lost. The Outcome is the future in which
// most fare worse, the first of those; its fates are only those that the changes bring about, and have no reasons.
func Compare(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, out ...string) (Outcome, error) {
	var shown Outcome
	seeds, most, tally, all := max(o.Seeds, 1), -1, fateCounts{}, newHarms()
	for seed := range uint64(seeds) {
		err := withFork(judge, o, seed, func(e *engine) error {
			before, err := e.settleBefore(ctx, out)
			if err != nil {
				return err
			}
			for _, c := range changes {
				if err := e.apply(ctx, c); err != nil {
					return err
				}
			}
			fates := e.fatesSince(before)
			tally.count(fates)
			if n := all.add(e, before); n > most {
				most = n
				shown = Outcome{World: judge.World(), Fates: fates, Violations: e.budgets.violations(), NotModelled: e.gaps.list(), Seeds: seeds}
			}
			return nil
		})
		if err != nil {
			return Outcome{}, err
		}
	}
	for i := range shown.Fates {
		shown.Fates[i].Chance = float64(tally[fateKeyOf(shown.Fates[i])]) / float64(seeds)
	}
	shown.Compared = all.comparison(seeds)
	return shown, nil
}

// prepare lets what waits find its place, with some nodes out, and returns what is so before the changes.
func (e *engine) settleBefore(ctx context.Context, out []string) (map[*fateRecord]Kind, error) {
	if err := e.edit(e.budgets.markUnhealthy(e.podsOnUnreachableNodes()...)...); err != nil {
		return nil, err
	}
	if err := e.emptyNodes(ctx, out); err != nil {
		return nil, err
	}
	if err := e.settle(ctx); err != nil {
		return nil, err
	}
	if err := e.edit(e.budgets.markUnhealthy(e.pods.changed()...)...); err != nil {
		return nil, err
	}
	e.budgets.clearViolations()
	before := map[*fateRecord]Kind{}
	for _, l := range e.fates.records {
		before[l] = l.fate.Kind
	}
	return before, nil
}

// unanswered are the pods of nodes on which nobody answers, whatever their statuses still say.
func (e *engine) podsOnUnreachableNodes() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, node := range e.world().Nodes() {
		if cluster.Unreachable(node) {
			pods = append(pods, e.pods.onNode(node.Name)...)
		}
	}
	return pods
}

// takeOut cordons nodes and takes away at once what a drain would evict, whatever budgets say.
func (e *engine) emptyNodes(ctx context.Context, names []string) error {
	var edits []cluster.Edit
	var pods []*corev1.Pod
	for _, name := range names {
		node := e.world().Node(name)
		if node == nil {
			continue
		}
		edits = append(edits, cluster.Put(withUnschedulable(node, true)))
		pods = append(pods, slices.DeleteFunc(e.pods.onNode(name), func(p *corev1.Pod) bool { return !cluster.Drains(p) })...)
	}
	return e.removeAllAndReplace(ctx, pods, edits...)
}

// changed are the pods with a place that are not as they were in the present, by name.
func (p *pods) changed() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, name := range slices.SortedFunc(maps.Keys(p.current), compareNames) {
		if pod := p.current[name]; pod != nil && pod.Spec.NodeName != "" {
			pods = append(pods, pod)
		}
	}
	return pods
}

func compareNames(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// forgive forgets what was not kept to so far.
func (b *budgets) clearViolations() {
	for _, budgets := range b.byNamespace {
		for _, one := range budgets {
			one.violation = nil
		}
	}
}

// since are the fates of pods that had none before.
func (e *engine) fatesSince(before map[*fateRecord]Kind) []Fate {
	return reportedFates(slices.DeleteFunc(slices.Clone(e.fates.records), func(l *fateRecord) bool { return before[l] != "" }))
}

// harms gathers what several futures have of it.
type harms struct {
	pods       map[Kind]map[change.Ref]bool
	futures    map[Kind]int
	violations map[change.Ref]Violation
	violating  int
	guessed    map[change.Ref]bool
	worse      int
}

func newHarms() *harms {
	h := &harms{pods: map[Kind]map[change.Ref]bool{}, futures: map[Kind]int{}, violations: map[change.Ref]Violation{}, guessed: map[change.Ref]bool{}}
	for _, kind := range harmfulKinds {
		h.pods[kind] = map[change.Ref]bool{}
	}
	return h
}

// add adds what a future has, and returns how much that is.
func (h *harms) add(e *engine, before map[*fateRecord]Kind) int {
	found := map[Kind]int{}
	for _, l := range e.fates.records {
		kind, guess := e.harm(l, before)
		switch {
		case guess:
			h.guessed[l.fate.Pod] = true
		case kind != "":
			found[kind]++
			h.pods[kind][l.fate.Pod] = true
		}
	}
	violations := e.budgets.violations()
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

func (h *harms) comparison(futures int) *Comparison {
	c := &Comparison{
		Futures: futures, Worse: h.worse, Violating: h.violating, Guessed: sortedRefs(h.guessed),
		Violations: slices.SortedFunc(maps.Values(h.violations), func(a, b Violation) int { return compareRefs(a.Budget, b.Budget) }),
	}
	for _, kind := range harmfulKinds {
		if h.futures[kind] > 0 {
			c.Harms = append(c.Harms, Harm{Kind: kind, Pods: sortedRefs(h.pods[kind]), Futures: h.futures[kind]})
		}
	}
	return c
}

func sortedRefs(refs map[change.Ref]bool) []change.Ref {
	return slices.SortedFunc(maps.Keys(refs), compareRefs)
}

// harm is the kind of harm that the changes do to a pod, empty if they do none. A guess says that they move it, and that nobody
// knows where to.
func (e *engine) harm(l *fateRecord, before map[*fateRecord]Kind) (kind Kind, guess bool) {
	was, known := before[l]
	untouched := was == "" // until the changes
	if is := l.fate.Kind; is == was || untouched && e.notRunning(l) && is != Preempted {
		return "", false
	}
	switch foreign := e.placedByOther(l); l.fate.Kind {
	case Moved, Delayed:
		return "", foreign && untouched
	case Waiting:
		if foreign || !known && l.replacesPreempted {
			return "", foreign
		}
		return Waiting, false
	case Lost, Preempted:
		return l.fate.Kind, false
	}
	return "", false
}

// origin is the pod of the present that a line begins with, nil if it is a new one.
func (e *engine) initialPod(l *fateRecord) *corev1.Pod {
	if l.created {
		return nil
	}
	return e.initial.Pod(l.fate.Pod.Namespace, l.fate.Pod.Name)
}

// down says whether a pod of the present does not run, or nobody answers for it.
func (e *engine) notRunning(l *fateRecord) bool {
	pod := e.initialPod(l)
	if pod == nil {
		return false
	}
	node := e.initial.Node(pod.Spec.NodeName)
	return !cluster.Runs(pod) || node != nil && cluster.Unreachable(node)
}

// foreign says whether a scheduler places a pod of the present that the Judge does not speak for.
func (e *engine) placedByOther(l *fateRecord) bool {
	pod := e.initialPod(l)
	return pod != nil && !e.judge.Models(pod)
}

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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Comparison is how futures with the changes differ from the same futures without them.
type Comparison struct {
	// Futures is the number of simulated futures, Worse the number of those with a harm or a violation.
	Futures, Worse int
	// Harms are at most one of each kind: Lost, Waiting and Preempted, in this order.
	Harms []Harm
	// Violations are the PodDisruptionBudgets that the changes violate, each with its worst violation; Violating is the number of
	// futures with any.
	Violations []Violation
	Violating  int
	// Guessed are pods that the changes move and that a scheduler places which the Judge does not model: whether and where they
	// run is a guess.
	Guessed []change.Ref
}

// Harm is a kind of fate that pods have with the changes and do not have without them.
type Harm struct {
	Kind Kind
	// Pods are those that have it in any future, by namespace and name; Futures is the number of futures with any such pod.
	Pods    []change.Ref
	Futures int
}

// harmfulKinds are the kinds of fates that are harms, the worst first.
var harmfulKinds = []Kind{Lost, Waiting, Preempted}

// Compare simulates changes in several futures, and finds in each the pods that would fare better without the changes: waiting
// pods are scheduled and ongoing evictions completed first, and only what happens to a pod after that is a harm. Nodes that are
// out of service, or will be soon, are given by name: no pod is scheduled on them, their pods need other nodes, and do not count
// as ready until the changes are done.
//
// A pod that does not run, or whose node does not respond, cannot be made to wait or be lost. The Outcome is the first future
// among those in which most pods fare worse; its fates are only those that the changes cause, and have no reasons.
func Compare(ctx context.Context, judge *scheduling.Judge, changes []change.Change, o Options, out ...string) (Outcome, error) {
	var shown Outcome
	seeds, most, counts, all := max(o.Seeds, 1), -1, fateCounts{}, newHarms()
	for seed := range uint64(seeds) {
		err := withFork(ctx, judge, o, seed, func(e *engine) error {
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
			counts.count(fates)
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
		shown.Fates[i].Chance = float64(counts[fateKeyOf(shown.Fates[i])]) / float64(seeds)
	}
	shown.Compared = all.comparison(seeds)
	return shown, nil
}

// settleBefore runs the simulation without the changes, with some nodes out of service, and returns each pod's fate by then.
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
	for _, record := range e.fates.records {
		before[record] = record.fate.Kind
	}
	return before, nil
}

// podsOnUnreachableNodes are the pods of unreachable nodes, whatever their statuses say.
func (e *engine) podsOnUnreachableNodes() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, node := range e.world().Nodes() {
		if kube.IsNodeUnreachable(node) {
			pods = append(pods, e.pods.onNode(node.Name)...)
		}
	}
	return pods
}

// emptyNodes cordons nodes and removes at once the pods that a drain would evict, regardless of budgets.
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

// changed are the pods that have a node and differ from the initial snapshot, by name.
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

// clearViolations forgets the violations recorded so far.
func (b *budgets) clearViolations() {
	for _, budgets := range b.byNamespace {
		for _, one := range budgets {
			one.violation = nil
		}
	}
}

// fatesSince are the fates of pods that had none before.
func (e *engine) fatesSince(before map[*fateRecord]Kind) []Fate {
	return reportedFates(slices.DeleteFunc(slices.Clone(e.fates.records), func(record *fateRecord) bool { return before[record] != "" }))
}

// harms gathers the harms and violations of several futures.
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

// add adds a future, and returns the number of its harms and violations.
func (h *harms) add(e *engine, before map[*fateRecord]Kind) int {
	found := map[Kind]int{}
	for _, record := range e.fates.records {
		kind, guess := e.harm(record, before)
		switch {
		case guess:
			h.guessed[record.fate.Pod] = true
		case kind != "":
			found[kind]++
			h.pods[kind][record.fate.Pod] = true
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

// harm is the kind of harm that the changes do to a pod, empty if none. A guess means that they move it and that another scheduler
// decides where to.
func (e *engine) harm(record *fateRecord, before map[*fateRecord]Kind) (kind Kind, guess bool) {
	was, known := before[record]
	untouched := was == "" // until the changes
	if is := record.fate.Kind; is == was || untouched && e.notRunning(record) && is != Preempted {
		return "", false
	}
	switch foreign := e.placedByOther(record); record.fate.Kind {
	case Moved, Delayed:
		return "", foreign && untouched
	case Waiting:
		if foreign || !known && record.replacesPreempted {
			return "", foreign
		}
		return Waiting, false
	case Lost, Preempted:
		return record.fate.Kind, false
	}
	return "", false
}

// initialPod is the pod of the initial snapshot that a record begins with, nil if the pod was created later.
func (e *engine) initialPod(record *fateRecord) *corev1.Pod {
	if record.created {
		return nil
	}
	return e.initial.Pod(record.fate.Pod.Namespace, record.fate.Pod.Name)
}

// notRunning says whether a pod of the initial snapshot does not run, or its node does not respond.
func (e *engine) notRunning(record *fateRecord) bool {
	pod := e.initialPod(record)
	if pod == nil {
		return false
	}
	node := e.initial.Node(pod.Spec.NodeName)
	return !cluster.Runs(pod) || node != nil && kube.IsNodeUnreachable(node)
}

// placedByOther says whether a scheduler that the Judge does not model places a pod of the initial snapshot.
func (e *engine) placedByOther(record *fateRecord) bool {
	pod := e.initialPod(record)
	return pod != nil && !e.judge.Models(pod)
}

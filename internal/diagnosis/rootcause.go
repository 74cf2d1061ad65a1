package diagnosis

import (
	"cmp"
	"slices"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
)

// RootCause is a cause, and what does not run because of it.
type RootCause struct {
	// Explanations are those with the cause.
	Explanations []finding.Explanation
	// Dependents are the explanations of what waits for the subjects of Explanations.
	Dependents []finding.Explanation
}

// Concerned is the number of subjects of the cause, including those that wait for them.
func (c RootCause) Concerned() int { return concerned(c.Explanations) + concerned(c.Dependents) }

// RootCauses are the causes of explanations, ordered by severity and then by the number of subjects. A cause whose subjects all
// depend on those of another is part of that one.
func RootCauses(world *cluster.Snapshot, all []finding.Explanation) []RootCause {
	groups := Causes(all)
	root := rootGroups(world, groups)
	var causes []RootCause
	at := map[int]int{}
	for i, group := range groups {
		if root[i] == i {
			at[i] = len(causes)
			causes = append(causes, RootCause{Explanations: group})
		}
	}
	for i, group := range groups {
		if root[i] != i {
			cause := &causes[at[root[i]]]
			cause.Dependents = append(cause.Dependents, group...)
		}
	}
	slices.SortStableFunc(causes, compareRootCauses)
	return causes
}

func compareRootCauses(a, b RootCause) int {
	return cmp.Or(cmp.Compare(a.Explanations[0].Severity.Rank(), b.Explanations[0].Severity.Rank()), cmp.Compare(b.Concerned(), a.Concerned()))
}

// rootGroups is, for each group, the group that its subjects depend on in the end, or itself. Groups that depend on each other stay
// separate.
func rootGroups(world *cluster.Snapshot, groups [][]finding.Explanation) []int {
	of := groupOf(world, groups)
	next := make([]int, len(groups))
	for i, group := range groups {
		next[i] = dependsOn(of, i, group)
	}
	root := make([]int, len(groups))
	for i := range groups {
		last, steps := i, 0
		for next[last] != last && steps < len(groups) {
			last, steps = next[last], steps+1
		}
		if root[i] = last; steps == len(groups) {
			root[i] = i
		}
	}
	return root
}

// groupOf is the group of each subject, and of each workload that owns one.
func groupOf(world *cluster.Snapshot, groups [][]finding.Explanation) map[change.Ref]int {
	of := map[change.Ref]int{}
	for i, group := range groups {
		for _, ref := range SubjectsOf(group) {
			of[ref] = i
			if pod := world.Pod(ref.Namespace, ref.Name); pod != nil && ref.Kind == string(cluster.Pod) {
				for _, owner := range owners(world, pod) {
					kind, _ := cluster.KindOf(owner)
					of[facts.RefTo(kind, owner)] = i
				}
			}
		}
	}
	return of
}

// dependsOn is the group that all explanations of group i depend on, the nearest if there are several; i if there is none.
func dependsOn(of map[change.Ref]int, i int, group []finding.Explanation) int {
	for _, ref := range dependencies(group[0]) {
		on, ok := of[ref]
		if ok && on != i && !slices.ContainsFunc(group[1:], func(e finding.Explanation) bool {
			return !slices.ContainsFunc(dependencies(e), func(ref change.Ref) bool { in, ok := of[ref]; return ok && in == on })
		}) {
			return on
		}
	}
	return i
}

// dependencies are the objects that keep the subject of an explanation from running, according to the explanation.
func dependencies(e finding.Explanation) []change.Ref {
	all := e.DependsOn
	for _, f := range e.Findings {
		if f.Message.Equal(e.Summary) {
			all = slices.Concat(all, f.DependsOn)
		}
	}
	return all
}

package rebalance

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// verify plays the evictions in the simulation. Steps that do not come as planned in every future, or that harm pods which run, are left out, and
// the rest is played again. It returns the steps that are left, and what comes of them.
func (s *search) verify(ctx context.Context, steps []step) (kept []step, is played, harmful []Unmet, err error) {
	for len(steps) > 0 {
		is, err := s.play(ctx, steps, s.waves(steps))
		if err != nil {
			return nil, played{}, nil, err
		}
		if len(is.bad) == 0 {
			steps, is, err = s.withoutRedundant(ctx, steps, is)
			return steps, is, harmful, err
		}
		steps = slices.DeleteFunc(steps, func(one step) bool {
			bad := slices.ContainsFunc(one.touched(s), func(ref change.Ref) bool { return is.bad[ref] })
			if bad {
				for _, w := range one.workloads {
					harmful = append(harmful, Unmet{w.ref, Harmful})
				}
				for _, node := range one.nodes {
					harmful = append(harmful, Unmet{nodeRef(node), Harmful})
				}
			}
			return bad
		})
	}
	return nil, played{}, harmful, nil
}

// touched are the workloads of which a step evicts pods, and first the pods that are evicted for nodes: of those, a step may fail without the others of
// their workloads.
func (one step) touched(s *search) []change.Ref {
	refs := map[change.Ref]bool{}
	for _, pod := range one.evicted {
		refs[s.original[podRef(pod)].workload.ref] = true
	}
	touched := slices.SortedFunc(maps.Keys(refs), compareRefs)
	if len(one.nodes) > 0 {
		touched = slices.Concat(evictedRefs(one.evicted), touched)
	}
	return touched
}

func evictedRefs(pods []*corev1.Pod) (refs []change.Ref) {
	for _, pod := range pods {
		refs = append(refs, podRef(pod))
	}
	return refs
}

// played is what came of steps in the simulation.
type played struct {
	// bad are the workloads for which a future comes otherwise than planned, and such pods that are evicted for nodes.
	bad   map[change.Ref]bool
	after []Distribution
	// waves are the evictions, with the nodes on which the scheduler runs the pods created in their place.
	waves []Wave
}

// play plays the evictions of steps, in waves, in futures.
func (s *search) play(ctx context.Context, steps []step, waves []Wave) (played, error) {
	var evicted []change.Ref
	of := map[change.Ref]assigned{} // by evicted pod
	s.landings, s.highest = map[change.Ref]map[string]bool{}, map[string]amounts{}
	for _, wave := range waves {
		for _, move := range wave.Moves {
			of[move.Pod] = s.original[move.Pod]
			s.landings[move.Pod] = map[string]bool{}
			evicted = append(evicted, move.Pod)
		}
	}
	p := played{bad: map[change.Ref]bool{}}
	last := steps[len(steps)-1]
	world := s.judge.World()
	err := simulation.EachFutureParallel(ctx, s.judge, evictionsOf(evicted), simulation.Options{Seeds: s.o.Futures}, func(o outcome.Outcome) error {
		landed, harmed := landings(world, of, o)
		if harmed { // Whichever step it was, the last can be left out without changing the others.
			p.bad[last.touched(s)[0]] = true
		}
		p.after = s.land(of, landed, p.bad) // The first future comes last.
		return nil
	})
	p.waves = s.withNodes(waves)
	return p, err
}

// withNodes are waves with the nodes on which the pods in place of evicted ones ran in the futures played last.
func (s *search) withNodes(waves []Wave) (all []Wave) {
	for _, wave := range waves {
		moves := slices.Clone(wave.Moves)
		for i := range moves {
			moves[i].To = slices.Sorted(maps.Keys(s.landings[moves[i].Pod]))
		}
		all = append(all, Wave{Moves: moves})
	}
	return all
}

// land notes on which nodes the pods in place of evicted ones run in one future, and the workloads that are further from their targets than
// planned. It returns how pods are distributed then.
func (s *search) land(of map[change.Ref]assigned, landed map[change.Ref]string, bad map[change.Ref]bool) []Distribution {
	for ref, before := range of {
		if landed[ref] == "" {
			bad[before.workload.ref] = true
			continue
		}
		s.landings[ref][landed[ref]] = true
	}
	s.landOnNodes(of, landed, bad)
	var all []Distribution
	for w, after := range distribute(of, s.before, landed) {
		planned := w.excess() // w is as the search left it.
		if after.excess > planned {
			bad[w.ref] = true
		}
		all = append(all, Distribution{Workload: w.ref, Before: s.before[w.ref], After: after.byNode, Excess: planned})
	}
	slices.SortFunc(all, func(a, b Distribution) int { return compareRefs(a.Workload, b.Workload) })
	return all
}

// harms reports whether a fate is a harm to a pod that runs.
func harms(world *cluster.Snapshot, fate outcome.Fate) bool {
	pod := world.Pod(fate.Pod.Namespace, fate.Pod.Name)
	return pod != nil && cluster.Runs(pod) && slices.Contains([]outcome.Kind{outcome.Waiting, outcome.Preempted, outcome.Lost}, fate.Kind)
}

func podRef(pod *corev1.Pod) change.Ref {
	return change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name}
}

// waves puts evictions into waves: at once as many as the pods' PodDisruptionBudgets allow, and of a workload without one a single one.
func (s *search) waves(steps []step) (waves []Wave) {
	var moves []Move
	allowed := map[change.Ref]int{}
	budgetOf := map[change.Ref]change.Ref{} // by pod
	for _, one := range steps {
		for _, pod := range one.evicted {
			w := s.original[podRef(pod)].workload
			move := Move{Pod: podRef(pod), Workload: w.ref, Why: s.whyEvicted(pod), From: pod.Spec.NodeName}
			moves = append(moves, move)
			budgetOf[move.Pod], allowed[w.ref] = w.ref, 1
			if budgets := s.budgets(pod); len(budgets) > 0 {
				budget := change.Ref{Kind: string(cluster.PodDisruptionBudget), Namespace: pod.Namespace, Name: budgets[0].Name}
				budgetOf[move.Pod], allowed[budget] = budget, int(budgets[0].Status.DisruptionsAllowed)
			}
		}
	}
	for len(moves) > 0 {
		var wave Wave
		used := map[change.Ref]int{}
		moves = slices.DeleteFunc(moves, func(move Move) bool {
			budget := budgetOf[move.Pod]
			if used[budget] >= allowed[budget] {
				return false
			}
			used[budget]++
			wave.Moves = append(wave.Moves, move)
			return true
		})
		waves = append(waves, wave)
	}
	return waves
}

package guard

import (
	"slices"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// disruptionBudgets keeps to PodDisruptionBudgets, as the simulation saw them.
func disruptionBudgets(p Proposal, f Facts) Verdict {
	switch {
	case !p.disrupts():
		return allow
	case !f.Outcome.known():
		return unknown("outcome")
	case len(f.Outcome.Value.Violations) > 0:
		var violated []change.Ref
		for _, v := range f.Outcome.Value.Violations {
			violated = append(violated, v.Budget)
		}
		return delay(DisruptionBudget, soon, message.GuardDisruptionBudget, message.Args{"budgets": names(violated)})
	}
	return allow
}

// capacity demands that in every future played all pods that would have to move run again, at nobody's cost.
func capacity(p Proposal, f Facts) Verdict {
	if !p.disrupts() {
		return allow
	}
	if !f.Outcome.known() {
		return unknown("outcome")
	}
	fates := map[simulation.Kind][]change.Ref{}
	for _, fate := range f.Outcome.Value.Fates {
		fates[fate.Kind] = append(fates[fate.Kind], fate.Pod)
	}
	about := func(kind simulation.Kind) message.Args {
		return message.Args{"n": len(fates[kind]), "pods": names(fates[kind])}
	}
	switch {
	case len(fates[simulation.Lost]) > 0:
		return deny(PodsWouldBeLost, message.GuardPodsLost, about(simulation.Lost))
	case len(fates[simulation.Waiting]) > 0:
		return delay(PodsWouldWait, later, message.GuardPodsWait, about(simulation.Waiting))
	case len(fates[simulation.Preempted]) > 0:
		return delay(PodsWouldPreempt, later, message.GuardPodsPreempted, about(simulation.Preempted))
	}
	return allow
}

// lastReplica waits where the node has the only ready pod of a workload that should have several, whether a
// PodDisruptionBudget says so or not. A workload of one is moved: its owner asked for no more.
func lastReplica(p Proposal, f Facts) Verdict {
	switch {
	case !p.disrupts():
		return allow
	case !f.Pods.known():
		return unknown("pods")
	}
	last := podsThat(f, func(pod Pod) bool { return pod.Ready && pod.Replicas > 1 && pod.ReadyElsewhere == 0 })
	if len(last) > 0 {
		return delay(LastReplica, soon, message.GuardLastReplica, message.Args{"n": len(last), "pods": names(last)})
	}
	return allow
}

const (
	karpenterDoNotDisrupt = "karpenter.sh/do-not-disrupt"
	// safeToEvict is the cluster autoscaler's; with "false" it does not evict the pod.
	safeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict"
)

// doNotDisrupt honours what people have written on nodes and pods. A person must take it off a node; a pod may end.
func doNotDisrupt(p Proposal, f Facts) Verdict {
	for _, annotation := range []string{v1alpha1.DoNotDisruptAnnotation, karpenterDoNotDisrupt} {
		if p.Node.Annotations[annotation] == "true" {
			return deny(DoNotDisrupt, message.GuardNodeAnnotation, message.Args{"node": "node/" + p.Node.Name, "annotation": annotation})
		}
	}
	switch {
	case !p.disrupts():
		return allow
	case !f.Pods.known():
		return unknown("pods")
	}
	kept := podsThat(f, func(pod Pod) bool {
		return pod.Annotations[v1alpha1.DoNotDisruptAnnotation] == "true" || pod.Annotations[karpenterDoNotDisrupt] == "true" ||
			pod.Annotations[safeToEvict] == "false"
	})
	if len(kept) > 0 {
		return delay(DoNotDisrupt, later, message.GuardPodAnnotation, message.Args{"n": len(kept), "pods": names(kept)})
	}
	return allow
}

func podsThat(f Facts, is func(Pod) bool) []change.Ref {
	var refs []change.Ref
	for _, pod := range f.Pods.Value {
		if is(pod) {
			refs = append(refs, pod.Ref)
		}
	}
	return refs
}

// names are the first five, in order: more make no sentence.
func names(refs []change.Ref) []string {
	var all []string
	for _, ref := range refs {
		all = append(all, ref.String())
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), 5)]
}

package guard

import (
	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// compared is how the futures with the repair differ from those without it; nil if that is not known.
func (f Facts) compared() *outcome.Comparison {
	if !f.Outcome.known() {
		return nil
	}
	return f.Outcome.Value.Compared
}

// disruptionBudgets keeps to PodDisruptionBudgets in every future, as the simulation saw them.
func disruptionBudgets(p Proposal, f Facts) Verdict {
	c := f.compared()
	switch {
	case !p.disrupts():
		return allow
	case c == nil:
		return unknown("outcome")
	case len(c.Violations) > 0:
		var violated []change.Ref
		for _, v := range c.Violations {
			violated = append(violated, v.Budget)
		}
		return delay(DisruptionBudget, soon, message.GuardDisruptionBudget, message.Args{"budgets": names(violated), "in": c.Violating, "futures": c.Futures})
	}
	return allow
}

// harms are what each kind of harm is called.
var harms = map[outcome.Kind]struct {
	reason Reason
	says   message.ID
}{
	outcome.Lost:      {PodsWouldBeLost, message.GuardPodsLost},
	outcome.Waiting:   {PodsWouldWait, message.GuardPodsWait},
	outcome.Preempted: {PodsWouldPreempt, message.GuardPodsPreempted},
}

// capacity demands that in every future played no pod waits, is lost or is preempted that would fare better without the repair.
// Where another scheduler must place what moves, nobody knows; a person who approves takes that on.
func capacity(p Proposal, f Facts) Verdict {
	c := f.compared()
	switch {
	case !p.disrupts():
		return allow
	case c == nil:
		return unknown("outcome")
	case len(c.Harms) > 0:
		worst := c.Harms[0]
		return delay(harms[worst.Kind].reason, later, harms[worst.Kind].says, message.Args{
			"n": len(worst.Pods), "pods": names(worst.Pods), "in": worst.Futures, "futures": c.Futures,
		})
	case len(c.Guessed) > 0 && p.Approval != v1alpha1.Approved:
		return delay(Unknown, later, message.GuardPodsGuessed, message.Args{"n": len(c.Guessed), "pods": names(c.Guessed)})
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

// localData keeps what pods have on the node alone, where the policy says so.
func localData(p Proposal, f Facts) Verdict {
	switch {
	case !p.disrupts() || p.Policy.Drain.LocalData != v1alpha1.LocalDataKeep:
		return allow
	case !f.Pods.known():
		return unknown("pods")
	}
	losing := podsThat(f, func(pod Pod) bool { return pod.LocalData })
	if len(losing) > 0 {
		return delay(LocalData, later, message.GuardLocalData, message.Args{"n": len(losing), "pods": names(losing)})
	}
	return allow
}

const karpenterDoNotDisrupt = "karpenter.sh/do-not-disrupt"

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
			pod.Annotations[cluster.SafeToEvictAnnotation] == "false"
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
	return few(all)
}

package guard

import (
	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// comparison is how the outcomes with the repair differ from those without it; nil if that is not known.
func (f Facts) comparison() *outcome.Comparison {
	if !f.Outcome.known() {
		return nil
	}
	return f.Outcome.Value.Compared
}

// disruptionBudgets delays if the simulated repair violates a PodDisruptionBudget under any seed.
func disruptionBudgets(p Proposal, f Facts) Verdict {
	c := f.comparison()
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
		return delay(DisruptionBudget, shortRetry, sentence.GuardDisruptionBudget(c.Violating, c.Futures, message.ListOf(refNames(violated))))
	}
	return allow
}

// harmReasons are the reason and message of each kind of harm.
var harmReasons = map[outcome.Kind]struct {
	reason Reason
	says   func(in, futures any, n int, pods message.List) message.Sentence
}{
	outcome.Lost:      {PodsWouldBeLost, sentence.GuardPodsLost},
	outcome.Waiting:   {PodsWouldWait, sentence.GuardPodsWait},
	outcome.Preempted: {PodsWouldPreempt, sentence.GuardPodsPreempted},
}

// capacity delays if a pod is Pending, lost or preempted under any seed that would not be without the repair. Where another scheduler
// places the pods that move, that is not known; a person who approves accepts that.
func capacity(p Proposal, f Facts) Verdict {
	c := f.comparison()
	switch {
	case !p.disrupts():
		return allow
	case c == nil:
		return unknown("outcome")
	case len(c.Harms) > 0:
		worst := c.Harms[0]
		return delay(harmReasons[worst.Kind].reason, longRetry, harmReasons[worst.Kind].says(worst.Futures, c.Futures, len(worst.Pods), message.ListOf(refNames(worst.Pods))))
	case len(c.Guessed) > 0 && p.Approval != v1alpha1.Approved:
		return delay(Unknown, longRetry, sentence.GuardPodsGuessed(len(c.Guessed), message.ListOf(refNames(c.Guessed))))
	}
	return allow
}

// lastReplica delays where the node has the only ready pod of a workload that should have several, with or without a
// PodDisruptionBudget. A workload of one replica is moved: its owner asked for no more.
func lastReplica(p Proposal, f Facts) Verdict {
	switch {
	case !p.disrupts():
		return allow
	case !f.Pods.known():
		return unknown("pods")
	}
	last := selectPods(f, func(pod Pod) bool { return pod.Ready && pod.Replicas > 1 && pod.ReadyElsewhere == 0 })
	if len(last) > 0 {
		return delay(LastReplica, shortRetry, sentence.GuardLastReplica(len(last), message.ListOf(refNames(last))))
	}
	return allow
}

// localData delays where pods have data on the node only and the policy keeps it.
func localData(p Proposal, f Facts) Verdict {
	switch {
	case !p.disrupts() || p.Policy.Drain.LocalData != v1alpha1.LocalDataKeep:
		return allow
	case !f.Pods.known():
		return unknown("pods")
	}
	losing := selectPods(f, func(pod Pod) bool { return pod.LocalData })
	if len(losing) > 0 {
		return delay(LocalData, longRetry, sentence.GuardLocalData(len(losing), message.ListOf(refNames(losing))))
	}
	return allow
}

// doNotDisrupt honours the annotations of people on nodes and pods. A node's denies until a person removes it; a pod may end.
func doNotDisrupt(p Proposal, f Facts) Verdict {
	for _, annotation := range []string{v1alpha1.DoNotDisruptAnnotation, kube.KarpenterDoNotDisrupt} {
		if p.Node.Annotations[annotation] == "true" {
			return deny(DoNotDisrupt, sentence.GuardNodeAnnotation("node/"+p.Node.Name, annotation))
		}
	}
	switch {
	case !p.disrupts():
		return allow
	case !f.Pods.known():
		return unknown("pods")
	}
	kept := selectPods(f, func(pod Pod) bool { return cluster.DoNotDisrupt(pod.Annotations) })
	if len(kept) > 0 {
		return delay(DoNotDisrupt, longRetry, sentence.GuardPodAnnotation(len(kept), message.ListOf(refNames(kept))))
	}
	return allow
}

func selectPods(f Facts, is func(Pod) bool) []change.Ref {
	var refs []change.Ref
	for _, pod := range f.Pods.Value {
		if is(pod) {
			refs = append(refs, pod.Ref)
		}
	}
	return refs
}

// refNames are the first five names of objects, sorted.
func refNames(refs []change.Ref) []string {
	var all []string
	for _, ref := range refs {
		all = append(all, ref.String())
	}
	return firstFive(all)
}

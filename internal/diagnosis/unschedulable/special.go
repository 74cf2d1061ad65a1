package unschedulable

import (
	"context"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// victims explains a pod that waits on its nominated node until others have gone; false if none are going.
func (a *answer) victims() bool {
	node := a.one.Status.NominatedNodeName
	var going []*corev1.Pod
	for _, pod := range a.World.PodsOn(node) {
		if pod.DeletionTimestamp != nil && corev1helpers.PodPriority(pod) < corev1helpers.PodPriority(a.one) {
			going = append(going, pod)
		}
	}
	if len(going) == 0 {
		return false
	}
	refs := facts.PodRefs(going)
	a.Severity = finding.Info
	a.says(message.UnplacedNominated, message.Args{"node": facts.NodeRef(node), "victims": a.Some(refs)})
	evidence := []finding.Evidence{facts.Fact(facts.RefTo(cluster.Pod, a.one), "status.nominatedNodeName", node)}
	var late []change.Ref
	for _, pod := range going {
		evidence = append(evidence, facts.Fact(facts.RefTo(cluster.Pod, pod), "metadata.deletionTimestamp", pod.DeletionTimestamp.UTC().Format(time.RFC3339)))
		if pod.DeletionTimestamp.Time.Before(a.World.Taken()) {
			late = append(late, facts.RefTo(cluster.Pod, pod))
		}
	}
	a.because(message.CauseVictims, message.Args{"node": facts.NodeRef(node), "victims": a.Some(refs)}, evidence...)
	if len(late) > 0 {
		a.Severity = finding.Critical
		a.because(message.CauseVictimsLate, message.Args{"victims": a.Some(late)})
	}
	return true
}

// preemption says why nothing gives way for the pod, or who would.
func (a *answer) preemption(ctx context.Context, d *query.Verdict) {
	priority := strconv.Itoa(int(corev1helpers.PodPriority(a.one)))
	own := facts.PriorityFacts(a.one)
	lower, able := 0, false
	for _, n := range d.Closed {
		if !n.Preemptible() {
			continue
		}
		able = true
		lower += len(slices.DeleteFunc(slices.Clone(a.World.PodsOn(n.Node.Name)), func(p *corev1.Pod) bool {
			return cluster.Ended(p) || corev1helpers.PodPriority(p) >= corev1helpers.PodPriority(a.one)
		}))
	}
	if !able {
		return
	}
	if policy := a.one.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		a.notBecause(message.NoPreemptionNever, nil, facts.Fact(facts.RefTo(cluster.Pod, a.one), "spec.preemptionPolicy", string(*policy)))
		return
	}
	if lower == 0 {
		a.notBecause(message.NoPreemptionLowest, message.Args{"priority": priority}, own...)
		return
	}
	choices, err := a.Judge.Preempt(ctx, a.one)
	switch {
	case err != nil:
	case len(choices) == 0:
		a.notBecause(message.NoPreemptionHelp, message.Args{"n": lower, "priority": priority}, own...)
	default:
		first := choices[0]
		a.because(message.WillPreempt, message.Args{"node": facts.NodeRef(first.Node), "victims": a.Some(facts.PodRefs(first.Victims))}, own...)
	}
}

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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// explainNomination explains a pod that waits until other pods on its nominated node have terminated; false if none are
// terminating.
func (a *explanation) explainNomination() bool {
	node := a.representative.Status.NominatedNodeName
	var going []*corev1.Pod
	for _, pod := range a.World.PodsOn(node) {
		if pod.DeletionTimestamp != nil && corev1helpers.PodPriority(pod) < corev1helpers.PodPriority(a.representative) {
			going = append(going, pod)
		}
	}
	if len(going) == 0 {
		return false
	}
	refs := facts.PodRefs(going)
	a.Severity = finding.Info
	a.Message = sentence.UnplacedNominated(a.who(), len(a.subjects), a.Enumerate(refs), facts.NodeRef(node))
	evidence := []finding.Evidence{facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "status.nominatedNodeName", node)}
	var late []change.Ref
	for _, pod := range going {
		evidence = append(evidence, facts.Evidence(facts.RefTo(cluster.Pod, pod), "metadata.deletionTimestamp", pod.DeletionTimestamp.UTC().Format(time.RFC3339)))
		if pod.DeletionTimestamp.Time.Before(a.World.Taken()) {
			late = append(late, facts.RefTo(cluster.Pod, pod))
		}
	}
	a.addCause(sentence.CauseVictims(facts.NodeRef(node), a.Enumerate(refs)), evidence...)
	if len(late) > 0 {
		a.Severity = finding.Critical
		a.addCause(sentence.CauseVictimsLate(a.Enumerate(late)))
	}
	return true
}

// explainPreemption explains why the pod preempts no others, or which it would.
func (a *explanation) explainPreemption(ctx context.Context, d *query.Verdict) {
	priority := strconv.Itoa(int(corev1helpers.PodPriority(a.representative)))
	own := facts.PriorityEvidence(a.representative)
	lower, able := 0, false
	for _, n := range d.Infeasible {
		if !n.Preemptible() {
			continue
		}
		able = true
		lower += len(slices.DeleteFunc(slices.Clone(a.World.PodsOn(n.Node.Name)), func(p *corev1.Pod) bool {
			return cluster.Ended(p) || corev1helpers.PodPriority(p) >= corev1helpers.PodPriority(a.representative)
		}))
	}
	if !able {
		return
	}
	if policy := a.representative.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		a.addRuledOut(sentence.NoPreemptionNever(), facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "spec.preemptionPolicy", string(*policy)))
		return
	}
	if lower == 0 {
		a.addRuledOut(sentence.NoPreemptionLowest(priority), own...)
		return
	}
	choices, err := a.Judge.Preempt(ctx, a.representative)
	switch {
	case err != nil:
	case len(choices) == 0:
		a.addRuledOut(sentence.NoPreemptionHelp(lower, priority), own...)
	default:
		first := choices[0]
		a.addCause(sentence.WillPreempt(facts.NodeRef(first.Node), a.Enumerate(facts.PodRefs(first.Victims))), own...)
	}
}

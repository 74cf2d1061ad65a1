package status

import (
	"context"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// statefulSet reports whether a StatefulSet has its pods. With podManagementPolicy OrderedReady, it creates them in order and waits
// for each, so that one pod can block all that follow.
func (s *Status) statefulSet(ctx context.Context, set *appsv1.StatefulSet) {
	want, have := s.replicasOf(set)
	state := strconv.Itoa(have) + "/" + strconv.Itoa(want)
	switch {
	case have >= want && want == 0:
		s.set(state, "", sentence.WorkloadAtZero(s.ref))
		return
	case have >= want:
		s.set(state, "", sentence.WorkloadHealthy(s.ref, want))
		return
	}
	s.set(state, finding.Critical, sentence.WorkloadShort(s.ref, have, want))
	if !s.Known(cluster.Pod) {
		if !s.creationRefused(ctx, state, set, nil) {
			s.AddUnknownKinds(cluster.Pod)
		}
		return
	}
	first := 0
	if set.Spec.Ordinals != nil {
		first = int(set.Spec.Ordinals.Start)
	}
	held := 0
	for n := first; n < first+want; n++ {
		ref := change.Ref{Kind: string(cluster.Pod), Namespace: set.Namespace, Name: set.Name + "-" + strconv.Itoa(n)}
		pod := s.World.Pod(ref.Namespace, ref.Name)
		if pod != nil && IsWell(pod) {
			continue
		}
		if held++; held > 1 && ordered(set) {
			break
		}
		s.explainOrdinal(ctx, set, ref, pod, held == 1, state)
	}
}

// replicasOf are how many pods a StatefulSet should have, and how many are ready.
func (s *Status) replicasOf(set *appsv1.StatefulSet) (want, have int) {
	want, have = replicas(set.Spec.Replicas), int(set.Status.ReadyReplicas)
	if set.Status.ObservedGeneration == 0 {
		have = max(have, countWell(s.World.PodsOf(set.UID)))
	}
	return want, have
}

// ordered reports whether a StatefulSet creates its pods one after the other.
func ordered(set *appsv1.StatefulSet) bool {
	return set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
}

// explainOrdinal explains an ordinal of a StatefulSet whose pod is missing or not ready.
func (s *Status) explainOrdinal(ctx context.Context, set *appsv1.StatefulSet, ref change.Ref, pod *corev1.Pod, answer bool, state string) {
	want, have := s.replicasOf(set)
	if pod == nil {
		s.addCause(sentence.OrdinalMissing(s.ref, have, want, ref, ordered(set)), facts.Evidence(ref, "metadata.name", ""))
		if !s.creationRefused(ctx, state, set, nil) && answer {
			s.set(state, finding.Critical, sentence.OrdinalMissing(s.ref, have, want, ref, ordered(set)))
		}
		return
	}
	q := s.Query
	q.PresentOnly = true
	why := q.Explain(ctx, ref)
	if answer {
		s.set(state, finding.Critical, sentence.OrdinalHolds(s.ref, have, want, ordered(set), ref, why.Summary))
	}
	s.addCause(sentence.OrdinalHolds(s.ref, have, want, ordered(set), ref, why.Summary), stateEvidence(pod))
	s.Causes = append(s.Causes, why.Causes...)
	s.Findings = AppendFindings(s.Findings, why.Findings)
	s.addRemedies(why.Remedies...)
	s.Unknown, s.NotModelled = append(s.Unknown, why.Unknown...), append(s.NotModelled, why.NotModelled...)
}

// WithOldRevision adds to a pod's explanation that its StatefulSet waits until the pod is ready, and does not replace it with one
// of the current template, which may have been fixed since.
//
// Source: pkg/controller/statefulset, processReplica comes before the update and ends at a pod that is not ready; "Forced
// rollback" in the StatefulSet documentation.
func WithOldRevision(ctx context.Context, q query.Query, pod *corev1.Pod, e finding.Explanation) finding.Explanation {
	set, ok := q.World.Owner(pod).(*appsv1.StatefulSet)
	if !ok || IsWell(pod) || pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed || !waitsForOldPod(set, pod) {
		return e
	}
	ref := facts.RefTo(cluster.StatefulSet, set)

	e.Summary = sentence.OldRevisionHeld(e.Subject, ref, e.Summary)
	e.Causes = slices.Insert(slices.Clone(e.Causes), 0, finding.Link{Message: sentence.OrdinalOldRevision(ref), Evidence: []finding.Evidence{
		facts.Evidence(e.Subject, "metadata.labels["+appsv1.StatefulSetRevisionLabel+"]", pod.Labels[appsv1.StatefulSetRevisionLabel]),
		facts.Evidence(ref, "status.updateRevision", set.Status.UpdateRevision),
	}})
	proposal := q.Propose(change.DeletePod{Namespace: pod.Namespace, Name: pod.Name}, sentence.RemedyDeleteOld(e.Subject, ref), sentence.RemedyDeleteOldCost(), sentence.RemedyDeleteOldRisk())
	e.Remedies = append(q.Verify(ctx, []query.ProposedRemedy{proposal}, pod), e.Remedies...)
	return e
}

// waitsForOldPod reports whether a StatefulSet should update a pod to its current template, and first waits until the pod is ready.
func waitsForOldPod(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	present, own := set.Status.UpdateRevision, pod.Labels[appsv1.StatefulSetRevisionLabel]
	if set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement || set.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType ||
		present == "" || own == "" || own == present {
		return false
	}
	kept := 0
	if set.Spec.Ordinals != nil {
		kept = int(set.Spec.Ordinals.Start)
	}
	if r := set.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		kept += int(*r.Partition)
	}
	n, err := strconv.Atoi(pod.Name[strings.LastIndex(pod.Name, "-")+1:])
	return err == nil && n >= kept
}

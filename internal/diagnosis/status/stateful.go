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
	"github.com/naosu-dev/naosu/internal/message"
)

// statefulSet says whether a StatefulSet has the pods it should. It makes them in order, and waits for each unless its
// pods are managed in parallel, so that one ordinal may hold all that follow.
func (s *Status) statefulSet(ctx context.Context, set *appsv1.StatefulSet) {
	want, have := replicas(set.Spec.Replicas), int(set.Status.ReadyReplicas)
	if set.Status.ObservedGeneration == 0 {
		have = max(have, wellOf(s.World.PodsOf(set.UID)))
	}
	state := strconv.Itoa(have) + "/" + strconv.Itoa(want)
	args := message.Args{"want": want, "have": have, "pod": "", "why": "", "ordered": set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement}
	switch {
	case have >= want && want == 0:
		s.is(state, "", message.WorkloadAtZero, args)
		return
	case have >= want:
		s.is(state, "", message.WorkloadHealthy, args)
		return
	}
	s.is(state, finding.Critical, message.WorkloadShort, args)
	if !s.Knows(cluster.Pod) {
		if !s.refused(ctx, state, set, nil) {
			s.Needs(cluster.Pod)
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
		if pod != nil && Well(pod) {
			continue
		}
		if held++; held > 1 && args["ordered"].(bool) {
			break
		}
		s.ordinal(ctx, set, ref, pod, args, held == 1, state)
	}
}

// ordinal is about one place of a StatefulSet whose pod is missing or not well.
func (s *Status) ordinal(ctx context.Context, set *appsv1.StatefulSet, ref change.Ref, pod *corev1.Pod, args message.Args, answer bool, state string) {
	args["pod"] = ref
	if pod == nil {
		s.because(message.OrdinalMissing, args, facts.Fact(ref, "metadata.name", ""))
		if !s.refused(ctx, state, set, nil) && answer {
			s.is(state, finding.Critical, message.OrdinalMissing, args)
		}
		return
	}
	v := s.View
	v.Now = true
	why := v.Explain(ctx, ref)
	args["why"] = why.Summary
	if answer {
		s.is(state, finding.Critical, message.OrdinalHolds, args)
	}
	s.because(message.OrdinalHolds, args, stateFact(pod))
	s.Causes = append(s.Causes, why.Causes...)
	s.Findings = AppendFindings(s.Findings, why.Findings)
	s.remedy(why.Remedies...)
	s.Unknown, s.NotModelled = append(s.Unknown, why.Unknown...), append(s.NotModelled, why.NotModelled...)
}

// OldRevision adds to a pod's explanation that its StatefulSet waits for it to be ready, and does not replace it by one of the
// present template, which may have been mended since.
//
// Source: pkg/controller/statefulset, processReplica comes before the update and ends at a pod that is not ready; "Forced
// rollback" in the StatefulSet documentation.
func OldRevision(ctx context.Context, v query.View, pod *corev1.Pod, e finding.Explanation) finding.Explanation {
	set, ok := v.World.Owner(pod).(*appsv1.StatefulSet)
	if !ok || Well(pod) || pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed || !waitsForOld(set, pod) {
		return e
	}
	ref := facts.RefTo(cluster.StatefulSet, set)
	args := message.Args{"pod": e.Subject, "object": ref, "said": e.Summary}
	e.Summary = v.Say.Text(message.OldRevisionHeld, args)
	e.Causes = slices.Insert(slices.Clone(e.Causes), 0, finding.Link{Message: v.Say.Text(message.OrdinalOldRevision, args), Evidence: []finding.Evidence{
		facts.Fact(e.Subject, "metadata.labels["+appsv1.StatefulSetRevisionLabel+"]", pod.Labels[appsv1.StatefulSetRevisionLabel]),
		facts.Fact(ref, "status.updateRevision", set.Status.UpdateRevision),
	}})
	way := v.Way(change.DeletePod{Namespace: pod.Namespace, Name: pod.Name}, message.RemedyDeleteOld, message.RemedyDeleteOldCost, message.RemedyDeleteOldRisk, args)
	e.Remedies = append(v.Proven(ctx, []query.Way{way}, pod), e.Remedies...)
	return e
}

// waitsForOld says whether a StatefulSet is to replace a pod by one of its present template, and waits for it to be ready first.
func waitsForOld(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
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

package state

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
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
		if !s.refused(state, set, nil) && answer {
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
	s.Unknown, s.NotModelled = append(s.Unknown, why.Unknown...), append(s.NotModelled, why.NotModelled...)
	if updating := set.Status.UpdateRevision; updating != set.Status.CurrentRevision && pod.Labels[appsv1.StatefulSetRevisionLabel] != updating && args["ordered"].(bool) {
		// A StatefulSet does not replace a pod that never became ready, even when its template has been mended since
		// ("Forced rollback" in the StatefulSet documentation).
		s.because(message.OrdinalOldRevision, args, facts.Fact(ref, "metadata.labels["+appsv1.StatefulSetRevisionLabel+"]", pod.Labels[appsv1.StatefulSetRevisionLabel]))
	}
}

package status

import (
	"context"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Revision is the annotation with the revision number of a Deployment's ReplicaSets (pkg/controller/deployment/util).
const Revision = "deployment.kubernetes.io/revision"

// deployment reports whether a Deployment has its pods, and why not.
func (s *Status) deployment(ctx context.Context, d *appsv1.Deployment) {
	pods, newest := s.podsOf(d)
	want, have := replicas(d.Spec.Replicas), int(d.Status.AvailableReplicas)
	if d.Status.ObservedGeneration == 0 {
		have = max(have, countWell(pods))
	}
	state := strconv.Itoa(have) + "/" + strconv.Itoa(want)
	stalled := deploymentCondition(d, appsv1.DeploymentProgressing)
	switch failure := deploymentCondition(d, appsv1.DeploymentReplicaFailure); {
	case failure != nil && failure.Status == corev1.ConditionTrue:
		s.lacksPods(ctx, state, want, have, pods, s.creationRefused(ctx, state, d, failureEvidence(s.ref, "ReplicaFailure", failure.Message, failure.LastTransitionTime)))
	case have < want && s.pausedWithoutPods(d, newest):
		s.set(state, finding.Critical, sentence.WorkloadPaused(s.ref, have, want))
	case have < want:
		s.lacksPods(ctx, state, want, have, pods, newest != nil && s.creationRefused(ctx, state, newest, nil))
	case stalled != nil && stalled.Status == corev1.ConditionFalse:
		var why message.Sentence
		if all := s.addPodProblems(ctx, pods, true); len(all) > 0 {
			why = all[0].explanation.Summary
		}
		s.set(state, finding.Critical, sentence.RolloutStalled(s.ref, want, why))
	case newest != nil && s.rolloutBlocked(ctx, state, want, notDeleted(s.World.PodsOf(newest.UID)), notDeleted(pods)):
	default:
		s.complete(state, want)
		s.addPodProblems(ctx, slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool { return !s.isStuck(pod) }), false)
	}
	s.rollout(d, newest, stalled)
}

// pausedWithoutPods reports whether a Deployment is paused and has no pods of its current template. If its ReplicaSets are not
// known, its status is used.
func (s *Status) pausedWithoutPods(d *appsv1.Deployment, newest *appsv1.ReplicaSet) bool {
	return d.Spec.Paused && newest == nil && (s.Known(cluster.ReplicaSet) || d.Status.UpdatedReplicas == 0)
}

// rolloutBlocked explains a rollout whose new pods cannot run while the old ones do: until progressDeadlineSeconds (ten minutes
// by default), the Deployment's status does not show it. Nor does it show at once that pods stop where there are no others.
func (s *Status) rolloutBlocked(ctx context.Context, state string, want int, pods, all []*corev1.Pod) bool {
	said := sentence.RolloutWaits
	if len(pods) == len(all) {
		said = sentence.CountsAvailable
	}
	for i, t := range podProblems(ctx, s.Query, pods) {
		if t.explanation.Severity == finding.Critical || slices.ContainsFunc(t.explanation.Findings, critical) {
			s.set(state, finding.Warning, said(s.ref, want, t.explanation.Summary))
			s.addPodProblems(ctx, pods, i == 0)
			return true
		}
	}
	return false
}

// notDeleted are the pods without a deletion timestamp.
func notDeleted(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// isStuck reports whether a pod cannot terminate because its node does not respond.
func (s *Status) isStuck(pod *corev1.Pod) bool {
	node := s.World.Node(pod.Spec.NodeName)
	return pod.DeletionTimestamp != nil && node != nil && kube.IsNodeUnreachable(node)
}

func critical(f finding.Finding) bool { return f.Severity == finding.Critical }

// rollout explains a Deployment that is paused or whose rollout makes no progress.
func (s *Status) rollout(d *appsv1.Deployment, newest *appsv1.ReplicaSet, progress *appsv1.DeploymentCondition) {
	if d.Spec.Paused {
		s.addCause(sentence.RolloutPaused(), facts.Evidence(s.ref, "spec.paused", "true"))
	}
	if progress != nil && progress.Status == corev1.ConditionFalse {
		var set any = "" // There may be none of the current template.
		seconds := 0
		if newest != nil {
			set = facts.RefTo(cluster.ReplicaSet, newest)
		}
		if d.Spec.ProgressDeadlineSeconds != nil {
			seconds = int(*d.Spec.ProgressDeadlineSeconds)
		}
		s.addCause(sentence.RolloutDeadline(set, seconds), facts.EvidenceSince(s.ref, "status.conditions[Progressing]", progress.Reason+": "+progress.Message, progress.LastUpdateTime))
	}
}

// podsOf are a Deployment's pods, and its ReplicaSet of the current template; nil if there is none.
func (s *Status) podsOf(d *appsv1.Deployment) (pods []*corev1.Pod, newest *appsv1.ReplicaSet) {
	for _, set := range s.World.ReplicaSetsOf(d.UID) {
		pods = append(pods, s.World.PodsOf(set.UID)...)
		if set.Annotations[Revision] == d.Annotations[Revision] {
			newest = set
		}
	}
	return pods, newest
}

func deploymentCondition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// replicaSet reports whether a ReplicaSet has its pods, and why not.
func (s *Status) replicaSet(ctx context.Context, set *appsv1.ReplicaSet) {
	want, have := replicas(set.Spec.Replicas), int(set.Status.ReadyReplicas)
	state := strconv.Itoa(have) + "/" + strconv.Itoa(want)
	var failure *finding.Evidence
	for _, c := range set.Status.Conditions {
		if c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue {
			failure = failureEvidence(s.ref, string(c.Type), c.Message, c.LastTransitionTime)
		}
	}
	if have < want {
		s.lacksPods(ctx, state, want, have, s.World.PodsOf(set.UID), s.creationRefused(ctx, state, set, failure))
		return
	}
	s.complete(state, want)
}

// complete says that a workload has all of its pods.
func (s *Status) complete(state string, want int) {
	if want == 0 {
		s.set(state, "", sentence.WorkloadAtZero(s.ref))
		return
	}
	s.set(state, "", sentence.WorkloadHealthy(s.ref, want))
}

// countWell counts the pods that run and are ready, for workloads without a status.
func countWell(pods []*corev1.Pod) int {
	return len(slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return !IsWell(p) }))
}

// replicas is the desired number of pods; one if it is not set.
func replicas(n *int32) int {
	if n == nil {
		return 1
	}
	return int(*n)
}

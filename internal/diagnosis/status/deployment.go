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

// Revision is the annotation by which a Deployment numbers its ReplicaSets (pkg/controller/deployment/util).
const Revision = "deployment.kubernetes.io/revision"

// deployment says whether a Deployment has the pods it should, and why not.
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
	case newest != nil && s.rolloutBlocked(ctx, state, want, notDeleted(s.World.PodsOf(newest.UID))):
	default:
		s.complete(state, want)
		s.addPodProblems(ctx, slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool { return !s.isStuck(pod) }), false)
	}
	s.rollout(d, newest, stalled)
}

// pausedWithoutPods says whether a Deployment is paused and has no pods of its present template. Its own status tells where its
// ReplicaSets are not known.
func (s *Status) pausedWithoutPods(d *appsv1.Deployment, newest *appsv1.ReplicaSet) bool {
	return d.Spec.Paused && newest == nil && (s.Known(cluster.ReplicaSet) || d.Status.UpdatedReplicas == 0)
}

// rolloutBlocked tells of pods of the newest version that cannot run while the older ones do: until Kubernetes calls the
// rollout failed, after ten minutes by default, nothing else shows it.
func (s *Status) rolloutBlocked(ctx context.Context, state string, want int, pods []*corev1.Pod) bool {
	for i, t := range podProblems(ctx, s.Query, pods) {
		if t.explanation.Severity == finding.Critical || slices.ContainsFunc(t.explanation.Findings, critical) {
			s.set(state, finding.Warning, sentence.RolloutWaits(s.ref, want, t.explanation.Summary))
			s.addPodProblems(ctx, pods, i == 0)
			return true
		}
	}
	return false
}

// notDeleted are the pods that nobody has told to go.
func notDeleted(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// isStuck says whether a pod cannot end, because its node does not answer.
func (s *Status) isStuck(pod *corev1.Pod) bool {
	node := s.World.Node(pod.Spec.NodeName)
	return pod.DeletionTimestamp != nil && node != nil && kube.IsNodeUnreachable(node)
}

func critical(f finding.Finding) bool { return f.Severity == finding.Critical }

// rollout tells of a Deployment that is paused, or does not get on with its newest ReplicaSet.
func (s *Status) rollout(d *appsv1.Deployment, newest *appsv1.ReplicaSet, progress *appsv1.DeploymentCondition) {
	if d.Spec.Paused {
		s.addCause(sentence.RolloutPaused(), facts.Evidence(s.ref, "spec.paused", "true"))
	}
	if progress != nil && progress.Status == corev1.ConditionFalse {
		var set any = "" // Not every Deployment has one of its present template.
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

// podsOf are a Deployment's pods, and its ReplicaSet of the present template; nil if it has none.
func (s *Status) podsOf(d *appsv1.Deployment) (pods []*corev1.Pod, newest *appsv1.ReplicaSet) {
	for _, set := range s.replicaSetsOf(d) {
		pods = append(pods, s.World.PodsOf(set.UID)...)
		if set.Annotations[Revision] == d.Annotations[Revision] {
			newest = set
		}
	}
	return pods, newest
}

// replicaSetsOf are a Deployment's ReplicaSets.
func (s *Status) replicaSetsOf(d *appsv1.Deployment) []*appsv1.ReplicaSet {
	return slices.DeleteFunc(slices.Clone(s.World.ReplicaSets()), func(set *appsv1.ReplicaSet) bool {
		owner := s.World.Owner(set)
		return owner == nil || owner.GetUID() != d.UID
	})
}

func deploymentCondition(d *appsv1.Deployment, kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == kind {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

// replicaSet says whether a ReplicaSet has the pods it should, and why not.
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

// complete says that a workload has the pods it should.
func (s *Status) complete(state string, want int) {
	if want == 0 {
		s.set(state, "", sentence.WorkloadAtZero(s.ref))
		return
	}
	s.set(state, "", sentence.WorkloadHealthy(s.ref, want))
}

// countWell counts the pods that run as they should: where a workload's status has not been written, they tell what it would say.
func countWell(pods []*corev1.Pod) int {
	return len(slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return !IsWell(p) }))
}

// replicas is how many pods a workload is to have; one if it does not say.
func replicas(n *int32) int {
	if n == nil {
		return 1
	}
	return int(*n)
}

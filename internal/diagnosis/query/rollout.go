package query

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Rollout is a rollout of a Deployment that terminates no old pod before a new one is ready.
type Rollout struct {
	Ref change.Ref
	// Replicas is the Deployment's number of replicas.
	Replicas int
	// Old are its pods of older templates that have a node.
	Old        []*corev1.Pod
	deployment *appsv1.Deployment
}

// RolloutOf is the rollout that a pod belongs to as a new one; false if there is none, or if old pods may be terminated before it is
// ready.
//
// Source: pkg/controller/deployment/util, ResolveFenceposts: maxUnavailable is rounded down, maxSurge up.
func (q Query) RolloutOf(pod *corev1.Pod) (Rollout, bool) {
	own := metav1.GetControllerOfNoCopy(pod)
	d, ok := q.World.Workload(pod).(*appsv1.Deployment)
	if !ok || own == nil || d.Spec.Paused || d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return Rollout{}, false
	}
	r := Rollout{Ref: facts.RefTo(cluster.Deployment, d), Replicas: 1, deployment: d}
	if d.Spec.Replicas != nil {
		r.Replicas = int(*d.Spec.Replicas)
	}
	if maxUnavailable(d, r.Replicas) > 0 || !q.isNewReplicaSet(d, own) {
		return Rollout{}, false
	}
	for _, other := range facts.PodsOfWorkload(q.World, r.Ref) {
		if owner := metav1.GetControllerOfNoCopy(other); owner.UID != own.UID && other.Spec.NodeName != "" {
			r.Old = append(r.Old, other)
		}
	}
	return r, len(r.Old) > 0
}

// isNewReplicaSet reports whether a ReplicaSet is that of the Deployment's current template.
func (q Query) isNewReplicaSet(d *appsv1.Deployment, set *metav1.OwnerReference) bool {
	const revision = "deployment.kubernetes.io/revision" // pkg/controller/deployment/util
	o, ok := q.World.Object(cluster.ReplicaSet, d.Namespace, set.Name).(*appsv1.ReplicaSet)
	return ok && o.UID == set.UID && o.Annotations[revision] == d.Annotations[revision]
}

// maxUnavailable is the Deployment's maxUnavailable as a number of pods.
func maxUnavailable(d *appsv1.Deployment, replicas int) int {
	surge, fewer := intstr.FromString("25%"), intstr.FromString("25%")
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		if r.MaxSurge != nil {
			surge = *r.MaxSurge
		}
		if r.MaxUnavailable != nil {
			fewer = *r.MaxUnavailable
		}
	}
	more, err := intstr.GetScaledValueFromIntOrPercent(&surge, replicas, true)
	n, wrong := intstr.GetScaledValueFromIntOrPercent(&fewer, replicas, false)
	if err != nil || wrong != nil || more == 0 && n == 0 {
		return 1
	}
	return n
}

// Evidence is the Deployment's maxUnavailable, as evidence.
func (r Rollout) Evidence() finding.Evidence {
	value := ""
	if s := r.deployment.Spec.Strategy.RollingUpdate; s != nil && s.MaxUnavailable != nil {
		value = s.MaxUnavailable.String()
	}
	return facts.Evidence(r.Ref, "spec.strategy.rollingUpdate.maxUnavailable", value)
}

// ReplaceOldFirst are remedies that terminate old pods before new ones are ready: one at a time or, for a Deployment with a single pod,
// with strategy Recreate.
func (q Query) ReplaceOldFirst(r Rollout) []ProposedRemedy {
	recreate := q.Propose(patchSpec(r.Ref, map[string]any{"strategy": map[string]any{"type": appsv1.RecreateDeploymentStrategyType, "rollingUpdate": nil}}),
		sentence.RemedyRecreate(r.Ref), sentence.RemedyRecreateCost(r.Ref), sentence.RemedyRecreateRisk())
	if r.Replicas == 1 {
		return []ProposedRemedy{recreate}
	}
	return []ProposedRemedy{q.Propose(patchSpec(r.Ref, map[string]any{"strategy": map[string]any{"rollingUpdate": map[string]any{"maxUnavailable": 1}}}),
		sentence.RemedyUnavailable(r.Ref), sentence.RemedyUnavailableCost(r.Ref), sentence.RemedyUnavailableRisk())}
}

package simulation

import (
	"cmp"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// scaleWorkload sets a workload's replicas.
func (e *engine) scaleWorkload(c change.ScaleWorkload) error {
	world := e.world()
	switch cluster.Kind(c.Kind) {
	case cluster.Deployment:
		if d := world.Deployment(c.Namespace, c.Name); d != nil {
			return e.scaleDeployment(d, c.Replicas)
		}
	case cluster.ReplicaSet:
		if rs := world.ReplicaSet(c.Namespace, c.Name); rs != nil {
			return e.scaleReplicaSet(rs, c.Replicas)
		}
	case cluster.StatefulSet:
		if set := world.StatefulSet(c.Namespace, c.Name); set != nil {
			return e.scaleStatefulSet(set, c.Replicas)
		}
	}
	return outcome.UnknownError{Ref: c.Subject()}
}

// scaleDeployment scales the newest of a Deployment's ReplicaSets.
func (e *engine) scaleDeployment(d *appsv1.Deployment, desired int) error {
	more := desired - replicas.Of(d, 1)
	scaled := *d
	scaled.Spec.Replicas = new(int32(desired))
	if err := e.edit(cluster.Put(&scaled)); err != nil {
		return err
	}
	newest := e.newestReplicaSet(d)
	if newest == nil && d.Spec.Paused {
		return nil // Its first ReplicaSet is created when it is resumed.
	}
	if newest == nil {
		rs, err := e.newReplicaSet(d, desired)
		if err != nil {
			return err
		}
		return e.fillReplicaSet(rs)
	}
	return e.scaleReplicaSet(newest, max(replicas.Of(newest, 1)+more, 0))
}

// newestReplicaSet is a Deployment's ReplicaSet of the latest revision, nil if there is none.
func (e *engine) newestReplicaSet(d *appsv1.Deployment) *appsv1.ReplicaSet {
	var newest *appsv1.ReplicaSet
	revision := func(rs *appsv1.ReplicaSet) int {
		n, err := strconv.Atoi(rs.Annotations[revisionAnnotation])
		if err != nil {
			return 0 // Manifests written by hand have none.
		}
		return n
	}
	for _, rs := range e.world().ReplicaSets() {
		if owner := metav1.GetControllerOfNoCopy(rs); owner == nil || owner.UID != d.UID || rs.Namespace != d.Namespace {
			continue
		}
		if newest == nil || cmp.Or(revision(rs)-revision(newest), replicas.Of(rs, 1)-replicas.Of(newest, 1)) > 0 {
			newest = rs
		}
	}
	return newest
}

// revisionAnnotation numbers a Deployment's ReplicaSets by age.
const revisionAnnotation = "deployment.kubernetes.io/revision"

func (e *engine) scaleReplicaSet(rs *appsv1.ReplicaSet, desired int) error {
	scaled := *rs
	scaled.Spec.Replicas = new(int32(desired))
	if err := e.edit(cluster.Put(&scaled)); err != nil {
		return err
	}
	e.budgets.Adjust(rs.Namespace, rs.Spec.Template.Labels, desired-replicas.Of(rs, 1))
	return e.fillReplicaSet(&scaled)
}

// fillReplicaSet gives a ReplicaSet the pods it should have.
func (e *engine) fillReplicaSet(rs *appsv1.ReplicaSet) error {
	ref := controllerRef("apps/v1", "ReplicaSet", rs)
	more := replicas.Of(rs, 1) - e.activeCount(&ref)
	if more < 0 {
		refused := e.refusedPodsOf(rs.UID)
		refused = refused[:min(-more, len(refused))]
		e.abandonRefused(refused)
		return e.scaleDown(e.pods.OwnedBy(rs.UID), e.relatedPods(rs), -more-len(refused), message.Of(message.FateScaled, nil))
	}
	for range more {
		e.createPod(nil, e.newReplicaSetPod(rs))
	}
	return nil
}

// newReplicaSetPod is a ReplicaSet's new pod: a copy of another of its pods, or made from its template.
func (e *engine) newReplicaSetPod(rs *appsv1.ReplicaSet) *corev1.Pod {
	name := e.names.Pod(rs.Namespace, rs.Name+"-")
	if sibling := e.pods.FirstOwned(rs.UID, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil }); sibling != nil {
		return e.replacementPod(sibling, name)
	}
	return e.podFromTemplate(&rs.Spec.Template, rs.Namespace, name, controllerRef("apps/v1", "ReplicaSet", rs))
}

// scaleDown removes pods of a ReplicaSet or a Job, in deletion order. Related are the pods of the whole Deployment, nil for a Job.
func (e *engine) scaleDown(pods, related []*corev1.Pod, count int, why message.Sentence) error {
	pods = slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil || cluster.Ended(p) })
	for _, pod := range e.deletionOrder(pods, related)[:min(count, len(pods))] {
		if err := e.removePodGracefully(pod); err != nil {
			return err
		}
		e.fates.End(pod, outcome.Ended, why, e.elapsed())
	}
	return nil
}

// compareBools sorts false first.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

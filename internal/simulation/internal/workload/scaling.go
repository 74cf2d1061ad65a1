package workload

import (
	"cmp"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// ScaleWorkload sets a workload's replicas.
func (w *Controllers) ScaleWorkload(c change.ScaleWorkload) error {
	world := w.engine.World()
	switch cluster.Kind(c.Kind) {
	case cluster.Deployment:
		if d := world.Deployment(c.Namespace, c.Name); d != nil {
			return w.scaleDeployment(d, c.Replicas)
		}
	case cluster.ReplicaSet:
		if rs := world.ReplicaSet(c.Namespace, c.Name); rs != nil {
			return w.scaleReplicaSet(rs, c.Replicas)
		}
	case cluster.StatefulSet:
		if set := world.StatefulSet(c.Namespace, c.Name); set != nil {
			return w.scaleStatefulSet(set, c.Replicas)
		}
	}
	return outcome.UnknownError{Ref: c.Subject()}
}

// scaleDeployment scales the newest of a Deployment's ReplicaSets or, in the middle of a rolling update, each in proportion to its size.
func (w *Controllers) scaleDeployment(d *appsv1.Deployment, desired int) error {
	more := desired - replicas.Of(d, 1)
	scaled := *d
	scaled.Spec.Replicas = new(int32(desired))
	if err := w.engine.Edit(cluster.Put(&scaled)); err != nil {
		return err
	}
	newest := w.newestReplicaSet(d)
	if newest == nil && d.Spec.Paused {
		return nil // Its first ReplicaSet is created when it is resumed.
	}
	if newest == nil {
		return w.createFirstReplicaSet(d, desired)
	}
	if active := w.activeReplicaSets(d); len(active) > 1 && d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		w.engine.Budgets.Adjust(d.Namespace, d.Spec.Template.Labels, more)
		return w.scaleProportionally(&scaled, active)
	}
	return w.scaleReplicaSet(newest, max(replicas.Of(newest, 1)+more, 0))
}

// createFirstReplicaSet gives a Deployment without pods its first ReplicaSet.
func (w *Controllers) createFirstReplicaSet(d *appsv1.Deployment, desired int) error {
	w.engine.Budgets.Adjust(d.Namespace, d.Spec.Template.Labels, desired)
	rs, err := w.newReplicaSet(d, desired)
	if err != nil {
		return err
	}
	return w.fillReplicaSet(rs)
}

// newestReplicaSet is a Deployment's ReplicaSet of the latest revision, nil if there is none.
func (w *Controllers) newestReplicaSet(d *appsv1.Deployment) *appsv1.ReplicaSet {
	var newest *appsv1.ReplicaSet
	revision := func(rs *appsv1.ReplicaSet) int {
		n, err := strconv.Atoi(rs.Annotations[revisionAnnotation])
		if err != nil {
			return 0 // Manifests written by hand have none.
		}
		return n
	}
	for _, rs := range w.replicaSets(d) {
		if rs.Namespace != d.Namespace {
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

func (w *Controllers) scaleReplicaSet(rs *appsv1.ReplicaSet, desired int) error {
	w.engine.Budgets.Adjust(rs.Namespace, rs.Spec.Template.Labels, desired-replicas.Of(rs, 1))
	return w.resizeReplicaSet(rs, desired)
}

func (w *Controllers) resizeReplicaSet(rs *appsv1.ReplicaSet, desired int) error {
	resized := *rs
	resized.Spec.Replicas = new(int32(desired))
	if err := w.engine.Edit(cluster.Put(&resized)); err != nil {
		return err
	}
	return w.fillReplicaSet(&resized)
}

// fillReplicaSet gives a ReplicaSet the pods it should have.
func (w *Controllers) fillReplicaSet(rs *appsv1.ReplicaSet) error {
	ref := controllerRef("apps/v1", "ReplicaSet", rs)
	more := replicas.Of(rs, 1) - w.engine.ActiveCount(&ref)
	if more < 0 {
		refused := w.engine.RefusedPodsOf(rs.UID)
		refused = refused[:min(-more, len(refused))]
		w.engine.AbandonRefused(refused)
		return w.scaleDown(w.engine.Pods.OwnedBy(rs.UID), w.relatedPods(rs), -more-len(refused), sentence.FateScaled())
	}
	for range more {
		w.engine.CreatePod(nil, w.newReplicaSetPod(rs))
	}
	return nil
}

// newReplicaSetPod is a ReplicaSet's new pod: a copy of another of its pods, or made from its template.
func (w *Controllers) newReplicaSetPod(rs *appsv1.ReplicaSet) *corev1.Pod {
	name := w.engine.Names.Pod(rs.Namespace, rs.Name+"-")
	if sibling := w.engine.Pods.FirstOwned(rs.UID, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil }); sibling != nil {
		return w.engine.ReplacementPod(sibling, name)
	}
	return w.engine.PodFromTemplate(&rs.Spec.Template, rs.Namespace, name, controllerRef("apps/v1", "ReplicaSet", rs))
}

// scaleDown removes pods of a ReplicaSet or a Job, in deletion order. Related are the pods of the whole Deployment, nil for a Job.
func (w *Controllers) scaleDown(pods, related []*corev1.Pod, count int, why message.Sentence) error {
	pods = slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil || cluster.Ended(p) })
	for _, pod := range w.deletionOrder(pods, related)[:min(count, len(pods))] {
		if err := w.engine.RemovePodGracefully(pod); err != nil {
			return err
		}
		w.engine.Fates.End(pod, outcome.Ended, why, w.engine.Elapsed())
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

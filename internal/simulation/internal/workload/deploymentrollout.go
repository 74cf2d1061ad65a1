package workload

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// newReplicaSet creates a Deployment's ReplicaSet of its current template, without pods.
func (w *Controllers) newReplicaSet(d *appsv1.Deployment, replicas int) (*appsv1.ReplicaSet, error) {
	uid := w.engine.Names.UID()
	hash := fnv.New32a()
	_, _ = fmt.Fprintf(hash, "%s/%s/%s", d.Namespace, d.Name, uid) // Writing to a hash never fails.
	suffix := rand.SafeEncodeString(strconv.FormatUint(uint64(hash.Sum32()), 10))
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: d.Name + "-" + suffix, Namespace: d.Namespace, UID: uid, CreationTimestamp: *w.engine.APITime(),
			Labels: withHashLabel(d.Spec.Template.Labels, suffix), Annotations: map[string]string{revisionAnnotation: strconv.Itoa(w.nextRevision(d))},
			OwnerReferences: []metav1.OwnerReference{controllerRef("apps/v1", "Deployment", d)},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(replicas)), Template: *d.Spec.Template.DeepCopy()},
	}
	if d.Spec.Selector != nil {
		rs.Spec.Selector = d.Spec.Selector.DeepCopy()
		rs.Spec.Selector.MatchLabels = withHashLabel(rs.Spec.Selector.MatchLabels, suffix)
	}
	rs.Spec.Template.Labels = withHashLabel(rs.Spec.Template.Labels, suffix)
	return rs, w.engine.Edit(cluster.Put(rs))
}

func withHashLabel(labels map[string]string, hash string) map[string]string {
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	return labels
}

// RolloutDeployment replaces a Deployment's pods by those of its new template, within its maxSurge and maxUnavailable. A rollout
// whose new pods cannot be scheduled stops, and keeps the old pods that it may not remove.
//
// Source: pkg/controller/deployment of Kubernetes (rolling.go, recreate.go).
func (w *Controllers) RolloutDeployment(ctx context.Context, d *appsv1.Deployment) error {
	if err := w.engine.Edit(cluster.Put(d)); err != nil {
		return err
	}
	left, err := w.advanceRollout(ctx, d)
	if err != nil || left == 0 {
		return err
	}
	ref := "deployment/" + d.Name
	w.engine.Gaps.Note(ref, sentence.GapRollout(ref, left))
	return nil
}

// advanceRollout takes a rollout as far as it can go. It returns the number of old pods left.
func (w *Controllers) advanceRollout(ctx context.Context, d *appsv1.Deployment) (left int, err error) {
	desired := replicas.Of(d, 1)
	rs, made, err := w.ensureReplicaSet(d, desired)
	if err != nil {
		return 0, err
	}
	for _, other := range w.replicaSets(d) {
		if other.UID != rs.UID {
			w.engine.AbandonRefused(w.engine.RefusedPodsOf(other.UID))
		}
	}
	old := w.oldReplicaSets(d, rs)
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if err = w.removeAllOld(ctx, old.pods()); err != nil {
			return 0, err
		}
		for i := range old {
			old[i].active, old[i].refused = nil, 0
		}
	}
	if made, err = w.replaceOldPods(ctx, d, rs, made, old); err != nil {
		return 0, err
	}
	if err := w.engine.Settle(ctx); err != nil {
		return 0, err
	}
	left = len(old.pods())
	if w.unfinishedRollouts[d.UID] = left > 0; w.unfinishedRollouts[d.UID] {
		reached := *rs
		reached.Spec.Replicas = new(int32(len(made)))
		if err := w.engine.Edit(cluster.Put(&reached)); err != nil {
			return 0, err
		}
	}
	return left, w.setOldReplicas(old)
}

// removeAllOld removes a Deployment's old pods before any new one is created: all at once or, in some futures, some later than
// others.
func (w *Controllers) removeAllOld(ctx context.Context, old []*corev1.Pod) error {
	for i, batch := range randomness.Batches(w.engine.Randomness, old) {
		if i > 0 {
			if err := w.engine.Schedule(ctx); err != nil {
				return err
			}
		}
		if _, err := w.removeOldPods(batch, nil, len(batch), w.engine.RemovePod, sentence.FateRecreated()); err != nil {
			return err
		}
	}
	return nil
}

// replaceOldPods creates new pods and scales the old ReplicaSets down, in turn, until the limits allow neither. It returns the new
// pods at the end. Old replicas that the API server refuses count for the limits.
//
// Source: pkg/controller/deployment of Kubernetes (reconcileNewReplicaSet, reconcileOldReplicaSets).
func (w *Controllers) replaceOldPods(ctx context.Context, d *appsv1.Deployment, rs *appsv1.ReplicaSet, made []*corev1.Pod, old oldReplicaSets) ([]*corev1.Pod, error) {
	desired := replicas.Of(d, 1)
	maxSurge, maxUnavailable := replicas.DeploymentLimits(d, desired)
	running := w.countReady(rs)
	for waited := false; ; {
		before := old.replicas() + desired - len(made)
		for len(made) < desired && len(made)+old.replicas() < desired+maxSurge {
			pod := w.newReplicaSetPod(rs)
			w.engine.CreatePod(nil, pod)
			made = append(made, pod)
		}
		if waited { // Old pods within maxUnavailable are removed before any new pod runs.
			if err := w.engine.WithDelayedReadiness(func() error { return w.engine.Settle(ctx) }); err != nil {
				return nil, err
			}
			for i := range old {
				old[i].active = w.activePodsOf(old[i].ReplicaSet) // One that was preempted for a new pod has been replaced.
			}
			running += w.engine.Randomness.Observed(w.countReady(rs) - running)
		}
		if err := w.scaleDownOld(old, w.relatedPods(rs), running+old.replicas()-(desired-maxUnavailable)); err != nil {
			return nil, err
		}
		noProgress := old.replicas()+desired-len(made) >= before
		if noProgress && waited && running >= w.countReady(rs) {
			return made, nil
		}
		waited = noProgress
	}
}

// ensureReplicaSet is a Deployment's ReplicaSet of its current template with its pods: an existing one, as after a rollback, or a
// new one.
//
// Source: pkg/controller/deployment/util of Kubernetes (FindNewReplicaSet).
func (w *Controllers) ensureReplicaSet(d *appsv1.Deployment, desired int) (*appsv1.ReplicaSet, []*corev1.Pod, error) {
	sets := w.replicaSets(d)
	if newest := w.newestReplicaSet(d); newest != nil { // Others may only seem equal: the world has no values of environment variables.
		sets = append([]*appsv1.ReplicaSet{newest}, sets...)
	}
	for _, rs := range sets {
		if !podtemplate.Same(&rs.Spec.Template, &d.Spec.Template) {
			continue
		}
		again := *rs
		again.Spec.Replicas = new(int32(desired))
		again.Annotations = maps.Clone(rs.Annotations)
		if again.Annotations == nil {
			again.Annotations = map[string]string{}
		}
		again.Annotations[revisionAnnotation] = strconv.Itoa(w.nextRevision(d))
		if err := w.engine.Edit(cluster.Put(&again)); err != nil {
			return nil, nil, err
		}
		w.engine.AbandonRefused(w.engine.RefusedPodsOf(rs.UID)) // The ReplicaSet creates them again.
		made := w.activePodsOf(rs)
		if err := w.scaleDown(made, w.relatedPods(rs), max(len(made)-desired, 0), sentence.FateScaled()); err != nil {
			return nil, nil, err
		}
		return &again, w.activePodsOf(rs), nil
	}
	rs, err := w.newReplicaSet(d, desired)
	return rs, nil, err
}

// nextRevision is the revision number after a Deployment's newest.
func (w *Controllers) nextRevision(d *appsv1.Deployment) int {
	newest := w.newestReplicaSet(d)
	if newest == nil {
		return 1
	}
	n, err := strconv.Atoi(newest.Annotations[revisionAnnotation])
	if err != nil {
		return 1 // Manifests written by hand have none.
	}
	return n + 1
}

// replicaSets are a Deployment's ReplicaSets.
func (w *Controllers) replicaSets(d *appsv1.Deployment) []*appsv1.ReplicaSet {
	return slices.Clone(w.engine.World().ReplicaSetsOf(d.UID))
}

// activePodsOf are a ReplicaSet's pods that are neither terminated nor being deleted.
func (w *Controllers) activePodsOf(rs *appsv1.ReplicaSet) []*corev1.Pod {
	return slices.DeleteFunc(w.engine.Pods.OwnedBy(rs.UID), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil || cluster.Ended(pod) })
}

// removeOldPods removes some of the old pods, in deletion order, and returns the others.
func (w *Controllers) removeOldPods(old, related []*corev1.Pod, count int, end func(*corev1.Pod) error, why message.Sentence) ([]*corev1.Pod, error) {
	ordered := w.deletionOrder(old, related)
	for _, pod := range ordered[:count] {
		if err := end(pod); err != nil {
			return nil, err
		}
		w.engine.Fates.End(pod, outcome.Ended, why, w.engine.Elapsed())
	}
	return ordered[count:], nil
}

// countReady is the number of a ReplicaSet's pods that are ready.
func (w *Controllers) countReady(rs *appsv1.ReplicaSet) int {
	active := w.activePodsOf(rs)
	return len(active) - w.countUnready(active)
}

// countUnready is the number of pods that are not ready.
func (w *Controllers) countUnready(pods []*corev1.Pod) int {
	return len(slices.DeleteFunc(slices.Clone(pods), w.engine.PodReady))
}

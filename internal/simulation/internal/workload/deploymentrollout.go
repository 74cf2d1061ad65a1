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
	old := w.oldPods(d, rs)
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if err = w.removeAllOld(ctx, old); err != nil {
			return 0, err
		}
		old = nil
	}
	if made, old, err = w.replaceOldPods(ctx, d, rs, made, old); err != nil {
		return 0, err
	}
	if err := w.engine.Settle(ctx); err != nil {
		return 0, err
	}
	if w.unfinishedRollouts[d.UID] = len(old) > 0; w.unfinishedRollouts[d.UID] {
		reached := *rs
		reached.Spec.Replicas = new(int32(len(made)))
		if err := w.engine.Edit(cluster.Put(&reached)); err != nil {
			return 0, err
		}
	}
	return len(old), w.scaleDownOldReplicaSets(d, rs)
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
		if _, err := w.removeOldPods(batch, nil, len(batch), w.engine.RemovePod); err != nil {
			return err
		}
	}
	return nil
}

// replaceOldPods creates new pods and removes old ones, in turn, until the limits allow neither. It returns the pods of both at
// the end. Old replicas that the API server refuses count for the limits, and go after the old pods that are not ready.
//
// Source: pkg/controller/deployment of Kubernetes (reconcileNewReplicaSet, reconcileOldReplicaSets).
func (w *Controllers) replaceOldPods(ctx context.Context, d *appsv1.Deployment, rs *appsv1.ReplicaSet, made, old []*corev1.Pod) (_, _ []*corev1.Pod, err error) {
	desired := replicas.Of(d, 1)
	maxSurge, maxUnavailable := replicas.DeploymentLimits(d, desired)
	running, refused := w.countReady(rs), w.refusedReplicas(d, rs)
	for waited := false; ; {
		before := len(old) + refused + desired - len(made)
		for len(made) < desired && len(made)+len(old)+refused < desired+maxSurge {
			pod := w.newReplicaSetPod(rs)
			w.engine.CreatePod(nil, pod)
			made = append(made, pod)
		}
		if waited { // Old pods within maxUnavailable are removed before any new pod runs.
			if err := w.engine.WithDelayedReadiness(func() error { return w.engine.Settle(ctx) }); err != nil {
				return nil, nil, err
			}
			old = w.oldPods(d, rs) // One that was preempted for a new pod has been replaced.
			running += w.engine.Randomness.Observed(w.countReady(rs) - running)
		}
		removable := running + len(old) + refused - (desired - maxUnavailable)
		if len(made) == desired && running == desired {
			removable = len(old) + refused
		}
		if refused > 0 {
			abandoned := min(max(removable-w.countUnready(old), 0), refused)
			removable, refused = removable-abandoned, refused-abandoned
		}
		if old, err = w.removeOldPods(old, w.relatedPods(rs), min(max(removable, 0), len(old)), w.engine.RemovePodGracefully); err != nil {
			return nil, nil, err
		}
		noProgress := len(old)+refused+desired-len(made) >= before
		if noProgress && waited && running >= w.countReady(rs) {
			return made, old, nil
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
	var owned []*appsv1.ReplicaSet
	for _, rs := range w.engine.World().ReplicaSets() {
		if owner := metav1.GetControllerOfNoCopy(rs); owner != nil && owner.UID == d.UID {
			owned = append(owned, rs)
		}
	}
	return owned
}

// oldPods are the active pods of a Deployment's ReplicaSets except the current one.
func (w *Controllers) oldPods(d *appsv1.Deployment, present *appsv1.ReplicaSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, rs := range w.replicaSets(d) {
		if rs.UID != present.UID {
			pods = append(pods, w.activePodsOf(rs)...)
		}
	}
	return pods
}

// refusedReplicas is the number of replicas of a Deployment's ReplicaSets except the current one that have no pod because the API
// server refuses it.
func (w *Controllers) refusedReplicas(d *appsv1.Deployment, present *appsv1.ReplicaSet) int {
	n := 0
	for _, rs := range w.replicaSets(d) {
		if rs.UID == present.UID {
			continue
		}
		if lacking := replicas.Of(rs, 1) - len(w.activePodsOf(rs)); lacking > 0 && w.isRefused(w.newReplicaSetPod(rs)) {
			n += lacking
		}
	}
	return n
}

// activePodsOf are a ReplicaSet's pods that are neither terminated nor being deleted.
func (w *Controllers) activePodsOf(rs *appsv1.ReplicaSet) []*corev1.Pod {
	return slices.DeleteFunc(w.engine.Pods.OwnedBy(rs.UID), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil || cluster.Ended(pod) })
}

// removeOldPods removes some of the old pods, in deletion order, and returns the others.
func (w *Controllers) removeOldPods(old, related []*corev1.Pod, count int, end func(*corev1.Pod) error) ([]*corev1.Pod, error) {
	ordered := w.deletionOrder(old, related)
	for _, pod := range ordered[:count] {
		if err := end(pod); err != nil {
			return nil, err
		}
		w.engine.Fates.End(pod, outcome.Ended, sentence.FateRolled(), w.engine.Elapsed())
	}
	return ordered[count:], nil
}

// scaleDownOldReplicaSets sets the replicas of the old ReplicaSets to the pods they still have.
func (w *Controllers) scaleDownOldReplicaSets(d *appsv1.Deployment, present *appsv1.ReplicaSet) error {
	for _, rs := range w.replicaSets(d) {
		if rs.UID == present.UID {
			continue
		}
		left := len(w.activePodsOf(rs))
		shrunk := *rs
		shrunk.Spec.Replicas = new(int32(left))
		if err := w.engine.Edit(cluster.Put(&shrunk)); err != nil {
			return err
		}
	}
	return nil
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

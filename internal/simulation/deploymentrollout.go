package simulation

import (
	"context"
	"errors"
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
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// newReplicaSet creates a Deployment's ReplicaSet of its current template, without pods.
func (e *engine) newReplicaSet(d *appsv1.Deployment, replicas int) (*appsv1.ReplicaSet, error) {
	uid := e.names.UID()
	hash := fnv.New32a()
	_, _ = fmt.Fprintf(hash, "%s/%s/%s", d.Namespace, d.Name, uid) // Writing to a hash never fails.
	suffix := rand.SafeEncodeString(strconv.FormatUint(uint64(hash.Sum32()), 10))
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: d.Name + "-" + suffix, Namespace: d.Namespace, UID: uid, CreationTimestamp: *e.apiTime(),
			Labels: withHashLabel(d.Spec.Template.Labels, suffix), Annotations: map[string]string{revisionAnnotation: strconv.Itoa(e.nextRevision(d))},
			OwnerReferences: []metav1.OwnerReference{controllerRef("apps/v1", "Deployment", d)},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(replicas)), Template: *d.Spec.Template.DeepCopy()},
	}
	if d.Spec.Selector != nil {
		rs.Spec.Selector = d.Spec.Selector.DeepCopy()
		rs.Spec.Selector.MatchLabels = withHashLabel(rs.Spec.Selector.MatchLabels, suffix)
	}
	rs.Spec.Template.Labels = withHashLabel(rs.Spec.Template.Labels, suffix)
	return rs, e.edit(cluster.Put(rs))
}

func withHashLabel(labels map[string]string, hash string) map[string]string {
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	return labels
}

// rolloutDeployment replaces a Deployment's pods by those of its new template, within its maxSurge and maxUnavailable. A rollout
// whose new pods cannot be scheduled stops, and keeps the old pods that it may not remove.
//
// Source: pkg/controller/deployment of Kubernetes (rolling.go, recreate.go).
func (e *engine) rolloutDeployment(ctx context.Context, d *appsv1.Deployment) error {
	if err := e.edit(cluster.Put(d)); err != nil {
		return err
	}
	left, err := e.advanceRollout(ctx, d)
	if err != nil || left == 0 {
		return err
	}
	ref := "deployment/" + d.Name
	e.gaps.Note(ref, message.Of(message.GapRollout, message.Args{"set": ref, "left": left}))
	return nil
}

// advanceRollout takes a rollout as far as it can go. It returns the number of old pods left.
func (e *engine) advanceRollout(ctx context.Context, d *appsv1.Deployment) (left int, err error) {
	desired := replicas.Of(d, 1)
	rs, made, err := e.ensureReplicaSet(d, desired)
	if err != nil {
		return 0, err
	}
	for _, other := range e.replicaSets(d) {
		if other.UID != rs.UID {
			e.abandonRefused(e.refusedPodsOf(other.UID))
		}
	}
	old := e.oldPods(d, rs)
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if err = e.removeAllOld(ctx, old); err != nil {
			return 0, err
		}
		old = nil
	}
	if made, old, err = e.replaceOldPods(ctx, d, rs, made, old); err != nil {
		return 0, err
	}
	if err := e.settle(ctx); err != nil {
		return 0, err
	}
	if e.unfinishedRollouts[d.UID] = len(old) > 0; e.unfinishedRollouts[d.UID] {
		reached := *rs
		reached.Spec.Replicas = new(int32(len(made)))
		if err := e.edit(cluster.Put(&reached)); err != nil {
			return 0, err
		}
	}
	return len(old), e.scaleDownOldReplicaSets(d, rs)
}

// removeAllOld removes a Deployment's old pods before any new one is created, all at once or, by chance, some later than others.
func (e *engine) removeAllOld(ctx context.Context, old []*corev1.Pod) error {
	for i, batch := range randomness.Batches(e.randomness, old) {
		if i > 0 {
			if err := e.schedule(ctx); err != nil {
				return err
			}
		}
		if _, err := e.removeOldPods(batch, nil, len(batch), e.removePod); err != nil {
			return err
		}
	}
	return nil
}

// replaceOldPods creates new pods and removes old ones, in turn, until the limits allow neither. It returns the pods of both at
// the end.
func (e *engine) replaceOldPods(ctx context.Context, d *appsv1.Deployment, rs *appsv1.ReplicaSet, made, old []*corev1.Pod) (_, _ []*corev1.Pod, err error) {
	desired := replicas.Of(d, 1)
	maxSurge, maxUnavailable := replicas.DeploymentLimits(d, desired)
	running := e.countReady(rs)
	for waited := false; ; {
		before := len(old) + desired - len(made)
		for len(made) < desired && len(made)+len(old) < desired+maxSurge {
			pod := e.newReplicaSetPod(rs)
			e.createPod(nil, pod)
			made = append(made, pod)
		}
		if waited { // Old pods within maxUnavailable are removed before any new pod runs.
			e.rollingOut = true
			err := e.settle(ctx)
			e.rollingOut = false
			if err := errors.Join(err, e.markDelayedHealthy()); err != nil {
				return nil, nil, err
			}
			old = e.oldPods(d, rs) // One that was preempted for a new pod has been replaced.
			running += e.randomness.Observed(e.countReady(rs) - running)
		}
		removable := running + len(old) - (desired - maxUnavailable)
		if len(made) == desired && running == desired {
			removable = len(old)
		}
		if old, err = e.removeOldPods(old, e.relatedPods(rs), min(max(removable, 0), len(old)), e.removePodGracefully); err != nil {
			return nil, nil, err
		}
		noProgress := len(old)+desired-len(made) >= before
		if noProgress && waited && running >= e.countReady(rs) {
			return made, old, nil
		}
		waited = noProgress
	}
}

// ensureReplicaSet is a Deployment's ReplicaSet of its current template with its pods: an existing one, as after a rollback, or a
// new one.
//
// Source: pkg/controller/deployment/util of Kubernetes (FindNewReplicaSet).
func (e *engine) ensureReplicaSet(d *appsv1.Deployment, desired int) (*appsv1.ReplicaSet, []*corev1.Pod, error) {
	sets := e.replicaSets(d)
	if newest := e.newestReplicaSet(d); newest != nil { // Others may only seem equal: the world has no values of environment variables.
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
		again.Annotations[revisionAnnotation] = strconv.Itoa(e.nextRevision(d))
		if err := e.edit(cluster.Put(&again)); err != nil {
			return nil, nil, err
		}
		e.abandonRefused(e.refusedPodsOf(rs.UID)) // The ReplicaSet creates them again.
		made := e.activePodsOf(rs)
		if err := e.scaleDown(made, e.relatedPods(rs), max(len(made)-desired, 0), message.Of(message.FateScaled, nil)); err != nil {
			return nil, nil, err
		}
		return &again, e.activePodsOf(rs), nil
	}
	rs, err := e.newReplicaSet(d, desired)
	return rs, nil, err
}

// nextRevision is the revision number after a Deployment's newest.
func (e *engine) nextRevision(d *appsv1.Deployment) int {
	newest := e.newestReplicaSet(d)
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
func (e *engine) replicaSets(d *appsv1.Deployment) []*appsv1.ReplicaSet {
	var owned []*appsv1.ReplicaSet
	for _, rs := range e.world().ReplicaSets() {
		if owner := metav1.GetControllerOfNoCopy(rs); owner != nil && owner.UID == d.UID {
			owned = append(owned, rs)
		}
	}
	return owned
}

// oldPods are the active pods of a Deployment's ReplicaSets except the current one.
func (e *engine) oldPods(d *appsv1.Deployment, present *appsv1.ReplicaSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, rs := range e.replicaSets(d) {
		if rs.UID != present.UID {
			pods = append(pods, e.activePodsOf(rs)...)
		}
	}
	return pods
}

// activePodsOf are a ReplicaSet's pods that are neither terminated nor being deleted.
func (e *engine) activePodsOf(rs *appsv1.ReplicaSet) []*corev1.Pod {
	return slices.DeleteFunc(e.pods.OwnedBy(rs.UID), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil || cluster.Ended(pod) })
}

// removeOldPods removes some of the old pods, in deletion order, and returns the others.
func (e *engine) removeOldPods(old, related []*corev1.Pod, count int, end func(*corev1.Pod) error) ([]*corev1.Pod, error) {
	ordered := e.deletionOrder(old, related)
	for _, pod := range ordered[:count] {
		if err := end(pod); err != nil {
			return nil, err
		}
		e.fates.End(pod, outcome.Ended, message.Of(message.FateRolled, nil), e.elapsed())
	}
	return ordered[count:], nil
}

// scaleDownOldReplicaSets sets the replicas of the old ReplicaSets to the pods they still have.
func (e *engine) scaleDownOldReplicaSets(d *appsv1.Deployment, present *appsv1.ReplicaSet) error {
	for _, rs := range e.replicaSets(d) {
		if rs.UID == present.UID {
			continue
		}
		left := len(e.activePodsOf(rs))
		shrunk := *rs
		shrunk.Spec.Replicas = new(int32(left))
		if err := e.edit(cluster.Put(&shrunk)); err != nil {
			return err
		}
	}
	return nil
}

// countReady is the number of a ReplicaSet's pods that are ready.
func (e *engine) countReady(rs *appsv1.ReplicaSet) int {
	n := 0
	for _, pod := range e.activePodsOf(rs) {
		if e.podReady(pod) {
			n++
		}
	}
	return n
}

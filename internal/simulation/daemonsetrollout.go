package simulation

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// rolloutDaemonSet replaces a DaemonSet's pods node by node, by its update strategy. A pod that cannot be scheduled counts as
// unavailable; at maxUnavailable the rollout stops, and the other nodes keep their old pods.
//
// Source: pkg/controller/daemon/update.go of Kubernetes.
func (e *engine) rolloutDaemonSet(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	set = withNextGeneration(set)
	if err := e.edit(cluster.Put(set)); err != nil {
		return err
	}
	ref := message.Args{"set": daemonRef(set)}
	if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		e.gaps.Note(daemonRef(set), message.Of(message.GapOnDelete, ref))
		return nil
	}
	e.rollingOut = true
	err := e.rollingUpdate(ctx, set, newPod)
	e.rollingOut = false
	return errors.Join(err, e.markDelayedHealthy())
}

func (e *engine) rollingUpdate(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	old := e.daemonPods(set)
	maxUnavailable, maxSurge := replicas.DaemonSetLimits(set, len(old))
	if maxSurge > 0 {
		return e.surgingUpdate(ctx, set, old, maxSurge, newPod)
	}
	var waiting []*corev1.Pod
	for len(old) > 0 {
		waiting = e.onlyWaiting(waiting)
		batch := min(maxUnavailable-len(waiting), len(old))
		if batch <= 0 {
			e.gaps.Note(daemonRef(set), message.Of(message.GapRollout, message.Args{"set": daemonRef(set), "left": len(old)}))
			return nil
		}
		for _, pod := range old[:batch] {
			next := e.updatedDaemonPod(set, pod, newPod)
			if err := e.removePod(pod); err != nil {
				return err
			}
			if node := e.world().Node(kube.TargetNodeName(pod)); node != nil && !kube.ShouldRunDaemonPod(set, node) { // The node keeps running pods, but gets no new one.
				e.fates.End(pod, outcome.Ended, message.Of(message.FateUnwanted, nil), e.elapsed())
				continue
			}
			e.createPod(pod, next)
			waiting = append(waiting, next)
		}
		old = old[batch:]
		if err := e.settleStep(ctx, func() bool { return len(e.onlyWaiting(slices.Clone(waiting))) < maxUnavailable }); err != nil {
			return err
		}
	}
	return nil
}

// updatedDaemonPod is the pod of the new template that replaces an old one, on the same node.
func (e *engine) updatedDaemonPod(set *appsv1.DaemonSet, old *corev1.Pod, newPod func(*corev1.Pod) *corev1.Pod) *corev1.Pod {
	next := newPod(old)
	next.Labels = maps.Clone(next.Labels)
	if next.Labels == nil {
		next.Labels = map[string]string{}
	}
	next.Labels[templateGeneration] = set.Annotations[appsv1.DeprecatedTemplateGeneration]
	return pinnedToNode(next, kube.TargetNodeName(old))
}

// surgingUpdate creates each new pod beside the old one, which is removed once the new one runs.
func (e *engine) surgingUpdate(ctx context.Context, set *appsv1.DaemonSet, old []*corev1.Pod, maxSurge int, newPod func(*corev1.Pod) *corev1.Pod) error {
	var waiting []*corev1.Pod
	for len(old) > 0 {
		waiting = e.onlyWaiting(waiting)
		batch := min(maxSurge-len(waiting), len(old))
		if batch <= 0 {
			e.gaps.Note(daemonRef(set), message.Of(message.GapRollout, message.Args{"set": daemonRef(set), "left": len(old)}))
			return nil
		}
		var made []*corev1.Pod
		for _, pod := range old[:batch] {
			next := e.updatedDaemonPod(set, pod, newPod)
			e.createPod(nil, next)
			made = append(made, next)
		}
		if err := e.settle(ctx); err != nil {
			return err
		}
		for i, next := range made {
			if e.isWaiting(next) {
				waiting = append(waiting, next)
				continue
			}
			if err := e.removePod(old[i]); err != nil {
				return err
			}
			e.fates.End(old[i], outcome.Ended, message.Of(message.FateRolled, nil), e.elapsed())
		}
		old = old[batch:]
	}
	return nil
}

// daemonPods are a DaemonSet's active pods, by node.
func (e *engine) daemonPods(set *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range e.pods.OwnedBy(set.UID) {
		if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(kube.TargetNodeName(a), kube.TargetNodeName(b)) })
	randomness.Shuffle(e.randomness, pods)
	return pods
}

func withNextGeneration(set *appsv1.DaemonSet) *appsv1.DaemonSet {
	next := *set
	next.Annotations = maps.Clone(set.Annotations)
	if next.Annotations == nil {
		next.Annotations = map[string]string{}
	}
	generation, err := strconv.Atoi(set.Annotations[appsv1.DeprecatedTemplateGeneration])
	if err != nil {
		generation = 1 // Manifests written by hand have none.
	}
	next.Annotations[appsv1.DeprecatedTemplateGeneration] = strconv.Itoa(generation + 1)
	return &next
}

// removePod removes a pod that its owner does not replace.
func (e *engine) removePod(pod *corev1.Pod) error {
	e.queue.Remove(pod)
	e.decrementActive(pod)
	e.retryUnschedulable()
	return e.edit(append(e.budgets.MarkUnhealthy(pod), cluster.Remove(pod))...)
}

// isWaiting says whether a pod is unschedulable, or waits on its node for a volume.
func (e *engine) isWaiting(pod *corev1.Pod) bool {
	record := e.fates.Find(names.Of(pod))
	return record != nil && record.Fate.Kind == outcome.Waiting && record.Fate.To == "" || e.isAttaching(pod)
}

func (e *engine) onlyWaiting(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(pods, func(pod *corev1.Pod) bool { return !e.isWaiting(pod) })
}

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
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// rolloutDaemonSet creates a DaemonSet's missing pods from its new template, then replaces the others node by node, by its update
// strategy. A pod that cannot be scheduled counts as unavailable; at maxUnavailable the rollout stops, and the other nodes keep their
// old pods. It stops as well while the API server refuses one of the pods: the controller ends its sync at that error.
//
// Source: pkg/controller/daemon of Kubernetes (updateDaemonSet, rollingUpdate).
func (e *engine) rolloutDaemonSet(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	set = withNextGeneration(set)
	if err := e.edit(cluster.Put(set)); err != nil {
		return err
	}
	for _, pod := range e.refusedPodsOf(set.UID) {
		e.decrementActive(pod)
		e.createPod(pod, e.updatedDaemonPod(set, pod, newPod))
	}
	if err := e.syncDaemonSet(set); err != nil {
		return err
	}
	ref := message.Args{"set": daemonRef(set)}
	if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		e.gaps.note(daemonRef(set), message.Of(message.GapOnDelete, ref))
		return nil
	}
	return e.rollDaemonSet(ctx, set, newPod)
}

// rollDaemonSet replaces a DaemonSet's pods of older templates.
func (e *engine) rollDaemonSet(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	e.rollingOut = true
	err := e.rollingUpdate(ctx, set, newPod)
	e.rollingOut = false
	return errors.Join(err, e.markDelayedHealthy())
}

func (e *engine) rollingUpdate(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	all := e.daemonPods(set)
	old := slices.DeleteFunc(slices.Clone(all), func(pod *corev1.Pod) bool { return upToDate(set, pod) })
	maxUnavailable, maxSurge := e.daemonSetLimits(set, len(all))
	waiting := e.waitingDaemonPods(set)
	e.unfinishedRollouts[set.UID] = true
	if maxSurge > 0 {
		return e.surgingUpdate(ctx, set, old, waiting, maxSurge, newPod)
	}
	for len(old) > 0 {
		waiting = e.onlyWaiting(waiting)
		batch := min(maxUnavailable-len(waiting), len(old))
		if batch <= 0 || e.refusesDaemonPods(set, waiting) {
			e.gaps.note(daemonRef(set), message.Of(message.GapRollout, message.Args{"set": daemonRef(set), "left": len(old)}))
			return nil
		}
		for _, pod := range old[:batch] {
			next := e.updatedDaemonPod(set, pod, newPod)
			if err := e.removePod(pod); err != nil {
				return err
			}
			if node := e.world().Node(kube.TargetNodeName(pod)); node != nil && !kube.ShouldRunDaemonPod(set, node) { // The node keeps running pods, but gets no new one.
				e.fates.end(pod, Ended, message.Of(message.FateUnwanted, nil), e.elapsed())
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

// waitingDaemonPods are a DaemonSet's pods of its current template that do not run.
func (e *engine) waitingDaemonPods(set *appsv1.DaemonSet) []*corev1.Pod {
	return slices.DeleteFunc(slices.Concat(e.daemonPods(set), e.queue.podsOf(set.UID)), func(pod *corev1.Pod) bool { return !upToDate(set, pod) })
}

// refusesDaemonPods says whether the API server refuses pods of a DaemonSet: one of those that wait, or one that a quota forbids.
func (e *engine) refusesDaemonPods(set *appsv1.DaemonSet, waiting []*corev1.Pod) bool {
	return len(e.refusedPodsOf(set.UID)) > 0 || slices.ContainsFunc(waiting, func(pod *corev1.Pod) bool {
		record := e.fates.byPod[nameOf(pod)]
		return record != nil && record.fate.Why.ID == message.FateRefused
	})
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
func (e *engine) surgingUpdate(ctx context.Context, set *appsv1.DaemonSet, old, waiting []*corev1.Pod, maxSurge int, newPod func(*corev1.Pod) *corev1.Pod) error {
	for len(old) > 0 {
		waiting = e.onlyWaiting(waiting)
		batch := min(maxSurge-len(waiting), len(old))
		if batch <= 0 || e.refusesDaemonPods(set, waiting) {
			e.gaps.note(daemonRef(set), message.Of(message.GapRollout, message.Args{"set": daemonRef(set), "left": len(old)}))
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
			e.fates.end(old[i], Ended, message.Of(message.FateRolled, nil), e.elapsed())
		}
		old = old[batch:]
	}
	return nil
}

// daemonPods are a DaemonSet's active pods, by node.
func (e *engine) daemonPods(set *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range e.pods.ownedBy(set.UID) {
		if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(kube.TargetNodeName(a), kube.TargetNodeName(b)) })
	shuffle(e.randomness, pods)
	return pods
}

// daemonSetLimits are a DaemonSet's maxUnavailable and maxSurge as numbers of pods.
func (e *engine) daemonSetLimits(set *appsv1.DaemonSet, pods int) (maxUnavailable, maxSurge int) {
	rolling := set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil {
		return 1, 0
	}
	maxUnavailable, maxSurge = scaledValue(rolling.MaxUnavailable, pods, true, 1), scaledValue(rolling.MaxSurge, pods, true, 0)
	if maxSurge == 0 {
		maxUnavailable = max(maxUnavailable, 1)
	}
	return maxUnavailable, maxSurge
}

// scaledValue is an absolute number or a percentage of a total; fallback if it is not set.
func scaledValue(value *intstr.IntOrString, of int, up bool, fallback int) int {
	if value == nil {
		return fallback
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, of, up)
	if err != nil {
		return fallback // The API server rejects such values.
	}
	return n
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
	e.queue.remove(pod)
	e.decrementActive(pod)
	e.retryUnschedulable()
	return e.edit(append(e.budgets.markUnhealthy(pod), cluster.Remove(pod))...)
}

// isWaiting says whether a pod is unschedulable, or waits on its node for a volume.
func (e *engine) isWaiting(pod *corev1.Pod) bool {
	record := e.fates.byPod[nameOf(pod)]
	if record == nil {
		return pod.Spec.NodeName == "" // It was pending in the initial snapshot, and still is.
	}
	return record.fate.Kind == Waiting && record.fate.To == "" || e.isAttaching(pod)
}

func (e *engine) onlyWaiting(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(pods, func(pod *corev1.Pod) bool { return !e.isWaiting(pod) })
}

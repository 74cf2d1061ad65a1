package workload

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// RolloutDaemonSet creates a DaemonSet's missing pods from its new template, then replaces the others node by node, by its update
// strategy. A pod that cannot be scheduled counts as unavailable; at maxUnavailable the rollout stops, and the other nodes keep their
// old pods. It stops as well while the API server refuses one of the pods: the controller ends its sync at that error.
//
// Source: pkg/controller/daemon of Kubernetes (updateDaemonSet, rollingUpdate).
func (w *Controllers) RolloutDaemonSet(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	set = withNextGeneration(set)
	if err := w.engine.Edit(cluster.Put(set)); err != nil {
		return err
	}
	for _, pod := range w.engine.RefusedPodsOf(set.UID) {
		w.engine.DecrementActive(pod)
		w.engine.CreatePod(pod, w.updatedDaemonPod(set, pod, newPod))
	}
	if err := w.syncDaemonSet(set); err != nil {
		return err
	}
	if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		w.engine.Gaps.Note(daemonRef(set), sentence.GapOnDelete(daemonRef(set)))
		return nil
	}
	return w.rollDaemonSet(ctx, set, newPod)
}

// rollDaemonSet replaces a DaemonSet's pods of older templates.
func (w *Controllers) rollDaemonSet(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	return w.engine.WithDelayedReadiness(func() error { return w.rollingUpdate(ctx, set, newPod) })
}

func (w *Controllers) rollingUpdate(ctx context.Context, set *appsv1.DaemonSet, newPod func(*corev1.Pod) *corev1.Pod) error {
	all := w.daemonPods(set)
	old := slices.DeleteFunc(slices.Clone(all), func(pod *corev1.Pod) bool { return upToDate(set, pod) })
	maxUnavailable, maxSurge := replicas.DaemonSetLimits(set, len(all))
	waiting := w.waitingDaemonPods(set)
	w.unfinishedRollouts[set.UID] = true
	if err := w.engine.Schedule(ctx); err != nil { // New pods that cannot be scheduled are unavailable.
		return err
	}
	if maxSurge > 0 {
		return w.surgingUpdate(ctx, set, old, waiting, maxSurge, newPod)
	}
	for len(old) > 0 {
		waiting = w.onlyWaiting(waiting)
		batch := min(maxUnavailable-len(waiting), len(old))
		if batch <= 0 || w.refusesDaemonPods(set, waiting) {
			w.engine.Gaps.Note(daemonRef(set), sentence.GapRollout(daemonRef(set), len(old)))
			return nil
		}
		for _, pod := range old[:batch] {
			next := w.updatedDaemonPod(set, pod, newPod)
			if err := w.engine.RemovePod(pod); err != nil {
				return err
			}
			if node := w.engine.World().Node(kube.TargetNodeName(pod)); node != nil && !kube.ShouldRunDaemonPod(set, node) { // The node keeps running pods, but gets no new one.
				w.engine.Fates.End(pod, outcome.Ended, sentence.FateUnwanted(), w.engine.Elapsed())
				continue
			}
			w.engine.CreatePod(pod, next)
			waiting = append(waiting, next)
		}
		old = old[batch:]
		if err := w.engine.SettleStep(ctx, func() bool { return len(w.onlyWaiting(slices.Clone(waiting))) < maxUnavailable }); err != nil {
			return err
		}
	}
	return nil
}

// waitingDaemonPods are a DaemonSet's pods of its current template that do not run.
func (w *Controllers) waitingDaemonPods(set *appsv1.DaemonSet) []*corev1.Pod {
	return slices.DeleteFunc(slices.Concat(w.daemonPods(set), w.engine.Queue.PodsOf(set.UID)), func(pod *corev1.Pod) bool { return !upToDate(set, pod) })
}

// refusesDaemonPods reports whether the API server refuses pods of a DaemonSet: one of those that wait, or one that a quota forbids.
func (w *Controllers) refusesDaemonPods(set *appsv1.DaemonSet, waiting []*corev1.Pod) bool {
	return len(w.engine.RefusedPodsOf(set.UID)) > 0 || slices.ContainsFunc(waiting, func(pod *corev1.Pod) bool {
		record := w.engine.Fates.Find(names.Of(pod))
		return record != nil && record.Fate.Why.ID == message.FateRefused
	})
}

// updatedDaemonPod is the pod of the new template that replaces an old one, on the same node.
func (w *Controllers) updatedDaemonPod(set *appsv1.DaemonSet, old *corev1.Pod, newPod func(*corev1.Pod) *corev1.Pod) *corev1.Pod {
	next := newPod(old)
	next.Labels = maps.Clone(next.Labels)
	if next.Labels == nil {
		next.Labels = map[string]string{}
	}
	next.Labels[templateGeneration] = set.Annotations[appsv1.DeprecatedTemplateGeneration]
	return pinnedToNode(next, kube.TargetNodeName(old))
}

// surgingUpdate creates each new pod beside the old one, which is removed once the new one runs.
func (w *Controllers) surgingUpdate(ctx context.Context, set *appsv1.DaemonSet, old, waiting []*corev1.Pod, maxSurge int, newPod func(*corev1.Pod) *corev1.Pod) error {
	for len(old) > 0 {
		waiting = w.onlyWaiting(waiting)
		batch := min(maxSurge-len(waiting), len(old))
		if batch <= 0 || w.refusesDaemonPods(set, waiting) {
			w.engine.Gaps.Note(daemonRef(set), sentence.GapRollout(daemonRef(set), len(old)))
			return nil
		}
		var made []*corev1.Pod
		for _, pod := range old[:batch] {
			next := w.updatedDaemonPod(set, pod, newPod)
			w.engine.CreatePod(nil, next)
			made = append(made, next)
		}
		if err := w.engine.Settle(ctx); err != nil {
			return err
		}
		for i, next := range made {
			if w.engine.IsWaiting(next) {
				waiting = append(waiting, next)
				continue
			}
			if err := w.engine.RemovePod(old[i]); err != nil {
				return err
			}
			w.engine.Fates.End(old[i], outcome.Ended, sentence.FateRolled(), w.engine.Elapsed())
		}
		old = old[batch:]
	}
	return nil
}

// daemonPods are a DaemonSet's active pods, by node.
func (w *Controllers) daemonPods(set *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range w.engine.Pods.OwnedBy(set.UID) {
		if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(kube.TargetNodeName(a), kube.TargetNodeName(b)) })
	randomness.Shuffle(w.engine.Randomness, pods)
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

func (w *Controllers) onlyWaiting(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(pods, func(pod *corev1.Pod) bool { return !w.engine.IsWaiting(pod) })
}

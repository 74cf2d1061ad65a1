package workload

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// surplusPods are a StatefulSet's pods beyond its replicas, the last first, without those that terminate on a healthy node.
func (w *Controllers) surplusPods(set *appsv1.StatefulSet) []*corev1.Pod {
	end := startOrdinal(set) + replicas.Of(set, 1)
	surplus := slices.DeleteFunc(w.engine.Pods.OwnedBy(set.UID), func(pod *corev1.Pod) bool {
		return ordinalOf(pod) < end || pod.DeletionTimestamp != nil && w.engine.PodReady(pod)
	})
	slices.SortFunc(surplus, func(a, b *corev1.Pod) int { return ordinalOf(b) - ordinalOf(a) })
	return surplus
}

// scaleDownInOrder has a StatefulSet that is not Parallel remove its surplus pods.
func (w *Controllers) scaleDownInOrder(set *appsv1.StatefulSet) {
	if !slices.Contains(w.scalingDown, names.Of(set)) {
		w.scalingDown = append(w.scalingDown, names.Of(set))
	}
}

// continueScaleDowns has StatefulSets go on that already have surplus pods in the initial state.
func (w *Controllers) continueScaleDowns() {
	if w.engine.Initial.Knowledge(cluster.Pod) != cluster.Complete {
		return
	}
	for _, set := range w.engine.Initial.StatefulSets() {
		if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement && len(w.surplusPods(set)) > 0 {
			w.scaleDownInOrder(set)
		}
	}
}

// removeNextSurplus removes the last surplus pod of each StatefulSet that is not blocked. It reports whether there were any.
func (w *Controllers) removeNextSurplus() (removed bool, err error) {
	w.scalingDown = slices.DeleteFunc(w.scalingDown, func(name types.NamespacedName) bool {
		set := w.engine.World().StatefulSet(name.Namespace, name.Name)
		return set == nil || len(w.surplusPods(set)) == 0
	})
	for _, name := range w.scalingDown {
		set := w.engine.World().StatefulSet(name.Namespace, name.Name)
		surplus := w.surplusPods(set)
		if _, blocked := w.blockingScaleDown(set, surplus); blocked {
			continue
		}
		if err := w.removeSurplus(surplus[0]); err != nil {
			return removed, err
		}
		removed = true
	}
	return removed, nil
}

// blockingScaleDown is the pod that keeps a StatefulSet from removing the last of its surplus pods: a replica that stays and is
// not ready; the last itself, if it still terminates; or, if the last is not ready, the first surplus pod that is not.
//
// Source: pkg/controller/statefulset of Kubernetes (processReplica, processCondemned).
func (w *Controllers) blockingScaleDown(set *appsv1.StatefulSet, surplus []*corev1.Pod) (first change.Ref, blocked bool) {
	if first, blocked := w.blockingReplica(set, startOrdinal(set)+replicas.Of(set, 1)); blocked {
		return first, true
	}
	last := surplus[0]
	unready := slices.DeleteFunc(slices.Clone(surplus), w.engine.PodReady)
	switch {
	case last.DeletionTimestamp != nil:
		return names.PodRef(last), true
	case w.engine.PodReady(last) || len(unready) == 1:
		return change.Ref{}, false
	default:
		return names.PodRef(unready[len(unready)-1]), true
	}
}

// noteScaleDowns notes the StatefulSets that keep surplus pods.
func (w *Controllers) noteScaleDowns() {
	for _, name := range w.scalingDown {
		set := w.engine.World().StatefulSet(name.Namespace, name.Name)
		if first, blocked := w.blockingScaleDown(set, w.surplusPods(set)); blocked {
			w.noteOrdered(set, first)
		}
	}
}

// removeSurplus removes a pod that its StatefulSet should not have.
func (w *Controllers) removeSurplus(pod *corev1.Pod) error {
	if err := w.engine.RemovePod(pod); err != nil {
		return err
	}
	w.engine.Fates.End(pod, outcome.Ended, sentence.FateScaled(), w.engine.Elapsed())
	return nil
}

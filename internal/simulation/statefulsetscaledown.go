package simulation

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// surplusPods are a StatefulSet's pods beyond its replicas, the last first, without those that terminate on a healthy node.
func (e *engine) surplusPods(set *appsv1.StatefulSet) []*corev1.Pod {
	end := startOrdinal(set) + replicas.Of(set, 1)
	surplus := slices.DeleteFunc(e.pods.OwnedBy(set.UID), func(pod *corev1.Pod) bool {
		return ordinalOf(pod) < end || pod.DeletionTimestamp != nil && e.podReady(pod)
	})
	slices.SortFunc(surplus, func(a, b *corev1.Pod) int { return ordinalOf(b) - ordinalOf(a) })
	return surplus
}

// scaleDownInOrder has a StatefulSet that is not Parallel remove its surplus pods.
func (e *engine) scaleDownInOrder(set *appsv1.StatefulSet) {
	if !slices.Contains(e.scalingDown, names.Of(set)) {
		e.scalingDown = append(e.scalingDown, names.Of(set))
	}
}

// continueScaleDowns has StatefulSets go on that already have surplus pods in the initial state.
func (e *engine) continueScaleDowns() {
	if e.initial.Knowledge(cluster.Pod) != cluster.Complete {
		return
	}
	for _, set := range e.initial.StatefulSets() {
		if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement && len(e.surplusPods(set)) > 0 {
			e.scaleDownInOrder(set)
		}
	}
}

// removeNextSurplus removes the last surplus pod of each StatefulSet that is not blocked. It says whether there were any.
func (e *engine) removeNextSurplus() (removed bool, err error) {
	e.scalingDown = slices.DeleteFunc(e.scalingDown, func(name types.NamespacedName) bool {
		set := e.world().StatefulSet(name.Namespace, name.Name)
		return set == nil || len(e.surplusPods(set)) == 0
	})
	for _, name := range e.scalingDown {
		set := e.world().StatefulSet(name.Namespace, name.Name)
		surplus := e.surplusPods(set)
		if _, blocked := e.blockingScaleDown(set, surplus); blocked {
			continue
		}
		if err := e.removeSurplus(surplus[0]); err != nil {
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
func (e *engine) blockingScaleDown(set *appsv1.StatefulSet, surplus []*corev1.Pod) (first change.Ref, blocked bool) {
	if first, blocked := e.blockingReplica(set, startOrdinal(set)+replicas.Of(set, 1)); blocked {
		return first, true
	}
	last := surplus[0]
	unready := slices.DeleteFunc(slices.Clone(surplus), e.podReady)
	switch {
	case last.DeletionTimestamp != nil:
		return names.PodRef(last), true
	case e.podReady(last) || len(unready) == 1:
		return change.Ref{}, false
	default:
		return names.PodRef(unready[len(unready)-1]), true
	}
}

// noteScaleDowns notes the StatefulSets that keep surplus pods.
func (e *engine) noteScaleDowns() {
	for _, name := range e.scalingDown {
		set := e.world().StatefulSet(name.Namespace, name.Name)
		if first, blocked := e.blockingScaleDown(set, e.surplusPods(set)); blocked {
			e.noteOrdered(set, first)
		}
	}
}

// removeSurplus removes a pod that its StatefulSet should not have.
func (e *engine) removeSurplus(pod *corev1.Pod) error {
	if err := e.removePod(pod); err != nil {
		return err
	}
	e.fates.End(pod, outcome.Ended, message.Of(message.FateScaled, nil), e.elapsed())
	return nil
}

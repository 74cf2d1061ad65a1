package workload

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// deferredReplica is a StatefulSet's pod that is created once those before it are ready.
type deferredReplica struct {
	pod        *corev1.Pod
	set        types.NamespacedName
	deferredAt time.Duration
}

// blockingReplica is the first of a StatefulSet's pods before an ordinal that is not ready, if the set creates, removes and
// replaces no pods until it is. A pod that the world never had is not looked for: the snapshot may be incomplete.
//
// Source: pkg/controller/statefulset of Kubernetes (processReplica): all but podManagementPolicy Parallel wait.
func (w *Controllers) blockingReplica(set *appsv1.StatefulSet, before int) (first change.Ref, blocked bool) {
	if set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
		return change.Ref{}, false
	}
	for ordinal := startOrdinal(set); ordinal < before; ordinal++ {
		name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
		pod := w.engine.Pods.Get(name.Namespace, name.Name)
		if pod == nil && w.engine.Fates.Find(name) != nil || pod != nil && !w.engine.PodReady(pod) {
			return change.Ref{Kind: string(cluster.Pod), Namespace: name.Namespace, Name: name.Name}, true
		}
	}
	return change.Ref{}, false
}

// createInOrder creates a StatefulSet's pod, in place of an old one unless that is nil, or defers it until those before it are
// ready.
func (w *Controllers) createInOrder(set *appsv1.StatefulSet, old, next *corev1.Pod) {
	first, blocked := w.blockingReplica(set, ordinalOf(next))
	if !blocked {
		w.engine.CreatePod(old, next)
		return
	}
	if old != nil {
		w.engine.Fates.Replace(old, next)
	} else {
		w.engine.Fates.Begin(next)
	}
	w.deferReplica(set, next, first)
}

func (w *Controllers) deferReplica(set *appsv1.StatefulSet, pod *corev1.Pod, first change.Ref) {
	w.engine.Fates.MarkNotCreated(pod, orderedReason(first))
	w.deferredReplicas = append(w.deferredReplicas, deferredReplica{pod, names.Of(set), w.engine.Clock()})
}

// DeferIfBlocked defers a StatefulSet's pod that a quota refused, if one before it is no longer ready. It reports whether it did.
func (w *Controllers) DeferIfBlocked(pod *corev1.Pod) bool {
	set, ok := w.engine.World().Owner(pod).(*appsv1.StatefulSet)
	if !ok {
		return false
	}
	first, blocked := w.blockingReplica(set, ordinalOf(pod))
	if blocked {
		w.engine.DecrementActive(pod)
		w.deferReplica(set, pod, first)
	}
	return blocked
}

func orderedReason(first change.Ref) message.Sentence {
	return sentence.FateOrdered(first)
}

// createDeferredReplicas creates the deferred pods that are no longer blocked, at most one of each set. It reports whether there
// were any.
func (w *Controllers) createDeferredReplicas() bool {
	waiting := w.deferredReplicas
	w.deferredReplicas = nil
	slices.SortStableFunc(waiting, func(a, b deferredReplica) int { return ordinalOf(a.pod) - ordinalOf(b.pod) })
	behind := map[types.NamespacedName]change.Ref{}
	for _, s := range waiting {
		set := w.engine.World().StatefulSet(s.set.Namespace, s.set.Name)
		if set == nil || ordinalOf(s.pod) >= startOrdinal(set)+replicas.Of(set, 1) {
			w.engine.Fates.End(s.pod, outcome.Ended, sentence.FateScaled(), w.engine.Elapsed())
			continue
		}
		first, blocked := behind[s.set]
		if !blocked {
			first, blocked = w.blockingReplica(set, ordinalOf(s.pod))
		}
		if blocked {
			behind[s.set] = first
			w.engine.Fates.MarkNotCreated(s.pod, orderedReason(first))
			w.deferredReplicas = append(w.deferredReplicas, s)
			continue
		}
		behind[s.set] = names.PodRef(s.pod)
		w.createDeferred(s)
	}
	return len(w.deferredReplicas) < len(waiting)
}

// createDeferred submits a deferred pod.
func (w *Controllers) createDeferred(s deferredReplica) {
	record := w.engine.Fates.Of(s.pod)
	if record.Delay.Why.ID == "" && (w.engine.IsTimeUnknown() || w.engine.Clock() > s.deferredAt) {
		record.Delay = outcome.Fate{Why: record.Fate.Why, Until: w.engine.Elapsed()}
	}
	record.Fate.Kind = ""
	w.engine.SubmitPod(s.pod)
}

// ContinueStatefulSet creates a StatefulSet's missing pods once a pod runs that had blocked it from the start.
func (w *Controllers) ContinueStatefulSet(pod *corev1.Pod) error {
	if set, ok := w.engine.World().Owner(pod).(*appsv1.StatefulSet); ok {
		return w.fillStatefulSet(set)
	}
	return nil
}

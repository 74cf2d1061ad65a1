package simulation

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
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
func (e *engine) blockingReplica(set *appsv1.StatefulSet, before int) (first change.Ref, blocked bool) {
	if set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
		return change.Ref{}, false
	}
	for ordinal := startOrdinal(set); ordinal < before; ordinal++ {
		name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
		pod := e.pods.get(name.Namespace, name.Name)
		if pod == nil && e.fates.byPod[name] != nil || pod != nil && !e.podReady(pod) {
			return change.Ref{Kind: string(cluster.Pod), Namespace: name.Namespace, Name: name.Name}, true
		}
	}
	return change.Ref{}, false
}

// podReady says whether a pod is ready, or will be at once: one that terminates on a healthy node is soon recreated. A pod without
// the condition, as in a manifest, counts as ready.
func (e *engine) podReady(pod *corev1.Pod) bool {
	if pod.Spec.NodeName == "" || e.budgets.unhealthy[pod.UID] || cluster.Ended(pod) {
		return false
	}
	if pod.DeletionTimestamp != nil {
		node := e.world().Node(pod.Spec.NodeName)
		return node != nil && !kube.IsNodeUnreachable(node)
	}
	ready := kube.PodCondition(pod, corev1.PodReady)
	return ready == nil || ready.Status == corev1.ConditionTrue
}

// createInOrder creates a StatefulSet's pod, in place of an old one unless that is nil, or defers it until those before it are
// ready.
func (e *engine) createInOrder(set *appsv1.StatefulSet, old, next *corev1.Pod) {
	first, blocked := e.blockingReplica(set, ordinalOf(next))
	if !blocked {
		e.createPod(old, next)
		return
	}
	if old != nil {
		e.fates.replace(old, next)
	} else {
		e.fates.begin(next)
	}
	e.fates.markNotCreated(next, orderedReason(first))
	e.deferredReplicas = append(e.deferredReplicas, deferredReplica{next, nameOf(set), e.now})
}

func orderedReason(first change.Ref) message.Sentence {
	return message.Of(message.FateOrdered, message.Args{"pod": first})
}

// createDeferredReplicas creates the deferred pods that are no longer blocked, at most one of each set. It says whether there were
// any.
func (e *engine) createDeferredReplicas() bool {
	waiting := e.deferredReplicas
	e.deferredReplicas = nil
	slices.SortStableFunc(waiting, func(a, b deferredReplica) int { return ordinalOf(a.pod) - ordinalOf(b.pod) })
	behind := map[types.NamespacedName]change.Ref{}
	for _, s := range waiting {
		set := e.world().StatefulSet(s.set.Namespace, s.set.Name)
		if set == nil || ordinalOf(s.pod) >= startOrdinal(set)+replicasOf(set, 1) {
			e.fates.end(s.pod, Ended, message.Of(message.FateScaled, nil), e.elapsed())
			continue
		}
		first, blocked := behind[s.set]
		if !blocked {
			first, blocked = e.blockingReplica(set, ordinalOf(s.pod))
		}
		if blocked {
			behind[s.set] = first
			e.fates.markNotCreated(s.pod, orderedReason(first))
			e.deferredReplicas = append(e.deferredReplicas, s)
			continue
		}
		behind[s.set] = podRef(s.pod)
		e.createDeferred(s)
	}
	return len(e.deferredReplicas) < len(waiting)
}

// createDeferred submits a deferred pod.
func (e *engine) createDeferred(s deferredReplica) {
	record := e.fates.of(s.pod)
	if record.delay.Why.ID == "" && (e.timeUnknown || e.now > s.deferredAt) {
		record.delay = Fate{Why: record.fate.Why, Until: e.elapsed()}
	}
	record.fate.Kind = ""
	e.submitPod(s.pod)
}

// continueStatefulSet creates a StatefulSet's missing pods once a pod runs that had blocked it from the start.
func (e *engine) continueStatefulSet(pod *corev1.Pod) error {
	if set, ok := e.world().Owner(pod).(*appsv1.StatefulSet); ok {
		return e.fillStatefulSet(set)
	}
	return nil
}

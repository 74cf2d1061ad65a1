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
	"github.com/naosu-dev/naosu/internal/message"
)

// successor is a StatefulSet's pod that is made once those before it run.
type deferredReplica struct {
	pod        *corev1.Pod
	set        types.NamespacedName
	deferredAt time.Duration
}

// stalled is the first of a StatefulSet's pods before a number that does not run, if the set makes, ends and replaces none
// until it does. One that the world never held is not looked for: the world may not be whole.
//
// Source: pkg/controller/statefulset of Kubernetes (processReplica): all but podManagementPolicy Parallel wait.
func (e *engine) blockingReplica(set *appsv1.StatefulSet, before int) (first change.Ref, stalls bool) {
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

// ready says whether a pod runs, or will at once: one that ends on a node that is alive is soon made again. One that does
// not tell, as in a file written by hand, is taken to run.
func (e *engine) podReady(pod *corev1.Pod) bool {
	if pod.Spec.NodeName == "" || e.budgets.unhealthy[pod.UID] || cluster.Ended(pod) {
		return false
	}
	if pod.DeletionTimestamp != nil {
		node := e.world().Node(pod.Spec.NodeName)
		return node != nil && !cluster.Unreachable(node)
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return true
}

// makeInTurn makes a StatefulSet's pod, in place of an old one if there was one, or keeps it back until it is its turn.
func (e *engine) createInOrder(set *appsv1.StatefulSet, old, next *corev1.Pod) {
	first, stalls := e.blockingReplica(set, ordinalOf(next))
	if !stalls {
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

// callUp makes the pods whose turn has come: of each set at most the next one. It says whether there were any.
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
		first, stalls := behind[s.set]
		if !stalls {
			first, stalls = e.blockingReplica(set, ordinalOf(s.pod))
		}
		if stalls {
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

// makeNow offers a pod that has waited for its turn to the scheduler.
func (e *engine) createDeferred(s deferredReplica) {
	l := e.fates.of(s.pod)
	if l.delay.Why.ID == "" && (e.timeUnknown || e.now > s.deferredAt) {
		l.delay = Fate{Why: l.fate.Why, Until: e.elapsed()}
	}
	l.fate.Kind = ""
	e.submitPod(s.pod)
}

// goOn lets a StatefulSet make what it lacks now that a pod runs which has kept it waiting since before.
func (e *engine) continueStatefulSet(pod *corev1.Pod) error {
	if set, ok := e.world().Owner(pod).(*appsv1.StatefulSet); ok {
		return e.fillStatefulSet(set)
	}
	return nil
}

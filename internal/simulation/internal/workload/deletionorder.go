package workload

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
)

// deletionOrder are pods in the order in which their controller deletes them: pods that do not run first, then pods on nodes with
// more of the related pods, then younger ones. Ages are compared by their binary logarithm; where that is equal and the times are
// not, by UID, which is not known of pods created in the simulation. A Job has no related pods, and compares the times themselves.
//
// Source: pkg/controller of Kubernetes (ActivePodsWithRanks, ActivePods).
func (w *Controllers) deletionOrder(pods, related []*corev1.Pod) []*corev1.Pod {
	relatedOnNode := map[string]int{}
	for _, pod := range related {
		if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
			relatedOnNode[pod.Spec.NodeName]++
		}
	}
	now := w.engine.APITime().Add(w.engine.Randomness.StartDelay())
	younger := func(a, b *corev1.Pod, when func(*corev1.Pod) time.Time) int {
		switch at, bt := when(a), when(b); {
		case related == nil || at.Equal(bt):
			return bt.Compare(at)
		default:
			return cmp.Or(cmp.Compare(log2Age(now.Sub(at)), log2Age(now.Sub(bt))), w.compareUIDs(a, b))
		}
	}
	pods = randomness.Shuffled(w.engine.Randomness, pods)
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(
			compareBools(a.Spec.NodeName != "", b.Spec.NodeName != ""),
			compareBools(a.Status.Phase == corev1.PodRunning, b.Status.Phase == corev1.PodRunning),
			compareBools(cluster.Runs(a), cluster.Runs(b)),
			cmp.Compare(deletionCost(a), deletionCost(b)),
			cmp.Compare(relatedOnNode[b.Spec.NodeName], relatedOnNode[a.Spec.NodeName]),
			younger(a, b, readyAt),
			younger(a, b, func(pod *corev1.Pod) time.Time { return pod.CreationTimestamp.Time }),
		)
	})
	return pods
}

// relatedPods are the pods of all ReplicaSets of a ReplicaSet's Deployment. A ReplicaSet without a controller has none, not even its
// own.
//
// Source: pkg/controller/replicaset of Kubernetes (getReplicaSetsWithSameController, getIndirectlyRelatedPods).
func (w *Controllers) relatedPods(rs *appsv1.ReplicaSet) []*corev1.Pod {
	related := []*corev1.Pod{}
	owner := metav1.GetControllerOfNoCopy(rs)
	if owner == nil {
		return related
	}
	for _, other := range w.engine.World().ReplicaSetsOf(owner.UID) {
		related = append(related, w.engine.Pods.OwnedBy(other.UID)...)
	}
	return related
}

// compareUIDs compares the UIDs of pods in the initial snapshot. Those of other pods are made up.
func (w *Controllers) compareUIDs(a, b *corev1.Pod) int {
	for _, pod := range []*corev1.Pod{a, b} {
		if was := w.engine.Initial.Pod(pod.Namespace, pod.Name); was == nil || was.UID != pod.UID {
			return 0
		}
	}
	return cmp.Compare(a.UID, b.UID)
}

// log2Age is the binary logarithm of an age, rounded down.
func log2Age(age time.Duration) int {
	if age <= 0 {
		return -1
	}
	return int(math.Log2(float64(age)))
}

// readyAt is when a pod became ready, the zero time if it is not.
func readyAt(pod *corev1.Pod) time.Time {
	if !kube.IsPodReady(pod) {
		return time.Time{}
	}
	return kube.PodCondition(pod, corev1.PodReady).LastTransitionTime.Time
}

func deletionCost(pod *corev1.Pod) int {
	cost, err := strconv.Atoi(pod.Annotations[corev1.PodDeletionCost])
	if err != nil {
		return 0 // as the controller does
	}
	return cost
}

package workload

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
)

// oldReplicaSets are a Deployment's ReplicaSets except the current one, the oldest first.
type oldReplicaSets []oldReplicaSet

type oldReplicaSet struct {
	*appsv1.ReplicaSet
	active []*corev1.Pod
	// refused is how many of its replicas have no pod because the API server refuses it.
	refused int
}

// oldReplicaSets are a Deployment's ReplicaSets except the present one.
func (w *Controllers) oldReplicaSets(d *appsv1.Deployment, present *appsv1.ReplicaSet) oldReplicaSets {
	var old oldReplicaSets
	for _, rs := range w.replicaSets(d) {
		if rs.UID == present.UID {
			continue
		}
		one := oldReplicaSet{ReplicaSet: rs, active: w.activePodsOf(rs)}
		if lacking := replicas.Of(rs, 1) - len(one.active); lacking > 0 && w.isRefused(w.newReplicaSetPod(rs)) {
			one.refused = lacking
		}
		old = append(old, one)
	}
	slices.SortStableFunc(old, func(a, b oldReplicaSet) int {
		if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return old
}

// pods are the active pods of all.
func (old oldReplicaSets) pods() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, one := range old {
		pods = append(pods, one.active...)
	}
	return pods
}

// replicas is the number of replicas of all.
func (old oldReplicaSets) replicas() int {
	n := 0
	for _, one := range old {
		n += one.replicas()
	}
	return n
}

func (one oldReplicaSet) replicas() int { return len(one.active) + one.refused }

// scaleDownOld takes so many replicas from old ReplicaSets: first those that are not available, the refused ones among them, then
// available ones, each from the oldest ReplicaSet first. A ReplicaSet removes pods only once it has more than its replicas.
//
// Source: pkg/controller/deployment/rolling.go of Kubernetes (cleanupUnhealthyReplicas, scaleDownOldReplicaSetsForRollingUpdate).
func (w *Controllers) scaleDownOld(old oldReplicaSets, related []*corev1.Pod, count int) error {
	left := make([]int, len(old))
	for i, one := range old {
		removed := min(max(count, 0), one.refused+w.countUnready(one.active))
		left[i], count = one.replicas()-removed, count-removed
	}
	for i := range old {
		removed := min(max(count, 0), left[i])
		left[i], count = left[i]-removed, count-removed
	}
	for i := range old {
		one := &old[i]
		active, err := w.removeOldPods(one.active, related, max(len(one.active)-left[i], 0), w.engine.RemovePodGracefully, sentence.FateRolled())
		if err != nil {
			return err
		}
		one.active, one.refused = active, left[i]-len(active)
	}
	return nil
}

// setOldReplicas sets the replicas of old ReplicaSets to what is left of them.
func (w *Controllers) setOldReplicas(old oldReplicaSets) error {
	for _, one := range old {
		shrunk := *one.ReplicaSet
		shrunk.Spec.Replicas = new(int32(one.replicas()))
		if err := w.engine.Edit(cluster.Put(&shrunk)); err != nil {
			return err
		}
	}
	return nil
}

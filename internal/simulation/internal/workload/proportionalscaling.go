package workload

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
)

// maxReplicasAnnotation is on a ReplicaSet and has the most pods that its Deployment could have, with surge, when it was scaled last.
const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas"

// activeReplicaSets are those of a Deployment's ReplicaSets that want pods.
func (w *Controllers) activeReplicaSets(d *appsv1.Deployment) []*appsv1.ReplicaSet {
	return slices.DeleteFunc(w.replicaSets(d), func(rs *appsv1.ReplicaSet) bool { return replicas.Of(rs, 1) == 0 })
}

// scaleProportionally scales all of a Deployment's active ReplicaSets, in the middle of a rolling update.
//
// Source: pkg/controller/deployment of Kubernetes (scale).
func (w *Controllers) scaleProportionally(d *appsv1.Deployment, active []*appsv1.ReplicaSet) error {
	sizes := proportionalSizes(d, active)
	for _, rs := range active {
		if err := w.resizeReplicaSet(rs, sizes[rs]); err != nil {
			return err
		}
	}
	return nil
}

// proportionalSizes are the new sizes of a Deployment's active ReplicaSets. The largest comes first, and of two of one size the newer when
// scaling up, the older when scaling down. What is left after rounding goes to the first.
//
// Source: pkg/controller/deployment/util of Kubernetes (GetReplicaSetProportion).
func proportionalSizes(d *appsv1.Deployment, active []*appsv1.ReplicaSet) map[*appsv1.ReplicaSet]int {
	desired := replicas.Of(d, 1)
	surge, _ := replicas.DeploymentLimits(d, desired)
	allowed := 0
	if desired > 0 {
		allowed = desired + surge
	}
	toAdd := allowed
	for _, rs := range active {
		toAdd -= replicas.Of(rs, 1)
	}
	ordered := slices.SortedStableFunc(slices.Values(active), func(a, b *appsv1.ReplicaSet) int {
		older := a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
		if toAdd > 0 {
			older = -older
		}
		return cmp.Or(replicas.Of(b, 1)-replicas.Of(a, 1), older)
	})
	sizes, left := make(map[*appsv1.ReplicaSet]int, len(active)), toAdd
	for _, rs := range ordered {
		share := proportion(d, rs, allowed, left)
		sizes[rs] = replicas.Of(rs, 1) + share
		left -= share
	}
	sizes[ordered[0]] = max(sizes[ordered[0]]+left, 0)
	return sizes
}

// proportion is how many pods of those that are left to add, or, if negative, to remove, fall to a ReplicaSet.
func proportion(d *appsv1.Deployment, rs *appsv1.ReplicaSet, allowed, left int) int {
	if left == 0 {
		return 0
	}
	before, err := strconv.Atoi(rs.Annotations[maxReplicasAnnotation])
	if err != nil || before == 0 {
		before = int(d.Status.Replicas)
	}
	size := replicas.Of(rs, 1)
	share := 0
	switch {
	case allowed == 0:
		share = -size
	case before > 0:
		share = int(math.Round(float64(size*allowed)/float64(before))) - size
	}
	if left > 0 {
		return min(share, left)
	}
	return max(share, left)
}

package noderepair

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// desiredReplicas is how many replicas the workload of a pod has in its spec, with the API server's default of one.
func desiredReplicas(world *cluster.Snapshot, pod *corev1.Pod) int {
	switch workload := world.Workload(pod).(type) {
	case *appsv1.Deployment:
		return int(ptr.Deref(workload.Spec.Replicas, 1))
	case *appsv1.ReplicaSet:
		return int(ptr.Deref(workload.Spec.Replicas, 1))
	case *appsv1.StatefulSet:
		return int(ptr.Deref(workload.Spec.Replicas, 1))
	case *corev1.ReplicationController:
		return int(ptr.Deref(workload.Spec.Replicas, 1))
	case *batchv1.Job, *batchv1.CronJob:
		return 1 // Pods of a Job do not replace each other.
	}
	return 1
}

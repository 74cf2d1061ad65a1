package headroompolicy

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// unpreemptible is a priority that no pod can have, so that no pod preempts one that has it.
const unpreemptible = int32(2_000_002_000)

// holders are the kinds of objects that a policy's room consists of.
var holders = []cluster.Kind{cluster.Deployment, cluster.ReplicaSet, cluster.DaemonSet, cluster.Pod}

// belongsTo says whether an object is a policy's.
func belongsTo(policy *v1alpha1.HeadroomPolicy, o metav1.Object) bool {
	return policy.UID != "" && o.GetLabels()[v1alpha1.HeadroomPolicyLabel] == string(policy.UID)
}

// isOf says whether an object is part of the room of a policy, which survives its failures.
func isOf(policy *v1alpha1.HeadroomPolicy, o metav1.Object) bool {
	return belongsTo(policy, o) && !isForZones(policy, o)
}

// IsPlaceholder says whether an object is part of the room of any policy.
func IsPlaceholder(o metav1.Object) bool { return o.GetLabels()[v1alpha1.HeadroomPolicyLabel] != "" }

// placeholders are the pods of a policy's room that are neither ended nor being deleted.
func placeholders(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(world.Pods()), func(pod *corev1.Pod) bool {
		return !isOf(policy, pod) || cluster.Ended(pod) || pod.DeletionTimestamp != nil
	})
}

// withoutRoom is the world in which a policy's room is sized. Nothing of the policy's own room is in it, so that a room does not depend on the one that
// is there. Pods of others with a negative priority cannot be preempted in it: their room may be used by other pods at any time. And what the DaemonSets
// of the policy's steps grow by is taken, since their room is not shared.
func withoutRoom(world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy, steps []stepRoom) *cluster.Snapshot {
	var edits []cluster.Edit
	for _, kind := range holders {
		for _, o := range world.Objects(kind) {
			if isOf(policy, o) {
				edits = append(edits, cluster.Remove(o))
			}
		}
	}
	for _, pod := range world.Pods() {
		if ptr.Deref(pod.Spec.Priority, 0) < 0 && pod.Spec.NodeName != "" && !isOf(policy, pod) && !cluster.Ended(pod) {
			edits = append(edits, cluster.Put(fixed(pod)))
		}
	}
	for i, s := range steps {
		for _, node := range s.nodes {
			edits = append(edits, cluster.Put(reserve(fmt.Sprintf("naosu-step-%d-%s", i, node), node, s.requests)))
		}
	}
	return world.With(edits...)
}

// fixed is a pod that nothing preempts or evicts: in simulations, a mirror pod of a priority that no other has.
func fixed(pod *corev1.Pod) *corev1.Pod {
	held := pod.DeepCopy()
	if held.Annotations == nil {
		held.Annotations = map[string]string{}
	}
	held.Annotations[corev1.MirrorPodAnnotationKey] = string(pod.UID)
	held.Spec.Priority = new(unpreemptible)
	return held
}

// reserve is such a pod that takes an amount of a node.
func reserve(name, node string, requests corev1.ResourceList) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: metav1.NamespaceSystem, UID: types.UID(name), Annotations: map[string]string{corev1.MirrorPodAnnotationKey: name},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: string(cluster.Node), Name: node, Controller: new(true)}},
		},
		Spec: corev1.PodSpec{
			NodeName: node, SchedulerName: corev1.DefaultSchedulerName, Priority: new(unpreemptible), Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{Name: "pause", Resources: corev1.ResourceRequirements{Requests: requests}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// takesPods says whether new pods may be placed on a node.
func takesPods(node *corev1.Node) bool {
	return node != nil && kube.IsNodeReady(node) && !node.Spec.Unschedulable
}

// requestsOf are what the scheduler counts of a pod's requests.
func requestsOf(pod *corev1.Pod) corev1.ResourceList {
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	for name, quantity := range requests {
		if quantity.IsZero() {
			delete(requests, name)
		}
	}
	return requests
}

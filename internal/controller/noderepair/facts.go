package noderepair

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// guardNodes are all nodes as facts for the guard.
func guardNodes(world *cluster.Snapshot, policies []v1alpha1.NodeRepairPolicy) []guard.Node {
	unhealthy, agents := repairpolicy.Unhealthy(policies, world.Nodes()), agentVersions(world)
	var nodes []guard.Node
	for _, node := range world.Nodes() {
		one := guardNode(node)
		one.Unhealthy, one.AgentVersion = unhealthy[node.Name], agents[node.Name]
		nodes = append(nodes, one)
	}
	return nodes
}

func guardNode(node *corev1.Node) guard.Node {
	return guard.Node{
		Name: node.Name, UID: node.UID, ProviderID: node.Spec.ProviderID, Created: node.CreationTimestamp.Time,
		Zone: cluster.Zone(node), Group: cluster.GroupName(node),
		Image: cluster.MachineImage(node), InstanceType: node.Labels[corev1.LabelInstanceTypeStable],
		Ready: kube.IsNodeReady(node), Leaving: action.Leaving(node), Annotations: action.OthersAnnotations(node),
		MachineKey: cloud.MachineOf(node).Key(), ControlPlane: isControlPlane(node),
	}
}

// isControlPlane says whether a node runs a part of a self-managed control plane, by the labels of kubeadm, kOps, K3s and RKE2; RKE2
// has nodes for etcd alone.
func isControlPlane(node *corev1.Node) bool {
	return slices.ContainsFunc([]string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/etcd"}, func(role string) bool {
		_, has := node.Labels[role]
		return has
	})
}

// agentVersions are the images of the agents, by node name: a faulty agent makes nodes look unhealthy together.
func agentVersions(world *cluster.Snapshot) map[string]string {
	versions := map[string]string{}
	for _, pod := range world.Pods() {
		if pod.Spec.NodeName != "" && kube.NodeAgentOf(pod) != "" && len(pod.Spec.Containers) > 0 {
			versions[pod.Spec.NodeName] = pod.Spec.Containers[0].Image
		}
	}
	return versions
}

// countLeases counts the leases of kubelets, and those that expired or were renewed in the future: a wrong clock does not tell when a
// kubelet last renewed.
func countLeases(world *cluster.Snapshot, now time.Time) (total, expired int) {
	for _, node := range world.Nodes() {
		lease := world.Lease(corev1.NamespaceNodeLease, node.Name)
		if lease == nil || lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
			continue
		}
		total++
		age := now.Sub(lease.Spec.RenewTime.Time)
		if age > time.Duration(*lease.Spec.LeaseDurationSeconds)*time.Second || -age > guard.ClockSkew {
			expired++
		}
	}
	return total, expired
}

// shiftedZones are the zones whose nodes are as EKS makes them during a zonal shift: several, all cordoned, while another zone has nodes
// that are not. Cordons of naosu do not count. Amazon Application Recovery Controller itself is not asked.
//
// Source: Amazon EKS User Guide, "Learn about Amazon Application Recovery Controller's (ARC) zonal shift in Amazon EKS".
func shiftedZones(world *cluster.Snapshot) []string {
	total, cordoned := map[string]int{}, map[string]int{}
	open := false
	for _, node := range world.Nodes() {
		zone := cluster.Zone(node)
		total[zone]++
		if node.Spec.Unschedulable && !cordonedByNaosu(node) {
			cordoned[zone]++
		} else {
			open = true
		}
	}
	if !open {
		return nil
	}
	maps.DeleteFunc(total, func(zone string, n int) bool { return zone == "" || n < 2 || cordoned[zone] < n })
	return slices.Sorted(maps.Keys(total))
}

// drainedPods are the pods that a drain of a node would evict. Pods on nodes that are out do not count as ready.
func drainedPods(world *cluster.Snapshot, node string, out ...string) []guard.Pod {
	var pods []guard.Pod
	for _, pod := range world.PodsOn(node) {
		if cluster.Drains(pod) && pod.DeletionTimestamp == nil {
			replicas, elsewhere := countReplicas(world, pod, out)
			pods = append(pods, guard.Pod{
				Ref:         change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name},
				Annotations: pod.Annotations, Ready: podReady(world, pod), Replicas: replicas, ReadyElsewhere: elsewhere,
				LocalData: len(world.LocalData(pod)) > 0,
			})
		}
	}
	return pods
}

// countReplicas is how many replicas the pod's workload should have, and how many of them are ready on other nodes.
func countReplicas(world *cluster.Snapshot, pod *corev1.Pod, out []string) (wanted, elsewhere int) {
	for _, controller := range controllersOf(world, pod) {
		for _, other := range world.PodsOf(controller) {
			if other.Spec.NodeName != pod.Spec.NodeName && podReady(world, other) && !slices.Contains(out, other.Spec.NodeName) {
				elsewhere++
			}
		}
	}
	return desiredReplicas(world, pod), elsewhere
}

// podReady says whether a pod is ready, on a node that is reachable.
func podReady(world *cluster.Snapshot, pod *corev1.Pod) bool {
	node := world.Node(pod.Spec.NodeName)
	return cluster.Runs(pod) && (node == nil || !kube.IsNodeUnreachable(node))
}

// controllersOf are the UIDs of the controllers whose pods are replicas of the same workload: the pod's own, or, during a rollout, all
// ReplicaSets of its Deployment.
func controllersOf(world *cluster.Snapshot, pod *corev1.Pod) []types.UID {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return nil
	}
	deployment, ok := world.Workload(pod).(*appsv1.Deployment)
	if !ok {
		return []types.UID{owner.UID}
	}
	var sets []types.UID
	for _, set := range world.ReplicaSetsOf(deployment.UID) {
		sets = append(sets, set.UID)
	}
	return sets
}

// confirmedAt is when the evidence of a Remediation was last confirmed: by the last heartbeat of its condition, or now where the status
// of the condition or of Ready is Unknown, since no agent can report.
func confirmedAt(r *v1alpha1.Remediation, node *corev1.Node, now time.Time) time.Time {
	var last time.Time
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown {
			return now
		}
		if string(c.Type) != r.Spec.Evidence.Condition {
			continue
		}
		if c.Status == corev1.ConditionUnknown {
			return now
		}
		last = c.LastHeartbeatTime.Time
		if c.LastTransitionTime.After(last) {
			last = c.LastTransitionTime.Time
		}
	}
	return last
}

// cordonedByNaosu says whether naosu cordoned a node.
func cordonedByNaosu(node *corev1.Node) bool {
	_, own := node.Annotations[action.CordonedByAnnotation]
	return own
}

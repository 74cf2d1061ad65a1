package facts

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Keeper is who puts a taint on nodes and takes it off again, by itself.
type Keeper string

// The keepers of taints.
const (
	// KeptByCondition taints follow a condition of the node (pkg/controller/nodelifecycle, nodeConditionToTaintKeyStatusMap).
	KeptByCondition Keeper = "condition"
	// KeptByCloud is taken off by the cloud controller manager (k8s.io/cloud-provider/controllers/node).
	KeptByCloud Keeper = "cloud"
	// KeptByAgent taints are taken off by an agent once it is ready on the node, such as a network plugin.
	KeptByAgent Keeper = "agent"
	// KeptByAutoscaler taints are on nodes that an autoscaler removes.
	KeptByAutoscaler Keeper = "autoscaler"
)

// ConditionOf is the condition that a taint follows.
var ConditionOf = map[string]corev1.NodeConditionType{
	corev1.TaintNodeDiskPressure:       corev1.NodeDiskPressure,
	corev1.TaintNodeMemoryPressure:     corev1.NodeMemoryPressure,
	corev1.TaintNodePIDPressure:        corev1.NodePIDPressure,
	corev1.TaintNodeNetworkUnavailable: corev1.NodeNetworkUnavailable,
}

// uninitialized is on each node that registers with an external cloud provider (k8s.io/cloud-provider/api).
const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

// Agent is what takes a start-up taint off.
type Agent struct {
	// Name is what people call it.
	Name string
	// DaemonSet runs it; empty where that is not known.
	DaemonSet string
}

// agents by the prefixes of their taints. Sources: docs.cilium.io/en/stable/installation/taints, and the installation pages of
// the AWS EBS, EFS and FSx CSI drivers.
var agents = map[string]Agent{
	"node.cilium.io/":  {"Cilium", "cilium"},
	"ebs.csi.aws.com/": {"the EBS CSI driver", "ebs-csi-node"},
	"efs.csi.aws.com/": {"the EFS CSI driver", "efs-csi-node"},
	"fsx.csi.aws.com/": {"the FSx CSI driver", "fsx-csi-node"},
}

// AgentOf is the agent that takes a taint off. Other drivers' and agents' taints are known by their form only.
func AgentOf(taint corev1.Taint) (Agent, bool) {
	prefix, name, _ := strings.Cut(taint.Key, "/")
	if a, ok := agents[prefix+"/"]; ok {
		return a, true
	}
	if name == "agent-not-ready" || prefix == "startup-taint.cluster-autoscaler.kubernetes.io" {
		return Agent{Name: prefix}, true
	}
	return Agent{}, false
}

// autoscalers by the taints of the nodes that they remove.
var autoscalers = map[string]string{
	"ToBeDeletedByClusterAutoscaler":       "cluster-autoscaler",
	"DeletionCandidateOfClusterAutoscaler": "cluster-autoscaler",
	"karpenter.sh/disrupted":               "Karpenter",
}

// AutoscalerOf is the autoscaler that a taint says is removing the node, empty if none.
func AutoscalerOf(taint corev1.Taint) string { return autoscalers[taint.Key] }

// KeeperOf is who keeps a taint; false if a person does, as far as is known. What a person takes off or has pods tolerate in
// spite of its keeper does not help: the keeper undoes it, or the pods do not run there.
func KeeperOf(taint corev1.Taint) (Keeper, bool) {
	_, byAgent := AgentOf(taint)
	switch {
	case ConditionOf[taint.Key] != "":
		return KeptByCondition, true
	case taint.Key == uninitialized:
		return KeptByCloud, true
	case byAgent:
		return KeptByAgent, true
	case AutoscalerOf(taint) != "":
		return KeptByAutoscaler, true
	default:
		return "", false
	}
}

// Kept says whether a keeper keeps one of these taints.
func Kept(taints []corev1.Taint) bool {
	for _, taint := range taints {
		if _, ok := KeeperOf(taint); ok {
			return true
		}
	}
	return false
}

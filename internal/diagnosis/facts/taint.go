package facts

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
)

// TaintOwner is the kind of program that manages a taint: it adds it to nodes and removes it again.
type TaintOwner string

// The owners of taints.
const (
	// TaintOwnerCondition taints follow a condition of the node (pkg/controller/nodelifecycle, nodeConditionToTaintKeyStatusMap).
	TaintOwnerCondition TaintOwner = "condition"
	// TaintOwnerCloudController taints are removed by the cloud controller manager (k8s.io/cloud-provider/controllers/node).
	TaintOwnerCloudController TaintOwner = "cloud"
	// TaintOwnerAgent taints are removed by an agent once it is ready on the node, such as a network plugin.
	TaintOwnerAgent TaintOwner = "agent"
	// TaintOwnerAutoscaler taints are on nodes that an autoscaler removes.
	TaintOwnerAutoscaler TaintOwner = "autoscaler"
	// TaintOwnerFailover taints are on nodes that naosu's controller has found silent, until they respond again.
	TaintOwnerFailover TaintOwner = "failover"
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

// StartupAgent is the program that removes a start-up taint.
type StartupAgent struct {
	// Name is the agent's usual name.
	Name string
	// DaemonSet is the name of its DaemonSet; empty if not known.
	DaemonSet string
}

// startupAgents are agents by the prefixes of their taints. Sources: docs.cilium.io/en/stable/installation/taints, and the installation pages of
// the AWS EBS, EFS and FSx CSI drivers.
var startupAgents = map[string]StartupAgent{
	"node.cilium.io/":  {"Cilium", "cilium"},
	"ebs.csi.aws.com/": {"the EBS CSI driver", "ebs-csi-node"},
	"efs.csi.aws.com/": {"the EFS CSI driver", "efs-csi-node"},
	"fsx.csi.aws.com/": {"the FSx CSI driver", "fsx-csi-node"},
}

// StartupAgentOf is the agent that removes a taint. Taints of other drivers and agents are recognized by their usual form.
func StartupAgentOf(taint corev1.Taint) (StartupAgent, bool) {
	prefix, name, _ := strings.Cut(taint.Key, "/")
	if a, ok := startupAgents[prefix+"/"]; ok {
		return a, true
	}
	if name == "agent-not-ready" || prefix == "startup-taint.cluster-autoscaler.kubernetes.io" {
		return StartupAgent{Name: prefix}, true
	}
	return StartupAgent{}, false
}

// autoscalerTaints are autoscalers by the taint on the nodes that they remove.
var autoscalerTaints = map[string]string{
	kube.TaintToBeDeleted:       "cluster-autoscaler",
	kube.TaintDeletionCandidate: "cluster-autoscaler",
	kube.TaintDisrupted:         "Karpenter",
}

// AutoscalerOf is the autoscaler that removes the node according to the taint; empty if there is none.
func AutoscalerOf(taint corev1.Taint) string { return autoscalerTaints[taint.Key] }

// TaintOwnerOf is the owner of a taint; false if the taint was probably added manually. Removing an owned taint, or tolerating it, does not
// help: its owner adds it again, or the pods do not work there.
func TaintOwnerOf(taint corev1.Taint) (TaintOwner, bool) {
	_, byAgent := StartupAgentOf(taint)
	switch {
	case ConditionOf[taint.Key] != "":
		return TaintOwnerCondition, true
	case taint.Key == uninitialized:
		return TaintOwnerCloudController, true
	case byAgent:
		return TaintOwnerAgent, true
	case AutoscalerOf(taint) != "":
		return TaintOwnerAutoscaler, true
	case taint.Key == failoverpolicy.SilentTaint.Key:
		return TaintOwnerFailover, true
	default:
		return "", false
	}
}

// AnyOwned reports whether one of these taints has an owner.
func AnyOwned(taints []corev1.Taint) bool {
	for _, taint := range taints {
		if _, ok := TaintOwnerOf(taint); ok {
			return true
		}
	}
	return false
}

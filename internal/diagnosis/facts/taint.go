package facts

import (
	"cmp"
	"slices"
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
	// TaintOwnerRegistration taints are on new nodes until their owner has matched the node with an object of its own.
	TaintOwnerRegistration TaintOwner = "registration"
	// TaintOwnerShutdown taints are on nodes whose machine the cloud has stopped or may stop soon.
	TaintOwnerShutdown TaintOwner = "shutdown"
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

// StartupAgent is the program that must be ready on a node before a start-up taint is removed.
type StartupAgent struct {
	// Name is the agent's usual name, without an article; empty if not known.
	Name string
	// Article reports whether the name takes an article in English.
	Article bool
	// DaemonSet is the name of its DaemonSet; empty if not known.
	DaemonSet string
}

// startupAgents are agents by the prefixes of their taints. Sources: docs.cilium.io/en/stable/installation/taints; the installation pages of
// the AWS EBS, EFS and FSx CSI drivers; istio/istio pilot/pkg/controllers/untaint (istiod removes the taint).
var startupAgents = map[string]StartupAgent{
	"node.cilium.io/":  {"Cilium", false, "cilium"},
	"ebs.csi.aws.com/": {"EBS CSI driver", true, "ebs-csi-node"},
	"efs.csi.aws.com/": {"EFS CSI driver", true, "efs-csi-node"},
	"fsx.csi.aws.com/": {"FSx CSI driver", true, "fsx-csi-node"},
	"cni.istio.io/":    {"Istio CNI node agent", true, "istio-cni-node"},
}

// startupPrefixes are prefixes of start-up taints of any agent. Sources: kubernetes/autoscaler cluster-autoscaler/utils/taints/taints.go
// (StartupTaintPrefix, IgnoreTaintPrefix); kubernetes-sigs/node-readiness-controller (the taints of NodeReadinessRules).
var startupPrefixes = map[string]bool{
	"startup-taint.cluster-autoscaler.kubernetes.io": true,
	"ignore-taint.cluster-autoscaler.kubernetes.io":  true,
	"readiness.k8s.io": true,
}

// StartupAgentOf is the agent that a start-up taint waits for. Taints of other drivers and agents are recognized by their usual form.
func StartupAgentOf(taint corev1.Taint) (StartupAgent, bool) {
	prefix, name, _ := strings.Cut(taint.Key, "/")
	switch a, known := startupAgents[prefix+"/"]; {
	case known:
		return a, true
	case startupPrefixes[prefix]:
		return StartupAgent{}, true
	case name == "agent-not-ready":
		return StartupAgent{Name: prefix}, true
	default:
		return StartupAgent{}, false
	}
}

// Registrar is a program that removes a taint from a new node once it has matched the node with an object.
type Registrar struct{ Name, Kind string }

// registrars are programs by their taints. Sources: kubernetes-sigs/karpenter pkg/apis/v1/taints.go and
// pkg/controllers/nodeclaim/lifecycle/registration.go; kubernetes-sigs/cluster-api NodeUninitializedTaint.
var registrars = map[string]Registrar{
	"karpenter.sh/unregistered":           {"Karpenter", "NodeClaim"},
	"node.cluster.x-k8s.io/uninitialized": {"Cluster API", "Machine"},
}

// RegistrarOf is the program that removes the taint once the node is registered.
func RegistrarOf(taint corev1.Taint) Registrar { return registrars[taint.Key] }

// shutdownTaints are programs by the taint, or by the prefix of the taints, of nodes whose machine stops. Sources:
// k8s.io/cloud-provider/api (TaintNodeShutdown); GoogleCloudPlatform/k8s-node-termination-handler; aws/aws-node-termination-handler
// pkg/node/node.go (spot-itn, scheduled-maintenance, asg-lifecycle-termination, rebalance-recommendation).
var shutdownTaints = map[string]string{
	kube.TaintNodeShutdown:                        "cloud-controller-manager",
	"cloud.google.com/impending-node-termination": "k8s-node-termination-handler",
	"aws-node-termination-handler/":               "aws-node-termination-handler",
}

// ShutdownHandlerOf is the program that marks nodes whose machine stops with the taint; empty if there is none.
func ShutdownHandlerOf(taint corev1.Taint) string {
	prefix := taint.Key[:strings.Index(taint.Key, "/")+1]
	return cmp.Or(shutdownTaints[taint.Key], shutdownTaints[prefix])
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
	case RegistrarOf(taint).Name != "":
		return TaintOwnerRegistration, true
	case ShutdownHandlerOf(taint) != "":
		return TaintOwnerShutdown, true
	case taint.Key == failoverpolicy.SilentTaint.Key:
		return TaintOwnerFailover, true
	default:
		return "", false
	}
}

// AnyOwned reports whether one of these taints has an owner.
func AnyOwned(taints []corev1.Taint) bool {
	return slices.ContainsFunc(taints, func(taint corev1.Taint) bool {
		_, owned := TaintOwnerOf(taint)
		return owned
	})
}

// MayTolerate reports whether pods may tolerate these taints: none has an owner, and none says that the node is out of service. From such a
// node, Kubernetes deletes pods without waiting for the kubelet (kubernetes.io/docs/concepts/cluster-administration/node-shutdown); once
// the node works again, the taint must be removed.
func MayTolerate(taints []corev1.Taint) bool {
	return !AnyOwned(taints) && !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService })
}

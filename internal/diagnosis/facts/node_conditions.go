package facts

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// npdConditions are the conditions that node-problem-detector's own configurations write, True when something is wrong
// (https://github.com/kubernetes/node-problem-detector/tree/master/config).
var npdConditions = []corev1.NodeConditionType{
	"ContainerRuntimeUnhealthy", "CorruptDockerOverlay2", "CperHardwareErrorFatal", "DiskBadBlock", "FrequentContainerdRestart",
	"FrequentDockerRestart", "FrequentKubeletRestart", "FrequentUnregisterNetDevice", "KernelDeadlock", "KubeletUnhealthy", "NTPProblem",
	"ReadonlyFilesystem", "XfsShutdown",
}

// IsAgentCondition reports whether a condition is a node agent's: one of node-problem-detector's, or one named NAMEReady, as the
// EKS node monitoring agent and naosu's agent write them (https://docs.aws.amazon.com/eks/latest/userguide/node-health.html).
func IsAgentCondition(c corev1.NodeCondition) bool {
	return c.Type != corev1.NodeReady && strings.HasSuffix(string(c.Type), "Ready") || slices.Contains(npdConditions, c.Type)
}

// UnhealthyConditions are the conditions with which a node's agents report a problem.
func UnhealthyConditions(node *corev1.Node) []corev1.NodeCondition {
	var unhealthy []corev1.NodeCondition
	for _, c := range node.Status.Conditions {
		bad := corev1.ConditionFalse
		if slices.Contains(npdConditions, c.Type) {
			bad = corev1.ConditionTrue
		}
		if IsAgentCondition(c) && c.Status == bad {
			unhealthy = append(unhealthy, c)
		}
	}
	return unhealthy
}

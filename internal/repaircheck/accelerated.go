package repaircheck

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// devices are the prefixes of the extended resources of accelerators: NVIDIA's and Neuron's device plugins
// (https://github.com/NVIDIA/k8s-device-plugin, https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html).
var devices = []string{"nvidia.com/gpu", "nvidia.com/mig-", "aws.amazon.com/neuron"}

// lacksDevice says whether a node cannot have a condition, since only nodes with accelerators have it.
func lacksDevice(node *corev1.Node, condition string) bool {
	if !reason.Condition(condition).Optional() {
		return false
	}
	if _, there := conditionOf(node, condition); there {
		return false
	}
	for name, amount := range node.Status.Capacity {
		for _, device := range devices {
			if strings.HasPrefix(string(name), device) && !amount.IsZero() {
				return false
			}
		}
	}
	return true
}

// allLackDevice says whether lacksDevice is true for all nodes.
func allLackDevice(nodes []*corev1.Node, condition string) bool {
	for _, node := range nodes {
		if !lacksDevice(node, condition) {
			return false
		}
	}
	return true
}

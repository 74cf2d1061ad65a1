package repaircheck

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// devices are how the resources of accelerators begin that an agent knows: NVIDIA's and Neuron's device plugins
// (https://github.com/NVIDIA/k8s-device-plugin, https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html).
var devices = []string{"nvidia.com/gpu", "nvidia.com/mig-", "aws.amazon.com/neuron"}

// without says that a node lacks a condition as it must: one that only nodes with accelerators have.
func without(node *corev1.Node, condition string) bool {
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

// withoutAll says so of all nodes.
func withoutAll(nodes []*corev1.Node, condition string) bool {
	for _, node := range nodes {
		if !without(node, condition) {
			return false
		}
	}
	return true
}

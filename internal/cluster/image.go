package cluster

import corev1 "k8s.io/api/core/v1"

// eksImage is the label by which a node of an EKS managed node group names its machine image.
const eksImage = "eks.amazonaws.com/nodegroup-image"

// MachineImage is the image of a node's machine, or else its operating system and kernel; empty if the node has neither.
func MachineImage(node *corev1.Node) string {
	if image := node.Labels[eksImage]; image != "" {
		return image
	}
	info := node.Status.NodeInfo
	if info.OSImage == "" && info.KernelVersion == "" {
		return ""
	}
	return info.OSImage + " (" + info.KernelVersion + ")"
}

package guard

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Machine is by what a machine is known again. What is not known of it is empty.
type Machine struct {
	// Node is the name of its Node, UID that of the object.
	Node string
	UID  types.UID
	// ProviderID is the cloud's own name for it.
	ProviderID string
}

// MachineOf is the machine of a Node.
func MachineOf(node *corev1.Node) Machine {
	return Machine{node.Name, node.UID, node.Spec.ProviderID}
}

// Same says whether two are one machine. It is by the cloud's name for it: under another Node's name it is still the same,
// and a new machine under an old name is another. Where that is not known of both, the Node's name must do.
func (m Machine) Same(o Machine) bool {
	switch {
	case m.UID != "" && m.UID == o.UID:
		return true
	case m.ProviderID != "" && o.ProviderID != "":
		return m.ProviderID == o.ProviderID
	}
	return m.Node == o.Node
}

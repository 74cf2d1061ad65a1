package ledger

import "k8s.io/apimachinery/pkg/types"

// Machine identifies the machine of a node. What is not known of it is empty.
type Machine struct {
	// Node is the name of its Node, UID that of the object.
	Node string
	UID  types.UID
	// ProviderID is the cloud's identifier of the machine.
	ProviderID string
}

// Equal says whether two identify the same machine. The provider ID decides where both have one: a machine that registers under
// another name is the same, and a new machine under an old name is another. Where it is not known of both, the Node's name decides.
func (m Machine) Equal(o Machine) bool {
	switch {
	case m.UID != "" && m.UID == o.UID:
		return true
	case m.ProviderID != "" && o.ProviderID != "":
		return m.ProviderID == o.ProviderID
	}
	return m.Node == o.Node
}

package simulation

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// newNode is a new node with its CSINode.
type newNode struct {
	*corev1.Node
	csiNode *storagev1.CSINode
}

func (n newNode) edits() []cluster.Edit {
	if n.csiNode == nil {
		return []cluster.Edit{cluster.Put(n.Node)}
	}
	return []cluster.Edit{cluster.Put(n.Node), cluster.Put(n.csiNode)}
}

// newNodes are ready nodes like others of their group, one for each of the zones.
func (e *engine) newNodes(group string, zones []string, similar []*corev1.Node) []newNode {
	made, examples := make([]newNode, 0, len(zones)), map[string]*corev1.Node{}
	for _, zone := range zones {
		if examples[zone] == nil {
			examples[zone] = kube.ExampleNode(zone, similar)
		}
		node := kube.NewNode(e.names.node(group, zone), zone, examples[zone], similar)
		node.UID, node.CreationTimestamp = e.names.uid(), *e.apiTime()
		setReady(node, corev1.ConditionTrue, "KubeletReady", *e.apiTime())
		made = append(made, newNode{node, e.newCSINode(examples[zone].Name, node.Name)})
	}
	return made
}

// newCSINode is the CSINode with the volume drivers that register on a new node.
func (e *engine) newCSINode(example, name string) *storagev1.CSINode {
	existing := cmp.Or(e.world().CSINode(example), e.initial.CSINode(example)) // The example may have been removed.
	if existing == nil {
		return nil
	}
	drivers := existing.DeepCopy()
	drivers.Name, drivers.UID, drivers.OwnerReferences = name, e.names.uid(), nil
	for i := range drivers.Spec.Drivers {
		drivers.Spec.Drivers[i].NodeID = name
	}
	return drivers
}

package nodegroup

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/simulation/internal/nodelifecycle"
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
func (g *Groups) newNodes(group string, zones []string, similar []*corev1.Node) []newNode {
	made, examples := make([]newNode, 0, len(zones)), map[string]*corev1.Node{}
	for _, zone := range zones {
		if examples[zone] == nil {
			examples[zone] = kube.ExampleNode(zone, similar)
		}
		node := kube.NewNode(g.engine.Names.Node(group, zone), zone, examples[zone], similar)
		node.UID, node.CreationTimestamp = g.engine.Names.UID(), *g.engine.APITime()
		nodelifecycle.SetReady(node, corev1.ConditionTrue, "KubeletReady", *g.engine.APITime())
		made = append(made, newNode{node, g.newCSINode(examples[zone].Name, node.Name)})
	}
	return made
}

// newCSINode is the CSINode with the volume drivers that register on a new node.
func (g *Groups) newCSINode(example, name string) *storagev1.CSINode {
	existing := cmp.Or(g.engine.World().CSINode(example), g.engine.Initial.CSINode(example)) // The example may have been removed.
	if existing == nil {
		return nil
	}
	drivers := existing.DeepCopy()
	drivers.Name, drivers.UID, drivers.OwnerReferences = name, g.engine.Names.UID(), nil
	for i := range drivers.Spec.Drivers {
		drivers.Spec.Drivers[i].NodeID = name
	}
	return drivers
}

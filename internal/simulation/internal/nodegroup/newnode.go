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

// factory makes new nodes of a group, like others of it.
type factory struct {
	*Groups
	group   string
	similar []*corev1.Node
	// examples are the nodes that new ones are like, by zone.
	examples map[string]*corev1.Node
}

func (g *Groups) factory(group string, similar []*corev1.Node) factory {
	return factory{g, group, similar, map[string]*corev1.Node{}}
}

// make makes a ready node in a zone.
func (f factory) make(zone string) newNode {
	example := f.examples[zone]
	if example == nil {
		example = kube.ExampleNode(zone, f.similar)
		f.examples[zone] = example
	}
	node := kube.NewNode(f.engine.Names.Node(f.group, zone), zone, example, f.similar)
	node.UID, node.CreationTimestamp = f.engine.Names.UID(), *f.engine.APITime()
	nodelifecycle.SetReady(node, corev1.ConditionTrue, "KubeletReady", *f.engine.APITime())
	return newNode{node, f.newCSINode(example.Name, node.Name)}
}

// launch is make, if a subnet in the zone has an address for the instance.
func (f factory) launch(zone string) (newNode, bool) {
	node := f.make(zone)
	return node, f.engine.LaunchInstance(node.Name, f.examples[zone].Name, zone)
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

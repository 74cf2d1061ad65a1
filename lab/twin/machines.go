package twin

import (
	"crypto/sha256"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// simulated marks nodes as simulated.
const simulated = "lab.naosu.dev/simulated"

// machines are one for each node, and make the nodes theirs. A machine whose node was not ready has no power: a lab's
// machine knows no other way to be silent.
func (c *contents) machines() []cloud.Instance {
	var machines []cloud.Instance
	taken, silent := map[string]bool{}, 0
	csiNodes := named[*storagev1.CSINode](c)
	for _, node := range all[*corev1.Node](c) {
		csiNode := csiNodes[types.NamespacedName{Name: node.Name}]
		m := cloud.Instance{
			ID: instanceID(node, taken), Group: groupOf(node), Zone: zoneOf(node), Type: typeOf(node), Capacity: machineType(node, csiNode),
			NodeName: node.Name, PrivateIP: address(node), State: cloud.Running, Booted: true, Impaired: !ready(node),
			Launched: node.CreationTimestamp.Time, Labels: node.Labels, Taints: registeredTaints(node.Spec.Taints),
		}
		taken[m.ID] = true
		if m.Impaired {
			silent++
		}
		identity := nodes.Machine{NodeName: m.NodeName, InstanceID: m.ID}
		identity.Identify(&node.Status.NodeInfo)
		metav1.SetMetaDataAnnotation(&node.ObjectMeta, simulated, "true")
		if csiNode != nil {
			for i := range csiNode.Spec.Drivers {
				if csiNode.Spec.Drivers[i].Name == ebs {
					csiNode.Spec.Drivers[i].NodeID = m.ID
				}
			}
		}
		machines = append(machines, m)
	}
	c.notes.add(silent, "Node", "not ready: its machine is off, whatever ailed it; how long its pods tolerate that counts anew")
	return machines
}

// instanceID is what the provider calls the machine, or a made-up name that no other has.
func instanceID(node *corev1.Node, taken map[string]bool) string {
	id := node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]
	if strings.HasPrefix(id, "i-") && !taken[id] {
		return id
	}
	digest := sha256.Sum256([]byte(node.Name))
	id = fmt.Sprintf("i-0%x", digest[:8])
	if strings.HasPrefix(node.Spec.ProviderID, "aws://") { // the node controller looks it up by this
		node.Spec.ProviderID = "aws:///" + zoneOf(node) + "/" + id
	}
	return id
}

func address(node *corev1.Node) string {
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return ""
}

func ready(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// attachable is how many EBS volumes a node takes, zero if its driver does not say.
func attachable(csiNode *storagev1.CSINode) int {
	if csiNode == nil {
		return 0
	}
	for _, driver := range csiNode.Spec.Drivers {
		if driver.Name == ebs && driver.Allocatable != nil && driver.Allocatable.Count != nil {
			return int(*driver.Allocatable.Count)
		}
	}
	return 0
}

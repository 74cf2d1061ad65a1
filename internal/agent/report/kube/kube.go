// Package kube is the agent's client of the API server: a few requests in plain HTTP and JSON. It watches its own Node, patches conditions of that
// Node's status, and applies Events; it watches the Remediations that name its Node, and patches its report into their status. It uses client-go's
// transport alone, because memory is spent on every node: with client-go's kubeconfig loader and REST client the agent is 3 MiB larger, with a
// clientset 12 MiB.
package kube

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/managedfields"
)

// Manager is the agent's field manager.
const Manager = managedfields.Agent

// Node is what the agent reads of its Node.
type Node struct {
	Metadata Metadata `json:"metadata"`
	Status   struct {
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// Metadata is what the agent reads of its Node's metadata.
type Metadata struct {
	Name            string                `json:"name"`
	UID             string                `json:"uid"`
	ResourceVersion string                `json:"resourceVersion"`
	ManagedFields   []managedfields.Field `json:"managedFields"`
}

// Condition is a node condition. Its times are whole seconds.
type Condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason"`
	Message            string    `json:"message"`
	LastHeartbeatTime  time.Time `json:"lastHeartbeatTime,omitzero"`
	LastTransitionTime time.Time `json:"lastTransitionTime,omitzero"`
}

// Values of a Condition's Status.
const (
	True    = "True"
	False   = "False"
	Unknown = "Unknown"
)

// Condition is the Node's of a type. ok is false if it has none.
func (n *Node) Condition(kind string) (c Condition, ok bool) {
	for _, c := range n.Status.Conditions {
		if c.Type == kind {
			return c, true
		}
	}
	return Condition{}, false
}

// Event is an Event of the core API about a node, whose Count, timestamps and message are updated. events.k8s.io does not allow an update of the
// message.
type Event struct {
	Name string
	// Node and UID are what it is about.
	Node, UID string
	// Warning says that it is of that type, not Normal.
	Warning                 bool
	Reason, Message         string
	Count                   int
	FirstTimestamp, LastOne time.Time
}

// eventNamespace is the namespace of Events about objects without one, as for the kubelet.
const eventNamespace = "default"

// body is the Event as the API has it.
func (e Event) body() any {
	kind := "Normal"
	if e.Warning {
		kind = "Warning"
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Event",
		"metadata":       map[string]any{"name": e.Name, "namespace": eventNamespace},
		"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Node", "name": e.Node, "uid": e.UID},
		"type":           kind, "reason": e.Reason, "message": e.Message, "count": e.Count,
		"firstTimestamp": e.FirstTimestamp.UTC().Truncate(time.Second), "lastTimestamp": e.LastOne.UTC().Truncate(time.Second),
		"source":             map[string]any{"component": Manager, "host": e.Node},
		"reportingComponent": Manager, "reportingInstance": cut(e.Node, 128),
	}
}

// cut truncates text to some bytes; names of nodes are ASCII.
func cut(text string, most int) string { return text[:min(len(text), most)] }

package change

import corev1 "k8s.io/api/core/v1"

// Cordon keeps new pods off a node.
type Cordon struct {
	Node string `json:"node"`
}

// Subject is the node.
func (c Cordon) Subject() Ref { return Ref{Kind: "Node", Name: c.Node} }

// Command is kubectl's own.
func (c Cordon) Command() string { return command("kubectl", "cordon", c.Node) }

// MarshalJSON adds the kind of change to its fields.
func (c Cordon) MarshalJSON() ([]byte, error) {
	type fields Cordon
	return marshalTagged("Cordon", fields(c))
}

func (Cordon) sealed() {}

// Uncordon lets the scheduler use a node again.
type Uncordon struct {
	Node string `json:"node"`
}

// Subject is the node.
func (u Uncordon) Subject() Ref { return Ref{Kind: "Node", Name: u.Node} }

// Command is kubectl's own.
func (u Uncordon) Command() string { return command("kubectl", "uncordon", u.Node) }

// MarshalJSON adds the kind of change to its fields.
func (u Uncordon) MarshalJSON() ([]byte, error) {
	type fields Uncordon
	return marshalTagged("Uncordon", fields(u))
}

func (Uncordon) sealed() {}

// DrainNode cordons a node and evicts what runs there, but for DaemonSets' pods.
type DrainNode struct {
	Node string `json:"node"`
}

// Subject is the node.
func (d DrainNode) Subject() Ref { return Ref{Kind: "Node", Name: d.Node} }

// Command is kubectl's own.
func (d DrainNode) Command() string {
	return command("kubectl", "drain", d.Node, "--ignore-daemonsets", "--delete-emptydir-data")
}

// MarshalJSON adds the kind of change to its fields.
func (d DrainNode) MarshalJSON() ([]byte, error) {
	type fields DrainNode
	return marshalTagged("DrainNode", fields(d))
}

func (DrainNode) sealed() {}

// Taint puts a taint on a node.
type Taint struct {
	Node  string       `json:"node"`
	Taint corev1.Taint `json:"taint"`
}

// Subject is the node.
func (t Taint) Subject() Ref { return Ref{Kind: "Node", Name: t.Node} }

// Command is kubectl's own.
func (t Taint) Command() string {
	return command("kubectl", "taint", "nodes", t.Node, t.Taint.ToString())
}

// MarshalJSON adds the kind of change to its fields.
func (t Taint) MarshalJSON() ([]byte, error) {
	type fields Taint
	return marshalTagged("Taint", fields(t))
}

func (Taint) sealed() {}

// Untaint takes a taint off a node.
type Untaint struct {
	Node  string       `json:"node"`
	Taint corev1.Taint `json:"taint"`
}

// Subject is the node.
func (u Untaint) Subject() Ref { return Ref{Kind: "Node", Name: u.Node} }

// Command is kubectl's own.
func (u Untaint) Command() string {
	return command("kubectl", "taint", "nodes", u.Node, u.Taint.ToString()+"-")
}

// MarshalJSON adds the kind of change to its fields.
func (u Untaint) MarshalJSON() ([]byte, error) {
	type fields Untaint
	return marshalTagged("Untaint", fields(u))
}

func (Untaint) sealed() {}

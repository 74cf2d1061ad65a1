package change

import "encoding/json"

// Change is one thing that can be done to a cluster. The family is sealed: only this package adds to it.
type Change interface {
	// Subject is what the change is done to.
	Subject() Ref
	// Command is what a person would type to make the change. What they must fill in stands in angle brackets, as in
	// <cluster>. It is empty where no single command makes the change.
	Command() string
	sealed()
}

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
	return json.Marshal(struct {
		Kind string `json:"kind"`
		fields
	}{"Uncordon", fields(u)})
}

func (Uncordon) sealed() {}

package change

import "strings"

// LoseNode is a machine that dies without a word.
type LoseNode struct {
	Node string `json:"node"`
}

// Subject is the node.
func (l LoseNode) Subject() Ref { return Ref{Kind: "Node", Name: l.Node} }

// Command is none: nobody asks for it.
func (LoseNode) Command() string { return "" }

// MarshalJSON adds the kind of change to its fields.
func (l LoseNode) MarshalJSON() ([]byte, error) {
	type fields LoseNode
	return marshalTagged("LoseNode", fields(l))
}

func (LoseNode) sealed() {}

// LoseNodes is several machines that die at once.
type LoseNodes struct {
	Nodes []string `json:"nodes"`
}

// Subject is the nodes, their names separated by commas.
func (l LoseNodes) Subject() Ref { return Ref{Kind: "Node", Name: strings.Join(l.Nodes, ",")} }

// Command is none: nobody asks for it.
func (LoseNodes) Command() string { return "" }

// MarshalJSON adds the kind of change to its fields.
func (l LoseNodes) MarshalJSON() ([]byte, error) {
	type fields LoseNodes
	return marshalTagged("LoseNodes", fields(l))
}

func (LoseNodes) sealed() {}

// LoseZone is every machine of a zone that dies at once; nothing comes up there in their place.
type LoseZone struct {
	Zone string `json:"zone"`
}

// Subject is the zone.
func (l LoseZone) Subject() Ref { return Ref{Kind: "Zone", Name: l.Zone} }

// Command is none: nobody asks for it.
func (LoseZone) Command() string { return "" }

// MarshalJSON adds the kind of change to its fields.
func (l LoseZone) MarshalJSON() ([]byte, error) {
	type fields LoseZone
	return marshalTagged("LoseZone", fields(l))
}

func (LoseZone) sealed() {}

// LoseGroup is every machine of a node group that dies at once.
type LoseGroup struct {
	Group string `json:"group"`
}

// Subject is the node group.
func (l LoseGroup) Subject() Ref { return Ref{Kind: "Group", Name: l.Group} }

// Command is none: nobody asks for it.
func (LoseGroup) Command() string { return "" }

// MarshalJSON adds the kind of change to its fields.
func (l LoseGroup) MarshalJSON() ([]byte, error) {
	type fields LoseGroup
	return marshalTagged("LoseGroup", fields(l))
}

func (LoseGroup) sealed() {}

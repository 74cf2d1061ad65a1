package change

import "k8s.io/apimachinery/pkg/runtime"

// Apply creates objects, or merges manifests into them.
type Apply struct {
	// From is where the manifests were read, such as a file's name.
	From string `json:"from"`
	// ServerSide has the API server merge by the owners of fields; else kubectl merges.
	ServerSide bool `json:"serverSide,omitempty"`
	// ForceConflicts takes fields from their owners. Without ServerSide it means nothing.
	ForceConflicts bool `json:"forceConflicts,omitempty"`
	// DryRun has the API server say what it would store. It is asked before the change is played.
	DryRun bool `json:"serverDryRun,omitempty"`
	// Objects are what the manifests say, by their Go types where those are known.
	Objects []runtime.Object `json:"-"`
	// Written are the manifests of Objects, one for each, as they are merged; without one, its object replaces the one that is there.
	Written []map[string]any `json:"-"`
	// Stored says that Objects without a manifest are as the API server would store them.
	Stored bool `json:"-"`
}

// Subject is where the manifests were read.
func (a Apply) Subject() Ref { return Ref{Kind: "Manifests", Name: a.From} }

// Command is kubectl's own.
func (a Apply) Command() string {
	words := []string{"kubectl", "apply", "--filename", a.From}
	if a.ServerSide {
		words = append(words, "--server-side")
	}
	if a.ForceConflicts {
		words = append(words, "--force-conflicts")
	}
	return command(words...)
}

// Manifest is the one of the object with that index, nil if there is none.
func (a Apply) Manifest(i int) map[string]any {
	if i < len(a.Written) {
		return a.Written[i]
	}
	return nil
}

// MarshalJSON adds the kind of change to its fields.
func (a Apply) MarshalJSON() ([]byte, error) {
	type fields Apply
	return marshalTagged("Apply", fields(a))
}

func (Apply) sealed() {}

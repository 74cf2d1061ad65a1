package change

import "strings"

// Ref names one thing: an object of the Kubernetes API, or a node group or zone, which are none.
type Ref struct {
	// Kind is the API kind, such as "Pod", or "Group" or "Zone".
	Kind string `json:"kind"`
	// Namespace is empty for what has none.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// shortKinds are kubectl's short names for the kinds whose full name is a mouthful.
var shortKinds = map[string]string{
	"PersistentVolume":      "pv",
	"PersistentVolumeClaim": "pvc",
}

// String is the form a person types, kind/name, with kubectl's short names.
func (r Ref) String() string {
	kind, ok := shortKinds[r.Kind]
	if !ok {
		kind = strings.ToLower(r.Kind)
	}
	return kind + "/" + r.Name
}

// NamespacedRef is a Ref that reads with its namespace: namespace/kind/name.
type NamespacedRef Ref

// String is the name as a person reads it where things of several namespaces stand side by side.
func (r NamespacedRef) String() string {
	if r.Namespace == "" {
		return Ref(r).String()
	}
	return r.Namespace + "/" + Ref(r).String()
}

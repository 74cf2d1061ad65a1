package change

import "k8s.io/apimachinery/pkg/runtime"

// Apply creates or replaces objects as their manifests say.
type Apply struct {
	// From is where the manifests were read, such as a file's name.
	From string `json:"from"`
	// Objects are the manifests, with the API server's defaults filled in as far as they are known.
	Objects []runtime.Object `json:"-"`
}

// Subject is where the manifests were read.
func (a Apply) Subject() Ref { return Ref{Kind: "Manifests", Name: a.From} }

// Command is kubectl's own.
func (a Apply) Command() string { return command("kubectl", "apply", "--filename", a.From) }

// MarshalJSON adds the kind of change to its fields.
func (a Apply) MarshalJSON() ([]byte, error) {
	type fields Apply
	return tagged("Apply", fields(a))
}

func (Apply) sealed() {}

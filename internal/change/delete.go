package change

import (
	"encoding/json"
	"strings"
)

// Delete is the command that deletes an object.
func Delete(o Ref) string { return onObject("delete", o) }

// PatchJSON is the command that changes an object by a JSON patch, for lists whose entries a strategic merge patch cannot name.
func PatchJSON(o Ref, patch string) string {
	return onObject("patch", o, "--type", "json", "--patch", patch)
}

// Edit is an operation of a JSON patch (RFC 6902).
type Edit struct {
	// Op is "remove" or "replace".
	Op string
	// Path leads to the field, from the object down; its parts are not escaped.
	Path []string
	// Value is what a field is replaced by.
	Value any
}

// escapes are those of a JSON pointer (RFC 6901).
var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// MarshalJSON is the operation as a JSON patch has it.
func (e Edit) MarshalJSON() ([]byte, error) {
	var path strings.Builder
	for _, part := range e.Path {
		path.WriteString("/" + escapes.Replace(part))
	}
	return json.Marshal(struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value,omitempty"`
	}{e.Op, path.String(), e.Value})
}

// Recreate is the command that deletes an object and creates it again with edits, for what cannot be changed in place.
func Recreate(o Ref, edits ...Edit) string {
	patch, err := json.Marshal(edits)
	if err != nil {
		panic("change: a patch that is no JSON: " + err.Error()) // Only values of the API's own types are put in.
	}
	return onObject("patch", o, "--type", "json", "--patch", string(patch), "--dry-run=client", "--output", "json") +
		" | " + command("kubectl", "replace", "--force", "--filename", "-")
}

// onObject is a command of kubectl's about one object.
func onObject(verb string, o Ref, options ...string) string {
	words := []string{"kubectl", verb, strings.ToLower(o.Kind), o.Name}
	if o.Namespace != "" {
		words = append(words, "--namespace", o.Namespace)
	}
	return command(append(words, options...)...)
}

// SetRequest is the command that lets a container of a workload request a resource; how much is to be filled in.
func SetRequest(workload Ref, container, resource string) string {
	return command("kubectl", "set", "resources", workload.String(), "--namespace", workload.Namespace,
		"--containers", container, "--requests", resource+"="+placeholderFor("amount"))
}

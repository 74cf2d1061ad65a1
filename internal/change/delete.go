package change

import "strings"

// Delete is the command that deletes an object.
func Delete(o Ref) string { return onObject("delete", o) }

// PatchJSON is the command that changes an object by a JSON patch, for lists whose entries a strategic merge patch cannot name.
func PatchJSON(o Ref, patch string) string {
	return onObject("patch", o, "--type", "json", "--patch", patch)
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
		"--containers", container, "--requests", resource+"="+fill("amount"))
}

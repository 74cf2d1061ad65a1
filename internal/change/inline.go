package change

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// Inline is the command that applies objects without a file: they are part of it.
func Inline(objects ...runtime.Object) (string, error) {
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	if err != nil {
		return "", fmt.Errorf("encoding manifests: %w", err)
	}
	return command("echo", string(data)) + " | " + command("kubectl", "apply", "--filename", "-"), nil
}

// eviction is the command that evicts a pod: kubectl has none of its own, but posts what it is given. An eviction keeps
// to PodDisruptionBudgets, which a deletion does not.
func eviction(namespace, name string) string {
	body := fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":%q,"name":%q}}`, namespace, name)
	path := "/api/v1/namespaces/" + namespace + "/pods/" + name + "/eviction"
	return command("echo", body) + " | " + command("kubectl", "create", "--raw", path, "--filename", "-")
}

// SetCPU is the command that sets how much CPU a container of a workload asks for.
func SetCPU(workload Ref, container string, cpu resource.Quantity) string {
	return command("kubectl", "set", "resources", workload.String(), "--namespace", workload.Namespace,
		"--containers", container, "--requests", "cpu="+cpu.String())
}

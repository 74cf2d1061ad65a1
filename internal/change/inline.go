package change

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// Inline is the command that applies objects without a file: they are part of it.
func Inline(objects ...runtime.Object) (string, error) {
	items := make([]map[string]any, len(objects))
	for i, object := range objects {
		var err error
		if items[i], err = runtime.DefaultUnstructuredConverter.ToUnstructured(object); err != nil {
			return "", fmt.Errorf("encoding manifests: %w", err)
		}
		delete(items[i], "status")
	}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
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

// ResizeJob is the command that changes what the running pods of a Job ask for: its template cannot be changed, but pods
// can be resized in place (KEP-1287), from kubelet 1.33 on.
func ResizeJob(job Ref, containers map[string]corev1.ResourceRequirements) (string, error) {
	var resized []map[string]any
	for _, name := range slices.Sorted(maps.Keys(containers)) {
		resized = append(resized, map[string]any{"name": name, "resources": containers[name]})
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"containers": resized}})
	if err != nil {
		return "", fmt.Errorf("encoding the patch of %s: %w", job, err)
	}
	return command("kubectl", "get", "pods", "--namespace", job.Namespace, "--selector", "batch.kubernetes.io/job-name="+job.Name,
		"--field-selector", "status.phase=Running", "--output", "name") + " | " +
		command("xargs", "-I", "POD", "kubectl", "patch", "POD", "--namespace", job.Namespace, "--subresource", "resize", "--patch", string(patch)), nil
}

// SetCPU is the command that sets how much CPU a container of a workload asks for.
func SetCPU(workload Ref, container string, cpu resource.Quantity) string {
	return command("kubectl", "set", "resources", workload.String(), "--namespace", workload.Namespace,
		"--containers", container, "--requests", "cpu="+cpu.String())
}

// SetMemory is the command that sets the memory of a container of a workload.
func SetMemory(workload Ref, container string, to corev1.ResourceRequirements) string {
	words := []string{
		"kubectl", "set", "resources", strings.ToLower(workload.Kind) + "/" + workload.Name, "--namespace", workload.Namespace, "--containers", container,
		"--limits", "memory=" + to.Limits.Memory().String(),
	}
	if request, ok := to.Requests[corev1.ResourceMemory]; ok {
		words = append(words, "--requests", "memory="+request.String())
	}
	return command(words...)
}

// EndSleep is the command that ends a sleep that a preStop hook runs in a container.
func EndSleep(pod Ref, container string) string {
	return command("kubectl", "exec", pod.Name, "--namespace", pod.Namespace, "--container", container) + " -- " + command("sh", "-c", "kill $(pidof sleep)")
}

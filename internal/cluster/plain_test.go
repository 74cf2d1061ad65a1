package cluster_test

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func rawExtension(data []byte) runtime.RawExtension { return runtime.RawExtension{Raw: data} }

// plain are objects as JSON has them, without what a Snapshot drops and without the type, which not every source says.
func plain(t *testing.T, objects []metav1.Object) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, o := range objects {
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		one := map[string]any{}
		if err := json.Unmarshal(data, &one); err != nil {
			t.Fatal(err)
		}
		delete(one, "kind")
		delete(one, "apiVersion")
		drop(one)
		all = append(all, one)
	}
	return all
}

func drop(value any) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "managedFields")
		if annotations, ok := value["annotations"].(map[string]any); ok {
			delete(annotations, corev1.LastAppliedConfigAnnotation)
		}
		for key, field := range value {
			if env, ok := field.([]any); ok && key == "env" {
				for _, variable := range env {
					delete(variable.(map[string]any), "value")
				}
			}
			if text, ok := field.(string); ok && strings.HasSuffix(text, "000Z") && key == "renewTime" {
				value[key] = strings.TrimSuffix(text, "000Z")
			}
			drop(field)
		}
	case []any:
		for _, item := range value {
			drop(item)
		}
	}
}

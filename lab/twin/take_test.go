package twin_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/api/snapshot"
)

// kinds are those that `naosu snapshot` reads, without the ones of devices.
var kinds = []schema.GroupVersionResource{
	{Version: "v1", Resource: "nodes"}, {Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "namespaces"},
	{Version: "v1", Resource: "events"}, {Version: "v1", Resource: "services"}, {Version: "v1", Resource: "replicationcontrollers"},
	{Version: "v1", Resource: "persistentvolumes"}, {Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "resourcequotas"}, {Version: "v1", Resource: "limitranges"},
	{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "replicasets"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"}, {Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"}, {Group: "batch", Version: "v1", Resource: "cronjobs"},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}, {Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes"}, {Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers"},
}

// take writes a snapshot of a live cluster as `naosu snapshot` does, without the values of environment variables, and
// without one Job.
func take(t *testing.T, config *rest.Config, job string) []byte {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	var objects []unstructured.Unstructured
	for _, kind := range kinds {
		list, err := client.Resource(kind).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, list.Items...)
	}
	objects = slices.DeleteFunc(objects, func(o unstructured.Unstructured) bool { return o.GetKind() == "Job" && o.GetName() == job })
	for i := range objects {
		objects[i].SetManagedFields(nil)
		unstructured.RemoveNestedField(objects[i].Object, "metadata", "annotations", "lab.naosu.dev/ready-after") // what ails a real pod, nobody knows
		strip(objects[i].Object)
		if objects[i].GetKind() == "CronJob" { // a run was missed since
			long := time.Now().Add(-2 * 365 * 24 * time.Hour).UTC().Format(time.RFC3339)
			_ = unstructured.SetNestedField(objects[i].Object, long, "status", "lastScheduleTime")
		}
	}
	return file(t, snapshot.Header{Taken: time.Now(), Server: "v1.36.3"}, objects...)
}

// strip takes away the values of environment variables, wherever containers are.
func strip(value any) {
	switch value := value.(type) {
	case map[string]any:
		if env, is := value["env"].([]any); is {
			for _, one := range env {
				delete(one.(map[string]any), "value")
			}
		}
		for _, inner := range value {
			strip(inner)
		}
	case []any:
		for _, inner := range value {
			strip(inner)
		}
	}
}

// file writes objects into a snapshot file: as protobuf, or as JSON where Go knows no type for them.
func file(t *testing.T, header snapshot.Header, objects ...unstructured.Unstructured) []byte {
	t.Helper()
	var written bytes.Buffer
	w, err := snapshot.NewWriter(&written, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := w.Write(record(t, o)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return written.Bytes()
}

func record(t *testing.T, o unstructured.Unstructured) snapshot.Record {
	t.Helper()
	r := snapshot.Record{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Encoding: snapshot.Protobuf}
	typed, err := scheme.Scheme.New(o.GroupVersionKind())
	if runtime.IsNotRegisteredError(err) {
		r.Encoding = snapshot.JSON
		if r.Data, err = json.Marshal(o.Object); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, typed)
	}
	if err == nil {
		r.Data, err = typed.(interface{ Marshal() ([]byte, error) }).Marshal()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

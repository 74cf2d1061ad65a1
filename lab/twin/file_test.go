package twin_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/api/snapshot"
)

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

package scenario

import (
	"cmp"
	"encoding/json"
	"reflect"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/lab/scenario/strictyaml"
)

// Object is a Kubernetes object, written as for kubectl apply. Kinds that Kubernetes has are checked field by field; those
// of custom resources cannot be.
type Object struct {
	unstructured.Unstructured
	path string
}

// UnmarshalStrict reads the object twice: as its Go type, to check it, and as plain data, to apply just what was given.
func (o *Object) UnmarshalStrict(d *strictyaml.Document, n *yaml.Node, path string) {
	content, ok := d.Any(n, path).(map[string]any)
	if !ok {
		d.Fail(n, path, "must be a Kubernetes object, with apiVersion, kind and metadata")
		return
	}
	o.Object, o.path = content, path
	for _, field := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
		if text, _, err := unstructured.NestedString(content, field...); err != nil || text == "" {
			at := path
			for _, f := range field {
				at = strictyaml.Join(at, f)
			}
			d.Fail(n, at, "is missing; add it")
			return
		}
	}
	o.check(d, n, path)
}

func (o *Object) check(d *strictyaml.Document, n *yaml.Node, path string) {
	gvk := o.GroupVersionKind()
	typed, err := scheme.Scheme.New(gvk)
	switch {
	case err == nil:
		d.Value(n, reflect.ValueOf(typed).Elem(), path)
	case scheme.Scheme.IsGroupRegistered(gvk.Group):
		d.Fail(n, strictyaml.Join(path, "kind"), "Kubernetes has no %s in %s; check apiVersion and kind", gvk.Kind, gvk.GroupVersion())
	}
}

// key identifies the object within a list of manifests.
func (o *Object) key() string {
	namespace := cmp.Or(o.GetNamespace(), metav1.NamespaceDefault)
	return o.GroupVersionKind().GroupKind().String() + " " + namespace + "/" + o.GetName()
}

// Fragment is a part of an object, as a patch has it.
type Fragment map[string]any

// UnmarshalStrict reads any mapping.
func (f *Fragment) UnmarshalStrict(d *strictyaml.Document, n *yaml.Node, path string) {
	content, ok := d.Any(n, path).(map[string]any)
	if !ok {
		d.Fail(n, path, "must be a mapping of the fields to change")
	}
	*f = content
}

// FlagValue is a flag's value; numbers and truth values need no quotes.
type FlagValue string

// UnmarshalStrict takes any scalar as it is written.
func (v *FlagValue) UnmarshalStrict(d *strictyaml.Document, n *yaml.Node, path string) {
	switch value := d.Any(n, path).(type) {
	case string:
		*v = FlagValue(value)
	case bool, int64, float64:
		data, _ := json.Marshal(value)
		*v = FlagValue(data)
	default:
		d.Fail(n, path, "must be one value, such as 40s")
	}
}

// String is the value as on a command line.
func (v FlagValue) String() string { return string(v) }

package anonymous_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// TestNoStringIsLeft puts a word of its own into every string of every kind: none may be left, wherever it stands, but in
// what the API lets be one of a few words only.
func TestNoStringIsLeft(t *testing.T) {
	for _, kind := range cluster.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			f := &filler{words: map[string]string{}}
			object := kind.Empty()
			f.fill(reflect.ValueOf(object).Elem(), "", 0)
			if len(f.words) < 10 {
				t.Fatalf("only %d words were put in", len(f.words))
			}
			leaks(t, f.words, object)
		})
	}
}

// leaks anonymizes objects, and reports the words that a file of them still holds.
func leaks(t *testing.T, words map[string]string, objects ...runtime.Object) {
	t.Helper()
	world, err := cluster.New(cluster.Contents{Objects: objects}).Anonymize()
	if err != nil {
		t.Fatal(err)
	}
	plain := bytes.ToLower(unpacked(t, world))
	for word, where := range words {
		if at := bytes.Index(plain, []byte(strings.ToLower(word))); at >= 0 {
			t.Errorf("%s: %q is left: %q", where, word, plain[max(0, at-60):min(len(plain), at+60)])
		}
	}
}

// unpacked are the objects of the Snapshot's file.
func unpacked(t *testing.T, world *cluster.Snapshot) []byte {
	t.Helper()
	var file, plain bytes.Buffer
	if err := world.Write(&file); err != nil {
		t.Fatal(err)
	}
	reader, err := snapshot.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	if !reader.Header().Anonymized {
		t.Error("the file does not say that it is anonymous")
	}
	n := 0
	for r, err := reader.Next(); err == nil; r, err = reader.Next() {
		plain.Write(r.Data)
		n++
	}
	if n == 0 {
		t.Fatal("the file holds no object")
	}
	return plain.Bytes()
}

// filler puts words into objects.
type filler struct{ words map[string]string }

// word is one that no anonymizer makes up: those have no q.
func (f *filler) word(where string) string {
	word := "zq"
	for n := len(f.words) + 26*26*26; n > 0; n /= 26 {
		word += string(rune('a' + n%26))
	}
	f.words[word] = where
	return word
}

// few are the fields of one of a few words, or of none but Kubernetes' own.
var few = []string{
	"ResourceVersion", "Schedule", "TimeZone", "KubeletVersion", "KubeProxyVersion", "ContainerRuntimeVersion", "OperatingSystem", "Architecture",
}

var freeTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[corev1.PodConditionType](), reflect.TypeFor[corev1.NodeConditionType](),
	reflect.TypeFor[corev1.FinalizerName](), reflect.TypeFor[corev1.UniqueVolumeName](), reflect.TypeFor[resourcev1.QualifiedName](),
}

func (f *filler) fill(v reflect.Value, where string, depth int) {
	const deepest = 14
	if depth > deepest || !v.CanSet() {
		return
	}
	switch v.Interface().(type) {
	case resource.Quantity, metav1.Time, metav1.MicroTime, metav1.FieldsV1, runtime.RawExtension:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), where, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !slices.Contains(few, name) {
				f.fill(v.Field(i), where+"."+name, depth+1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(f.word(where)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), where, depth+1)
	case reflect.Map:
		f.fillMap(v, where, depth)
	case reflect.String:
		if slices.Contains(freeTypes, v.Type()) {
			v.SetString(f.word(where))
		}
	}
}

// fillMap has keys with and without a domain.
func (f *filler) fillMap(v reflect.Value, where string, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	for _, form := range []string{"%s", "%s.com/x", "kubernetes.io/x", "node-role.kubernetes.io/%s", "x.%s.node-restriction.kubernetes.io/x", "topology.kubernetes.io/zone"} {
		name := form
		if strings.Contains(form, "%s") {
			name = fmt.Sprintf(form, f.word(where+" key"))
		}
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if v.Type().Key() == reflect.TypeFor[corev1.ResourceName]() {
			name = "zqq.com/x" // Without a domain there are Kubernetes' own only.
			f.words["zqq"] = where
		}
		key.SetString(name)
		f.fill(value, where+" value", depth+1)
		v.SetMapIndex(key, value)
	}
}

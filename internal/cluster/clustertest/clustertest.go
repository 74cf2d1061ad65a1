// Package clustertest gives tests a cluster to read: objects from files as kubectl writes them, and an API that serves
// them over HTTP.
package clustertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// Load reads the objects of a file as `kubectl get -o yaml` writes a list.
func Load(t testing.TB, path string) []runtime.Object {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list corev1.List
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var objects []runtime.Object
	for _, item := range list.Items {
		object, err := decode(item.Raw)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		objects = append(objects, object)
	}
	return objects
}

// decode is strict only about kinds that are built into Kubernetes: of others, naosu's types have a part of the fields.
func decode(data []byte) (runtime.Object, error) {
	var said metav1.TypeMeta
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, err
	}
	if scheme.Scheme.Recognizes(said.GroupVersionKind()) || !slices.Contains(slices.Concat(cluster.Kinds(), cluster.NetworkKinds()), cluster.Kind(said.Kind)) {
		return runtime.Decode(scheme.Codecs.UniversalDeserializer(), data)
	}
	object := cluster.Kind(said.Kind).Empty()
	return object, json.Unmarshal(data, object)
}

// Version is the API server's version.
const Version = "v1.35.2"

// API is an API server that serves objects read-only. Its fields may be set before the first request.
type API struct {
	Objects []runtime.Object
	// Answers are errors that are served instead of a resource's objects or of a group's discovery, by resource such as "nodes" or by the
	// path of an API group such as "/apis/apps".
	Answers map[string]*apierrors.StatusError
	// Everywhere is the same for requests of all namespaces.
	Everywhere map[string]*apierrors.StatusError
	// PageSize is how many items a page holds at most; zero is all of them.
	PageSize int
}

// Serve starts the API and returns its address. It ends with the test.
func (a *API) Serve(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return server.URL
}

// ServeHTTP answers a get or a list.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource, namespace, name := parsePath(r.URL.Path)
	if r.URL.Path == "/version" {
		reply(w, http.StatusOK, version.Info{GitVersion: Version})
		return
	}
	answer := a.Answers[resource]
	if group, ok := strings.CutPrefix(r.URL.Path, "/apis/"); ok && !strings.Contains(group, "/") {
		if answer = a.Answers[r.URL.Path]; answer == nil {
			reply(w, http.StatusOK, metav1.APIGroup{Name: group})
			return
		}
	}
	if answer == nil && namespace == "" {
		answer = a.Everywhere[resource]
	}
	if answer != nil {
		refuse(w, answer)
		return
	}
	kind := a.kindOf(resource)
	items := a.items(kind, namespace)
	if name == "" && kind != "" {
		a.list(w, r, metav1.TypeMeta{Kind: kind + "List", APIVersion: versionIn(r.URL.Path)}, items)
		return
	}
	for _, item := range items {
		if item.(metav1.Object).GetName() == name {
			reply(w, http.StatusOK, item)
			return
		}
	}
	refuse(w, apierrors.NewNotFound(schema.GroupResource{Resource: resource}, name))
}

func (a *API) list(w http.ResponseWriter, r *http.Request, kind metav1.TypeMeta, items []runtime.Object) {
	asked := r.URL.Query()
	if asked.Get("continue") != "" && asked.Get("resourceVersionMatch") != "" {
		refuse(w, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)) // As the API server does.
		return
	}
	from, _ := strconv.Atoi(asked.Get("continue")) // The first page continues nothing.
	list := corev1.List{TypeMeta: kind}
	list.ResourceVersion = "1"
	to := len(items)
	if a.PageSize > 0 && from+a.PageSize < to {
		to = from + a.PageSize
		list.Continue = strconv.Itoa(to)
		list.RemainingItemCount = new(int64(len(items) - to))
	}
	for _, item := range items[from:to] {
		list.Items = append(list.Items, runtime.RawExtension{Object: item})
	}
	reply(w, http.StatusOK, list)
}

// kindOf is a resource's kind: one that a Snapshot holds, or that there are objects of; empty for others, which are not served.
func (a *API) kindOf(resource string) string {
	if kind, held := kinds[resource]; held {
		return string(kind)
	}
	for _, object := range a.Objects {
		if kind := object.GetObjectKind().GroupVersionKind().Kind; resourceOf(kind) == resource {
			return kind
		}
	}
	return ""
}

// kinds are those a Snapshot holds, by resource.
var kinds = func() map[string]cluster.Kind {
	kinds := map[string]cluster.Kind{}
	for _, kind := range cluster.Kinds() {
		kinds[resourceOf(string(kind))] = kind
	}
	return kinds
}()

func resourceOf(kind string) string {
	resource, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
	return resource.Resource
}

// items are a kind's, of every namespace if none is named.
func (a *API) items(kind, namespace string) []runtime.Object {
	var items []runtime.Object
	for _, object := range a.Objects {
		if object.GetObjectKind().GroupVersionKind().Kind == kind && (namespace == "" || object.(metav1.Object).GetNamespace() == namespace) {
			items = append(items, object)
		}
	}
	return items
}

// parsePath reads /api/v1/[namespaces/NS/]RESOURCE[/NAME] and its like below /apis/GROUP.
func parsePath(path string) (resource, namespace, name string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	parts = parts[min(len(parts), map[string]int{"api": 2, "apis": 3}[parts[0]]):]
	if len(parts) == 0 { // which kinds there are
		return "", "", ""
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	resource = parts[0]
	if len(parts) > 1 {
		name = parts[1]
	}
	return resource, namespace, name
}

// versionIn is the group and version of a path.
func versionIn(path string) string {
	parts := strings.Split(path, "/")
	if parts[1] == "api" {
		return parts[2]
	}
	return parts[2] + "/" + parts[3]
}

func refuse(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.ErrStatus
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	reply(w, int(status.Code), status)
}

func reply(w http.ResponseWriter, code int, answer any) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer) // The client has closed the connection.
}

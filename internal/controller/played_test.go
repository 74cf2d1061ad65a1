package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
)

// served is a resource of the played API server.
type served struct {
	list    []byte // in protobuf
	watches []chan []byte
}

// played is an API server as far as a controller at rest needs one: what is read it sends as the real one does, in
// protobuf, and every ten seconds each node's lease and every five minutes each node anew, as kubelets have it. It holds
// nothing that is written but naosu's own objects and lease.
type played struct {
	requests, events, lost, reviews atomic.Int64

	mu        sync.Mutex
	resources map[string]*served // by path
	pods      map[string]runtime.Object
	kept      map[string]map[string]any
	told      map[string][]chan []byte // who watches naosu's own, by path
	version   int
}

const protobuf = runtime.ContentTypeProtobuf

// serve begins to answer. It beats until the benchmark ends.
func serve(b *testing.B, objects []runtime.Object, own ...runtime.Object) (*played, string) {
	b.Helper()
	p := &played{
		resources: map[string]*served{}, pods: map[string]runtime.Object{}, kept: map[string]map[string]any{}, told: map[string][]chan []byte{}, version: 1,
	}
	byPath := map[string][]runtime.Object{}
	var nodes []*corev1.Node
	for _, o := range objects {
		byPath[pathOf(o.GetObjectKind().GroupVersionKind())] = append(byPath[pathOf(o.GetObjectKind().GroupVersionKind())], o)
		if node, ok := o.(*corev1.Node); ok {
			nodes = append(nodes, node)
			byPath[leases] = append(byPath[leases], lease(node))
		}
		if pod, ok := o.(*corev1.Pod); ok { // which a forecast reads by namespace and by name
			path := "/api/v1/namespaces/" + pod.Namespace + "/pods"
			byPath[path] = append(byPath[path], o)
			p.pods[path+"/"+pod.Name] = o
		}
	}
	for path, all := range byPath {
		p.resources[path] = &served{list: list(b, all)}
	}
	for _, o := range own {
		p.give(b, o)
	}
	server := httptest.NewServer(p)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(func() {
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	go p.beat(ctx, nodes)
	return p, server.URL
}

// give makes an object of naosu's own, and tells who watches. It returns its path.
func (p *played) give(b *testing.B, o runtime.Object) string {
	b.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		b.Fatal(err)
	}
	event, err := json.Marshal(map[string]any{"type": "ADDED", "object": fields})
	if err != nil {
		b.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	path := pathOf(o.GetObjectKind().GroupVersionKind())
	for _, one := range p.told[path] {
		one <- event
	}
	path += "/" + o.(metav1.Object).GetName()
	p.kept[path] = fields
	return path
}

// hear tells of naosu's own objects that are made.
func (p *played) hear(w http.ResponseWriter, r *http.Request) {
	events := make(chan []byte, 100)
	p.mu.Lock()
	p.told[r.URL.Path] = append(p.told[r.URL.Path], events)
	p.mu.Unlock()
	stream(w, r, runtime.ContentTypeJSON, events)
}

// stream is a watch: events as they come, until the client has enough.
func stream(w http.ResponseWriter, r *http.Request, contentType string, events <-chan []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case event := <-events:
			_, _ = w.Write(event)
			w.(http.Flusher).Flush()
		}
	}
}

const leases = "/apis/coordination.k8s.io/v1/leases"

func lease(node *corev1.Node) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		TypeMeta:   metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: node.Name, UID: node.UID},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &node.Name, LeaseDurationSeconds: new(int32(40)), RenewTime: new(metav1.NowMicro())},
	}
}

func pathOf(kind schema.GroupVersionKind) string {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	if kind.Group == "" {
		return "/api/v1/" + resource.Resource
	}
	return "/apis/" + kind.Group + "/" + kind.Version + "/" + resource.Resource
}

// list is a list of objects as the real API server sends it.
func list(b *testing.B, objects []runtime.Object) []byte {
	b.Helper()
	kind := objects[0].GetObjectKind().GroupVersionKind()
	all, err := kubescheme.Scheme.New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err != nil {
		b.Fatal(err)
	}
	if err := meta.SetList(all, objects); err != nil {
		b.Fatal(err)
	}
	all.(metav1.ListInterface).SetResourceVersion("1")
	data, err := runtime.Encode(encoder(kind.GroupVersion()), all)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// cache is how many MiB of heap the cluster's objects take up in an informer's cache that keeps them whole.
func (p *played) cache(b *testing.B) float64 {
	b.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var before, after goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&before)
	var all []runtime.Object
	for path, one := range p.resources {
		if len(one.list) == 0 || strings.Contains(path, "/namespaces/") { // the pods of one namespace once more
			continue
		}
		objects, err := runtime.Decode(kubescheme.Codecs.UniversalDeserializer(), one.list)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, objects)
	}
	goruntime.GC()
	goruntime.ReadMemStats(&after)
	goruntime.KeepAlive(all)
	return float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20)
}

func protobufs() runtime.SerializerInfo {
	info, _ := runtime.SerializerInfoForMediaType(kubescheme.Codecs.SupportedMediaTypes(), protobuf)
	return info
}

func encoder(version schema.GroupVersion) runtime.Encoder {
	return kubescheme.Codecs.EncoderForVersion(protobufs().Serializer, version)
}

// beat has kubelets speak.
func (p *played) beat(ctx context.Context, nodes []*corev1.Node) {
	const tick, renewed, reported = 100 * time.Millisecond, 10 * time.Second, 5 * time.Minute
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	lease0, node0 := 0.0, 0.0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		next := lease0 + float64(len(nodes))*float64(tick)/float64(renewed)
		for i := int(lease0); i < int(next); i++ {
			p.tell(leases, lease(nodes[i%len(nodes)]))
		}
		lease0 = next
		next = node0 + float64(len(nodes))*float64(tick)/float64(reported)
		for i := int(node0); i < int(next); i++ {
			node := nodes[i%len(nodes)].DeepCopy()
			for c := range node.Status.Conditions {
				node.Status.Conditions[c].LastHeartbeatTime = metav1.Now()
			}
			p.tell("/api/v1/nodes", node)
		}
		node0 = next
	}
}

// tell sends that an object has changed to who watches.
func (p *played) tell(path string, o runtime.Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version++
	o.(metav1.Object).SetResourceVersion(fmt.Sprint(p.version))
	frame := frameOf(o)
	for _, watch := range p.resources[path].watches {
		select {
		case watch <- frame:
			p.events.Add(1)
		default: // The reader does not keep up.
			p.lost.Add(1)
		}
	}
}

// frameOf is one event of a watch, framed as the real API server does.
func frameOf(o runtime.Object) []byte {
	data, err := runtime.Encode(encoder(o.GetObjectKind().GroupVersionKind().GroupVersion()), o)
	if err != nil {
		panic(err)
	}
	var frame strings.Builder
	stream := protobufs().StreamSerializer
	event := &metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: data}}
	if err := stream.Encode(event, stream.NewFrameWriter(&frame)); err != nil {
		panic(err)
	}
	return []byte(frame.String())
}

// ServeHTTP answers, and counts what it is asked.
func (p *played) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	watches := r.URL.Query().Get("watch") != ""
	switch own := strings.Contains(r.URL.Path, "/naosu") || r.Method != http.MethodGet; {
	case r.URL.Query().Get("sendInitialEvents") != "":
		refuse(w, apierrors.NewInvalid(schema.GroupKind{}, "", nil)) // It lists first, as older servers have it.
	case r.URL.Path == "/readyz":
		_, _ = io.WriteString(w, "ok")
	case r.URL.Path == "/version":
		reply(w, version.Info{GitVersion: "v1.36.3"})
	case discovers(w, r.URL.Path):
	case reviewed(w, r.URL.Path):
		p.reviews.Add(1)
	case watches && own:
		p.hear(w, r)
	case own:
		p.keep(w, r)
	case watches:
		p.watch(w, r)
	default:
		p.list(w, r)
	}
}

func (p *played) list(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	one, pod := p.resources[r.URL.Path], p.pods[r.URL.Path]
	p.mu.Unlock()
	if one == nil && pod == nil {
		p.none(w, r)
		return
	}
	w.Header().Set("Content-Type", protobuf)
	if pod != nil {
		_ = encoder(corev1.SchemeGroupVersion).Encode(pod, w)
		return
	}
	_, _ = w.Write(one.list)
}

// none is a resource of which there is nothing.
func (p *played) none(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	group := ""
	if parts[0] == "apis" {
		group = parts[1]
	}
	for kind := range kubescheme.Scheme.AllKnownTypes() {
		if kind.Group == group && pathOf(kind) == r.URL.Path {
			p.mu.Lock()
			p.resources[r.URL.Path] = &served{}
			p.mu.Unlock()
			reply(w, map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind + "List", "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{}})
			return
		}
	}
	refuse(w, apierrors.NewNotFound(schema.GroupResource{Resource: parts[len(parts)-1]}, ""))
}

func (p *played) watch(w http.ResponseWriter, r *http.Request) {
	events := make(chan []byte, 10_000)
	p.mu.Lock()
	one := p.resources[r.URL.Path]
	if one == nil {
		one = &served{}
		p.resources[r.URL.Path] = one
	}
	one.watches = append(one.watches, events)
	p.mu.Unlock()
	stream(w, r, protobuf+";stream=watch", events)
}

// keep holds naosu's own objects as JSON.
func (p *played) keep(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	path := strings.TrimSuffix(r.URL.Path, "/status")
	body := bodyOf(r)
	switch r.Method {
	case http.MethodGet:
		p.read(w, path)
		return
	case http.MethodPost:
		if name, ok, err := unstructured.NestedString(body, "metadata", "name"); ok && err == nil {
			path += "/" + name
		}
	case http.MethodPatch:
		body = merged(p.kept[path], body).(map[string]any)
	}
	p.version++
	if m, ok := body["metadata"].(map[string]any); ok {
		m["resourceVersion"] = fmt.Sprint(p.version)
	}
	p.kept[path] = body
	reply(w, body)
}

// bodyOf is what is written: an object in protobuf or JSON, or a patch.
func bodyOf(r *http.Request) map[string]any {
	data, err := io.ReadAll(r.Body)
	if err != nil || len(data) == 0 {
		return nil
	}
	fields := map[string]any{}
	if json.Unmarshal(data, &fields) == nil {
		return fields
	}
	o, kind, err := kubescheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		panic(err)
	}
	if fields, err = runtime.DefaultUnstructuredConverter.ToUnstructured(o); err != nil {
		panic(err)
	}
	fields["apiVersion"], fields["kind"] = kind.GroupVersion().String(), kind.Kind
	return fields
}

func (p *played) read(w http.ResponseWriter, path string) {
	if one, ok := p.kept[path]; ok {
		reply(w, one)
		return
	}
	kind, ok := map[string]string{"addresspolicies": "AddressPolicyList", "failoverpolicies": "FailoverPolicyList", "headroompolicies": "HeadroomPolicyList", "noderepairpolicies": "NodeRepairPolicyList", "rebalancepolicies": "RebalancePolicyList", "remediations": "RemediationList"}[path[strings.LastIndex(path, "/")+1:]]
	if !ok {
		refuse(w, apierrors.NewNotFound(schema.GroupResource{}, path))
		return
	}
	items := []any{}
	for of, one := range p.kept {
		if strings.HasPrefix(of, path+"/") {
			items = append(items, one)
		}
	}
	reply(w, map[string]any{"apiVersion": "naosu.dev/v1alpha1", "kind": kind, "metadata": map[string]any{"resourceVersion": "1"}, "items": items})
}

// merged is JSON merge patch.
func merged(was, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	is := map[string]any{}
	if before, ok := was.(map[string]any); ok {
		maps.Copy(is, before)
	}
	for key, value := range changes {
		if value == nil {
			delete(is, key)
		} else {
			is[key] = merged(is[key], value)
		}
	}
	return is
}

// reviewed answers who somebody is, and that they may.
func reviewed(w http.ResponseWriter, path string) bool {
	switch path {
	case "/apis/authentication.k8s.io/v1/tokenreviews":
		reply(w, authenticationv1.TokenReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenReview"},
			Status:   authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: "somebody"}},
		})
	case "/apis/authorization.k8s.io/v1/subjectaccessreviews":
		reply(w, authorizationv1.SubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview"},
			Status:   authorizationv1.SubjectAccessReviewStatus{Allowed: true},
		})
	default:
		return false
	}
	return true
}

// discovers answers what there is.
func discovers(w http.ResponseWriter, path string) bool {
	resource := func(plural, kind string, namespaced bool) metav1.APIResource {
		return metav1.APIResource{Name: plural, Kind: kind, Namespaced: namespaced, Verbs: metav1.Verbs{"get", "list", "watch"}}
	}
	group := func(name, version string) metav1.APIGroup {
		served := metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + version, Version: version}
		return metav1.APIGroup{Name: name, Versions: []metav1.GroupVersionForDiscovery{served}, PreferredVersion: served}
	}
	switch path {
	case "/api":
		reply(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case "/apis":
		reply(w, metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{
			group("naosu.dev", "v1alpha1"), group("coordination.k8s.io", "v1"),
		}})
	case "/apis/coordination.k8s.io/v1":
		reply(w, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "coordination.k8s.io/v1", APIResources: []metav1.APIResource{
			resource("leases", "Lease", true),
		}})
	case "/api/v1":
		reply(w, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1", APIResources: []metav1.APIResource{
			resource("nodes", "Node", false), resource("pods", "Pod", true), resource("configmaps", "ConfigMap", true),
		}})
	case "/apis/naosu.dev/v1alpha1":
		reply(w, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "naosu.dev/v1alpha1", APIResources: []metav1.APIResource{
			resource("addresspolicies", "AddressPolicy", false), resource("failoverpolicies", "FailoverPolicy", false), resource("noderepairpolicies", "NodeRepairPolicy", false),
			resource("headroompolicies", "HeadroomPolicy", false), resource("rebalancepolicies", "RebalancePolicy", false), resource("remediations", "Remediation", false),
		}})
	default:
		return false
	}
	return true
}

func refuse(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.ErrStatus
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	w.WriteHeader(int(status.Code))
	_ = json.NewEncoder(w).Encode(status)
}

func reply(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	_ = json.NewEncoder(w).Encode(answer)
}

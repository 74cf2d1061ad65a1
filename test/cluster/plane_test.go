package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func TestMain(m *testing.M) { testbed.Main(m, controlplane.Options{}) }

// recorder notes what is asked for.
type recorder struct {
	http.RoundTripper
	mu    sync.Mutex
	asked []*http.Request
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.asked = append(r.asked, request)
	r.mu.Unlock()
	return r.RoundTripper.RoundTrip(request)
}

// requests are those whose path ends so.
func (r *recorder) requests(end string) []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.asked), func(q *http.Request) bool { return !strings.HasSuffix(q.URL.Path, end) })
}

// connect is a recorded client of a user; "" is one who may do everything.
func connect(t *testing.T, env *testbed.Environment, user string) (*kubernetes.Clientset, *recorder) {
	t.Helper()
	config, recorded := rest.CopyConfig(env.AdminConfig()), &recorder{}
	config.Impersonate.UserName = user
	config.QPS = -1
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		recorded.RoundTripper = next
		return recorded
	})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client, recorded
}

// populate makes pods, an autoscaler with its parameters, and what must not be read.
func populate(t *testing.T, env *testbed.Environment, pods int) {
	t.Helper()
	core := env.Client.CoreV1()
	try := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	container := corev1.Container{Name: "c", Image: "cpvpa", Env: []corev1.EnvVar{{Name: "TOKEN", Value: "hush"}}}
	for i := range pods {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%04d", i)}, Spec: corev1.PodSpec{Containers: []corev1.Container{container}}}
		try(core.Pods(env.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}))
	}
	for _, name := range []string{"steps", "other"} {
		try(core.ConfigMaps(env.Namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
	}
	try(core.Secrets(env.Namespace).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"a": "hush"}}, metav1.CreateOptions{}))
	labels := map[string]string{"a": "b"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "autoscaler"}, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			Containers: []corev1.Container{container},
			Volumes:    []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "steps"}}}}},
		}},
	}}
	try(env.Client.AppsV1().Deployments(env.Namespace).Create(t.Context(), d, metav1.CreateOptions{}))
}

// TestReadAsOfOneMoment reads more than one page of pods from a real API server: every list but that of Events is of one
// resource version.
func TestReadAsOfOneMoment(t *testing.T) {
	env := testbed.Shared(t)
	const pods = 1010 // three pages
	populate(t, env, pods)
	client, recorded := connect(t, env, "")
	var last cluster.Progress
	world, err := cluster.Read(t.Context(), client, cluster.ReadOptions{Clock: clock.RealClock{}, Progress: func(p cluster.Progress) { last = p }})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(of(env, world.Pods())); got != pods || last.Done < pods || last.Done != last.Total {
		t.Errorf("%d pods, want %d; progress at the end %+v", got, pods, last)
	}
	for _, kind := range cluster.Kinds() {
		want := cluster.Complete
		if kind == cluster.ConfigMap {
			want = cluster.Partial
		}
		if known := world.Knowledge(kind); known != want {
			t.Errorf("%s is known as %s, want %s", kind, known, want)
		}
	}
	if pages := recorded.requests("/pods"); len(pages) < 3 {
		t.Errorf("%d requests for pods: they are not read in pages", len(pages))
	}
	moments := map[string]bool{}
	for _, q := range recorded.requests("") {
		query := q.URL.Query()
		if at := query.Get("resourceVersion"); query.Get("resourceVersionMatch") == "Exact" {
			moments[at] = true
		}
		if strings.Contains(q.URL.Path, "secrets") || strings.HasSuffix(q.URL.Path, "/configmaps") || strings.HasSuffix(q.URL.Path, "/configmaps/other") || q.Method != http.MethodGet {
			t.Errorf("it asks for %s %s", q.Method, q.URL)
		}
	}
	if len(moments) != 1 {
		t.Errorf("read as of %v, want one moment", moments)
	}
	if maps := of(env, world.ConfigMaps()); len(maps) != 1 || maps[0].Name != "steps" {
		t.Errorf("ConfigMaps %v, want the autoscaler's", maps)
	}
}

// of are the objects of a test's namespace.
func of[T metav1.Object](env *testbed.Environment, all []T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(o T) bool { return o.GetNamespace() != env.Namespace })
}

// TestReadWithLittlePermission reads as a user who may list nodes, and the pods of one namespace.
func TestReadWithLittlePermission(t *testing.T) {
	env := testbed.Shared(t)
	populate(t, env, 3)
	const user = "somebody"
	allow(t, env, user)
	client, _ := connect(t, env, user)
	var world *cluster.Snapshot
	eventually(t, func(ctx context.Context) (string, error) { // The authorizer hears of roles by a watch.
		var err error
		world, err = cluster.Read(ctx, client, cluster.ReadOptions{Clock: clock.RealClock{}, Namespace: env.Namespace})
		if err != nil {
			return "", err
		}
		return cmp.Diff(map[cluster.Kind]cluster.Knowledge{
			cluster.Node: cluster.Complete, cluster.Pod: cluster.Partial, cluster.Deployment: cluster.Forbidden, cluster.PersistentVolume: cluster.Forbidden,
			cluster.Event: cluster.Forbidden, cluster.ConfigMap: cluster.Forbidden,
		}, map[cluster.Kind]cluster.Knowledge{
			cluster.Node: world.Knowledge(cluster.Node), cluster.Pod: world.Knowledge(cluster.Pod), cluster.Deployment: world.Knowledge(cluster.Deployment),
			cluster.PersistentVolume: world.Knowledge(cluster.PersistentVolume), cluster.Event: world.Knowledge(cluster.Event), cluster.ConfigMap: world.Knowledge(cluster.ConfigMap),
		}), nil
	})
	if len(world.Pods()) != 3 {
		t.Errorf("%d pods, want 3", len(world.Pods()))
	}
}

func allow(t *testing.T, env *testbed.Environment, user string) {
	t.Helper()
	list := func(resource string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"get", "list", "watch"}}}
	}
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	name, roles := env.Namespace+"-"+user, env.Client.RbacV1()
	_, err := roles.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: list("nodes")}, metav1.CreateOptions{})
	if err == nil {
		_, err = roles.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		}, metav1.CreateOptions{})
	}
	if err == nil {
		_, err = roles.Roles(env.Namespace).Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: list("pods")}, metav1.CreateOptions{})
	}
	if err == nil {
		_, err = roles.RoleBindings(env.Namespace).Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestWatchEqualsRead changes a cluster while it is watched: what a Watch holds is what a read of it finds.
func TestWatchEqualsRead(t *testing.T) {
	env := testbed.Shared(t)
	client, recorded := connect(t, env, "")
	w, err := cluster.NewWatch(client, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	defer running.Wait()
	defer cancel()
	if err := w.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	populate(t, env, 20)
	pods := env.Client.CoreV1().Pods(env.Namespace)
	for i := range 10 {
		if err := pods.Delete(t.Context(), fmt.Sprintf("pod-%04d", i), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
			t.Fatal(err)
		}
	}
	admin, _ := connect(t, env, "")
	eventually(t, func(ctx context.Context) (string, error) {
		read, err := cluster.Read(ctx, admin, cluster.ReadOptions{Clock: clock.RealClock{}})
		if err != nil {
			return "", err
		}
		return cmp.Diff(held(read, env.Namespace), held(w.Snapshot(), env.Namespace)), nil
	})
	for _, q := range recorded.requests("") {
		if strings.Contains(q.URL.Path, "secrets") || strings.HasSuffix(q.URL.Path, "/configmaps") || q.Method != http.MethodGet {
			t.Errorf("it asks for %s %s", q.Method, q.URL)
		}
	}
}

// held are the versions of the objects of a namespace and of none, of every kind that does not change all the time, and
// what is known of each.
func held(world *cluster.Snapshot, namespace string) map[string]string {
	all := map[string]string{"server": world.Server()}
	for _, kind := range cluster.Kinds() {
		if kind == cluster.Lease || kind == cluster.Event || kind == cluster.ConfigMap || kind.OnDemand() {
			continue
		}
		all[string(kind)] = string(world.Knowledge(kind))
		for _, o := range world.Objects(kind) {
			if o.GetNamespace() != "" && o.GetNamespace() != namespace || kind == cluster.Namespace && o.GetName() != namespace {
				continue // Other tests' are on their way out.
			}
			all[string(kind)+" "+o.GetNamespace()+"/"+o.GetName()] = o.GetResourceVersion()
		}
	}
	return all
}

// eventually waits until there is no difference.
func eventually(t *testing.T, difference func(context.Context) (string, error)) {
	t.Helper()
	last := ""
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		diff, err := difference(ctx)
		if err == nil {
			last = diff
		}
		return diff == "", err
	})
	if err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, last)
	}
}

package cluster_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

var taken = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

func read(t *testing.T, host string, o cluster.ReadOptions) (*cluster.Snapshot, error) {
	t.Helper()
	o.Clock = testclock.NewFakePassiveClock(taken)
	return cluster.Read(t.Context(), kubernetes.NewForConfigOrDie(&rest.Config{Host: host, QPS: -1}), o)
}

type answers = map[string]*apierrors.StatusError

func refused(resource string) answers {
	return answers{resource: apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", nil)}
}

func TestRead(t *testing.T) {
	absent := answers{"csinodes": apierrors.NewNotFound(schema.GroupResource{Resource: "csinodes"}, "")}
	broken := answers{"nodes": apierrors.NewInternalError(errors.New("etcd is gone"))}
	for name, tc := range map[string]struct {
		answers, everywhere answers
		pageSize            int
		// want differs from a full read by these kinds.
		want    map[cluster.Kind]cluster.Knowledge
		pods    int
		wantErr func(error) bool
	}{
		"all may be read":                {pods: 3},
		"in pages":                       {pods: 3, pageSize: 1},
		"a kind is forbidden":            {answers: refused("persistentvolumes"), pods: 3, want: map[cluster.Kind]cluster.Knowledge{cluster.PersistentVolume: cluster.Forbidden}},
		"a kind is not served":           {answers: absent, pods: 3, want: map[cluster.Kind]cluster.Knowledge{cluster.CSINode: cluster.Absent}},
		"one namespace's pods":           {everywhere: refused("pods"), pods: 2, want: map[cluster.Kind]cluster.Knowledge{cluster.Pod: cluster.Partial}},
		"no pods":                        {answers: refused("pods"), want: map[cluster.Kind]cluster.Knowledge{cluster.Pod: cluster.Forbidden}},
		"deployments are forbidden":      {answers: refused("deployments"), pods: 3, want: map[cluster.Kind]cluster.Knowledge{cluster.Deployment: cluster.Forbidden, cluster.ConfigMap: cluster.Forbidden}},
		"the server breaks":              {answers: broken, wantErr: apierrors.IsInternalError},
		"another server":                 {answers: answers{"nodes": apierrors.NewNotFound(schema.GroupResource{Resource: "nodes"}, "")}, wantErr: apierrors.IsNotFound},
		"the moment cannot be found out": {answers: refused("namespaces"), everywhere: refused("pods"), pods: 2, want: map[cluster.Kind]cluster.Knowledge{cluster.Pod: cluster.Partial, cluster.Namespace: cluster.Forbidden}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(clustertest.Load(t, "testdata/small.yaml"), named(&corev1.Pod{}, "Pod", "elsewhere", "else"))
			api := &clustertest.API{Objects: objects, Answers: tc.answers, Everywhere: tc.everywhere, PageSize: tc.pageSize}
			got, err := read(t, api.Serve(t), cluster.ReadOptions{Namespace: "redash"})
			if tc.wantErr != nil {
				if err == nil || !tc.wantErr(err) {
					t.Fatalf("err = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[cluster.Kind]cluster.Knowledge{}
			for _, kind := range cluster.Kinds() {
				want[kind] = cluster.Complete
			}
			want[cluster.ConfigMap] = cluster.Partial
			maps.Copy(want, tc.want)
			for kind, knowledge := range want {
				if got.Knowledge(kind) != knowledge {
					t.Errorf("Knowledge(%s) = %s, want %s", kind, got.Knowledge(kind), knowledge)
				}
			}
			if len(got.Pods()) != tc.pods || len(got.Nodes()) != 3 || len(got.AllEvents()) != 2 {
				t.Errorf("%d pods, want %d; %d nodes; %d events", len(got.Pods()), tc.pods, len(got.Nodes()), len(got.AllEvents()))
			}
			if !got.Taken().Equal(taken) || got.Server() != clustertest.Version {
				t.Errorf("Taken() = %v, Server() = %q", got.Taken(), got.Server())
			}
		})
	}
}

// TestReadIsOfOneMoment: the first page of a kind is asked for as of the moment, and the others follow it.
func TestReadIsOfOneMoment(t *testing.T) {
	api := &clustertest.API{Objects: clustertest.Load(t, "testdata/small.yaml"), PageSize: 1}
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/nodes" {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, r.URL.Query().Get("resourceVersion")+r.URL.Query().Get("resourceVersionMatch")+r.URL.Query().Get("continue"))
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	if _, err := read(t, server.URL, cluster.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1Exact", "1", "2"}, asked); diff != "" {
		t.Errorf("asked for nodes (-want +got):\n%s", diff)
	}
}

// TestReadGivesUpSoon: each request to a server that does not answer may take as long as a request may.
func TestReadGivesUpSoon(t *testing.T) {
	var asked atomic.Int32
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://nowhere", QPS: -1, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked.Add(1)
		return nil, os.ErrDeadlineExceeded
	}})
	_, err := cluster.Read(t.Context(), client, cluster.ReadOptions{Clock: testclock.NewFakePassiveClock(taken)})
	if !errors.Is(err, os.ErrDeadlineExceeded) || asked.Load() != 1 {
		t.Errorf("err = %v, after %d requests", err, asked.Load())
	}
}

// TestReadAsksForNoSecret sees every request: Secrets are never among them, and of ConfigMaps only the one that the
// autoscaler mounts.
func TestReadAsksForNoSecret(t *testing.T) {
	autoscaler := named(&appsv1.Deployment{}, "Deployment", "kube-system", "calico-node-vertical-autoscaler")
	autoscaler.Spec.Template.Spec = corev1.PodSpec{
		Containers: []corev1.Container{{Name: "autoscaler", Image: "gcr.io/gke/cpvpa-amd64:v0.8", Env: []corev1.EnvVar{{Name: "TOKEN", Value: "hush"}}}},
		Volumes:    []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "steps"}}}}},
	}
	steps := named(&corev1.ConfigMap{}, "ConfigMap", "kube-system", "steps")
	steps.Annotations = map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "kept": "yes"}
	steps.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	api := &clustertest.API{Objects: append(clustertest.Load(t, "testdata/small.yaml"), autoscaler, steps, named(&corev1.ConfigMap{}, "ConfigMap", "kube-system", "other"))}
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	var last cluster.Progress
	world, err := read(t, server.URL, cluster.ReadOptions{Progress: func(p cluster.Progress) { last = p }})
	if err != nil {
		t.Fatal(err)
	}
	asked = slices.DeleteFunc(asked, func(path string) bool {
		return !strings.Contains(path, "secrets") && !strings.Contains(path, "configmaps")
	})
	if diff := cmp.Diff([]string{"/api/v1/namespaces/kube-system/configmaps/steps"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	got := world.ConfigMap("kube-system", "steps")
	if got == nil || len(world.ConfigMaps()) != 1 {
		t.Fatalf("ConfigMaps = %v", world.ConfigMaps())
	}
	if diff := cmp.Diff(map[string]string{"kept": "yes"}, got.Annotations); diff != "" || got.ManagedFields != nil {
		t.Errorf("annotations (-want +got):\n%s\nmanaged fields: %v", diff, got.ManagedFields)
	}
	env := world.Deployment("kube-system", "calico-node-vertical-autoscaler").Spec.Template.Spec.Containers[0].Env
	if diff := cmp.Diff([]corev1.EnvVar{{Name: "TOKEN"}}, env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if want := (cluster.Progress{Done: len(api.Objects) - 2, Total: len(api.Objects) - 2}); last != want {
		t.Errorf("at the end %+v, want %+v", last, want)
	}
}

// named gives an object what a server's answer says of it.
func named[T interface {
	metav1.Object
	GetObjectKind() schema.ObjectKind
}](o T, kind, namespace, name string) T {
	version := "v1"
	if kind == "Deployment" {
		version = "apps/v1"
	}
	o.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(version, kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

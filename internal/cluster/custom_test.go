package cluster_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

const metricsAPI = `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: v1beta1.metrics.k8s.io
  uid: "7"
  labels: {a: b}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: secret
  managedFields: [{manager: kubectl, fieldsV1: {}}]
spec:
  group: metrics.k8s.io
  groupPriorityMinimum: 100
  caBundle: c2VjcmV0
  service: {name: metrics-server, namespace: kube-system, port: 443}
  version: v1beta1
  versionPriority: 100
status:
  conditions:
  - {type: Available, status: "False", reason: MissingEndpoints, message: no endpoints, lastTransitionTime: "2026-11-22T12:00:00Z"}
`

func wantMetricsAPI() *custom.APIService {
	return &custom.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: "v1beta1.metrics.k8s.io", UID: "7", Labels: map[string]string{"a": "b"}},
		Spec: custom.APIServiceSpec{
			Group: "metrics.k8s.io", Version: "v1beta1",
			Service: &custom.ServiceReference{Namespace: "kube-system", Name: "metrics-server", Port: new(int32(443))},
		},
		Status: custom.APIServiceStatus{Conditions: []metav1.Condition{{
			Type: "Available", Status: metav1.ConditionFalse, Reason: "MissingEndpoints", Message: "no endpoints",
			LastTransitionTime: metav1.NewTime(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)),
		}}},
	}
}

// TestCustomKindInFiles: a kind that is not built into Kubernetes is read from YAML and from a snapshot alike, without what
// kubectl last applied; another version of it, or another kind of its name, is not taken for it.
func TestCustomKindInFiles(t *testing.T) {
	world, err := load(t, "f", map[string]string{"f": metricsAPI + "---\napiVersion: apiregistration.k8s.io/v1beta1\nkind: APIService\nmetadata: {name: old}\n" +
		"---\napiVersion: example.com/v1\nkind: APIService\nmetadata: {name: other}\nspec: 3\n"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		services := world.APIServices()
		if len(services) != 1 || world.Knowledge(cluster.APIService) != cluster.Complete || world.Knowledge(cluster.Ingress) != cluster.Absent {
			t.Fatalf("%d APIServices, known as %s; Ingress as %q", len(services), world.Knowledge(cluster.APIService), world.Knowledge(cluster.Ingress))
		}
		got, want := services[0].DeepCopyObject().(*custom.APIService), wantMetricsAPI()
		if at := &got.Status.Conditions[0].LastTransitionTime; at.Equal(&want.Status.Conditions[0].LastTransitionTime) {
			*at = want.Status.Conditions[0].LastTransitionTime // in the other's zone
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if world, err = load(t, "f", map[string]string{"f": file(t, world)}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCustomKindOfAnEmptyList: a list without items tells that there is nothing of the kind.
func TestCustomKindOfAnEmptyList(t *testing.T) {
	world, err := load(t, "f", map[string]string{"f": `{"kind": "APIServiceList", "apiVersion": "apiregistration.k8s.io/v1", "items": []}`})
	if err != nil {
		t.Fatal(err)
	}
	if known := world.Knowledge(cluster.APIService); known != cluster.Complete {
		t.Errorf("known as %s", known)
	}
}

// TestReadOnDemand: what only commands ask for never keeps the rest from being read, and a group that is not installed has no
// objects, whoever asks.
func TestReadOnDemand(t *testing.T) {
	notThere := apierrors.NewNotFound(schema.GroupResource{}, "")
	for name, tc := range map[string]struct {
		answers answers
		want    map[cluster.Kind]cluster.Knowledge
	}{
		"all is served":                             {},
		"no rights":                                 {answers: refused("apiservices"), want: map[cluster.Kind]cluster.Knowledge{cluster.APIService: cluster.Forbidden}},
		"no rights to what is not installed":        {answers: with(refused("apiservices"), "/apis/apiregistration.k8s.io", notThere)},
		"not installed":                             {answers: answers{"apiservices": notThere, "/apis/apiregistration.k8s.io": notThere}},
		"installed in another version":              {answers: answers{"apiservices": notThere}, want: map[cluster.Kind]cluster.Knowledge{cluster.APIService: cluster.Absent}},
		"its server is out of order":                {answers: answers{"apiservices": apierrors.NewServiceUnavailable("no endpoints")}, want: map[cluster.Kind]cluster.Knowledge{cluster.APIService: cluster.Absent}},
		"a built-in kind the server does not serve": {answers: answers{"horizontalpodautoscalers": notThere}, want: map[cluster.Kind]cluster.Knowledge{cluster.HorizontalPodAutoscaler: cluster.Absent}},
		"a built-in kind the server cannot give":    {answers: answers{"ingresses": apierrors.NewInternalError(context.Canceled)}, want: map[cluster.Kind]cluster.Knowledge{cluster.Ingress: cluster.Absent}},
	} {
		t.Run(name, func(t *testing.T) {
			hpa := named(&autoscalingv2.HorizontalPodAutoscaler{TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v2"}}, "HorizontalPodAutoscaler", "redash", "web")
			service := wantMetricsAPI()
			service.TypeMeta = metav1.TypeMeta{APIVersion: "apiregistration.k8s.io/v1", Kind: "APIService"}
			api := &clustertest.API{Objects: append(clustertest.Load(t, "testdata/small.yaml"), hpa, service), Answers: tc.answers, PageSize: 1}
			got, err := read(t, api.Serve(t), cluster.ReadOptions{Namespace: "redash"})
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
			if len(tc.answers) == 0 && (len(got.Autoscalers()) != 1 || len(got.APIServices()) != 1 || got.APIServices()[0].Spec.Service.Name != "metrics-server") {
				t.Errorf("%d autoscalers, APIServices %v", len(got.Autoscalers()), got.APIServices())
			}
		})
	}
}

func with(a answers, key string, answer *apierrors.StatusError) answers {
	a[key] = answer
	return a
}

// TestWatchDoesNotAskOnDemand: a Watch asks for no kind that only commands read.
func TestWatchDoesNotAskOnDemand(t *testing.T) {
	api := &clustertest.API{Objects: []runtime.Object{}}
	var mu sync.Mutex
	asked := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path] = true
		mu.Unlock()
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	w, err := cluster.NewWatch(kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL, QPS: -1}), testclock.NewFakeClock(taken))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	if err := w.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-done
	for _, path := range []string{
		"/apis/autoscaling/v2/horizontalpodautoscalers", "/apis/networking.k8s.io/v1/ingresses", "/apis/apiregistration.k8s.io/v1/apiservices",
		"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "/apis/resource.k8s.io/v1/resourceclaimtemplates",
	} {
		if asked[path] {
			t.Errorf("it asks for %s", path)
		}
	}
	if !asked["/api/v1/nodes"] {
		t.Error("it does not ask for nodes")
	}
	if known := w.Snapshot().Knowledge(cluster.Ingress); known != cluster.Absent {
		t.Errorf("Ingresses are known as %s", known)
	}
}

const recommendation = `apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: checkout-vpa, namespace: payments}
spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  updatePolicy: {updateMode: "Off"}
  resourcePolicy: {containerPolicies: [{containerName: "*", controlledValues: RequestsOnly, maxAllowed: {cpu: "2"}}]}
status:
  recommendation: {containerRecommendations: [{containerName: checkout-main, target: {cpu: 300m, memory: 1Gi}, upperBound: {cpu: "9"}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: checkout, namespace: payments}
`

// TestAnonymousRecommendation: names are replaced alike in a VerticalPodAutoscaler and its target; modes, wildcards and amounts stay.
func TestAnonymousRecommendation(t *testing.T) {
	world, err := load(t, "f", map[string]string{"f": recommendation})
	if err != nil {
		t.Fatal(err)
	}
	anonymous, err := world.Anonymize()
	if err != nil {
		t.Fatal(err)
	}
	was, got, target := world.VerticalPodAutoscalers()[0], anonymous.VerticalPodAutoscalers()[0], anonymous.Deployments()[0]
	if got.Spec.TargetRef.Name != target.Name || got.Namespace != target.Namespace || target.Name == "checkout" || got.Spec.TargetRef.Kind != "Deployment" {
		t.Errorf("target %v of %s/%s", got.Spec.TargetRef, target.Namespace, target.Name)
	}
	if diff := cmp.Diff([]any{was.Spec.UpdatePolicy, was.Spec.ResourcePolicy}, []any{got.Spec.UpdatePolicy, got.Spec.ResourcePolicy}); diff != "" {
		t.Errorf("policies (-want +got):\n%s", diff)
	}
	one := got.Status.Recommendation.ContainerRecommendations[0]
	if diff := cmp.Diff(was.Status.Recommendation.ContainerRecommendations[0].Target, one.Target); diff != "" || one.ContainerName == "checkout-main" {
		t.Errorf("recommendation of %s (-want +got):\n%s", one.ContainerName, diff)
	}
}

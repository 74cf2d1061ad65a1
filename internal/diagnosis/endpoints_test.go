package diagnosis_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestEndpointSlices asks about a Service of one pod, and holds what its selector says against what its EndpointSlices do.
func TestEndpointSlices(t *testing.T) {
	type world struct {
		service *corev1.Service
		pod     *corev1.Pod
		slices  []*discoveryv1.EndpointSlice
		more    *appsv1.Deployment
		known   map[cluster.Kind]cluster.Knowledge
	}
	endpoint := func(ready, serving, terminating *bool) discoveryv1.Endpoint {
		return discoveryv1.Endpoint{Addresses: []string{"10.0.0.9"}, Conditions: discoveryv1.EndpointConditions{Ready: ready, Serving: serving, Terminating: terminating}}
	}
	slice := func(of string, port string, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
		return &discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Name: of + "-1", Namespace: "shop", UID: "e", Labels: map[string]string{discoveryv1.LabelServiceName: of}},
			Ports:      []discoveryv1.EndpointPort{{Name: new(port), Port: new(int32(80))}}, Endpoints: endpoints,
		}
	}
	yes, no := new(true), new(false)
	byHand := func(w *world) { w.service.Spec.Selector, w.pod = nil, nil }
	ending := func(w *world) {
		gone := ago(-time.Minute)
		w.pod.DeletionTimestamp, w.pod.Finalizers = &gone, []string{"x"}
		w.slices[0].Endpoints = []discoveryv1.Endpoint{endpoint(no, yes, yes)}
	}
	for name, tc := range map[string]struct {
		edit      func(*world)
		state     string
		severity  finding.Severity
		says, not string
	}{
		"as the selector says": {nil, "Ready", "", "has endpoints", ""},
		"not ready long enough": {func(w *world) {
			w.slices[0].Endpoints = nil
			w.pod.Status.Conditions[0].LastTransitionTime = ago(5 * time.Second)
		}, "Ready", "", "has endpoints", "EndpointSlice"},
		"no slice has the pod": {func(w *world) { w.slices[0].Endpoints = nil }, "NoEndpoints", finding.Warning, "no EndpointSlice lists", ""},
		"those of another Service": {func(w *world) {
			w.slices = []*discoveryv1.EndpointSlice{slice("other", "http", endpoint(yes, yes, no))}
		}, "NoEndpoints", finding.Warning, "no EndpointSlice lists", ""},
		"slices that are not read": {func(w *world) { w.slices, w.known[cluster.EndpointSlice] = nil, cluster.Forbidden }, "Ready", "", "has endpoints", "EndpointSlice lists"},
		"a cluster without any":    {func(w *world) { w.slices = nil }, "Ready", "", "has endpoints", "EndpointSlice lists"},
		"the last pod ends":        {ending, "NoEndpoints", finding.Critical, "is being deleted", "not ready"},
		"it serves until then":     {ending, "NoEndpoints", finding.Critical, "still responds", ""},
		"it serves no more":        {func(w *world) { ending(w); w.slices[0].Endpoints[0].Conditions.Serving = no }, "NoEndpoints", finding.Critical, "is being deleted", "still responds"},
		"it ends, slices not read": {func(w *world) { ending(w); w.slices, w.known[cluster.EndpointSlice] = nil, cluster.Forbidden }, "NoEndpoints", finding.Critical, "is being deleted", "still responds"},
		"it ends, as it should": {func(w *world) {
			ending(w)
			w.more = &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "d"}}
			w.more.Spec.Replicas, w.more.Spec.Template.Labels = new(int32(0)), w.pod.Labels
		}, "NoEndpoints", "", "is scaled to 0", "is being deleted"},

		"by hand, ready":        {byHand, "ClusterIP", "", "1 of its 1 endpoint", ""},
		"by hand, nothing said": {func(w *world) { byHand(w); w.slices[0].Endpoints = []discoveryv1.Endpoint{endpoint(nil, nil, nil)} }, "ClusterIP", "", "1 of its 1 endpoint", ""},
		"by hand, none ready": {func(w *world) {
			byHand(w)
			w.slices[0].Endpoints = []discoveryv1.Endpoint{endpoint(no, no, no), endpoint(no, nil, nil)}
		}, "NoEndpoints", finding.Warning, "none of its 2 endpoints is ready", ""},
		"by hand, none": {func(w *world) {
			byHand(w)
			w.slices = []*discoveryv1.EndpointSlice{slice("other", "http", endpoint(yes, yes, no))}
		}, "NoEndpoints", finding.Warning, "nothing has written any", ""},
		"by hand, another port": {func(w *world) { byHand(w); *w.slices[0].Ports[0].Name = "web" }, "NoEndpoints", finding.Warning, "at its port http", ""},
		"by hand, one port of two": {func(w *world) {
			byHand(w)
			w.service.Spec.Ports = append(w.service.Spec.Ports, corev1.ServicePort{Name: "metrics", Port: 9090})
		}, "NoEndpoints", finding.Warning, "at its port metrics", ""},
		"by hand, all ports":      {func(w *world) { byHand(w); w.slices[0].Ports = nil }, "NoEndpoints", finding.Warning, "at its port http", ""},
		"by hand, without a name": {func(w *world) { byHand(w); w.service.Spec.Ports[0].Name = ""; w.slices[0].Ports[0].Name = nil }, "ClusterIP", "", "1 of its 1 endpoint", ""},
		"by hand, headless":       {func(w *world) { byHand(w); w.service.Spec.ClusterIP, w.service.Spec.Ports = corev1.ClusterIPNone, nil }, "ClusterIP", "", "1 of its 1 endpoint", ""},
		"by hand, not read":       {func(w *world) { byHand(w); w.slices, w.known[cluster.EndpointSlice] = nil, cluster.Forbidden }, "ClusterIP", "", "something else writes", "nothing has"},
		"by hand, over two slices": {func(w *world) {
			byHand(w)
			w.slices[0].Endpoints = nil
			w.slices = append(w.slices, slice("web", "http", endpoint(yes, nil, nil)))
			w.slices[1].Name = "web-2"
		}, "ClusterIP", "", "1 of its 1 endpoint", ""},
		"by hand, of IPv6 and IPv4": {func(w *world) {
			byHand(w)
			w.slices = append(w.slices, slice("web", "http", endpoint(yes, yes, no)))
			w.slices[1].Name, w.slices[1].AddressType = "web-2", discoveryv1.AddressTypeIPv6
		}, "ClusterIP", "", "has no selector", ""},
	} {
		t.Run(name, func(t *testing.T) {
			labels := map[string]string{"app": "web"}
			w := &world{known: everything(), service: &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "s"}}}
			w.service.Spec = corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Selector: labels, Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(80)}}}
			w.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "shop", UID: "p", Labels: labels}}
			w.pod.Spec.NodeName, w.pod.Status.Phase = "n1", corev1.PodRunning
			w.pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: ago(time.Hour)}}
			w.slices = []*discoveryv1.EndpointSlice{slice("web", "http", endpoint(yes, yes, no))}
			if tc.edit != nil {
				tc.edit(w)
			}
			objects := []runtime.Object{w.service, silentNode("n1")}
			objects[1].(*corev1.Node).Status.Conditions[0].Status = corev1.ConditionTrue
			if w.more != nil {
				objects = append(objects, w.more)
			}
			if w.pod != nil {
				objects = append(objects, w.pod)
			}
			for _, s := range w.slices {
				objects = append(objects, s)
			}
			answer := diagnosis.Explain(t.Context(), question(t, objects, w.known, &change.Ref{Kind: "Service", Namespace: "shop", Name: "web"}))
			said := message.English().Say(answer.Summary) + "\n" + linksOf(answer)
			if answer.State != tc.state || answer.Severity != tc.severity || !strings.Contains(said, tc.says) || tc.not != "" && strings.Contains(said, tc.not) {
				t.Errorf("%s, %q; want %s, %q, with %q and not %q:\n%s", answer.State, answer.Severity, tc.state, tc.severity, tc.says, tc.not, said)
			}
		})
	}
}

package clusterautoscaler

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// fixture is a running autoscaler over the real cloud and client-go's fake API, in a synctest bubble.
type fixture struct {
	*fake.Clientset
	cloud *cloud.Cloud
	ctx   context.Context
}

// setup is what there is at the start: one group, its nodes ready unless edited, and pods, of which those with a node are on
// the first.
type setup struct {
	target, high int
	pods         []*corev1.Pod
	edit         func(*corev1.Node)
}

// runAutoscaler runs play beside an autoscaler.
func runAutoscaler(t *testing.T, start setup, play func(*testing.T, fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		hourAgo := metav1.NewTime(time.Now().Add(-time.Hour)) // a bubble's clock starts in 2000
		ctx, cancel := context.WithCancel(t.Context())
		c, err := cloud.New(cloud.Options{Spec: cloud.Spec{Groups: []cloud.GroupSpec{{Name: "app", InstanceType: "m5.large", Min: 1, Desired: start.target, Max: start.high}}}})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld().group("app", 0, start.target, start.high, "1a")
		objects := []runtime.Object{&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}}
		for _, i := range c.Instances() {
			w.node("app", i.NodeName, i.Zone, func(n *corev1.Node) {
				n.CreationTimestamp, n.Status.Conditions[0].LastTransitionTime = hourAgo, hourAgo
				if start.edit != nil {
					start.edit(n)
				}
			})
		}
		for _, n := range w.nodes {
			objects = append(objects, n)
		}
		for _, p := range start.pods {
			p.CreationTimestamp = hourAgo
			if p.Spec.NodeName != "" {
				p.Spec.NodeName = w.nodes[0].Name
			}
			objects = append(objects, p)
		}
		client := fake.NewClientset(objects...)
		deleteEvictedPods(client)
		ended := make(chan error, 1)
		go func() {
			ended <- run(ctx, client, defaults(nil), Options{Cloud: c, Clock: clock.RealClock{}})
		}()
		advance(time.Second) // client-go looks at its caches every 100 ms
		play(t, fixture{client, c, ctx})
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		advance(2 * time.Second) // the plugins' metrics end with their next second
	})
}

// advance lets the bubble's time pass.
func advance(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// deleteEvictedPods deletes pods that are evicted; the fake client would only record the request.
func deleteEvictedPods(client *fake.Clientset) {
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "eviction" {
			return false, nil, nil
		}
		name := action.(clienttesting.CreateAction).GetObject().(metav1.Object).GetName()
		return true, nil, client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), action.GetNamespace(), name)
	})
}

// events are "REASON ×COUNT MESSAGE", of one kind of subject.
func (s fixture) events(t *testing.T, kind string) []string {
	t.Helper()
	list, err := s.CoreV1().Events("").List(s.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range list.Items {
		if e.Source.Component != "cluster-autoscaler" {
			t.Errorf("an event of %s", e.Source.Component)
		}
		if e.InvolvedObject.Kind == kind {
			lines = append(lines, e.Reason+" ×"+digits(int(e.Count))+" "+e.Message)
		}
	}
	return lines
}

func TestEventsAreAggregated(t *testing.T) {
	pods := []*corev1.Pod{testPod("p", 100, pending, role("nowhere"))}
	runAutoscaler(t, setup{target: 1, high: 2, pods: pods}, func(t *testing.T, s fixture) {
		t.Helper()
		const message = "pod didn't trigger scale-up: 1 node(s) didn't match Pod's node affinity/selector"
		if diff := cmp.Diff([]string{"NotTriggerScaleUp ×1 " + message}, s.events(t, "Pod")); diff != "" {
			t.Error(diff)
		}
		advance(4 * time.Minute)
		if diff := cmp.Diff([]string{"NotTriggerScaleUp ×1 " + message}, s.events(t, "Pod")); diff != "" {
			t.Errorf("after four minutes: %s", diff)
		}
		advance(2 * time.Minute) // one more is let through, and it counts all the scans there were
		if diff := cmp.Diff([]string{"NotTriggerScaleUp ×31 " + message}, s.events(t, "Pod")); diff != "" {
			t.Errorf("after six minutes: %s", diff)
		}
	})
}

func TestFirstScanWaitsForNodes(t *testing.T) {
	start := setup{target: 1, high: 2, pods: []*corev1.Pod{testPod("p", 100, pending)}, edit: notReady}
	runAutoscaler(t, start, func(t *testing.T, s fixture) {
		t.Helper()
		advance(time.Minute)
		if got := s.cloud.Groups()[0].Desired; got != 1 {
			t.Errorf("desired size %d while the first node starts", got)
		}
		if events := s.events(t, "Pod"); len(events) > 0 {
			t.Error(events)
		}
		cm, err := s.CoreV1().ConfigMaps("kube-system").Get(s.ctx, "cluster-autoscaler-status", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if status := cm.Data["status"]; !strings.HasPrefix(status, "autoscalerStatus: Initializing\n") {
			t.Errorf("status:\n%s", status)
		}
	})
}

func TestScaleUpIsPerformed(t *testing.T) {
	pods := []*corev1.Pod{testPod("full", 2000, on("first")), testPod("p", 1000, pending)}
	runAutoscaler(t, setup{target: 1, high: 4, pods: pods}, func(t *testing.T, s fixture) {
		t.Helper()
		if got := s.cloud.Groups()[0].Desired; got != 2 {
			t.Errorf("desired size %d, want 2", got)
		}
		if diff := cmp.Diff([]string{"TriggeredScaleUp ×1 pod triggered scale-up: [{app 1->2 (max: 4)}]"}, s.events(t, "Pod")); diff != "" {
			t.Error(diff)
		}
		// That it was done is said in the same instant here, and client-go names an event by its instant.
		want := []string{"ScaledUpGroup ×1 Scale-up: setting group app size to 2 instead of 1 (max: 4)"}
		if diff := cmp.Diff(want, s.events(t, "ConfigMap")); diff != "" {
			t.Error(diff)
		}
		cm, err := s.CoreV1().ConfigMaps("kube-system").Get(s.ctx, "cluster-autoscaler-status", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if status := cm.Data["status"]; !strings.HasPrefix(status, "autoscalerStatus: Running\n") || !strings.Contains(status, "\ntime: 2000-01-01 ") {
			t.Errorf("status:\n%s", status)
		}
	})
}

func TestScaleDownIsPerformed(t *testing.T) {
	pods := []*corev1.Pod{testPod("p", 100, on("first"))}
	runAutoscaler(t, setup{target: 2, high: 4, pods: pods}, func(t *testing.T, s fixture) {
		t.Helper()
		advance(10*time.Minute + 20*time.Second)
		node := s.tainted(t)
		advance(20 * time.Second)
		if got := s.cloud.Groups()[0].Desired; got != 1 {
			t.Errorf("desired size %d, want 1", got)
		}
		instance, _ := s.cloud.InstanceByNode(node)
		if instance.State != cloud.ShuttingDown {
			t.Errorf("the instance of %s is %s", node, instance.State)
		}
		if diff := cmp.Diff([]string{"ScaleDown ×1 marked the node as toBeDeleted/unschedulable"}, s.events(t, "Node")); diff != "" {
			t.Error(diff)
		}
	})
}

// tainted is the one node that is on its way out.
func (s fixture) tainted(t *testing.T) string {
	t.Helper()
	nodes, err := s.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for i := range nodes.Items {
		if hasTaint(&nodes.Items[i], toBeDeletedTaint) {
			found = append(found, nodes.Items[i].Name)
		}
	}
	if len(found) != 1 {
		t.Fatalf("on their way out: %v", found)
	}
	return found[0]
}

package clusterautoscaler

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/naosu-dev/naosu/lab/cloud"
)

func TestObserver(t *testing.T) {
	c, err := cloud.New(cloud.Options{Spec: cloud.Spec{Groups: []cloud.GroupSpec{
		{Name: "b", InstanceType: "m5.large", Min: 1, Desired: 2, Max: 3, Zones: []string{"us-east-1b", "us-east-1a"}, Labels: map[string]string{"role": "b"}},
		{Name: "a", InstanceType: "c5.xlarge", Max: 2},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	succeeded, failed := testPod("succeeded", 1, on("x")), testPod("failed", 1, on("x"))
	succeeded.Status.Phase, failed.Status.Phase = corev1.PodSucceeded, corev1.PodFailed
	named := metav1.ObjectMeta{Namespace: "default", Name: "web"}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(
		succeeded, failed, testPod("q", 1), testPod("p", 1),
		&appsv1.DaemonSet{ObjectMeta: named}, &appsv1.ReplicaSet{ObjectMeta: named}, &appsv1.StatefulSet{ObjectMeta: named},
		&batchv1.Job{ObjectMeta: named}, &corev1.ReplicationController{ObjectMeta: named},
	), 0)
	o := newObserver(factory)
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	w := o.world(noon, c)

	if got := podNames(w.pods); got != "p,q" {
		t.Errorf("pods %s", got)
	}
	wantOwners := []string{"DaemonSet/default/web", "Job/default/web", "ReplicaSet/default/web", "ReplicationController/default/web", "StatefulSet/default/web"}
	if diff := cmp.Diff(wantOwners, slices.Sorted(maps.Keys(w.owners))); diff != "" {
		t.Error(diff)
	}
	if len(w.groups) != 2 || w.groups[0].name != "a" || w.groups[1].name != "b" {
		t.Fatalf("groups %v", w.groups)
	}
	b := w.groups[1]
	if b.min != 1 || b.target != 2 || b.max != 3 || len(b.instances) != 2 {
		t.Errorf("group %+v", b)
	}
	for _, i := range c.Instances() {
		if b.instances[i.NodeName].id != i.ID {
			t.Errorf("instance %s is not found by its node %s", i.ID, i.NodeName)
		}
	}
	want := map[string]string{
		"role": "b", "eks.amazonaws.com/nodegroup": "b", "topology.kubernetes.io/zone": "us-east-1b", "topology.ebs.csi.aws.com/zone": "us-east-1b",
		"topology.kubernetes.io/region": "us-east-1", "node.kubernetes.io/instance-type": "m5.large", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
	}
	if diff := cmp.Diff(want, b.template.Labels); diff != "" {
		t.Error(diff)
	}
	if there := b.template.Status.Allocatable; there.Cpu().String() != "2" || there.Memory().String() != "8Gi" || there.Pods().String() != "110" {
		t.Errorf("allocatable %v", there)
	}
}

func TestIsSettled(t *testing.T) {
	group := func() *worldBuilder { return newWorld().group("app", 0, 2, 9, "1a").node("app", "a", "1a") }
	missing := func(age time.Duration) *worldBuilder {
		m := group()
		m.groups[0].instances["b"] = instance{launched: noon.Add(-age)}
		return m
	}
	tests := []struct {
		name  string
		world *worldBuilder
		want  bool
	}{
		{"all are ready", group(), true},
		{"one has not registered", missing(time.Minute), false},
		{"one is not ready, and was launched an hour ago", group().node("app", "b", "1a", notReady), true},
		{"one never will", missing(16 * time.Minute), true},
		{"none are ready", newWorld().group("app", 0, 0, 9, "1a"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.world.isSettled(defaults(nil)); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestIsReady(t *testing.T) {
	condition := func(kind corev1.NodeConditionType) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionTrue})
		}
	}
	taint := func(key string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: key}} }
	}
	tests := []struct {
		name string
		edit func(*corev1.Node)
		want bool
	}{
		{"ready", func(*corev1.Node) {}, true},
		{"unknown", notReady, false},
		{"without conditions", func(n *corev1.Node) { n.Status.Conditions = nil }, false},
		{"its disk is full", condition(corev1.NodeDiskPressure), false},
		{"its memory is short", condition(corev1.NodeMemoryPressure), true},
		{"the node controller has not seen it", taint(corev1.TaintNodeNotReady), false},
		{"the cloud controller has not seen it", taint("node.cloudprovider.kubernetes.io/uninitialized"), false},
		{"a taint of its own", taint("dedicated"), true},
		{"cordoned", cordoned, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := isReady(newWorld().node("", "a", "1a", tt.edit).nodes[0]); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestForkIsIndependent(t *testing.T) {
	w := newWorld().node("", "a", "1a").node("", "b", "1a").pod(testPod("p", 100, on("a")))
	s := newSnapshot(w.nodes, w.pods)
	f := s.fork()
	f.place(testPod("q", 100), "a")
	f.remove("b")
	if got := podNames(s.pods("a")); got != "p" || s.pods("b") != nil || len(s.nodes) != 2 {
		t.Errorf("origin: %s on a, %d nodes", got, len(s.nodes))
	}
	if got := podNames(f.pods("a")); got != "p,q" || len(f.nodes) != 1 || f.at["a"] != 0 {
		t.Errorf("fork: %s on a, %d nodes", got, len(f.nodes))
	}
}

package scheduling_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// epoch is when worlds of these tests begin.
var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func snapshotOf(objects ...runtime.Object) *cluster.Snapshot {
	return cluster.New(cluster.Contents{Objects: objects, Taken: epoch})
}

func newJudge(t testing.TB, objects ...runtime.Object) *scheduling.Judge {
	t.Helper()
	return judgeOf(t, snapshotOf(objects...), scheduling.Options{})
}

func judgeOf(t testing.TB, snapshot *cluster.Snapshot, o scheduling.Options) *scheduling.Judge {
	t.Helper()
	j, err := scheduling.New(t.Context(), snapshot, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// node has 4 CPUs, 16 GiB and room for 110 pods, and stands in zone a; changes are applied in order.
func node(name string, changes ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Allocatable: resources("4", "16Gi")},
	}
	n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("110")
	inZone("a")(n)
	for _, change := range changes {
		change(n)
	}
	n.Status.Capacity = n.Status.Allocatable
	return n
}

func inZone(zone string) func(*corev1.Node) {
	return labelled(corev1.LabelTopologyZone, zone)
}

func labelled(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func tainted(key string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
	}
}

// pod asks for 1 CPU and 1 GiB and has a UID of its own; changes are applied in order.
func pod(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, Priority: new(int32),
			Containers: []corev1.Container{{Name: "main"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	asking("1", "1Gi")(p)
	for _, change := range changes {
		change(p)
	}
	return p
}

func resources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

func asking(cpu, memory string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = resources(cpu, memory) }
}

func on(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeName, p.Status.Phase = node, corev1.PodRunning
		p.Status.StartTime = &metav1.Time{Time: epoch}
	}
}

func app(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels = map[string]string{"app": name} }
}

func priority(value int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Priority = &value }
}

func nominated(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.NominatedNodeName = node }
}

func phase(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Phase = phase }
}

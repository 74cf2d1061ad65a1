package addresses

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
)

func TestPodRanges(t *testing.T) {
	node := func(name, pool, cidr, other string) *corev1.Node {
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"cloud.google.com/gke-nodepool": pool}},
			Spec:       corev1.NodeSpec{PodCIDR: cidr, PodCIDRs: []string{other, cidr}},
			Status:     corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")}},
		}
	}
	pod := func(name, on string, host bool) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: name}, Spec: corev1.PodSpec{NodeName: on, HostNetwork: host}}
	}
	event := func(name, reason, message string) *corev1.Event {
		return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: name}, Reason: reason, Message: message}
	}
	world := cluster.New(cluster.Contents{Objects: []runtime.Object{
		node("n1", "a", "10.4.0.0/24", "fd00::/112"), node("n2", "a", "10.4.1.0/24", "10.4.1.0/24"), node("n3", "b", "10.8.0.0/26", "10.8.0.0/26"),
		node("n4", "b", "rubbish", ""), node("n5", "c", "0.0.0.0/0", "0.0.0.0/0"),
		pod("p1", "n1", false), pod("p2", "n1", false), pod("p3", "n1", true), pod("p4", "n2", false), pod("p5", "n9", false),
		event("e1", "FailedToScaleUpGroup", "Scale-up failed for group a: IP_SPACE_EXHAUSTED"), event("e2", "NotTriggerScaleUp", "pod didn't trigger scale-up"),
	}, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete, cluster.Event: cluster.Complete}})
	want := []PodRange{
		{Group: "a", Nodes: 2, PrefixLength: 24, Addresses: 256, MaxPods: 110, MostPods: 2},
		{Group: "b", Nodes: 1, PrefixLength: 26, Addresses: 64, MaxPods: 110},
		{Group: "c", Nodes: 1, PrefixLength: 0, Addresses: 1 << 32, MaxPods: 110},
	}
	if diff := cmp.Diff(want, PodRanges(world)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := ExhaustedEvents(world); len(found) != 1 || found[0].Name != "e1" {
		t.Errorf("events: %v", found)
	}
}

package pods_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/pods"
)

func pod(name, node string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, OwnerReferences: []metav1.OwnerReference{{
		Kind: "ReplicaSet", Name: "web", UID: "web", Controller: new(true),
	}}}}
	p.Spec.NodeName = node
	p.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	return p
}

func expect(t *testing.T, what string, got []*corev1.Pod, want ...string) {
	t.Helper()
	var names []string
	for _, p := range got {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("%s: %v, want %v", what, names, want)
	}
}

// Every view of the pods has the changes: one removed, one moved, one added.
func TestIndex(t *testing.T) {
	world := cluster.New(cluster.Contents{Objects: []runtime.Object{pod("a", "n1"), pod("b", "n1"), pod("d", "n2")}})
	index := pods.New(world)
	index.Remove(pod("a", "n1"))
	index.Put(pod("b", "n2"))
	index.Put(pod("c", ""))

	expect(t, "on n1", index.OnNode("n1"))
	expect(t, "on n2", index.OnNode("n2"), "b", "d")
	expect(t, "pending", index.OnNode(""), "c")
	expect(t, "of the controller", index.OwnedBy("web"), "b", "c", "d")
	expect(t, "with the claim", index.UsingClaim("default", "data"), "b", "c", "d")
	expect(t, "in the namespace", index.InNamespace("default"), "b", "c", "d")
	expect(t, "changed with a node", index.Changed(), "b")
	if index.Get("default", "a") != nil || index.Get("default", "b").Spec.NodeName != "n2" || index.Get("default", "d") == nil {
		t.Error("a pod is not found by name as it is now")
	}
	first := index.FirstOwned("web", func(p *corev1.Pod) bool { return p.Name != "b" })
	expect(t, "first but b", []*corev1.Pod{first}, "c")
	if none := index.FirstOwned("web", func(*corev1.Pod) bool { return false }); none != nil {
		t.Errorf("%s suits", none.Name)
	}
}

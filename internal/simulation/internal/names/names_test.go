package names_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
)

func pod(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// A generated name is free in the world, is given once, and is the same in every run.
func TestGenerator(t *testing.T) {
	free := names.NewGenerator(cluster.New(cluster.Contents{}))
	first, second := free.Pod("default", "web-"), free.Pod("default", "web-")
	if first == second {
		t.Errorf("%s was given twice", first)
	}
	world := cluster.New(cluster.Contents{Objects: []runtime.Object{
		pod("default", first), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "workers-a-new-1"}},
	}})
	taken := names.NewGenerator(world)
	if got := taken.Pod("default", "web-"); got != second {
		t.Errorf("after %s comes %s, want %s", first, got, second)
	}
	if got := taken.Node("Workers", "a"); got != "workers-a-new-2" {
		t.Errorf("a new node is %s", got)
	}
	if first, second := taken.UID(), taken.UID(); first == second {
		t.Error("a UID was given twice")
	}
}

func TestPrefix(t *testing.T) {
	generated := pod("default", "web-6c9f-x2x4z")
	generated.GenerateName = "web-6c9f-"
	for want, p := range map[string]*corev1.Pod{"web-6c9f-": generated, "db-": pod("default", "db-0"), "alone-": pod("default", "alone")} {
		if got := names.Prefix(p); got != want {
			t.Errorf("prefix of %s: %s, want %s", p.Name, got, want)
		}
	}
}

func TestInNamespace(t *testing.T) {
	all := []*corev1.Pod{pod("a", "1"), pod("b", "1"), pod("b", "2"), pod("c", "1")}
	for namespace, want := range map[string][]*corev1.Pod{"a": all[:1], "b": all[1:3], "c": all[3:], "": {}, "bb": {}, "d": {}} {
		if diff := cmp.Diff(want, names.InNamespace(all, namespace)); diff != "" {
			t.Errorf("in %q (-want +got):\n%s", namespace, diff)
		}
	}
}

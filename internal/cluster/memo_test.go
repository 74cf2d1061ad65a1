package cluster_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// TestMemoize: what is computed from a Snapshot is not that of another.
func TestMemoize(t *testing.T) {
	type key struct{}
	world, computed := cluster.New(cluster.Contents{}), 0
	nodes := func(s *cluster.Snapshot) int {
		return cluster.Memoize(s, key{}, func() int {
			computed++
			return len(s.Nodes())
		})
	}
	more := world.With(cluster.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}))
	for range 2 {
		if got := nodes(world); got != 0 {
			t.Errorf("%d nodes, want none", got)
		}
		if got := nodes(more); got != 1 {
			t.Errorf("%d nodes, want 1", got)
		}
	}
	if computed != 2 {
		t.Errorf("computed %d times, want twice", computed)
	}
}

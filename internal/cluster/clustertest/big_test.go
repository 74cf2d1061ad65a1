package clustertest_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// TestBig checks that a big cluster is one that a scheduler could have made: no node is asked for more than it has, and
// the pods keep their own rules.
func TestBig(t *testing.T) {
	const nodes, pods = 120, 2400
	world := clustertest.Big(nodes, pods)
	if len(world.Nodes()) != nodes || len(world.Pods()) != pods {
		t.Fatalf("%d nodes, %d pods", len(world.Nodes()), len(world.Pods()))
	}
	for _, node := range world.Nodes() {
		cpu := int64(0)
		owners := map[types.UID]int{}
		for _, pod := range world.PodsOn(node.Name) {
			cpu += pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
			owners[pod.OwnerReferences[0].UID]++
			if affinity := pod.Spec.Affinity; affinity != nil && affinity.PodAntiAffinity != nil && owners[pod.OwnerReferences[0].UID] > 1 {
				t.Errorf("two pods like %s on %s", pod.Name, node.Name)
			}
			checkVolumes(t, world, pod, node)
		}
		if share := cpu * 100 / node.Status.Allocatable.Cpu().MilliValue(); share > 60 || len(node.Spec.Taints) == 0 && share < 30 {
			t.Errorf("%d %% of the CPU of %s is asked for", share, node.Name)
		}
	}
	spread := 0
	for _, rs := range world.ReplicaSets() {
		constraints := rs.Spec.Template.Spec.TopologySpreadConstraints
		if len(constraints) == 0 {
			continue
		}
		spread++
		in := map[string]int{}
		for _, pod := range world.PodsOf(rs.UID) {
			in[cluster.Zone(world.Node(pod.Spec.NodeName))]++
		}
		least, most := *rs.Spec.Replicas, 0
		for _, zone := range clustertest.Zones {
			least, most = min(least, int32(in[zone])), max(most, in[zone])
		}
		if most-int(least) > int(constraints[0].MaxSkew) {
			t.Errorf("%s: %v", rs.Name, in)
		}
	}
	if spread == 0 || len(world.Claims()) == 0 || len(world.Budgets()) == 0 {
		t.Errorf("%d spread, %d claims, %d budgets", spread, len(world.Claims()), len(world.Budgets()))
	}
}

func checkVolumes(t *testing.T, world *cluster.Snapshot, pod *corev1.Pod, node *corev1.Node) {
	t.Helper()
	for i := range pod.Spec.Volumes {
		claim := world.Claim(pod.Namespace, cluster.ClaimName(pod, &pod.Spec.Volumes[i]))
		if claim == nil {
			continue
		}
		term := world.Volume(claim.Spec.VolumeName).Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0]
		if node.Labels[term.Key] != term.Values[0] {
			t.Errorf("the volume of %s is in %v, its node in %s", pod.Name, term.Values, node.Labels[term.Key])
		}
	}
}

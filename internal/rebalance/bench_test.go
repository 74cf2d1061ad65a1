package rebalance_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// BenchmarkPlan plans after a zone came back: of one Deployment in twenty all pods run in the two other zones. Of these, one in five must spread over
// zones. It reports how many workloads were out of balance, and how many pods the plan evicts; the controller limits
// those.
func BenchmarkPlan(b *testing.B) {
	for _, size := range []struct{ nodes, pods, most int }{
		{500, 5_000, 0}, {1_000, 20_000, 0}, {2_000, 40_000, 0}, {5_000, 100_000, 0}, {5_000, 100_000, v1alpha1.DefaultPolicyEvictions},
	} {
		b.Run(fmt.Sprintf("%d-nodes/most-%d", size.nodes, size.most), func(b *testing.B) {
			b.ReportAllocs()
			contents := clustertest.BigContents(size.nodes, size.pods)
			delete(contents.Knowledge, cluster.ServiceAccount) // It has none, without which no pod could be created.
			world := withoutZone(cluster.New(contents))
			_, unbalanced := rebalance.Unbalanced(world, rebalance.Options{})
			judge, err := scheduling.New(b.Context(), world, scheduling.Options{Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p, err := rebalance.New(b.Context(), judge, rebalance.Options{MaxEvictions: size.most})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(evictions(p))), "evictions")
				b.ReportMetric(float64(len(p.Unmet)), "unmet")
			}
			b.ReportMetric(float64(len(unbalanced)), "workloads")
		})
	}
}

// BenchmarkPlanUtilization plans after nodes came back empty: every tenth of them, whose pods run on others.
func BenchmarkPlanUtilization(b *testing.B) {
	for _, size := range []struct{ nodes, pods, most int }{{500, 5_000, 0}, {5_000, 100_000, v1alpha1.DefaultPolicyEvictions}} {
		b.Run(fmt.Sprintf("%d-nodes/most-%d", size.nodes, size.most), func(b *testing.B) {
			contents := clustertest.BigContents(size.nodes, size.pods)
			delete(contents.Knowledge, cluster.ServiceAccount) // It has none, without which no pod could be created.
			world := withEmptyNodes(cluster.New(contents))
			o := rebalance.Options{MaxShare: 1, MaxUtilizationDeviation: 20, MaxEvictions: size.most}
			judge, err := scheduling.New(b.Context(), world, scheduling.Options{Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p, err := rebalance.New(b.Context(), judge, o)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(evictions(p))), "evictions")
				b.ReportMetric(float64(len(p.Nodes)), "nodes")
			}
		})
	}
}

// withEmptyNodes is a world in which the pods of every tenth node without taints run on the next node.
func withEmptyNodes(world *cluster.Snapshot) *cluster.Snapshot {
	const one = 10
	var nodes []*corev1.Node
	for _, node := range world.Nodes() {
		if len(node.Spec.Taints) == 0 {
			nodes = append(nodes, node)
		}
	}
	var edits []cluster.Edit
	for i := 0; i+1 < len(nodes); i += one {
		for _, pod := range world.PodsOn(nodes[i].Name) {
			if cluster.Drains(pod) {
				moved := *pod
				moved.Spec.NodeName = nodes[i+1].Name
				edits = append(edits, cluster.Put(&moved))
			}
		}
	}
	return world.With(edits...)
}

// BenchmarkUnbalanced looks for workloads that are out of balance, as the controller does once a minute.
func BenchmarkUnbalanced(b *testing.B) {
	world := withoutZone(clustertest.Big(5_000, 100_000))
	for b.Loop() {
		rebalance.Unbalanced(world, rebalance.Options{})
	}
}

// withoutZone is a world in which the pods of one Deployment in twenty left a zone for the nodes of another.
func withoutZone(world *cluster.Snapshot) *cluster.Snapshot {
	const one = 20
	byZone := map[string][]*corev1.Node{}
	for _, node := range world.Nodes() {
		if len(node.Spec.Taints) == 0 {
			byZone[kube.Zone(node)] = append(byZone[kube.Zone(node)], node)
		}
	}
	var edits []cluster.Edit
	seen := map[string]int{}
	for _, pod := range world.Pods() {
		set := world.Owner(pod)
		if set == nil {
			continue
		}
		if _, known := seen[set.GetName()]; !known {
			seen[set.GetName()] = len(seen)
		}
		node := world.Node(pod.Spec.NodeName)
		other := byZone["us-east-1b"]
		if kind, _ := cluster.KindOf(set); kind != cluster.ReplicaSet || seen[set.GetName()]%one != 0 || kube.Zone(node) != "us-east-1a" {
			continue
		}
		moved := *pod
		moved.Spec.NodeName = other[len(edits)%len(other)].Name
		edits = append(edits, cluster.Put(&moved))
	}
	return world.With(edits...)
}

package rebalance

import (
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// UtilizationObstacle is why the utilization of a world's nodes is not to be considered: Karpenter or cluster-autoscaler brings pods together on fewer nodes,
// or it is not known whether one does. It is empty if none does. A cluster-autoscaler that a cloud runs outside of the cluster is not seen.
func UtilizationObstacle(world *cluster.Snapshot) message.Sentence {
	pools := map[string]bool{}
	for _, node := range world.Nodes() {
		if pool, is := node.Labels[custom.NodePoolLabel]; is {
			pools[pool] = true
		}
	}
	if len(pools) > 0 && !world.Knowledge(cluster.NodePool).Known() {
		return sentence.PlanConsolidationUnknown(string(cluster.NodePool))
	}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		if pool := world.NodePool(name); pool != nil && consolidates(pool.Spec.Disruption) {
			return sentence.PlanConsolidated(change.Ref{Kind: string(cluster.NodePool), Name: name})
		}
	}
	if !world.Knowledge(cluster.Deployment).Known() {
		return sentence.PlanConsolidationUnknown(string(cluster.Deployment))
	}
	for _, autoscaler := range world.ClusterAutoscalers() {
		if !slices.ContainsFunc(slices.Concat(autoscaler.Command, autoscaler.Args), disablesScaleDown) {
			return sentence.PlanScaledDown()
		}
	}
	return message.Sentence{}
}

// consolidates reports whether Karpenter removes or replaces nodes that have pods.
//
// Source: sigs.k8s.io/karpenter, pkg/apis/v1/nodepool.go.
func consolidates(d custom.NodePoolDisruption) bool {
	return d.ConsolidationPolicy != custom.ConsolidateWhenEmpty && d.ConsolidateAfter != custom.ConsolidateNever
}

// disablesScaleDown reports whether an argument has cluster-autoscaler remove no nodes.
//
// Source: sigs.k8s.io/cluster-autoscaler, pkg/config/flags (scale-down-enabled).
func disablesScaleDown(argument string) bool {
	return strings.TrimLeft(argument, "-") == "scale-down-enabled=false"
}

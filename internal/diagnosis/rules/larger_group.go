package rules

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// requestedByPending are the total requests of the pods that would be Pending.
func requestedByPending(world *cluster.Snapshot, fates []outcome.Fate) []string {
	cpu, memory := resource.Quantity{Format: resource.DecimalSI}, resource.Quantity{Format: resource.BinarySI}
	for _, fate := range fates {
		if pod := world.Pod(fate.Pod.Namespace, fate.Pod.Name); pod != nil {
			cpu.Add(query.SpecRequest(&pod.Spec, corev1.ResourceCPU))
			memory.Add(query.SpecRequest(&pod.Spec, corev1.ResourceMemory))
		}
	}
	var parts []string
	for name, sum := range map[corev1.ResourceName]resource.Quantity{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory} {
		if !sum.IsZero() {
			parts = append(parts, string(name)+" "+sum.String())
		}
	}
	slices.Sort(parts)
	return parts
}

// heldByPlaceholders is the CPU that placeholder pods request, and their number.
func heldByPlaceholders(world *cluster.Snapshot) (string, int) {
	cpu, n := resource.Quantity{Format: resource.DecimalSI}, 0
	for _, pod := range world.Pods() {
		if facts.IsActive(pod) && placeholder(pod) && pod.Spec.NodeName != "" {
			cpu.Add(query.SpecRequest(&pod.Spec, corev1.ResourceCPU))
			n++
		}
	}
	return cpu.String(), n
}

// proposeLargerGroup proposes the smallest size of a group with which the worst loss leaves no pod Pending, found by simulation. The
// groups of the lost domain are tried in order; there is no proposal if no size up to twice the current one helps.
func proposeLargerGroup(ctx context.Context, q query.Query, worst domainLoss) []finding.Remedy {
	for _, group := range groupsOfPending(q.World, worst) {
		size := len(group.Nodes)
		enough := func(more int) bool {
			result, ok := q.Simulate(ctx, resizeTo(group, size+more), loseDomain(worst.domain))
			return ok && !stillPending(result, worst)
		}
		most := max(size, 4)
		if group.Provider == change.Karpenter || !enough(most) {
			continue
		}
		few, many := 0, most
		for many-few > 1 && ctx.Err() == nil {
			if middle := (few + many) / 2; enough(middle) {
				many = middle
			} else {
				few = middle
			}
		}
		resized, lower := q.Bounded(resizeTo(group, size+many), group)
		return []finding.Remedy{{
			Message: sentence.RemedyHeadroom(facts.GroupRef(group), resized.To, lower, worst.domain), Change: resized, Command: resized.Command(), Verified: true,
			Cost: sentence.RemedyResizeCost(query.InstanceType(group), many), Risk: sentence.RemedyHeadroomRisk(!q.HasSizes(group)),
		}}
	}
	return nil
}

func resizeTo(group cluster.Group, to int) change.ResizeGroup {
	resized := change.ResizeGroup{Group: group.Name, Provider: group.Sizer(), To: to, Cluster: group.Cluster(), Region: group.Region()}
	if zones := len(query.NodesByZone(group)); resized.Provider == change.GKE && zones > 0 {
		resized.PerZone = (to + zones - 1) / zones
		resized.To = resized.PerZone * zones
	}
	return resized
}

// groupsOfPending are the groups of the Pending pods' former nodes.
func groupsOfPending(world *cluster.Snapshot, l domainLoss) []cluster.Group {
	var groups []cluster.Group
	seen := map[string]bool{}
	for _, fate := range l.noCapacity {
		group, ok := world.GroupOf(fate.From)
		if key := fmt.Sprint(group.Label, group.Name); ok && !seen[key] {
			seen[key] = true
			groups = append(groups, group)
		}
	}
	return groups
}

func stillPending(o outcome.Outcome, worst domainLoss) bool {
	waiting := map[change.Ref]bool{}
	for _, fate := range o.Fates {
		if fate.Kind == outcome.Waiting {
			waiting[fate.Pod] = true
		}
	}
	for _, fate := range worst.noCapacity {
		if waiting[fate.Pod] {
			return true
		}
	}
	return false
}

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
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// lacking is what the pods that would wait ask for together.
func lacking(world *cluster.Snapshot, fates []simulation.Fate) []string {
	cpu, memory := resource.Quantity{Format: resource.DecimalSI}, resource.Quantity{Format: resource.BinarySI}
	for _, fate := range fates {
		if pod := world.Pod(fate.Pod.Namespace, fate.Pod.Name); pod != nil {
			cpu.Add(query.Asked(&pod.Spec, corev1.ResourceCPU))
			memory.Add(query.Asked(&pod.Spec, corev1.ResourceMemory))
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

// heldFree is the CPU that placeholders hold, and how many there are.
func heldFree(world *cluster.Snapshot) (string, int) {
	cpu, n := resource.Quantity{Format: resource.DecimalSI}, 0
	for _, pod := range world.Pods() {
		if facts.Alive(pod) && placeholder(pod) && pod.Spec.NodeName != "" {
			cpu.Add(query.Asked(&pod.Spec, corev1.ResourceCPU))
			n++
		}
	}
	return cpu.String(), n
}

// enlarge is the smallest size of a group with which the worst loss leaves nobody waiting, found by playing it. Groups of
// the lost place are tried first come, first served; none is offered if no size up to twice the present helps.
func enlarge(ctx context.Context, v query.View, worst loss) []finding.Remedy {
	for _, group := range groupsAt(v.World, worst) {
		size := len(group.Nodes)
		enough := func(more int) bool {
			outcome, ok := v.Future(ctx, sized(group, size+more), lostBy(worst.place))
			return ok && !stillScarce(outcome, worst)
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
		resized := sized(group, size+many)
		args := message.Args{"group": facts.GroupRef(group), "to": resized.To, "place": worst.place, "more": many, "type": query.InstanceType(group)}
		return []finding.Remedy{{
			Message: v.Say.Text(message.RemedyHeadroom, args), Change: resized, Command: resized.Command(), Verified: true,
			Cost: v.Say.Text(message.RemedyResizeCost, args), Risk: v.Say.Text(message.RemedyHeadroomRisk, args),
		}}
	}
	return nil
}

func sized(group cluster.Group, to int) change.ResizeGroup {
	resized := change.ResizeGroup{Group: group.Name, Provider: group.Sizer(), To: to, Cluster: group.Cluster(), Region: group.Region()}
	if zones := len(query.Standing(group)); resized.Provider == change.GKE && zones > 0 {
		resized.PerZone = (to + zones - 1) / zones
		resized.To = resized.PerZone * zones
	}
	return resized
}

// groupsAt are the groups that the waiting pods' nodes belong to.
func groupsAt(world *cluster.Snapshot, l loss) []cluster.Group {
	var groups []cluster.Group
	seen := map[string]bool{}
	for _, fate := range l.scarce {
		group, ok := world.GroupOf(fate.From)
		if key := fmt.Sprint(group.Label, group.Name); ok && !seen[key] {
			seen[key] = true
			groups = append(groups, group)
		}
	}
	return groups
}

func stillScarce(o simulation.Outcome, worst loss) bool {
	waiting := map[change.Ref]bool{}
	for _, fate := range o.Fates {
		if fate.Kind == simulation.Waiting {
			waiting[fate.Pod] = true
		}
	}
	for _, fate := range worst.scarce {
		if waiting[fate.Pod] {
			return true
		}
	}
	return false
}

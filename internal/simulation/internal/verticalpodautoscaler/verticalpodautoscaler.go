// Package verticalpodautoscaler gives new pods the requests that a VerticalPodAutoscaler recommends, as its admission controller does.
package verticalpodautoscaler

import (
	"cmp"
	"math/big"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
)

// ByTarget are the VerticalPodAutoscalers that set requests, by the workload of which they do.
type ByTarget map[change.Ref]*custom.VerticalPodAutoscaler

// Of are those of a world. If several have the same target, the oldest applies, then the first by name.
//
// Source: vertical-pod-autoscaler/pkg/utils/vpa of kubernetes/autoscaler (GetControllingVPAForPod).
func Of(world *cluster.Snapshot) ByTarget {
	return cluster.Memoize(world, byTargetKey{}, func() ByTarget { return byTarget(world) })
}

// byTargetKey is that of a Snapshot's ByTarget.
type byTargetKey struct{}

func byTarget(world *cluster.Snapshot) ByTarget {
	all := slices.Clone(world.VerticalPodAutoscalers())
	slices.SortFunc(all, func(a, b *custom.VerticalPodAutoscaler) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	targets := ByTarget{}
	for _, autoscaler := range all {
		target := autoscaler.Spec.TargetRef
		if target == nil || autoscaler.Status.Recommendation == nil || autoscaler.Spec.UpdatePolicy != nil && autoscaler.Spec.UpdatePolicy.UpdateMode == custom.UpdateModeOff {
			continue
		}
		ref := change.Ref{Kind: target.Kind, Namespace: autoscaler.Namespace, Name: target.Name}
		if targets[ref] == nil {
			targets[ref] = autoscaler
		}
	}
	return targets
}

// OfPod is the one that sets a pod's requests, which is that of the topmost object that controls it; nil if there is none.
func (t ByTarget) OfPod(world *cluster.Snapshot, pod *corev1.Pod) *custom.VerticalPodAutoscaler {
	if len(t) == 0 {
		return nil
	}
	workload := world.Workload(pod)
	if workload == nil {
		return nil
	}
	kind, _ := cluster.KindOf(workload)
	return t[change.Ref{Kind: string(kind), Namespace: workload.GetNamespace(), Name: workload.GetName()}]
}

// Admit sets the requests of a pod's containers, and with them the limits, which keep their proportion to the requests unless the policy says
// otherwise. What LimitRanges bound is not taken into account.
//
// Source: vertical-pod-autoscaler/pkg/admission-controller/resource/pod/recommendation of kubernetes/autoscaler (GetContainersResourcesForPod).
func Admit(autoscaler *custom.VerticalPodAutoscaler, spec *corev1.PodSpec) {
	spec.Containers = slices.Clone(spec.Containers)
	for _, recommended := range autoscaler.Status.Recommendation.ContainerRecommendations {
		if container := podtemplate.ContainerOf(spec, recommended.ContainerName); container != nil && recommended.ContainerName != "" {
			admitContainer(container, recommended.Target, policyOf(autoscaler, container.Name))
		}
	}
}

// policyOf is the policy of a container: its own, or that of all without one.
func policyOf(autoscaler *custom.VerticalPodAutoscaler, container string) custom.ContainerResourcePolicy {
	if autoscaler.Spec.ResourcePolicy == nil {
		return custom.ContainerResourcePolicy{}
	}
	policies := autoscaler.Spec.ResourcePolicy.ContainerPolicies
	for _, name := range []string{container, custom.AnyContainer} {
		if i := slices.IndexFunc(policies, func(p custom.ContainerResourcePolicy) bool { return p.ContainerName == name }); i >= 0 {
			return policies[i]
		}
	}
	return custom.ContainerResourcePolicy{}
}

func admitContainer(container *corev1.Container, target corev1.ResourceList, policy custom.ContainerResourcePolicy) {
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for name, recommended := range target {
		request := bounded(recommended, policy.MinAllowed[name], policy.MaxAllowed[name])
		if limit, limited := container.Resources.Limits[name]; limited {
			if policy.ControlledValues == custom.ControlledValuesRequestsOnly {
				request = bounded(request, resource.Quantity{}, limit)
			} else {
				limits[name] = proportional(name, limit, container.Resources.Requests[name], request)
			}
		}
		requests[name] = request
	}
	podtemplate.SetResources(container, requests, limits)
}

// bounded is a quantity within bounds. A bound of zero is none.
func bounded(q, least, most resource.Quantity) resource.Quantity {
	if !least.IsZero() && q.Cmp(least) < 0 {
		q = least
	}
	if !most.IsZero() && q.Cmp(most) > 0 {
		q = most
	}
	return q
}

// proportional is the limit that has the same proportion to a new request as the limit before to the request before, in thousandths of a CPU or in whole
// bytes. A request that is not set is equal to the limit.
//
// Source: vertical-pod-autoscaler/pkg/utils/vpa of kubernetes/autoscaler (GetProportionalLimit).
func proportional(name corev1.ResourceName, limit, before, request resource.Quantity) resource.Quantity {
	if before.IsZero() {
		return request
	}
	amount := func(q resource.Quantity) int64 { return q.Value() }
	if name == corev1.ResourceCPU {
		amount = func(q resource.Quantity) int64 { return q.MilliValue() }
	}
	scaled := new(big.Int).Mul(big.NewInt(amount(limit)), big.NewInt(amount(request)))
	scaled.Quo(scaled, big.NewInt(amount(before)))
	if !scaled.IsInt64() {
		return limit
	}
	if name == corev1.ResourceCPU {
		return *resource.NewMilliQuantity(scaled.Int64(), limit.Format)
	}
	return *resource.NewQuantity(scaled.Int64(), limit.Format)
}

package rebalancepolicy

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/rebalance"
)

// Selection tells which policy decides for a workload.
type Selection struct {
	world     *cluster.Snapshot
	policies  []*v1alpha1.RebalancePolicy
	selectors []kube.PodSelector
}

// Select is the Selection of policies. One whose selectors are invalid selects nothing.
func Select(world *cluster.Snapshot, policies []v1alpha1.RebalancePolicy) Selection {
	s := Selection{world: world}
	for _, p := range slices.SortedFunc(slices.Values(policies), func(a, b v1alpha1.RebalancePolicy) int { return cmp.Compare(a.Name, b.Name) }) {
		if selector, err := kube.NewPodSelector(&p.Spec.NamespaceSelector, &p.Spec.PodSelector); err == nil {
			s.policies, s.selectors = append(s.policies, &p), append(s.selectors, selector)
		}
	}
	return s
}

// Decides says whether a policy decides for a workload: it is the first by name that selects the workload's pods.
func (s Selection) Decides(policy string, workload change.Ref) bool {
	template := kube.PodTemplate(s.world.Object(cluster.Kind(workload.Kind), workload.Namespace, workload.Name))
	if template == nil {
		return false
	}
	namespace := s.world.NamespaceLabels(workload.Namespace)
	at := slices.IndexFunc(s.selectors, func(one kube.PodSelector) bool { return one.Selects(namespace, template.Labels) })
	return at >= 0 && s.policies[at].Name == policy
}

// DecidesAll says whether the policy of a Remediation decides for all workloads that it evicts from. No policy decides about what a person requested.
func (s Selection) DecidesAll(r *v1alpha1.Remediation) bool {
	return r.Spec.Request != nil || !slices.ContainsFunc(r.Spec.Subjects, func(one v1alpha1.Subject) bool { return !s.Decides(r.Spec.Policy.Name, refOf(one)) })
}

// Options are those of a plan for a policy, without workloads that rest.
func (s Selection) Options(policy *v1alpha1.RebalancePolicy, rests func(change.Ref) bool, now time.Time) rebalance.Options {
	o := rebalance.Options{
		MaxUtilizationDeviation: s.utilizationDeviation(policy),
		MaxShare:                rebalance.Share(int(policy.Spec.MaxSharePercent)),
		MaxEvictions:            int(cmp.Or(policy.Spec.MaxEvictions, v1alpha1.DefaultPolicyEvictions)),
		Limits: rebalance.EvictionLimits{
			PerNode: limit(policy.Spec.MaxEvictionsPerNode), PerNamespace: limit(policy.Spec.MaxEvictionsPerNamespace), PerWorkload: limit(policy.Spec.MaxEvictionsPerWorkload),
		},
		Asks: func(ref change.Ref) bool { return s.Decides(policy.Name, ref) && !rests(ref) },
	}
	o.Evictable = func(pod *corev1.Pod) bool {
		age := now.Sub(pod.CreationTimestamp.Time)
		return age >= time.Duration(policy.Spec.MinPodAgeSeconds)*time.Second && (policy.Spec.MaxPriority == nil || corev1helpers.PodPriority(pod) <= *policy.Spec.MaxPriority)
	}
	return o
}

// limit is a limit of evictions; zero is none.
func limit(of *int32) int {
	if of == nil {
		return 0
	}
	return int(*of)
}

// UtilizationObstacle is why a policy's maxUtilizationDeviationPercent has no effect; empty if it has, or is not set.
func (s Selection) UtilizationObstacle(policy *v1alpha1.RebalancePolicy) message.Sentence {
	if policy.Spec.MaxUtilizationDeviationPercent == 0 {
		return message.Sentence{}
	}
	return rebalance.UtilizationObstacle(s.world)
}

func (s Selection) utilizationDeviation(policy *v1alpha1.RebalancePolicy) int {
	if !s.UtilizationObstacle(policy).IsZero() {
		return 0
	}
	return int(policy.Spec.MaxUtilizationDeviationPercent)
}

// Dwell is for how long nodes must not have changed before pods are evicted for a policy.
func Dwell(policy *v1alpha1.RebalancePolicy) time.Duration {
	return time.Duration(cmp.Or(policy.Spec.DwellSeconds, v1alpha1.DefaultDwellSeconds)) * time.Second
}

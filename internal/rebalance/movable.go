package rebalance

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// systemCriticalPriority is the lowest priority of system-cluster-critical and above.
//
// Source: SystemCriticalPriority in pkg/apis/scheduling/types.go of Kubernetes.
const systemCriticalPriority = 2_000_000_000

// movable are the pods of a workload on some nodes that may be evicted, the least disruption first.
func (s *search) movable(w *workload, of func(*corev1.Pod) bool) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range w.pods {
		if of(pod) && s.mayEvict(pod) {
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, compareDisruption)
	return pods
}

// mayEvict reports whether a pod may be evicted: people, its data and its PodDisruptionBudget allow it.
func (s *search) mayEvict(pod *corev1.Pod) bool {
	switch {
	case s.created[pod.UID] || !s.o.Evictable(pod) || !cluster.Runs(pod) || !cluster.Drains(pod) || corev1helpers.PodPriority(pod) >= systemCriticalPriority:
		return false
	case cluster.DoNotDisrupt(pod.Annotations), len(s.judge.World().LocalData(pod)) > 0 || mountsClaim(pod):
		return false
	}
	budgets := s.budgets(pod)
	return len(budgets) == 0 || len(budgets) == 1 && budgets[0].Status.DisruptionsAllowed > 0 // The eviction API refuses a pod with several.
}

func mountsClaim(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return cluster.ClaimName(pod, &v) != "" })
}

// budgets are the PodDisruptionBudgets that cover a pod.
func (s *search) budgets(pod *corev1.Pod) []*policyv1.PodDisruptionBudget {
	var cover []*policyv1.PodDisruptionBudget
	for _, pdb := range s.budgetsIn[pod.Namespace] {
		if pdb.selector.Matches(labels.Set(pod.Labels)) {
			cover = append(cover, pdb.PodDisruptionBudget)
		}
	}
	return cover
}

// budget is a PodDisruptionBudget with its selector read.
type budget struct {
	*policyv1.PodDisruptionBudget
	selector labels.Selector
}

func budgetsOf(world *cluster.Snapshot) map[string][]budget {
	all := map[string][]budget{}
	for _, pdb := range world.Budgets() {
		if selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector); err == nil { // The API server accepts no other.
			all[pdb.Namespace] = append(all[pdb.Namespace], budget{pdb, selector})
		}
	}
	return all
}

// compareDisruption orders pods by how little their eviction disrupts.
func compareDisruption(a, b *corev1.Pod) int {
	return disruptionOf(a).compare(disruptionOf(b))
}

// compareDisruptionOfAll orders sets of as many pods each by how little their eviction disrupts.
func compareDisruptionOfAll(a, b []*corev1.Pod) int {
	return disruptionOf(a...).compare(disruptionOf(b...))
}

// disruption is what the eviction of some pods disrupts, added up.
type disruption struct {
	// priority is the pods' own, and deletionCost that of controller.kubernetes.io/pod-deletion-cost.
	priority, deletionCost int64
	// started is when they started, in seconds since the epoch, and startUp for how long they did.
	started int64
	startUp time.Duration
}

func disruptionOf(pods ...*corev1.Pod) (d disruption) {
	for _, pod := range pods {
		d.priority += int64(corev1helpers.PodPriority(pod))
		d.deletionCost += deletionCost(pod)
		d.started += startOf(pod).Unix()
		d.startUp += startUp(pod)
	}
	return d
}

// compare orders by priority, by the cost of deletion as owners state it, the younger first, whose work is the least, and those that were ready sooner after
// their start.
func (d disruption) compare(other disruption) int {
	return cmp.Or(
		cmp.Compare(d.priority, other.priority), cmp.Compare(d.deletionCost, other.deletionCost), cmp.Compare(other.started, d.started),
		cmp.Compare(d.startUp, other.startUp),
	)
}

// startUp is how long a pod took from its start until it was ready.
func startUp(pod *corev1.Pod) time.Duration {
	if ready := kube.PodCondition(pod, corev1.PodReady); ready != nil {
		return ready.LastTransitionTime.Sub(startOf(pod))
	}
	return 0
}

// deletionCost is what controller.kubernetes.io/pod-deletion-cost says.
func deletionCost(pod *corev1.Pod) int64 {
	cost, _ := strconv.ParseInt(pod.Annotations[corev1.PodDeletionCost], 10, 32) // The API server accepts no other; without it the cost is zero.
	return cost
}

func startOf(pod *corev1.Pod) time.Time {
	if pod.Status.StartTime == nil {
		return pod.CreationTimestamp.Time
	}
	return pod.Status.StartTime.Time
}

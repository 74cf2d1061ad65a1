package disruption

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/pods"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Budgets simulates the disruption controller: which pods are healthy, and how many disruptions each PodDisruptionBudget allows. A
// namespace's budgets are read when a pod of it first changes.
//
// Source: pkg/controller/disruption of Kubernetes.
type Budgets struct {
	pods        *pods.Index
	byNamespace map[string][]*budget
	// cache holds the budgets that cover each controller's last pod, which mostly cover its next one too.
	cache map[types.NamespacedName]coveringBudgets
	// unhealthy are pods that count as unhealthy, whatever their status says.
	unhealthy map[types.UID]bool
	// unpublished are budgets whose status the disruption controller has not written yet.
	unpublished []*budget
}

// coveringBudgets are the budgets that cover pods with these labels.
type coveringBudgets struct {
	labels  labels.Set
	budgets []*budget
}

// budget is a PodDisruptionBudget with its counts.
type budget struct {
	pdb       *policyv1.PodDisruptionBudget
	selector  labels.Selector
	expected  int
	desired   int
	healthy   int
	violation *outcome.Violation
}

// New is the budgets of these pods.
func New(p *pods.Index) *Budgets {
	return &Budgets{pods: p, byNamespace: map[string][]*budget{}, cache: map[types.NamespacedName]coveringBudgets{}, unhealthy: map[types.UID]bool{}}
}

// inNamespace are a namespace's budgets.
func (b *Budgets) inNamespace(namespace string) []*budget {
	found, known := b.byNamespace[namespace]
	if known {
		return found
	}
	found = []*budget{}
	for _, one := range initialBudgets(b.pods.Initial, namespace) {
		found = append(found, b.countIfUnknown(one))
	}
	b.byNamespace[namespace] = found
	return found
}

// initialBudgetsKey is the key of initialBudgets in a Snapshot's memo: futures begin with the same Snapshot.
type initialBudgetsKey struct{ namespace string }

// initialBudgets are a namespace's budgets in a Snapshot, with the counts of their statuses.
func initialBudgets(world *cluster.Snapshot, namespace string) []budget {
	return cluster.Memoize(world, initialBudgetsKey{namespace}, func() []budget {
		var all []budget
		for _, pdb := range names.InNamespace(world.Budgets(), namespace) {
			all = append(all, fromStatus(pdb))
		}
		return all
	})
}

// countIfUnknown is a budget whose pods are counted if its status has no counts.
func (b *Budgets) countIfUnknown(one budget) *budget {
	if one.pdb.Status.ObservedGeneration == 0 && one.pdb.Status.ExpectedPods == 0 {
		b.countPods(&one)
	}
	return &one
}

// fromStatus is a budget with the counts of its status.
func fromStatus(pdb *policyv1.PodDisruptionBudget) budget {
	selector, err := kube.LabelSelector(pdb.Spec.Selector)
	if err != nil {
		selector = labels.Nothing() // The disruption controller does not apply such a budget either.
	}
	return budget{
		pdb: pdb, selector: selector, expected: int(pdb.Status.ExpectedPods),
		desired: int(pdb.Status.DesiredHealthy), healthy: int(pdb.Status.CurrentHealthy),
	}
}

// Put adds a budget, in place of one with the same name.
func (b *Budgets) Put(pdb *policyv1.PodDisruptionBudget) cluster.Edit {
	others := slices.DeleteFunc(b.inNamespace(pdb.Namespace), func(o *budget) bool { return o.pdb.Name == pdb.Name })
	one := new(fromStatus(pdb))
	b.countPods(one)
	b.byNamespace[pdb.Namespace] = append(others, one)
	b.unpublished = slices.DeleteFunc(b.unpublished, func(o *budget) bool { return o.pdb.Namespace == pdb.Namespace && o.pdb.Name == pdb.Name })
	clear(b.cache)
	return one.edit()
}

// countPods sets a budget's counts from the pods it covers.
func (b *Budgets) countPods(one *budget) {
	one.healthy = 0
	expected, scales := 0, map[types.UID]int{}
	for _, pod := range b.pods.InNamespace(one.pdb.Namespace) {
		if cluster.Ended(pod) || !one.selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		expected++
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
			scales[owner.UID] = replicas.Of(b.pods.Initial.Owner(pod), scales[owner.UID]+1)
		}
		if cluster.Runs(pod) && !b.unhealthy[pod.UID] {
			one.healthy++
		}
	}
	if one.pdb.Spec.MaxUnavailable == nil && one.pdb.Spec.MinAvailable == nil {
		expected = 0 // The disruption controller expects no pods of such a budget, and so allows no disruptions.
	} else if !one.expectsPods() {
		expected = 0
		for _, replicas := range scales {
			expected += replicas
		}
	}
	one.setExpected(expected)
}

// expectsPods reports whether a budget expects the pods that there are, rather than as many as their controllers' scales say.
func (o *budget) expectsPods() bool {
	return o.pdb.Spec.MaxUnavailable == nil && o.pdb.Spec.MinAvailable != nil && o.pdb.Spec.MinAvailable.Type == intstr.Int
}

// setExpected sets the number of expected pods, and so of pods that must stay healthy. Percentages are rounded up.
func (o *budget) setExpected(pods int) {
	o.expected = pods
	switch {
	case o.pdb.Spec.MaxUnavailable != nil:
		o.desired = max(pods-replicas.Scaled(o.pdb.Spec.MaxUnavailable, pods, true, 0), 0)
	default:
		o.desired = replicas.Scaled(o.pdb.Spec.MinAvailable, pods, true, 0)
	}
}

func (o *budget) allowed() int {
	if o.expected <= 0 && !o.expectsPods() { // One that expects the pods that there are expects at least the healthy ones.
		return 0
	}
	return max(o.healthy-o.desired, 0)
}

// edit is the edit that writes the counts to the budget's status.
func (o *budget) edit() cluster.Edit {
	pdb := *o.pdb
	pdb.Status.ExpectedPods, pdb.Status.DesiredHealthy = int32(o.expected), int32(o.desired)
	pdb.Status.CurrentHealthy, pdb.Status.DisruptionsAllowed = int32(o.healthy), int32(o.allowed())
	o.pdb = &pdb
	return cluster.Put(&pdb)
}

// covering are the budgets that cover a pod.
func (b *Budgets) covering(pod *corev1.Pod) []*budget {
	controller := types.NamespacedName{Namespace: pod.Namespace}
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		controller.Name = string(owner.UID)
	}
	if last, ok := b.cache[controller]; ok && maps.Equal(last.labels, pod.Labels) {
		return last.budgets
	}
	its := coveringBudgets{labels: pod.Labels}
	for _, one := range b.inNamespace(pod.Namespace) {
		if one.selector.Matches(its.labels) {
			its.budgets = append(its.budgets, one)
		}
	}
	b.cache[controller] = its
	return its.budgets
}

// MarkUnhealthy counts pods as unhealthy, all at once. It returns edits of the budgets whose allowed disruptions change.
func (b *Budgets) MarkUnhealthy(pods ...*corev1.Pod) []cluster.Edit {
	return editsOf(b.countUnhealthy(pods))
}

// MarkUnhealthyUnpublished is MarkUnhealthy for pods that the disruption controller has not counted yet: the budgets' statuses stay
// until Publish.
func (b *Budgets) MarkUnhealthyUnpublished(pods ...*corev1.Pod) {
	b.unpublished = append(b.unpublished, b.countUnhealthy(pods)...)
}

// HasUnpublished reports whether Publish would return edits.
func (b *Budgets) HasUnpublished() bool { return len(b.unpublished) > 0 }

// Publish returns edits of the budgets that MarkUnhealthyUnpublished left.
func (b *Budgets) Publish() []cluster.Edit {
	edits := editsOf(b.unpublished)
	b.unpublished = nil
	return edits
}

func editsOf(budgets []*budget) []cluster.Edit {
	var edits []cluster.Edit
	for _, one := range budgets {
		edits = append(edits, one.edit())
	}
	return edits
}

// countUnhealthy counts pods as unhealthy. It returns the budgets whose allowed disruptions change.
func (b *Budgets) countUnhealthy(pods []*corev1.Pod) []*budget {
	before := map[*budget]int{}
	var touched []*budget
	for _, pod := range pods {
		if !cluster.Runs(pod) || b.unhealthy[pod.UID] {
			continue
		}
		cover := b.covering(pod) // may count the pod while it is not marked as unhealthy
		b.unhealthy[pod.UID] = true
		for _, one := range cover {
			if _, ok := before[one]; !ok {
				before[one] = one.allowed()
				touched = append(touched, one)
			}
			one.healthy--
		}
	}
	return slices.DeleteFunc(touched, func(one *budget) bool { return one.allowed() == before[one] })
}

// MarkHealthy counts a pod as healthy. It returns edits of the budgets whose allowed disruptions change.
func (b *Budgets) MarkHealthy(pod *corev1.Pod) []cluster.Edit {
	before := map[*budget]int{}
	cover := b.covering(pod)
	for _, one := range cover {
		before[one] = one.allowed()
		one.healthy++
	}
	var edits []cluster.Edit
	for _, one := range cover {
		if one.allowed() != before[one] {
			edits = append(edits, one.edit())
		}
	}
	return edits
}

// RecordViolations records the budgets that are violated if these pods are disrupted at once. Call it before markUnhealthy.
func (b *Budgets) RecordViolations(pods ...*corev1.Pod) {
	hit := map[*budget]int{}
	for _, pod := range pods {
		if !cluster.Runs(pod) || b.unhealthy[pod.UID] {
			continue
		}
		for _, one := range b.covering(pod) {
			hit[one]++
		}
	}
	for one, n := range hit {
		if n > one.allowed() && (one.violation == nil || n-one.allowed() > one.violation.Disrupted-one.violation.Allowed) {
			ref := change.Ref{Kind: string(cluster.PodDisruptionBudget), Namespace: one.pdb.Namespace, Name: one.pdb.Name}
			one.violation = &outcome.Violation{Budget: ref, Allowed: one.allowed(), Disrupted: n}
		}
	}
}

// Violations are the budgets that were violated, each with its worst violation.
func (b *Budgets) Violations() []outcome.Violation {
	var broken []outcome.Violation
	for _, budgets := range b.byNamespace {
		for _, one := range budgets {
			if one.violation != nil {
				broken = append(broken, *one.violation)
			}
		}
	}
	slices.SortFunc(broken, func(x, y outcome.Violation) int { return outcome.CompareRefs(x.Budget, y.Budget) })
	return broken
}

// ClearViolations forgets the violations recorded so far.
func (b *Budgets) ClearViolations() {
	for _, budgets := range b.byNamespace {
		for _, one := range budgets {
			one.violation = nil
		}
	}
}

// EvictionBlocker is why the eviction API would refuse a pod, empty if it would not.
//
// Source: pkg/registry/core/pod/storage/eviction.go of Kubernetes.
func (b *Budgets) EvictionBlocker(pod *corev1.Pod) message.Sentence {
	cover := b.covering(pod)
	switch {
	case len(cover) == 0 || cluster.Ended(pod) || pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodPending || pod.DeletionTimestamp != nil:
		return message.Sentence{}
	case len(cover) > 1:
		return sentence.FateBudgets(message.List{cover[0].pdb.Name, cover[1].pdb.Name})
	}
	one := cover[0]
	if !cluster.Runs(pod) {
		policy := one.pdb.Spec.UnhealthyPodEvictionPolicy
		if policy != nil && *policy == policyv1.AlwaysAllow || one.healthy >= one.desired && one.desired > 0 {
			return message.Sentence{}
		}
	}
	if one.allowed() > 0 {
		return message.Sentence{}
	}
	return sentence.FateBlocked(one.pdb.Name, one.healthy, one.desired)
}

// Adjust adjusts the expected pods of the budgets that cover a workload, by its template's labels.
func (b *Budgets) Adjust(namespace string, template map[string]string, more int) {
	for _, one := range b.inNamespace(namespace) {
		if one.selector.Matches(labels.Set(template)) {
			one.setExpected(one.expected + more)
		}
	}
}

// Hold counts a pod as unhealthy, whatever its status says, until it is released.
func (b *Budgets) Hold(pod *corev1.Pod) { b.unhealthy[pod.UID] = true }

// Release has a pod's status say again whether it is healthy.
func (b *Budgets) Release(pod *corev1.Pod) { delete(b.unhealthy, pod.UID) }

// IsUnhealthy reports whether a pod counts as unhealthy, whatever its status says.
func (b *Budgets) IsUnhealthy(pod *corev1.Pod) bool { return b.unhealthy[pod.UID] }

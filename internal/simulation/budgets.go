package simulation

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
)

// budgets follow the PodDisruptionBudgets through the future: which pods are healthy, and so how many may be disrupted.
// A namespace's are looked at once a pod of it is touched.
//
// Source: pkg/controller/disruption of Kubernetes.
type budgets struct {
	pods        *pods
	byNamespace map[string][]*budget
	// covers are those of a controller's last pod, which most often are the next one's too.
	cache map[types.NamespacedName]coveringBudgets
	// down are pods that do not count as healthy, whatever they say.
	unhealthy map[types.UID]bool
}

// cover is the budgets that cover pods with some labels.
type coveringBudgets struct {
	labels  labels.Set
	budgets []*budget
}

// budget is one of them with its numbers.
type budget struct {
	pdb       *policyv1.PodDisruptionBudget
	selector  labels.Selector
	expected  int
	desired   int
	healthy   int
	violation *Violation
}

func newBudgets(p *pods) *budgets {
	return &budgets{pods: p, byNamespace: map[string][]*budget{}, cache: map[types.NamespacedName]coveringBudgets{}, unhealthy: map[types.UID]bool{}}
}

// in are a namespace's.
func (b *budgets) inNamespace(namespace string) []*budget {
	found, known := b.byNamespace[namespace]
	if known {
		return found
	}
	found = []*budget{}
	for _, pdb := range ofNamespace(b.pods.initial.Budgets(), namespace) {
		found = append(found, b.fromStatus(pdb))
	}
	b.byNamespace[namespace] = found
	return found
}

// read takes a budget's numbers from its status; what that does not tell is counted.
func (b *budgets) fromStatus(pdb *policyv1.PodDisruptionBudget) *budget {
	selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
	if err != nil {
		selector = labels.Nothing() // The disruption controller protects nothing by such a budget either.
	}
	one := &budget{
		pdb: pdb, selector: selector, expected: int(pdb.Status.ExpectedPods),
		desired: int(pdb.Status.DesiredHealthy), healthy: int(pdb.Status.CurrentHealthy),
	}
	if pdb.Status.ObservedGeneration == 0 && pdb.Status.ExpectedPods == 0 {
		b.countPods(one)
	}
	return one
}

// follow takes a budget as it is now, in place of the one of its name if there is one.
func (b *budgets) put(pdb *policyv1.PodDisruptionBudget) cluster.Edit {
	others := slices.DeleteFunc(b.inNamespace(pdb.Namespace), func(o *budget) bool { return o.pdb.Name == pdb.Name })
	one := b.fromStatus(pdb)
	b.countPods(one)
	b.byNamespace[pdb.Namespace] = append(others, one)
	clear(b.cache)
	return one.edit()
}

// count reads a budget's numbers from the pods it covers.
func (b *budgets) countPods(one *budget) {
	one.healthy = 0
	expected, scales := 0, map[types.UID]int{}
	for _, pod := range b.pods.inNamespace(one.pdb.Namespace) {
		if cluster.Ended(pod) || !one.selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		expected++
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
			scales[owner.UID] = replicasOf(b.pods.initial.Owner(pod), scales[owner.UID]+1)
		}
		if cluster.Runs(pod) && !b.unhealthy[pod.UID] {
			one.healthy++
		}
	}
	if one.pdb.Spec.MaxUnavailable == nil && one.pdb.Spec.MinAvailable == nil {
		expected = 0 // The disruption controller expects nothing of such a budget, and so allows nothing.
	}
	if one.pdb.Spec.MaxUnavailable != nil || one.pdb.Spec.MinAvailable != nil && one.pdb.Spec.MinAvailable.Type == intstr.String {
		expected = 0
		for _, replicas := range scales {
			expected += replicas
		}
	}
	one.setExpected(expected)
}

// expects sets how many pods there should be, and so how many must stay healthy. Percentages are rounded up.
func (o *budget) setExpected(pods int) {
	o.expected = pods
	switch {
	case o.pdb.Spec.MaxUnavailable != nil:
		o.desired = max(pods-scaledValue(o.pdb.Spec.MaxUnavailable, pods, true, 0), 0)
	default:
		o.desired = scaledValue(o.pdb.Spec.MinAvailable, pods, true, 0)
	}
}

func (o *budget) allowed() int {
	if o.expected <= 0 {
		return 0
	}
	return max(o.healthy-o.desired, 0)
}

// put is the budget as the API shows it now.
func (o *budget) edit() cluster.Edit {
	pdb := *o.pdb
	pdb.Status.ExpectedPods, pdb.Status.DesiredHealthy = int32(o.expected), int32(o.desired)
	pdb.Status.CurrentHealthy, pdb.Status.DisruptionsAllowed = int32(o.healthy), int32(o.allowed())
	o.pdb = &pdb
	return cluster.Put(&pdb)
}

// of are the budgets that cover a pod.
func (b *budgets) covering(pod *corev1.Pod) []*budget {
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

// gone says that pods are no longer healthy, all at once. It returns the budgets that allow less now.
func (b *budgets) markUnhealthy(pods ...*corev1.Pod) []cluster.Edit {
	before := map[*budget]int{}
	var touched []*budget
	for _, pod := range pods {
		if !cluster.Runs(pod) || b.unhealthy[pod.UID] {
			continue
		}
		cover := b.covering(pod) // which may count the pod, as long as it is not down
		b.unhealthy[pod.UID] = true
		for _, one := range cover {
			if _, ok := before[one]; !ok {
				before[one] = one.allowed()
				touched = append(touched, one)
			}
			one.healthy--
		}
	}
	return editsOfChanged(touched, before)
}

// back says that a pod is healthy. It returns the budgets that allow more now.
func (b *budgets) markHealthy(pod *corev1.Pod) []cluster.Edit {
	before := map[*budget]int{}
	cover := b.covering(pod)
	for _, one := range cover {
		before[one] = one.allowed()
		one.healthy++
	}
	return editsOfChanged(cover, before)
}

func editsOfChanged(touched []*budget, before map[*budget]int) []cluster.Edit {
	var edits []cluster.Edit
	for _, one := range touched {
		if one.allowed() != before[one] {
			edits = append(edits, one.edit())
		}
	}
	return edits
}

// disrupt notes the budgets that are not kept to if these pods are disrupted at once. Call it before gone.
func (b *budgets) recordViolations(pods ...*corev1.Pod) {
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
			one.violation = &Violation{Budget: ref, Allowed: one.allowed(), Disrupted: n}
		}
	}
}

// violations are the budgets that were not kept to, each with the worst moment.
func (b *budgets) violations() []Violation {
	var broken []Violation
	for _, budgets := range b.byNamespace {
		for _, one := range budgets {
			if one.violation != nil {
				broken = append(broken, *one.violation)
			}
		}
	}
	slices.SortFunc(broken, func(x, y Violation) int { return compareRefs(x.Budget, y.Budget) })
	return broken
}

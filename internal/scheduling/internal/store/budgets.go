package store

import (
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
)

// budgetIndex is the PodDisruptionBudgets by the pods that they protect, which changes only with their selectors. The disruptions
// that they allow change with every pod, and are read from the object store each time.
type budgetIndex struct {
	kind        *informer
	selectors   Version // raised whenever a selector changes
	asOf        int
	byNamespace map[string][]budgetSelector
}

type budgetSelector struct {
	budget   *policyv1.PodDisruptionBudget // as it was when asked
	selector labels.Selector
}

// update replaces a budget by another; either may be nil.
func (g *budgetIndex) update(before, after metav1.Object) {
	was, _ := before.(*policyv1.PodDisruptionBudget)
	is, _ := after.(*policyv1.PodDisruptionBudget)
	if was == nil || is == nil || !equality.Semantic.DeepEqual(was.Spec.Selector, is.Spec.Selector) {
		g.selectors.raise()
	}
}

// inNamespace are the budgets of a namespace.
func (g *budgetIndex) inNamespace(namespace string) []budgetSelector {
	if g.byNamespace == nil || g.asOf != g.selectors.Now {
		g.asOf, g.byNamespace = g.selectors.Now, map[string][]budgetSelector{}
		for _, o := range g.kind.GetIndexer().List() {
			budget := o.(*policyv1.PodDisruptionBudget)
			// An error is a selector that the evaluator refuses too.
			if selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector); err == nil {
				g.byNamespace[budget.Namespace] = append(g.byNamespace[budget.Namespace], budgetSelector{budget, selector})
			}
		}
	}
	return g.byNamespace[namespace]
}

// Budgets are all of the cluster's.
func (s *Objects) Budgets() []*policyv1.PodDisruptionBudget {
	var all []*policyv1.PodDisruptionBudget
	for _, o := range s.budgets.kind.GetIndexer().List() {
		all = append(all, o.(*policyv1.PodDisruptionBudget))
	}
	return all
}

// Budgets are those that protect one of the pods that have a lower priority, which are all that may be victims.
func (t *Pods) Budgets(pods []fwk.PodInfo, priority int32) []*policyv1.PodDisruptionBudget {
	var all []*policyv1.PodDisruptionBudget
	for _, pod := range pods {
		if corev1helpers.PodPriority(pod.GetPod()) >= priority {
			continue
		}
		for _, its := range t.objects.budgets.inNamespace(pod.GetPod().Namespace) {
			if !its.selector.Matches(labels.Set(pod.GetPod().Labels)) {
				continue
			}
			if now, ok := t.objects.budgets.kind.Held(its.budget).(*policyv1.PodDisruptionBudget); ok && !slices.Contains(all, now) {
				all = append(all, now)
			}
		}
	}
	return all
}

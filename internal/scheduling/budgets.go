package scheduling

import (
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
)

// guards are the PodDisruptionBudgets by what they protect, which changes only with their selectors. What they allow
// changes with every pod that comes or goes, and is read from the shelf each time.
type guards struct {
	kind        *informer
	selectors   version // another one whenever a selector is
	asOf        int
	byNamespace map[string][]guard
}

type guard struct {
	budget   *policyv1.PodDisruptionBudget // as it was when asked
	selector labels.Selector
}

// changed is told of a budget in the place of another; either may be nil.
func (g *guards) changed(before, after metav1.Object) {
	was, _ := before.(*policyv1.PodDisruptionBudget)
	is, _ := after.(*policyv1.PodDisruptionBudget)
	if was == nil || is == nil || !equality.Semantic.DeepEqual(was.Spec.Selector, is.Spec.Selector) {
		g.selectors.raise()
	}
}

// in are a namespace's.
func (g *guards) in(namespace string) []guard {
	if g.byNamespace == nil || g.asOf != g.selectors.now {
		g.asOf, g.byNamespace = g.selectors.now, map[string][]guard{}
		for _, o := range g.kind.GetIndexer().List() {
			budget := o.(*policyv1.PodDisruptionBudget)
			// An error is a selector that the evaluator refuses too.
			if selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector); err == nil {
				g.byNamespace[budget.Namespace] = append(g.byNamespace[budget.Namespace], guard{budget, selector})
			}
		}
	}
	return g.byNamespace[namespace]
}

// of are those that protect a crowd, as they were when asked.
func (g *guards) of(c *crowd) []*policyv1.PodDisruptionBudget {
	if !c.asked || c.asOf != g.selectors.now {
		c.asked, c.asOf, c.budgets = true, g.selectors.now, nil
		for _, guard := range g.in(c.member.Pod.Namespace) {
			if guard.selector.Matches(labels.Set(c.member.Pod.Labels)) {
				c.budgets = append(c.budgets, guard.budget)
			}
		}
	}
	return c.budgets
}

// budgets are those that protect one of the pods that have a lower priority, which are all that may be victims.
func (t *tenants) budgets(pods []fwk.PodInfo, priority int32) []*policyv1.PodDisruptionBudget {
	var all []*policyv1.PodDisruptionBudget
	for _, pod := range pods {
		if corev1helpers.PodPriority(pod.GetPod()) >= priority {
			continue
		}
		for _, asked := range t.shelf.guards.of(t.pods[nameOf(pod.GetPod())].crowd) {
			if now, ok := t.shelf.guards.kind.held(asked).(*policyv1.PodDisruptionBudget); ok && !slices.Contains(all, now) {
				all = append(all, now)
			}
		}
	}
	return all
}

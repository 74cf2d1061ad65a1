package scheduling

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
)

// class is the pods that no plugin can tell apart but by their claims, about which it is asked pod by pod: those of one template
// as a rule.
type class struct {
	pod  *corev1.Pod // any of them
	info *framework.PodInfo
	// state is what the local plugins have noted of the pod; pre and idle are what they said of all nodes.
	state *framework.CycleState
	pre   map[string]preFiltered
	idle  sets.Set[string] // local score plugins without a say
	// tables are of the local plugins.
	verdicts map[string]*table[*fwk.Status]
	scores   map[string]*table[int64]

	kin kin
}

type preFiltered struct {
	result *fwk.PreFilterResult
	status *fwk.Status
}

// kin are the crowds that bear on a class.
type kin struct {
	// asOf is the state of namespaces, services and workloads in which this was found out.
	asOf      int
	known     bool
	searches  []search // for the crowds that count for the spread rules
	namespace labels.Set
	idle      sets.Set[string] // plugins that had no say
	own       []fwk.AffinityTerm
	home      bool // they mean pods of the class's namespace only
	// How many crowds were asked: of those with rules, and of those that its own rules may mean.
	ruled, others int
	// spread count for the class's spread rules, friends for its own rules on affinity. affine have tastes, and averse
	// required anti-affinity, that mean the class.
	spread, friends, affine, averse []*crowd
	company                         company
}

// meet asks the crowds that have not been asked.
func (c *class) meet(j *Judge) {
	k, crowds := &c.kin, &j.tenants.crowds
	if !k.known || k.asOf != j.shelf.relations.now {
		*k = kin{
			known: true, idle: sets.New[string](), asOf: j.shelf.relations.now, own: termsOf(c.info),
			home:      homely(termsOf(c.info), c.pod.Namespace),
			namespace: j.shelf.namespaceLabels(c.pod.Namespace),
		}
		for _, selector := range j.shelf.spreadSelectors(c.pod) {
			k.searches = append(k.searches, crowds.search(c.pod.Namespace, selector))
		}
	}
	k.search(crowds)
	means := func(t *fwk.AffinityTerm) bool { return t.Matches(c.pod, k.namespace) }
	for ; k.ruled < len(crowds.ruled); k.ruled++ {
		other := crowds.ruled[k.ruled]
		if other.home && other.member.Pod.Namespace != c.pod.Namespace {
			continue
		}
		if anyTerm(other.tastes, means) {
			k.affine = append(k.affine, other)
		}
		if anyTerm(other.member.RequiredAntiAffinityTerms, means) {
			k.averse = append(k.averse, other)
		}
	}
	others := crowds.all
	if k.home {
		others = crowds.byNamespace[c.pod.Namespace]
	}
	for ; len(k.own) > 0 && k.others < len(others); k.others++ {
		other := others[k.others]
		// What else the terms say of namespaces is not looked at: too many friends cost time, and too few the truth.
		if anyTerm(k.own, func(t *fwk.AffinityTerm) bool { return t.Selector.Matches(labels.Set(other.member.Pod.Labels)) }) {
			k.friends = append(k.friends, other)
		}
	}
}

func anyTerm(terms []fwk.AffinityTerm, is func(*fwk.AffinityTerm) bool) bool {
	for i := range terms {
		if is(&terms[i]) {
			return true
		}
	}
	return false
}

// search finds the crowds that count for the spread rules.
func (k *kin) search(crowds *crowds) {
	for i := range k.searches {
		for _, crowd := range crowds.next(&k.searches[i]) {
			if !slices.Contains(k.spread, crowd) {
				k.spread = append(k.spread, crowd)
			}
		}
	}
}

// termsOf are all of a pod's rules on affinity.
func termsOf(pod *framework.PodInfo) []fwk.AffinityTerm {
	if rulesOf(pod.Pod) == nil {
		return nil
	}
	return append(tastesOf(pod), pod.RequiredAntiAffinityTerms...)
}

// tastesOf are a pod's rules on affinity that InterPodAffinity scores others' nodes by: required anti-affinity only refuses
// (pkg/scheduler/framework/plugins/interpodaffinity/scoring.go).
func tastesOf(pod *framework.PodInfo) []fwk.AffinityTerm {
	all := slices.Clone(pod.RequiredAffinityTerms)
	for _, weighted := range append(slices.Clip(pod.PreferredAffinityTerms), pod.PreferredAntiAffinityTerms...) {
		all = append(all, weighted.AffinityTerm)
	}
	return all
}

// homely says that terms mean pods of one namespace only.
func homely(terms []fwk.AffinityTerm, namespace string) bool {
	return !anyTerm(terms, func(t *fwk.AffinityTerm) bool {
		return len(t.Namespaces) != 1 || !t.Namespaces.Has(namespace) || t.NamespaceSelector != labels.Nothing()
	})
}

// spreadSelectors are of the pods that a pod's spread rules count: its own rules', else those that the default rules use.
func (s *shelf) spreadSelectors(pod *corev1.Pod) []labels.Selector {
	if len(pod.Spec.TopologySpreadConstraints) == 0 {
		core, apps := s.factory.Core().V1(), s.factory.Apps().V1()
		selector := helper.DefaultSelector(pod,
			core.Services().Lister(), core.ReplicationControllers().Lister(), apps.ReplicaSets().Lister(), apps.StatefulSets().Lister())
		if selector.Empty() { // the pod belongs to nothing, and the plugin does not spread it
			return nil
		}
		return []labels.Selector{selector}
	}
	selectors := []labels.Selector{}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		// An error is a selector that the plugin refuses too.
		if selector, err := metav1.LabelSelectorAsSelector(constraint.LabelSelector); err == nil {
			selectors = append(selectors, selector)
		}
	}
	return selectors
}

package scheduling

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
)

// class is the pods that no plugin can tell apart, those of one template as a rule.
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
	// asOf is the state of namespaces, services and workloads in which this was found out, seen how many crowds were asked.
	asOf, seen int
	selectors  []labels.Selector
	namespace  labels.Set
	// spread count for the class's spread rules, friends for its own rules on affinity. affine and averse have rules, and
	// required anti-affinity, that mean the class.
	spread, friends, affine, averse []*crowd
}

// update asks the crowds that have not been asked.
func (c *class) update(j *Judge) {
	k := &c.kin
	if k.asOf != j.shelf.relations.now || k.selectors == nil {
		*k = kin{asOf: j.shelf.relations.now, selectors: j.shelf.spreadSelectors(c.pod), namespace: j.shelf.namespaceLabels(c.pod.Namespace)}
	}
	for _, other := range j.tenants.crowds.all[k.seen:] {
		c.meet(other)
	}
	k.seen = len(j.tenants.crowds.all)
}

func (c *class) meet(other *crowd) {
	k, member := &c.kin, other.member
	set := labels.Set(member.Pod.Labels)
	if member.Pod.Namespace == c.pod.Namespace && matchesAny(k.selectors, set) {
		k.spread = append(k.spread, other)
	}
	// The namespaces of the class's own terms are not looked at: too many friends cost time, and too few the truth.
	if own := termsOf(c.info); anyTerm(own, func(t *fwk.AffinityTerm) bool { return t.Selector.Matches(set) }) {
		k.friends = append(k.friends, other)
	}
	means := func(t *fwk.AffinityTerm) bool { return t.Matches(c.pod, k.namespace) }
	if anyTerm(termsOf(member), means) {
		k.affine = append(k.affine, other)
	}
	if anyTerm(member.RequiredAntiAffinityTerms, means) {
		k.averse = append(k.averse, other)
	}
}

func matchesAny(selectors []labels.Selector, set labels.Set) bool {
	for _, s := range selectors {
		if s.Matches(set) {
			return true
		}
	}
	return false
}

func anyTerm(terms []fwk.AffinityTerm, is func(*fwk.AffinityTerm) bool) bool {
	for i := range terms {
		if is(&terms[i]) {
			return true
		}
	}
	return false
}

// termsOf are all of a pod's rules on affinity.
func termsOf(pod *framework.PodInfo) []fwk.AffinityTerm {
	if rulesOf(pod.Pod) == nil {
		return nil
	}
	var all []fwk.AffinityTerm
	all = append(append(all, pod.RequiredAffinityTerms...), pod.RequiredAntiAffinityTerms...)
	for _, weighted := range append(pod.PreferredAffinityTerms[:len(pod.PreferredAffinityTerms):len(pod.PreferredAffinityTerms)], pod.PreferredAntiAffinityTerms...) {
		all = append(all, weighted.AffinityTerm)
	}
	return all
}

// spreadSelectors are of the pods that a pod's spread rules count: its own rules', else those that the default rules use.
func (s *shelf) spreadSelectors(pod *corev1.Pod) []labels.Selector {
	if len(pod.Spec.TopologySpreadConstraints) == 0 {
		core, apps := s.factory.Core().V1(), s.factory.Apps().V1()
		return []labels.Selector{helper.DefaultSelector(pod,
			core.Services().Lister(), core.ReplicationControllers().Lister(), apps.ReplicaSets().Lister(), apps.StatefulSets().Lister())}
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

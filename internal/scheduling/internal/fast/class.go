package fast

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// class is an equivalence class of pods: those that no plugin can tell apart but by their claims, about which it is asked for each
// pod. As a rule they are the pods of one template.
type class struct {
	pod  *corev1.Pod // any of them
	info *framework.PodInfo
	// state is the CycleState of the local plugins; pre and idle are their answers about all nodes.
	state *framework.CycleState
	pre   map[string]preFiltered
	idle  sets.Set[string] // local score plugins that skip such a pod
	// verdicts and scores are the tables of the local plugins.
	verdicts map[string]*table[*fwk.Status]
	scores   map[string]*table[int64]

	related relatedPods
}

type preFiltered struct {
	result *fwk.PreFilterResult
	status *fwk.Status
}

// relatedPods are the label classes that bear on a class.
type relatedPods struct {
	// asOf is the version of namespaces, services and workloads for which this was computed.
	asOf             int
	known            bool
	selectors        []labels.Selector // of the spread constraints
	namespace        labels.Set
	idle             sets.Set[string] // plugins that skip such a pod
	ownTerms         []fwk.AffinityTerm
	ownNamespaceOnly bool // ownTerms select pods of the class's namespace only
	// How many label classes were looked at: of the namespace, of those with terms, and of those that its own terms may select.
	spreadSeen, classesWithTermsSeen, classesSeen int
	// spread count for the class's spread constraints, matchedByOwn for its own affinity terms. scoringTermsMatch have terms that
	// score, and antiAffinityMatches required anti-affinity, that select the class.
	spread, matchedByOwn, scoringTermsMatch, antiAffinityMatches []*store.LabelClass
	affinity                                                     affinityCache
}

// updateRelated looks at the label classes that it has not looked at.
func (c *class) updateRelated(f *Scheduler) {
	k, labelClasses := &c.related, &f.store.Pods.LabelClasses
	if !k.known || k.asOf != f.store.Objects.RelationsVersion.Now {
		*k = relatedPods{
			known: true, idle: sets.New[string](), asOf: f.store.Objects.RelationsVersion.Now, ownTerms: store.TermsOf(c.info),
			ownNamespaceOnly: store.OwnNamespaceOnly(store.TermsOf(c.info), c.pod.Namespace),
			selectors:        spreadSelectors(f.store.Objects, c.pod),
			namespace:        f.store.Objects.NamespaceLabels(c.pod.Namespace),
		}
	}
	k.searchSpread(labelClasses.ByNamespace[c.pod.Namespace])
	means := func(t *fwk.AffinityTerm) bool { return t.Matches(c.pod, k.namespace) }
	for ; k.classesWithTermsSeen < len(labelClasses.WithTerms); k.classesWithTermsSeen++ {
		other := labelClasses.WithTerms[k.classesWithTermsSeen]
		if other.OwnNamespaceOnly && other.Member.Pod.Namespace != c.pod.Namespace {
			continue
		}
		if store.AnyTerm(other.ScoringTerms, means) {
			k.scoringTermsMatch = append(k.scoringTermsMatch, other)
		}
		if store.AnyTerm(other.Member.RequiredAntiAffinityTerms, means) {
			k.antiAffinityMatches = append(k.antiAffinityMatches, other)
		}
	}
	others := labelClasses.All
	if k.ownNamespaceOnly {
		others = labelClasses.ByNamespace[c.pod.Namespace]
	}
	for ; len(k.ownTerms) > 0 && k.classesSeen < len(others); k.classesSeen++ {
		other := others[k.classesSeen]
		// What else the terms say of namespaces is not looked at: too many matches cost time, too few would make the answer wrong.
		if store.AnyTerm(k.ownTerms, func(t *fwk.AffinityTerm) bool { return t.Selector.Matches(labels.Set(other.Member.Pod.Labels)) }) {
			k.matchedByOwn = append(k.matchedByOwn, other)
		}
	}
}

// searchSpread finds, of the label classes of the pod's namespace, those that count for the spread constraints.
func (k *relatedPods) searchSpread(among []*store.LabelClass) {
	for ; k.spreadSeen < len(among); k.spreadSeen++ {
		its := labels.Set(among[k.spreadSeen].Member.Pod.Labels)
		if slices.ContainsFunc(k.selectors, func(s labels.Selector) bool { return s.Matches(its) }) {
			k.spread = append(k.spread, among[k.spreadSeen])
		}
	}
}

// spreadSelectors select the pods that a pod's spread constraints count: its own constraints, else the default ones.
func spreadSelectors(s *store.Objects, pod *corev1.Pod) []labels.Selector {
	if len(pod.Spec.TopologySpreadConstraints) == 0 {
		core, apps := s.Factory.Core().V1(), s.Factory.Apps().V1()
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

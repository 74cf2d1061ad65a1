package unschedulable

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// whyTogether says where the pods are that the pod wants to be with.
func (a *answer) whyTogether([]query.ClosedNode) {
	if a.one.Spec.Affinity == nil || a.one.Spec.Affinity.PodAffinity == nil {
		return
	}
	for i := range a.one.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		term := &a.one.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[i]
		domains := map[string]bool{}
		eachMatch(a.View, a.one, term, func(pod *corev1.Pod) {
			if node := a.World.Node(pod.Spec.NodeName); node != nil {
				if domain, ok := node.Labels[term.TopologyKey]; ok {
					domains[domain] = true
				}
			}
		})
		asked := facts.Fact(facts.RefTo(cluster.Pod, a.one), "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution["+term.TopologyKey+"]", metav1.FormatLabelSelector(term.LabelSelector))
		args := message.Args{"selector": metav1.FormatLabelSelector(term.LabelSelector), "key": term.TopologyKey}
		if len(domains) == 0 {
			a.because(message.CauseTogetherNone, args, asked)
			a.elsewhere(term)
			continue
		}
		sorted := slices.Sorted(maps.Keys(domains))
		args["domains"] = sorted[:min(len(sorted), query.MostListed)]
		a.because(message.CauseTogether, args, asked)
	}
}

// elsewhere names pods that would do but for their namespace.
func (a *answer) elsewhere(term *corev1.PodAffinityTerm) {
	anywhere := *term
	anywhere.NamespaceSelector = &metav1.LabelSelector{}
	var there []change.Ref
	eachMatch(a.View, a.one, &anywhere, func(pod *corev1.Pod) {
		if !termMatches(a.View, a.one, term, pod) {
			there = append(there, facts.RefTo(cluster.Pod, pod))
		}
	})
	if len(there) > 0 {
		a.because(message.CauseTogetherElsewhere, message.Args{"pods": a.Some(there), "namespace": there[0].Namespace},
			facts.Fact(there[0], "metadata.namespace", there[0].Namespace))
	}
}

// whyApart names the pods that the pod must not be with, by its own rule or by theirs.
func (a *answer) whyApart(nodes []query.ClosedNode) {
	if anti := facts.AntiAffinity(a.one); len(anti) > 0 {
		for i := range anti {
			var there []change.Ref
			eachMatch(a.View, a.one, &anti[i], func(pod *corev1.Pod) { there = append(there, facts.RefTo(cluster.Pod, pod)) })
			if len(there) > 0 {
				selector := metav1.FormatLabelSelector(anti[i].LabelSelector)
				a.because(message.CauseApartOwn, message.Args{"key": anti[i].TopologyKey, "selector": selector, "pods": a.Some(there)},
					facts.Fact(facts.RefTo(cluster.Pod, a.one), "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution["+anti[i].TopologyKey+"]", selector))
			}
		}
	}
	var others []change.Ref
	for _, n := range nodes {
		if !slices.ContainsFunc(n.Obstacles, func(o query.Obstacle) bool { return slices.Contains(o.Reasons, saysOthersApart) }) {
			continue
		}
		others = append(others, podsThat(a.View, n.Node.Name, func(pod *corev1.Pod) bool {
			terms := facts.AntiAffinity(pod)
			return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return termMatches(a.View, pod, &t, a.one) })
		})...)
	}
	if len(others) > 0 {
		a.because(message.CauseApartOthers, message.Args{"pods": a.Some(others)}, a.apartFrom(others[0])...)
	}
}

// apartFrom are the terms by which another pod refuses to be with the pod.
func (a *answer) apartFrom(other change.Ref) []finding.Evidence {
	pod := a.World.Pod(other.Namespace, other.Name)
	var terms []finding.Evidence
	for _, t := range facts.AntiAffinity(pod) {
		if termMatches(a.View, pod, &t, a.one) {
			terms = append(terms, facts.Fact(other, "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution["+t.TopologyKey+"]", metav1.FormatLabelSelector(t.LabelSelector)))
		}
	}
	return terms
}

// saysOthersApart is the scheduler's word for anti-affinity of pods that are there already.
const saysOthersApart = "node(s) didn't satisfy existing pods anti-affinity rules"

// eachMatch visits the pods that have a node and that a term of the owner's affinity is about.
func eachMatch(v query.View, owner *corev1.Pod, term *corev1.PodAffinityTerm, visit func(*corev1.Pod)) {
	for _, pod := range v.World.Pods() {
		if pod.Spec.NodeName != "" && !cluster.Ended(pod) && termMatches(v, owner, term, pod) {
			visit(pod)
		}
	}
}

// termMatches says whether a term of the owner's affinity is about a pod.
//
// Source: k8s.io/kube-scheduler/framework AffinityTerm; an absent namespace selector means the owner's own namespace,
// unless namespaces are listed.
func termMatches(v query.View, owner *corev1.Pod, term *corev1.PodAffinityTerm, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	if err != nil || !selector.Matches(labels.Set(pod.Labels)) {
		return false
	}
	if slices.Contains(term.Namespaces, pod.Namespace) {
		return true
	}
	if term.NamespaceSelector == nil {
		return len(term.Namespaces) == 0 && pod.Namespace == owner.Namespace
	}
	namespaces, err := metav1.LabelSelectorAsSelector(term.NamespaceSelector)
	namespace := v.World.Namespace(pod.Namespace)
	return err == nil && (namespaces.Empty() || namespace != nil && namespaces.Matches(labels.Set(namespace.Labels)))
}

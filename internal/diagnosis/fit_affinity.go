package diagnosis

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// whyTogether says where the pods are that the pod wants to be with.
func (a *answer) whyTogether([]closedNode) {
	if a.one.Spec.Affinity == nil || a.one.Spec.Affinity.PodAffinity == nil {
		return
	}
	for i := range a.one.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		term := &a.one.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[i]
		domains := map[string]bool{}
		a.eachMatch(a.one, term, func(pod *corev1.Pod) {
			if node := a.World.Node(pod.Spec.NodeName); node != nil {
				if domain, ok := node.Labels[term.TopologyKey]; ok {
					domains[domain] = true
				}
			}
		})
		asked := fact(refTo(cluster.Pod, a.one), "spec.affinity.podAffinity["+term.TopologyKey+"]", metav1.FormatLabelSelector(term.LabelSelector))
		args := message.Args{"selector": metav1.FormatLabelSelector(term.LabelSelector), "key": term.TopologyKey}
		if len(domains) == 0 {
			a.because(message.CauseTogetherNone, args, asked)
			continue
		}
		sorted := slices.Sorted(maps.Keys(domains))
		args["domains"] = sorted[:min(len(sorted), mostListed)]
		a.because(message.CauseTogether, args, asked)
	}
}

// whyApart names the pods that the pod must not be with, by its own rule or by theirs.
func (a *answer) whyApart(nodes []closedNode) {
	if anti := antiAffinity(a.one); len(anti) > 0 {
		for i := range anti {
			var there []change.Ref
			a.eachMatch(a.one, &anti[i], func(pod *corev1.Pod) { there = append(there, refTo(cluster.Pod, pod)) })
			if len(there) > 0 {
				selector := metav1.FormatLabelSelector(anti[i].LabelSelector)
				a.because(message.CauseApartOwn, message.Args{"key": anti[i].TopologyKey, "selector": selector, "pods": a.some(there)},
					fact(refTo(cluster.Pod, a.one), "spec.affinity.podAntiAffinity["+anti[i].TopologyKey+"]", selector))
			}
		}
	}
	var others []change.Ref
	for _, n := range nodes {
		if !slices.ContainsFunc(n.obstacles, func(o obstacle) bool { return slices.Contains(o.reasons, saysOthersApart) }) {
			continue
		}
		others = append(others, a.holders(n.node.Name, func(pod *corev1.Pod) bool {
			terms := antiAffinity(pod)
			return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return a.termMatches(pod, &t, a.one) })
		})...)
	}
	if len(others) > 0 {
		a.because(message.CauseApartOthers, message.Args{"pods": a.some(others)},
			fact(others[0], "spec.affinity.podAntiAffinity", ""))
	}
}

// saysOthersApart is the scheduler's word for anti-affinity of pods that are there already.
const saysOthersApart = "node(s) didn't satisfy existing pods anti-affinity rules"

func antiAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// selectsNamespaces says whether the pod's affinity is about namespaces chosen by their labels.
func selectsNamespaces(pod *corev1.Pod) bool {
	terms := antiAffinity(pod)
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		terms = slices.Concat(terms, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool {
		return t.NamespaceSelector != nil && len(t.NamespaceSelector.MatchLabels)+len(t.NamespaceSelector.MatchExpressions) > 0
	})
}

// eachMatch visits the pods that have a node and that a term of the owner's affinity is about.
func (v View) eachMatch(owner *corev1.Pod, term *corev1.PodAffinityTerm, visit func(*corev1.Pod)) {
	for _, pod := range v.World.Pods() {
		if pod.Spec.NodeName != "" && !ended(pod) && v.termMatches(owner, term, pod) {
			visit(pod)
		}
	}
}

// termMatches says whether a term of the owner's affinity is about a pod.
//
// Source: k8s.io/kube-scheduler/framework AffinityTerm; an absent namespace selector means the owner's own namespace,
// unless namespaces are listed.
func (v View) termMatches(owner *corev1.Pod, term *corev1.PodAffinityTerm, pod *corev1.Pod) bool {
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

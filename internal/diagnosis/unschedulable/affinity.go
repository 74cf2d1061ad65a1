package unschedulable

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// explainAffinity names the domains of the pods that the pod's affinity requires.
func (a *explanation) explainAffinity([]query.NodeObstacles) {
	if a.representative.Spec.Affinity == nil || a.representative.Spec.Affinity.PodAffinity == nil {
		return
	}
	for i := range a.representative.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		term := &a.representative.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[i]
		domains := map[string]bool{}
		visitMatches(a.Query, a.representative, term, func(pod *corev1.Pod) {
			if node := a.World.Node(pod.Spec.NodeName); node != nil {
				if domain, ok := node.Labels[term.TopologyKey]; ok {
					domains[domain] = true
				}
			}
		})
		selector := metav1.FormatLabelSelector(term.LabelSelector)
		asked := facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution["+term.TopologyKey+"]", selector)
		if len(domains) == 0 {
			a.addCause(sentence.CauseTogetherNone(term.TopologyKey, selector), asked)
			a.otherNamespaces(term)
			continue
		}
		sorted := slices.Sorted(maps.Keys(domains))
		a.addCause(sentence.CauseTogether(term.TopologyKey, selector, message.ListOf(sorted[:min(len(sorted), query.MaxListed)])), asked)
	}
}

// otherNamespaces names pods that would match but are in another namespace.
func (a *explanation) otherNamespaces(term *corev1.PodAffinityTerm) {
	anywhere := *term
	anywhere.NamespaceSelector = &metav1.LabelSelector{}
	var there []change.Ref
	visitMatches(a.Query, a.representative, &anywhere, func(pod *corev1.Pod) {
		if !termMatches(a.Query, a.representative, term, pod) {
			there = append(there, facts.RefTo(cluster.Pod, pod))
		}
	})
	if len(there) > 0 {
		a.addCause(sentence.CauseTogetherElsewhere(there[0].Namespace, a.Enumerate(there)),
			facts.Evidence(there[0], "metadata.namespace", there[0].Namespace))
	}
}

// explainAntiAffinity names the pods that exclude the pod, by its own anti-affinity or by theirs.
func (a *explanation) explainAntiAffinity(nodes []query.NodeObstacles) {
	if anti := kube.RequiredAntiAffinity(a.representative); len(anti) > 0 {
		for i := range anti {
			var there []change.Ref
			visitMatches(a.Query, a.representative, &anti[i], func(pod *corev1.Pod) { there = append(there, facts.RefTo(cluster.Pod, pod)) })
			if len(there) > 0 {
				selector := metav1.FormatLabelSelector(anti[i].LabelSelector)
				a.addCause(sentence.CauseApartOwn(anti[i].TopologyKey, selector, a.Enumerate(there)),
					facts.Evidence(facts.RefTo(cluster.Pod, a.representative), "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution["+anti[i].TopologyKey+"]", selector))
			}
		}
	}
	var others []change.Ref
	for _, n := range nodes {
		if !slices.ContainsFunc(n.Obstacles, func(o query.Obstacle) bool { return slices.Contains(o.Reasons, reasonExistingAntiAffinity) }) {
			continue
		}
		others = append(others, podsOnNode(a.Query, n.Node.Name, func(pod *corev1.Pod) bool {
			terms := kube.RequiredAntiAffinity(pod)
			return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return termMatches(a.Query, pod, &t, a.representative) })
		})...)
	}
	if len(others) > 0 {
		a.addCause(sentence.CauseApartOthers(a.Enumerate(others)), a.antiAffinityEvidence(others[0])...)
	}
}

// antiAffinityEvidence are the anti-affinity terms of another pod that match the pod.
func (a *explanation) antiAffinityEvidence(other change.Ref) []finding.Evidence {
	pod := a.World.Pod(other.Namespace, other.Name)
	var terms []finding.Evidence
	for _, t := range kube.RequiredAntiAffinity(pod) {
		if termMatches(a.Query, pod, &t, a.representative) {
			terms = append(terms, facts.Evidence(other, "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution["+t.TopologyKey+"]", metav1.FormatLabelSelector(t.LabelSelector)))
		}
	}
	return terms
}

// reasonExistingAntiAffinity is the scheduler's reason for the anti-affinity of existing pods.
const reasonExistingAntiAffinity = "node(s) didn't satisfy existing pods anti-affinity rules"

// visitMatches visits the pods with a node that a term of the owner's affinity matches.
func visitMatches(q query.Query, owner *corev1.Pod, term *corev1.PodAffinityTerm, visit func(*corev1.Pod)) {
	for _, pod := range q.World.Pods() {
		if pod.Spec.NodeName != "" && !cluster.Ended(pod) && termMatches(q, owner, term, pod) {
			visit(pod)
		}
	}
}

// termMatches reports whether a term of the owner's affinity matches a pod.
func termMatches(q query.Query, owner *corev1.Pod, term *corev1.PodAffinityTerm, pod *corev1.Pod) bool {
	terms, err := scheduling.AffinityTerms(owner, []corev1.PodAffinityTerm{*term})
	return err == nil && terms[0].Matches(pod, q.World.NamespaceLabels(pod.Namespace))
}

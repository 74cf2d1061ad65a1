package rebalance

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// affinity finds pods that run apart from those beside which their required affinity keeps them: it has no effect on pods that run, and others may have left.
type affinity struct {
	world *cluster.Snapshot
	// pods are those that count, by namespace.
	pods map[string][]*corev1.Pod
	// selected are the pods that all of some terms select, by the terms as they are written and the namespace of their pod.
	selected map[string][]*corev1.Pod
}

// violates reports whether a pod runs where the scheduler would not place it for its affinity: for each term, a pod that all terms select must be in the domain
// of the node. If there is none anywhere, the first of a group may be selected by its own terms.
//
// Source: satisfyPodAffinity in pkg/scheduler/framework/plugins/interpodaffinity/filtering.go of Kubernetes.
func (a affinity) violates(pod *corev1.Pod, node *corev1.Node) bool {
	terms, err := scheduling.AffinityTerms(pod, kube.RequiredPodAffinity(pod))
	if err != nil {
		return false // The API server accepts no such term.
	}
	others := slices.DeleteFunc(slices.Clone(a.selectedBy(pod, terms)), func(other *corev1.Pod) bool { return other.UID == pod.UID })
	for _, term := range terms {
		if _, is := node.Labels[term.TopologyKey]; !is {
			return true
		}
	}
	if !slices.ContainsFunc(others, func(other *corev1.Pod) bool { return a.hasDomain(other, terms) }) {
		return !matchesAll(terms, pod, a.world.NamespaceLabels(pod.Namespace))
	}
	return slices.ContainsFunc(terms, func(term scheduling.AffinityTerm) bool {
		return !slices.ContainsFunc(others, func(other *corev1.Pod) bool {
			at := a.world.Node(other.Spec.NodeName)
			value, is := at.Labels[term.TopologyKey]
			return is && value == node.Labels[term.TopologyKey]
		})
	})
}

// hasDomain reports whether a pod is in a domain of any of some terms.
func (a affinity) hasDomain(pod *corev1.Pod, terms []scheduling.AffinityTerm) bool {
	at := a.world.Node(pod.Spec.NodeName)
	return slices.ContainsFunc(terms, func(term scheduling.AffinityTerm) bool {
		_, is := at.Labels[term.TopologyKey]
		return is
	})
}

// selectedBy are the pods on nodes that all terms of a pod select.
func (a affinity) selectedBy(pod *corev1.Pod, terms []scheduling.AffinityTerm) []*corev1.Pod {
	key := fmt.Sprintf("%q %q %+v", pod.Namespace, pod.Labels, kube.RequiredPodAffinity(pod)) // Labels, as matchLabelKeys name some.
	selected, known := a.selected[key]
	if known {
		return selected
	}
	for namespace, pods := range a.pods {
		named := labels.Set(a.world.NamespaceLabels(namespace))
		for _, other := range pods {
			if a.world.Node(other.Spec.NodeName) != nil && matchesAll(terms, other, named) {
				selected = append(selected, other)
			}
		}
	}
	a.selected[key] = selected
	return selected
}

func matchesAll(terms []scheduling.AffinityTerm, pod *corev1.Pod, namespace labels.Set) bool {
	return !slices.ContainsFunc(terms, func(term scheduling.AffinityTerm) bool { return !term.Matches(pod, namespace) })
}

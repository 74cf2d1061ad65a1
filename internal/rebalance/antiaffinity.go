package rebalance

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// antiAffinity finds pods beside others from which their required anti-affinity keeps them apart: it has no effect on pods that run, and labels of pods and
// nodes may change.
type antiAffinity struct {
	world *cluster.Snapshot
	// pods are those that count, by namespace.
	pods map[string][]*corev1.Pod
	// selected are the pods that a term selects, by the term and the value of its topology key.
	selected map[string]map[string][]*corev1.Pod
	// leaving are the pods that have to leave their nodes: nothing is beside them for long.
	leaving map[types.UID]bool
}

// violates reports whether a pod runs beside one from which it is to be kept apart.
func (a antiAffinity) violates(pod *corev1.Pod, node *corev1.Node) bool {
	terms, err := scheduling.AffinityTerms(pod, kube.RequiredAntiAffinity(pod))
	if err != nil {
		return false // The API server accepts no such term.
	}
	return slices.ContainsFunc(terms, func(term scheduling.AffinityTerm) bool {
		return slices.ContainsFunc(a.beside(node, term), func(other *corev1.Pod) bool { return other.UID != pod.UID && !a.leaving[other.UID] })
	})
}

// beside are the pods that a term selects, in the domain of a node.
func (a antiAffinity) beside(node *corev1.Node, term scheduling.AffinityTerm) []*corev1.Pod {
	value, is := node.Labels[term.TopologyKey]
	switch {
	case !is:
		return nil
	case term.TopologyKey == corev1.LabelHostname:
		return slices.DeleteFunc(slices.Clone(a.world.PodsOn(node.Name)), func(other *corev1.Pod) bool {
			return !counts(other) || !term.Matches(other, a.world.NamespaceLabels(other.Namespace))
		})
	}
	// A selector of everything and one of nothing are written alike.
	key := fmt.Sprintf("%q %q %t %q %t %q", sets.List(term.Namespaces), term.NamespaceSelector, term.NamespaceSelector.Empty(), term.Selector, term.Selector.Empty(), term.TopologyKey)
	byDomain, known := a.selected[key]
	if !known {
		byDomain = a.byDomain(term)
		a.selected[key] = byDomain
	}
	return byDomain[value]
}

// byDomain are the pods that a term selects, by the value of its topology key.
func (a antiAffinity) byDomain(term scheduling.AffinityTerm) map[string][]*corev1.Pod {
	found := map[string][]*corev1.Pod{}
	for namespace, pods := range a.pods {
		named := labels.Set(a.world.NamespaceLabels(namespace))
		if !term.Namespaces.Has(namespace) && !term.NamespaceSelector.Matches(named) {
			continue
		}
		for _, other := range pods {
			if at := a.world.Node(other.Spec.NodeName); at != nil && term.Matches(other, named) {
				domain := at.Labels[term.TopologyKey]
				found[domain] = append(found[domain], other)
			}
		}
	}
	return found
}

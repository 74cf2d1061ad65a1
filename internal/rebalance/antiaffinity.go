package rebalance

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
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
	for _, term := range kube.RequiredAntiAffinity(pod) {
		value, is := node.Labels[term.TopologyKey]
		if is && slices.ContainsFunc(a.beside(pod, node, term, value), func(other *corev1.Pod) bool { return other.UID != pod.UID && !a.leaving[other.UID] }) {
			return true
		}
	}
	return false
}

// beside are the pods that a term of a pod selects, in the domain of its node.
func (a antiAffinity) beside(pod *corev1.Pod, node *corev1.Node, term corev1.PodAffinityTerm, value string) []*corev1.Pod {
	s, err := a.selectorOf(pod, term)
	if err != nil {
		return nil // The API server accepts no such term.
	}
	if term.TopologyKey == corev1.LabelHostname {
		return slices.DeleteFunc(slices.Clone(a.world.PodsOn(node.Name)), func(other *corev1.Pod) bool { return !counts(other) || !s.selects(other) })
	}
	key, _ := json.Marshal([]any{pod.Namespace, term}) // They are plain data.
	byDomain, known := a.selected[string(key)]
	if !known {
		byDomain = map[string][]*corev1.Pod{}
		for namespace, pods := range a.pods {
			if !s.selectsNamespace(namespace) {
				continue
			}
			for _, other := range pods {
				if at := a.world.Node(other.Spec.NodeName); at != nil && s.labels.Matches(labels.Set(other.Labels)) {
					domain := at.Labels[term.TopologyKey]
					byDomain[domain] = append(byDomain[domain], other)
				}
			}
		}
		a.selected[string(key)] = byDomain
	}
	return byDomain[value]
}

// termSelector selects pods as a term of anti-affinity does.
//
// Source: newAffinityTerm and Matches in pkg/scheduler/framework/types.go of Kubernetes.
type termSelector struct {
	world      *cluster.Snapshot
	namespaces []string
	// namespaced selects namespaces by their labels, labels selects pods.
	namespaced, labels labels.Selector
}

func (a antiAffinity) selectorOf(pod *corev1.Pod, term corev1.PodAffinityTerm) (s termSelector, err error) {
	s = termSelector{world: a.world, namespaces: term.Namespaces}
	if len(term.Namespaces) == 0 && term.NamespaceSelector == nil {
		s.namespaces = []string{pod.Namespace}
	}
	if s.namespaced, err = kube.LabelSelector(term.NamespaceSelector); err != nil {
		return s, err
	}
	s.labels, err = kube.LabelSelector(term.LabelSelector)
	return s, err
}

func (s termSelector) selects(pod *corev1.Pod) bool {
	return s.labels.Matches(labels.Set(pod.Labels)) && s.selectsNamespace(pod.Namespace)
}

func (s termSelector) selectsNamespace(name string) bool {
	return slices.Contains(s.namespaces, name) || s.namespaced.Matches(labels.Set(s.world.NamespaceLabels(name)))
}

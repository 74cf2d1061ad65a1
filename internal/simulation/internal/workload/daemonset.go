package workload

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// CreateDaemonPods creates a node's missing pods of DaemonSets.
func (w *Controllers) CreateDaemonPods(node *corev1.Node) error {
	world := w.engine.World()
	for _, set := range world.DaemonSets() {
		if kube.ShouldRunDaemonPod(set, node) && !w.hasDaemonPod(set, node.Name) {
			w.engine.CreatePod(nil, w.daemonPod(set, node.Name))
			if err := w.removePodsWithoutNode(set.UID); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasDaemonPod reports whether a node has a pod of a DaemonSet, or one is pending for it. It does not scan the DaemonSet's pods,
// of which there are as many as nodes.
func (w *Controllers) hasDaemonPod(set *appsv1.DaemonSet, node string) bool {
	here := func(pod *corev1.Pod) bool {
		return metav1.IsControlledBy(pod, set) && kube.TargetNodeName(pod) == node && pod.DeletionTimestamp == nil
	}
	return slices.ContainsFunc(w.engine.Pods.OnNode(node), here) || slices.ContainsFunc(w.engine.Pods.OnNode(""), here) || slices.ContainsFunc(w.engine.Queue.PodsOf(set.UID), here)
}

// nodesWithDaemonPod are the nodes that have a pod of a DaemonSet, or for which one is pending.
func (w *Controllers) nodesWithDaemonPod(set *appsv1.DaemonSet) map[string]bool {
	nodes := map[string]bool{}
	for _, pod := range slices.Concat(w.engine.Pods.OwnedBy(set.UID), w.engine.Queue.PodsOf(set.UID)) {
		if pod.DeletionTimestamp == nil {
			nodes[kube.TargetNodeName(pod)] = true
		}
	}
	return nodes
}

// daemonPod is a DaemonSet's new pod for a node: a copy of its newest on another node, or made from its template.
func (w *Controllers) daemonPod(set *appsv1.DaemonSet, node string) *corev1.Pod {
	name := w.engine.Names.Pod(set.Namespace, set.Name+"-")
	if sibling := w.engine.Pods.FirstOwned(set.UID, func(pod *corev1.Pod) bool { return upToDate(set, pod) }); sibling != nil {
		return pinnedToNode(w.engine.ReplacementPod(sibling, name), node)
	}
	return pinnedToNode(w.daemonPodFromTemplate(set, name), node)
}

func (w *Controllers) daemonPodFromTemplate(set *appsv1.DaemonSet, name string) *corev1.Pod {
	pod := w.engine.PodFromTemplate(&set.Spec.Template, set.Namespace, name, controllerRef("apps/v1", "DaemonSet", set))
	pod.Spec.Tolerations = kube.DaemonTolerations(&pod.Spec)
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	if generation := set.Annotations[appsv1.DeprecatedTemplateGeneration]; generation != "" {
		pod.Labels[templateGeneration] = generation
	}
	return pod
}

// templateGeneration is the label with the generation of the template that a DaemonSet's pod was made from.
const templateGeneration = "pod-template-generation"

// upToDate reports whether a pod was made from its DaemonSet's current template, by its labels.
func upToDate(set *appsv1.DaemonSet, pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Labels[templateGeneration] == set.Annotations[appsv1.DeprecatedTemplateGeneration]
}

// pinnedToNode gives a DaemonSet's pod the node affinity that its controller sets.
func pinnedToNode(pod *corev1.Pod, node string) *corev1.Pod {
	affinity := corev1.Affinity{}
	if pod.Spec.Affinity != nil {
		affinity = *pod.Spec.Affinity
	}
	nodes := corev1.NodeAffinity{}
	if affinity.NodeAffinity != nil {
		nodes = *affinity.NodeAffinity
	}
	nodes.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
		}},
	}}}
	affinity.NodeAffinity = &nodes
	pod.Spec.Affinity = &affinity
	return pod
}

// replaceDaemonPod creates a DaemonSet's pod again on its node, if the node still exists and should have one.
func (w *Controllers) replaceDaemonPod(pod *corev1.Pod, set *appsv1.DaemonSet) error {
	node := w.engine.World().Node(kube.TargetNodeName(pod))
	if node == nil || !kube.ShouldRunDaemonPod(set, node) {
		w.engine.Fates.End(pod, outcome.Ended, sentence.FateDaemon(), w.engine.Elapsed())
		return nil
	}
	name := w.engine.Names.Pod(pod.Namespace, set.Name+"-")
	next := w.engine.ReplacementPod(pod, name)
	if !upToDate(set, pod) {
		next = w.daemonPodFromTemplate(set, name)
	}
	w.engine.CreatePod(pod, pinnedToNode(next, node.Name))
	return nil
}

// RemovePendingDaemonPods removes DaemonSets' pending pods whose node no longer exists, after nodes were removed with their pods: of
// DaemonSets that lost a pod with its node, and of others, in some futures.
//
// Source: pkg/controller/daemon (NewDaemonSetsController, getUnscheduledPodsWithoutNode).
func (w *Controllers) RemovePendingDaemonPods(nodes []*corev1.Node, pods []*corev1.Pod) error {
	lost := func(set *appsv1.DaemonSet) bool {
		return slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return metav1.IsControlledBy(pod, set) })
	}
	seen := map[types.UID]bool{}
	for _, pod := range w.engine.Pods.OnNode("") {
		set, is := w.engine.World().Owner(pod).(*appsv1.DaemonSet)
		if !is || seen[set.UID] || !lost(set) && !isForAny(pod, nodes) {
			continue
		}
		seen[set.UID] = true
		if !lost(set) && !w.engine.Randomness.SyncsDaemonSet() {
			continue
		}
		if err := w.removePodsWithoutNode(set.UID); err != nil {
			return err
		}
	}
	return nil
}

// isForAny reports whether a DaemonSet's pod is for one of some nodes.
func isForAny(pod *corev1.Pod, nodes []*corev1.Node) bool {
	return slices.ContainsFunc(nodes, func(node *corev1.Node) bool { return node.Name == kube.TargetNodeName(pod) })
}

// removePodsWithoutNode removes a DaemonSet's pending pods whose node does not exist.
//
// Source: pkg/controller/daemon (getUnscheduledPodsWithoutNode).
func (w *Controllers) removePodsWithoutNode(set types.UID) error {
	for _, pod := range w.engine.Pods.OnNode("") {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil || owner.UID != set || pod.DeletionTimestamp != nil || w.engine.World().Node(kube.TargetNodeName(pod)) != nil {
			continue
		}
		if err := w.engine.RemovePod(pod); err != nil {
			return err
		}
		w.engine.Fates.End(pod, outcome.Ended, sentence.FateDaemon(), w.engine.Elapsed())
	}
	return nil
}

func daemonRef(set *appsv1.DaemonSet) string {
	return change.Ref{Kind: string(cluster.DaemonSet), Name: set.Name}.String()
}

// syncDaemonSet creates a DaemonSet's missing pods, and removes those on nodes that it does not select.
func (w *Controllers) syncDaemonSet(set *appsv1.DaemonSet) error {
	for _, node := range randomness.Shuffled(w.engine.Randomness, w.engine.World().Nodes()) { // A quota may be exhausted by the first.
		if kube.ShouldRunDaemonPod(set, node) && !w.hasDaemonPod(set, node.Name) {
			w.engine.CreatePod(nil, w.daemonPod(set, node.Name))
		}
	}
	if err := w.removePodsWithoutNode(set.UID); err != nil {
		return err
	}
	return w.RemoveUnselectedDaemonPods(w.daemonPods(set))
}

// RemoveUnselectedDaemonPods removes the pods of DaemonSets on nodes that their DaemonSet does not select.
func (w *Controllers) RemoveUnselectedDaemonPods(pods []*corev1.Pod) error {
	for _, pod := range pods {
		set, ok := w.engine.World().Owner(pod).(*appsv1.DaemonSet)
		node := w.engine.World().Node(kube.TargetNodeName(pod))
		if !ok || node == nil || pod.DeletionTimestamp != nil || cluster.Ended(pod) || kube.DaemonSetSelects(set, node) {
			continue
		}
		if err := w.engine.RemovePod(pod); err != nil {
			return err
		}
		w.engine.Fates.End(pod, outcome.Ended, sentence.FateUnwanted(), w.engine.Elapsed())
	}
	return nil
}

package simulation

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// createDaemonPods creates a node's missing pods of DaemonSets.
func (e *engine) createDaemonPods(node *corev1.Node) error {
	world := e.world()
	for _, set := range world.DaemonSets() {
		if kube.ShouldRunDaemonPod(set, node) && !e.hasDaemonPod(set, node.Name) {
			e.createPod(nil, e.daemonPod(set, node.Name))
		}
	}
	return nil
}

// hasDaemonPod says whether a node has a pod of a DaemonSet, or one is pending for it. It does not scan the DaemonSet's pods, of
// which there are as many as nodes.
func (e *engine) hasDaemonPod(set *appsv1.DaemonSet, node string) bool {
	here := func(pod *corev1.Pod) bool {
		return metav1.IsControlledBy(pod, set) && kube.TargetNodeName(pod) == node && pod.DeletionTimestamp == nil
	}
	return slices.ContainsFunc(e.pods.OnNode(node), here) || slices.ContainsFunc(e.pods.OnNode(""), here) || slices.ContainsFunc(e.queue.PodsOf(set.UID), here)
}

// daemonPod is a DaemonSet's new pod for a node: a copy of its newest on another node, or made from its template.
func (e *engine) daemonPod(set *appsv1.DaemonSet, node string) *corev1.Pod {
	name := e.names.Pod(set.Namespace, set.Name+"-")
	if sibling := e.pods.FirstOwned(set.UID, func(pod *corev1.Pod) bool { return upToDate(set, pod) }); sibling != nil {
		return pinnedToNode(e.replacementPod(sibling, name), node)
	}
	return pinnedToNode(e.daemonPodFromTemplate(set, name), node)
}

func (e *engine) daemonPodFromTemplate(set *appsv1.DaemonSet, name string) *corev1.Pod {
	pod := e.podFromTemplate(&set.Spec.Template, set.Namespace, name, controllerRef("apps/v1", "DaemonSet", set))
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

// upToDate says whether a pod was made from its DaemonSet's current template, by its labels.
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
func (e *engine) replaceDaemonPod(pod *corev1.Pod, set *appsv1.DaemonSet) error {
	node := e.world().Node(kube.TargetNodeName(pod))
	if node == nil || !kube.ShouldRunDaemonPod(set, node) {
		e.fates.End(pod, outcome.Ended, message.Of(message.FateDaemon, nil), e.elapsed())
		return nil
	}
	name := e.names.Pod(pod.Namespace, set.Name+"-")
	next := e.replacementPod(pod, name)
	if !upToDate(set, pod) {
		next = e.daemonPodFromTemplate(set, name)
	}
	e.createPod(pod, pinnedToNode(next, node.Name))
	return nil
}

// removePendingDaemonPods removes DaemonSets' pods that are pinned to removed nodes.
//
// Source: pkg/controller/daemon (getUnscheduledPodsWithoutNode).
func (e *engine) removePendingDaemonPods(gone []*corev1.Node) error {
	for _, pod := range e.pods.OnNode("") {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil || cluster.Kind(owner.Kind) != cluster.DaemonSet || pod.DeletionTimestamp != nil {
			continue
		}
		its := func(node *corev1.Node) bool { return node.Name == kube.TargetNodeName(pod) }
		if !slices.ContainsFunc(gone, its) {
			continue
		}
		if err := e.removePod(pod); err != nil {
			return err
		}
		e.fates.End(pod, outcome.Ended, message.Of(message.FateDaemon, nil), e.elapsed())
	}
	return nil
}

func daemonRef(set *appsv1.DaemonSet) string {
	return change.Ref{Kind: string(cluster.DaemonSet), Name: set.Name}.String()
}

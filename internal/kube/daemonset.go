package kube

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TargetNodeName is the node that a DaemonSet's pod runs on, or that its node affinity is for while it is pending; empty if neither
// says so. It is the first node that the affinity names, since its controller writes one.
//
// Source: pkg/controller/daemon/util of Kubernetes (GetTargetNodeName).
func TargetNodeName(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	for _, term := range requiredNodeTerms(pod) {
		for _, field := range term.MatchFields {
			switch {
			case !isNodeName(field):
			case len(field.Values) != 1:
				return ""
			default:
				return field.Values[0]
			}
		}
	}
	return ""
}

// OnlyNodeName is the one node that a pod may run on: the one it runs on, or the only one that every term of its required node
// affinity leaves by name; empty if there are others, or none. Unlike TargetNodeName it is about any pod, whose terms are
// alternatives.
//
// Source: pkg/scheduler/framework/plugins/nodeaffinity of Kubernetes (PreFilter).
func OnlyNodeName(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	var allowed []string
	for _, term := range requiredNodeTerms(pod) {
		names, restricted := nodeNames(term)
		if !restricted {
			return ""
		}
		allowed = append(allowed, names...)
	}
	slices.Sort(allowed)
	if allowed = slices.Compact(allowed); len(allowed) != 1 {
		return ""
	}
	return allowed[0]
}

// nodeNames are the nodes that a term allows by their names; false if it does not restrict them.
func nodeNames(term corev1.NodeSelectorTerm) (names []string, restricted bool) {
	for _, field := range term.MatchFields {
		if !isNodeName(field) {
			continue
		}
		if !restricted {
			names, restricted = slices.Clone(field.Values), true
			continue
		}
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(field.Values, name) })
	}
	return names, restricted
}

func isNodeName(field corev1.NodeSelectorRequirement) bool {
	return field.Key == metav1.ObjectNameField && field.Operator == corev1.NodeSelectorOpIn
}

func requiredNodeTerms(pod *corev1.Pod) []corev1.NodeSelectorTerm {
	if required := RequiredNodeAffinity(pod); required != nil {
		return required.NodeSelectorTerms
	}
	return nil
}

// daemonTolerations are those that every pod of a DaemonSet gets, and networkUnavailable the one for pods on the host's network.
var (
	daemonTolerations = []corev1.Toleration{
		exists(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule),
	}
	networkUnavailable = exists(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)
)

func exists(key string, effect corev1.TaintEffect) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
}

// DaemonTolerations are the tolerations of a DaemonSet's pods: those of the template, and those that the controller sets, which last
// forever even where the template gives seconds.
//
// Source: pkg/controller/daemon/util of Kubernetes (AddOrUpdateDaemonPodTolerations).
func DaemonTolerations(template *corev1.PodSpec) []corev1.Toleration {
	all := slices.Clone(template.Tolerations)
	for _, toleration := range daemonTolerations {
		all = setToleration(all, toleration)
	}
	if template.HostNetwork {
		all = setToleration(all, networkUnavailable)
	}
	return all
}

// setToleration puts a toleration in the place of those that differ from it by their seconds at most, or else at the end.
//
// Source: pkg/apis/core/v1/helper of Kubernetes (AddOrUpdateTolerationInPodSpec).
func setToleration(all []corev1.Toleration, toleration corev1.Toleration) []corev1.Toleration {
	found := false
	for i := range all {
		if toleration.MatchToleration(&all[i]) {
			all[i], found = toleration, true
		}
	}
	if !found {
		all = append(all, toleration)
	}
	return all
}

// DaemonSetSelects says whether a DaemonSet's template allows a node by name, node selector and node affinity.
//
// Source: pkg/controller/daemon of Kubernetes (predicates).
func DaemonSetSelects(set *appsv1.DaemonSet, node *corev1.Node) bool {
	template := &set.Spec.Template.Spec
	if template.NodeName != "" && template.NodeName != node.Name {
		return false
	}
	return Selects(&corev1.Pod{Spec: *template}, node)
}

// ShouldRunDaemonPod says whether a DaemonSet should have a pod on a node.
//
// Source: pkg/controller/daemon of Kubernetes (NodeShouldRunDaemonPod).
func ShouldRunDaemonPod(set *appsv1.DaemonSet, node *corev1.Node) bool {
	return DaemonSetSelects(set, node) && ToleratesAll(DaemonTolerations(&set.Spec.Template.Spec), node.Spec.Taints)
}

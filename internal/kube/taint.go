package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
)

// ComparisonOperators says whether tolerations may compare numbers (Lt, Gt): the feature gate TaintTolerationComparisonOperators is
// alpha in Kubernetes 1.36, and off unless it is set.
const ComparisonOperators = false

// Tolerates says whether one of the tolerations tolerates a taint.
//
// Source: k8s.io/component-helpers/scheduling/corev1 (TolerationsTolerateTaint).
func Tolerates(tolerations []corev1.Toleration, taint *corev1.Taint) bool {
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, tolerations, taint, ComparisonOperators)
}

// Repels says whether a taint keeps pods off a node, or evicts them, rather than make the scheduler prefer others.
func Repels(taint *corev1.Taint) bool {
	return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
}

// ToleratesAll says whether every taint that repels is tolerated.
//
// Source: k8s.io/component-helpers/scheduling/corev1 (FindMatchingUntoleratedTaint), as the plugin TaintToleration filters.
func ToleratesAll(tolerations []corev1.Toleration, taints []corev1.Taint) bool {
	return !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return Repels(&t) && !Tolerates(tolerations, &t) })
}

// OutOfServiceTaint is the taint by which a person, or naosu on proof, declares that the machine of a node is off: its pods are deleted at
// once, and its volumes are detached without the wait of six minutes.
//
// Source: KEP-2268, non-graceful node shutdown.
var OutOfServiceTaint = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// IsOutOfService says whether a node has the OutOfServiceTaint, with any value.
func IsOutOfService(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService })
}

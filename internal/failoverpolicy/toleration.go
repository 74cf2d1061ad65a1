package failoverpolicy

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/kube"
)

// Taints are the keys of the taints of a node that is not ready or unreachable, by which its pods are evicted.
var Taints = []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable}

// Change sets the tolerationSeconds of the toleration of a taint.
type Change struct {
	// Key is one of Taints.
	Key     string
	Seconds int64
}

// origin is who has chosen how long a pod stays on a node with a taint.
type origin string

// The origins.
const (
	// fromTemplate is that the template of the pod's workload has a toleration of the taint.
	fromTemplate origin = "Template"
	// fromAdmission is that the pod has a toleration such as the API server gives pods whose template has none, and a policy may set.
	fromAdmission origin = "Admission"
	// fromElsewhere is that neither holds: a webhook or a person has chosen it, or the pod has no toleration of the taint.
	fromElsewhere origin = "Elsewhere"
)

// originOf is who has chosen how long a pod stays on a node with a taint.
func originOf(template, pod []corev1.Toleration, key string) origin {
	if explicit(template, key) {
		return fromTemplate
	}
	if at := Index(pod, key); at >= 0 && inBounds(*pod[at].TolerationSeconds) {
		return fromAdmission
	}
	return fromElsewhere
}

// explicit says whether the API server gives no default for a taint to pods with these tolerations.
//
// Source: Plugin.Admit in plugin/pkg/admission/defaulttolerationseconds of Kubernetes.
func explicit(tolerations []corev1.Toleration, key string) bool {
	return slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool {
		return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
	})
}

// Index is where a pod has the toleration that decides how long it stays on a node with a taint, if that has the form that the API
// server gives by default; else -1. The first that tolerates the taint decides.
//
// Source: GetMatchingTolerations in pkg/apis/core/v1/helper of Kubernetes, as the taint eviction controller calls it.
func Index(tolerations []corev1.Toleration, key string) int {
	at := slices.IndexFunc(tolerations, func(t corev1.Toleration) bool {
		return kube.Tolerates([]corev1.Toleration{t}, &corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
	})
	if at < 0 || !hasDefaultForm(tolerations[at], key) {
		return -1
	}
	return at
}

func hasDefaultForm(t corev1.Toleration, key string) bool {
	return t.Key == key && t.Operator == corev1.TolerationOpExists && t.Value == "" && t.Effect == corev1.TaintEffectNoExecute && t.TolerationSeconds != nil
}

// inBounds says whether a policy, or the API server by default, may have set these seconds.
func inBounds(seconds int64) bool {
	return seconds >= v1alpha1.MinTolerationSeconds && seconds <= v1alpha1.MaxTolerationSeconds
}

// changeOf is the change of a pod that a policy asks for, nil if there is none. What the template specifies is put back: a new pod
// with 300 seconds looks the same to an admission policy whether these are the default or the template's.
func changeOf(template, pod []corev1.Toleration, key string, wanted int64) *Change {
	at := Index(pod, key)
	if at < 0 || !inBounds(*pod[at].TolerationSeconds) {
		return nil
	}
	if explicit(template, key) {
		from := Index(template, key)
		if from < 0 || *template[from].TolerationSeconds != v1alpha1.MaxTolerationSeconds {
			return nil
		}
		wanted = v1alpha1.MaxTolerationSeconds
	}
	if *pod[at].TolerationSeconds == wanted {
		return nil
	}
	return &Change{Key: key, Seconds: wanted}
}

// Healthy says whether changing the tolerationSeconds of the pods of a node has an effect: the node is Ready and stays, and has no taint
// by which its pods are evicted. A countdown that a taint has begun is not shortened any more (kubernetes/kubernetes#108982).
func Healthy(node *corev1.Node) bool {
	return node != nil && node.DeletionTimestamp == nil && kube.IsNodeReady(node) &&
		!slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return slices.Contains(Taints, t.Key) })
}

package action

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// maxReturns is how often pods of one controller may come to the node after it was cordoned before they are evicted no
	// more: they tolerate the cordon, or are bound to the node by name. Once may be a scheduler that was about to bind a pod.
	maxReturns = 3
	// maxReturningControllers is how many controllers a step counts, as the API bounds it.
	maxReturningControllers = 32
)

// createdAfterCordon says whether a pod was made for the node, or anywhere else, after the node was cordoned.
func createdAfterCordon(r *v1alpha1.Remediation, pod *corev1.Pod) bool {
	step, _ := stepOf(r, v1alpha1.StepCordon)
	return step.EndedAt != nil && pod.CreationTimestamp.After(step.EndedAt.Time)
}

// controllerOf names a pod's controller as PodReturns do; empty if it has none.
func controllerOf(pod *corev1.Pod) string {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return ""
	}
	return owner.Kind + "/" + pod.Namespace + "/" + owner.Name
}

// countReturns counts, on from what the step Drain has counted, how often pods of each controller came to the node after it
// was cordoned; nil if nothing is to be counted. Pods of a controller that come between two looks count once.
func countReturns(r *v1alpha1.Remediation, pods []*corev1.Pod) []v1alpha1.PodReturns {
	counted := slices.Clone(lastStep(r).Returns)
	changed := false
	for controller, youngest := range youngestReturns(r, pods) {
		at := slices.IndexFunc(counted, func(c v1alpha1.PodReturns) bool { return c.Controller == controller })
		switch {
		case at < 0:
			counted = append(counted, v1alpha1.PodReturns{Controller: controller, Count: 1, Last: youngest})
		case counted[at].Last.Before(&youngest):
			counted[at].Count++
			counted[at].Last = youngest
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return nil
	}
	slices.SortFunc(counted, func(a, b v1alpha1.PodReturns) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Controller, b.Controller))
	})
	return counted[:min(len(counted), maxReturningControllers)]
}

// youngestReturns are, of each controller that has pods that came back, when the youngest of them was made.
func youngestReturns(r *v1alpha1.Remediation, pods []*corev1.Pod) map[string]metav1.Time {
	youngest := map[string]metav1.Time{}
	for _, pod := range pods {
		controller := controllerOf(pod)
		if last, known := youngest[controller]; createdAfterCordon(r, pod) && (!known || last.Before(&pod.CreationTimestamp)) {
			youngest[controller] = pod.CreationTimestamp
		}
	}
	return youngest
}

// splitReturning tells pods that come back again and again from those to evict. What is counted is nil if it has not
// changed since the step was written.
func splitReturning(r *v1alpha1.Remediation, pods []*corev1.Pod, counted []v1alpha1.PodReturns) (returning, others []*corev1.Pod) {
	if counted == nil {
		counted = lastStep(r).Returns
	}
	for _, pod := range pods {
		often := slices.ContainsFunc(counted, func(c v1alpha1.PodReturns) bool { return c.Controller == controllerOf(pod) && c.Count >= maxReturns })
		if often && createdAfterCordon(r, pod) {
			returning = append(returning, pod)
		} else {
			others = append(others, pod)
		}
	}
	return returning, others
}

// returnedPods says which pods keep a node from being drained, and who makes them.
func returnedPods(r *v1alpha1.Remediation, pods []*corev1.Pod) message.Sentence {
	var controllers []string
	for _, pod := range pods {
		owner := metav1.GetControllerOfNoCopy(pod)
		controllers = append(controllers, strings.ToLower(owner.Kind)+"/"+owner.Name)
	}
	controllers = slices.Compact(slices.Sorted(slices.Values(controllers)))
	names := podNames(pods)
	return sentence.ActionPodsReturn(message.ListOf(controllers[:min(len(controllers), maxNamed)]), nodeOf(r), maxReturns, message.ListOf(names[:min(len(names), maxNamed)]))
}

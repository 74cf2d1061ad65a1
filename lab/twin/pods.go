package twin

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/nodes"
)

// longerThanAnyLab is longer than any lab runs.
const longerThanAnyLab = "876000h"

// failContainers has the simulated containers fail as the real ones did: one that was not ready does not become so, one that crashed
// goes on crashing, one that could not start does not. The annotation is the pod's, so its replacement starts afresh.
func (c *contents) failContainers() {
	ailing := 0
	for _, pod := range all[*corev1.Pod](c) {
		if pod.Spec.NodeName == "" || pod.DeletionTimestamp != nil ||
			pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodPending {
			continue
		}
		before := len(pod.Annotations)
		for _, status := range pod.Status.ContainerStatuses {
			for annotation, value := range failureAnnotations(pod, status) {
				if key := annotation + "." + status.Name; pod.Annotations[key] == "" { // else a lab's own pod, which says itself what ails it
					metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
				}
			}
		}
		if len(pod.Annotations) > before {
			ailing++
		}
	}
	c.notes.add(ailing, "pod with a container that crashes, cannot start or is not ready", "stays so; one made in its place is well")
}

func failureAnnotations(pod *corev1.Pod, status corev1.ContainerStatus) map[string]string {
	switch waiting := status.State.Waiting; {
	case status.State.Running != nil && !status.Ready && pod.Annotations[nodes.AnnotationReadyAfter] == "":
		return map[string]string{nodes.AnnotationReadyAfter: longerThanAnyLab}
	case waiting == nil:
		return nil
	case waiting.Reason == "CrashLoopBackOff" && status.LastTerminationState.Terminated != nil:
		return map[string]string{
			nodes.AnnotationRunFor: "1s", nodes.AnnotationExitCode: fmt.Sprint(status.LastTerminationState.Terminated.ExitCode),
		}
	case waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing":
		return map[string]string{nodes.AnnotationStartDelay: longerThanAnyLab}
	}
	return nil
}

// notePods notes the pods that the lab treats differently.
func (c *contents) notePods() {
	schedulers, static, injected := map[string]int{}, 0, 0
	for _, pod := range all[*corev1.Pod](c) {
		if name := pod.Spec.SchedulerName; name != corev1.DefaultSchedulerName && name != "" {
			schedulers[name]++
		}
		if pod.Annotations[corev1.MirrorPodAnnotationKey] != "" {
			static++
		}
		if c.injected(pod) {
			injected++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schedulers)) {
		c.notes.add(schedulers[name], fmt.Sprintf("pod of the scheduler %q", name), "runs on where it has a node; the lab has no such scheduler, so without one it waits")
	}
	c.notes.add(static, "pod of a node's own manifests", "runs on, but does not come back once it is deleted")
	c.notes.add(injected, "pod with containers that its template does not have", "an admission webhook's, most likely; one made in its place has only the template's")
}

func (c *contents) injected(pod *corev1.Pod) bool {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil || c.uids[ref.UID] == nil {
		return false
	}
	template := podTemplate(c.uids[ref.UID])
	if template == nil {
		return false
	}
	names := func(spec *corev1.PodSpec) map[string]bool {
		all := map[string]bool{}
		for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
			all[container.Name] = true
		}
		return all
	}
	return !maps.Equal(names(&pod.Spec), names(&template.Spec))
}

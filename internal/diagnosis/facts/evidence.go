package facts

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

// PriorityEvidence are a pod's priority and priority class, if they are set.
func PriorityEvidence(pod *corev1.Pod) []finding.Evidence {
	ref, value := RefTo(cluster.Pod, pod), ""
	if pod.Spec.Priority != nil {
		value = strconv.Itoa(int(*pod.Spec.Priority))
	}
	all := []finding.Evidence{Evidence(ref, "spec.priority", value)}
	if pod.Spec.PriorityClassName != "" {
		all = append(all, Evidence(ref, "spec.priorityClassName", pod.Spec.PriorityClassName))
	}
	return all
}

// RequestEvidence are the requests of each container for these resources. Spec is the path of the pod's spec in the object.
func RequestEvidence(ref change.Ref, path string, spec *corev1.PodSpec, names ...corev1.ResourceName) []finding.Evidence {
	var all []finding.Evidence
	add := func(path string, requests corev1.ResourceList) {
		for _, name := range names {
			if q, ok := requests[name]; ok {
				all = append(all, Evidence(ref, path+".resources.requests["+string(name)+"]", q.String()))
			}
		}
	}
	if spec.Resources != nil {
		add(path, spec.Resources.Requests)
	}
	for _, c := range spec.InitContainers {
		add(path+".initContainers["+c.Name+"]", c.Resources.Requests)
	}
	for _, c := range spec.Containers {
		add(path+".containers["+c.Name+"]", c.Resources.Requests)
	}
	return all
}

// OwnerEvidence is the controller in an object's ownerReferences.
func OwnerEvidence(ref change.Ref, o metav1.Object) finding.Evidence {
	value := ""
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		value = owner.Kind + "/" + owner.Name
	}
	return Evidence(ref, "metadata.ownerReferences", value)
}

// MountEvidence is the pod's volume that refers to a claim. The claim of an ephemeral volume is named after pod and volume.
func MountEvidence(pod *corev1.Pod, source string) finding.Evidence {
	ref, field := RefTo(cluster.Pod, pod), "spec.volumes["+source+"]"
	for _, volume := range pod.Spec.Volumes {
		switch {
		case volume.Name != source:
		case volume.PersistentVolumeClaim != nil:
			return Evidence(ref, field, volume.PersistentVolumeClaim.ClaimName)
		case volume.Ephemeral != nil:
			return Evidence(ref, field, "ephemeral")
		}
	}
	return Evidence(ref, field, "")
}

// TolerationEvidence is for how long a pod tolerates a NoExecute taint: the least of the tolerations for it.
func TolerationEvidence(pod *corev1.Pod, key string) finding.Evidence {
	ref, field := RefTo(cluster.Pod, pod), "spec.tolerations["+key+"]"
	var shortest *int64
	for _, t := range pod.Spec.Tolerations {
		if t.Key == key {
			field = "spec.tolerations[" + key + "].tolerationSeconds"
		}
		if s := t.TolerationSeconds; t.Key == key && s != nil && (shortest == nil || *s < *shortest) {
			shortest = s
		}
	}
	if shortest == nil {
		return Evidence(ref, field, "")
	}
	return Evidence(ref, field, strconv.FormatInt(*shortest, 10))
}

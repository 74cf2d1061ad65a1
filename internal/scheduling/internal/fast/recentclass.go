package fast

import (
	"bytes"
	"maps"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// classified is a pod and its class.
type classified struct {
	pod   *corev1.Pod
	class *class
}

// recent is the class of the last pod of the same controller if that pod's key would be this one's, nil if that is not sure:
// writing a key takes longer than all else that is asked about a pod of a class that is known.
func (all *classes) recent(pod *corev1.Pod) *class {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return nil
	}
	last := all.byOwner[owner.UID]
	if last.class == nil || last.pod.Namespace != pod.Namespace || !sameOwner(metav1.GetControllerOfNoCopy(last.pod), owner) ||
		!maps.Equal(last.pod.Labels, pod.Labels) || !sameParts(&last.pod.Spec, &pod.Spec) {
		return nil
	}
	return last.class
}

func (all *classes) remember(pod *corev1.Pod, its *class) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		all.byOwner[owner.UID] = classified{pod, its}
	}
}

func sameOwner(a, b *metav1.OwnerReference) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.APIVersion == b.APIVersion
}

// sameParts says that two specs consist of the very same parts, byte by byte, as those of a template's pods do. Parts do not
// change, so that what they say is then the same; specs that only say the same do not count.
func sameParts(a, b *corev1.PodSpec) bool { return bytes.Equal(specBytes(a), specBytes(b)) }

func specBytes(s *corev1.PodSpec) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)) // It is only read, and no further than the spec.
}

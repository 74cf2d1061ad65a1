package cluster

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// index finds objects by what they point at. It is made when it is first asked.
type index struct {
	podsOn        map[string][]*corev1.Pod               // by the name of the node
	podsOf        map[types.UID][]*corev1.Pod            // by their controller
	podsUsing     map[types.NamespacedName][]*corev1.Pod // by the claim they mount
	attachmentsOf map[string][]*storagev1.VolumeAttachment
	eventsOf      map[types.UID][]*corev1.Event
	groups        []Group
	groupOf       map[string]int // by node, index into groups
}

func (s *Snapshot) indexed() *index {
	s.once.Do(func() { s.index = s.makeIndex() })
	return s.index
}

func (s *Snapshot) makeIndex() *index {
	x := &index{
		podsOn: map[string][]*corev1.Pod{}, podsOf: map[types.UID][]*corev1.Pod{}, podsUsing: map[types.NamespacedName][]*corev1.Pod{},
		attachmentsOf: map[string][]*storagev1.VolumeAttachment{}, eventsOf: map[types.UID][]*corev1.Event{},
	}
	for _, pod := range s.Pods() {
		x.podsOn[pod.Spec.NodeName] = append(x.podsOn[pod.Spec.NodeName], pod)
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
			x.podsOf[owner.UID] = append(x.podsOf[owner.UID], pod)
		}
		for i := range pod.Spec.Volumes {
			if claim := ClaimName(pod, &pod.Spec.Volumes[i]); claim != "" {
				name := types.NamespacedName{Namespace: pod.Namespace, Name: claim}
				x.podsUsing[name] = append(x.podsUsing[name], pod)
			}
		}
	}
	for _, a := range s.VolumeAttachments() {
		if name := a.Spec.Source.PersistentVolumeName; name != nil {
			x.attachmentsOf[*name] = append(x.attachmentsOf[*name], a)
		}
	}
	for _, e := range list[*corev1.Event](s, Event) {
		x.eventsOf[e.InvolvedObject.UID] = append(x.eventsOf[e.InvolvedObject.UID], e)
	}
	x.groups, x.groupOf = inferGroups(s.Nodes())
	return x
}

// ClaimName is the claim that a volume of a pod mounts, empty if it mounts none.
//
// Source: k8s.io/component-helpers/storage/ephemeral, for the claims made for one pod.
func ClaimName(pod *corev1.Pod, v *corev1.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return pod.Name + "-" + v.Name
	default:
		return ""
	}
}

// PodsOn are the pods that have their place on a node, whatever their phase; those that have none are on "".
func (s *Snapshot) PodsOn(node string) []*corev1.Pod { return s.indexed().podsOn[node] }

// PodsOf are the pods whose controller has that UID.
func (s *Snapshot) PodsOf(controller types.UID) []*corev1.Pod { return s.indexed().podsOf[controller] }

// PodsUsing are the pods that mount a claim.
func (s *Snapshot) PodsUsing(namespace, claim string) []*corev1.Pod {
	return s.indexed().podsUsing[types.NamespacedName{Namespace: namespace, Name: claim}]
}

// Attachments are those of a PersistentVolume.
func (s *Snapshot) Attachments(volume string) []*storagev1.VolumeAttachment {
	return s.indexed().attachmentsOf[volume]
}

// Events are those about the object with that UID: a pod's successor of the same name has its own.
func (s *Snapshot) Events(about types.UID) []*corev1.Event { return s.indexed().eventsOf[about] }

// AllEvents are sorted by namespace and name.
func (s *Snapshot) AllEvents() []*corev1.Event { return list[*corev1.Event](s, Event) }

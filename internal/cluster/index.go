package cluster

import (
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// index finds objects by what they point at.
type index struct {
	podsOn        *lookup[*corev1.Pod] // by the name of the node
	podsOf        *lookup[*corev1.Pod] // by their controller's UID
	podsUsing     *lookup[*corev1.Pod] // by the claim they mount
	podsByUID     *lookup[*corev1.Pod]
	nodesIn       *lookup[*corev1.Node]       // by ZoneKey
	replicaSetsOf *lookup[*appsv1.ReplicaSet] // by their controller's UID
	autoscalers   *lookup[*appsv1.Deployment] // those with a vertical autoscaler, under allKey
	attachmentsOf *lookup[*storagev1.VolumeAttachment]
	eventsOf      *lookup[*corev1.Event]
	groups        *groups
}

// groups are inferred from nodes when they are first asked for.
type groups struct {
	once   sync.Once
	groups []Group
	byNode map[string]int // index into groups
}

func newIndex() index {
	return index{
		podsOn:        newLookup(nodeOfPod),
		podsOf:        newLookup(controllerOf[*corev1.Pod]),
		podsUsing:     newLookup(claimsOfPod),
		podsByUID:     newLookup(func(pod *corev1.Pod) []string { return []string{string(pod.UID)} }),
		nodesIn:       newLookup(func(node *corev1.Node) []string { return []string{ZoneKey(node)} }),
		replicaSetsOf: newLookup(controllerOf[*appsv1.ReplicaSet]),
		autoscalers:   newLookup(verticalAutoscalerKeys),
		attachmentsOf: newLookup(volumeOfAttachment),
		eventsOf:      newLookup(func(e *corev1.Event) []string { return []string{string(e.InvolvedObject.UID)} }),
		groups:        &groups{},
	}
}

// with is the index after edits of one kind of the Snapshot.
func (x index) with(s *Snapshot, kind Kind, edits []Edit) index {
	of := s.tables[kind].size()
	switch kind {
	case Pod:
		pods := replacing[*corev1.Pod](s, kind, edits)
		x.podsOn, x.podsOf, x.podsUsing = x.podsOn.with(pods, of), x.podsOf.with(pods, of), x.podsUsing.with(pods, of)
		x.podsByUID = x.podsByUID.with(pods, of)
	case ReplicaSet:
		x.replicaSetsOf = x.replicaSetsOf.with(replacing[*appsv1.ReplicaSet](s, kind, edits), of)
	case Deployment:
		x.autoscalers = x.autoscalers.with(replacing[*appsv1.Deployment](s, kind, edits), of)
	case VolumeAttachment:
		x.attachmentsOf = x.attachmentsOf.with(replacing[*storagev1.VolumeAttachment](s, kind, edits), of)
	case Event:
		x.eventsOf = x.eventsOf.with(replacing[*corev1.Event](s, kind, edits), of)
	case Node:
		x.groups, x.nodesIn = &groups{}, x.nodesIn.with(replacing[*corev1.Node](s, kind, edits), of)
	}
	return x
}

// withoutLookup is the index with the lookups of a kind to be built anew.
func (x index) withoutLookup(kind Kind) index {
	fresh := newIndex()
	switch kind {
	case Pod:
		x.podsOn, x.podsOf, x.podsUsing, x.podsByUID = fresh.podsOn, fresh.podsOf, fresh.podsUsing, fresh.podsByUID
	case ReplicaSet:
		x.replicaSetsOf = fresh.replicaSetsOf
	case Deployment:
		x.autoscalers = fresh.autoscalers
	case VolumeAttachment:
		x.attachmentsOf = fresh.attachmentsOf
	case Event:
		x.eventsOf = fresh.eventsOf
	case Node:
		x.nodesIn = fresh.nodesIn
	}
	return x
}

// replacing are the objects that edits of one kind, one for each name, replace, and by what.
func replacing[T metav1.Object](s *Snapshot, kind Kind, edits []Edit) []replaced[T] {
	all := make([]replaced[T], len(edits))
	for i, e := range edits {
		all[i].before = get[T](s, kind, e.object.GetNamespace(), e.object.GetName())
		if !e.remove {
			all[i].after = e.object.(T)
		}
	}
	return all
}

func nodeOfPod(pod *corev1.Pod) []string { return []string{pod.Spec.NodeName} }

func controllerOf[T metav1.Object](o T) []string {
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil {
		return nil
	}
	return []string{string(owner.UID)}
}

// claimsOfPod names each claim once, however often the pod mounts it.
func claimsOfPod(pod *corev1.Pod) []string {
	var claims []string
	for i := range pod.Spec.Volumes {
		name := ClaimName(pod, &pod.Spec.Volumes[i])
		if key := pod.Namespace + "/" + name; name != "" && !slices.Contains(claims, key) {
			claims = append(claims, key)
		}
	}
	return claims
}

func volumeOfAttachment(a *storagev1.VolumeAttachment) []string {
	if a.Spec.Source.PersistentVolumeName == nil {
		return nil
	}
	return []string{*a.Spec.Source.PersistentVolumeName}
}

// PodsOn are the pods that are bound to a node, in any phase; those that are bound to none are on "".
func (s *Snapshot) PodsOn(node string) []*corev1.Pod { return s.index.podsOn.find(node, s.Pods) }

// NodesIn are the nodes of a zone, by its ZoneKey.
func (s *Snapshot) NodesIn(zoneKey string) []*corev1.Node {
	return s.index.nodesIn.find(zoneKey, s.Nodes)
}

// PodsOf are the pods whose controller has that UID.
func (s *Snapshot) PodsOf(controller types.UID) []*corev1.Pod {
	return s.index.podsOf.find(string(controller), s.Pods)
}

// ReplicaSetsOf are the ReplicaSets whose controller has that UID.
func (s *Snapshot) ReplicaSetsOf(controller types.UID) []*appsv1.ReplicaSet {
	return s.index.replicaSetsOf.find(string(controller), s.ReplicaSets)
}

// PodsUsing are the pods that mount a claim.
func (s *Snapshot) PodsUsing(namespace, claim string) []*corev1.Pod {
	return s.index.podsUsing.find(namespace+"/"+claim, s.Pods)
}

// PodOfUID is the pod with that UID, nil if there is none.
func (s *Snapshot) PodOfUID(uid types.UID) *corev1.Pod {
	pods := s.index.podsByUID.find(string(uid), s.Pods)
	if uid == "" || len(pods) == 0 {
		return nil
	}
	return pods[0]
}

// Attachments are those of a PersistentVolume.
func (s *Snapshot) Attachments(volume string) []*storagev1.VolumeAttachment {
	return s.index.attachmentsOf.find(volume, s.VolumeAttachments)
}

// Events are those about the object with that UID: a pod's successor of the same name has its own.
func (s *Snapshot) Events(about types.UID) []*corev1.Event {
	return s.index.eventsOf.find(string(about), s.AllEvents)
}

// AllEvents are sorted by namespace and name.
func (s *Snapshot) AllEvents() []*corev1.Event { return list[*corev1.Event](s, Event) }

package simulation

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// attached is a volume that another node has, and a pod that uses it there.
type attached struct {
	volume *corev1.PersistentVolume
	by     *corev1.Pod
}

func (a attached) why() message.Sentence {
	return message.Of(message.FateAttach, message.Args{"volume": a.volume.Name, "node": nodeRef(a.by.Spec.NodeName), "pod": podRef(a.by)})
}

// attachedElsewhere is the first of a pod's volumes that only one node may use and that another node has, nil if there is none;
// shared says that other pods mount such volumes of it at all.
//
// Source: pkg/controller/volume/attachdetach/reconciler of Kubernetes (attachDesiredVolumes): such a volume is attached to
// no second node, and detached only once no pod on the first one uses it any more.
func (f *future) attachedElsewhere(pod *corev1.Pod) (held *attached, shared bool) {
	for i := range pod.Spec.Volumes {
		volume := f.exclusive(pod, &pod.Spec.Volumes[i])
		if volume == nil {
			continue
		}
		users := f.pods.using(pod.Namespace, cluster.ClaimName(pod, &pod.Spec.Volumes[i]))
		for _, other := range users {
			if other.Spec.NodeName != pod.Spec.NodeName && f.holds(other, volume) {
				return &attached{volume, other}, true
			}
		}
		shared = shared || len(users) > 1
	}
	return nil, shared
}

// exclusive is the volume that a pod mounts if only one node may use it and it must be attached there, nil otherwise.
func (f *future) exclusive(pod *corev1.Pod, v *corev1.Volume) *corev1.PersistentVolume {
	volume := f.volumeOf(pod, v)
	if volume == nil || !onlyOneNode(volume) || !f.attaches(volume) {
		return nil
	}
	return volume
}

// holds says whether a pod that uses a volume keeps it attached to its node: it has begun there, or the volume is attached for it.
func (f *future) holds(pod *corev1.Pod, volume *corev1.PersistentVolume) bool {
	if pod.Spec.NodeName == "" || cluster.Ended(pod) {
		return false
	}
	return pod.Status.Phase != corev1.PodPending || slices.ContainsFunc(f.world().Attachments(volume.Name), func(a *storagev1.VolumeAttachment) bool {
		return a.Spec.NodeName == pod.Spec.NodeName
	})
}

// contested says whether pods on other nodes wait for a volume of a pod, or, if it so falls, may yet be served before it: which
// node is first nobody decides.
func (f *future) contested(pod *corev1.Pod) bool {
	return f.chance.late() || slices.ContainsFunc(f.attaching, func(other *corev1.Pod) bool {
		return other.Namespace == pod.Namespace && slices.ContainsFunc(other.Spec.Volumes, func(v corev1.Volume) bool {
			claim := cluster.ClaimName(other, &v)
			return claim != "" && slices.ContainsFunc(pod.Spec.Volumes, func(w corev1.Volume) bool { return cluster.ClaimName(pod, &w) == claim })
		})
	})
}

// attachLater gives a pod its node, where it does not run before its volumes can be attached there.
func (f *future) attachLater(pod, placed *corev1.Pod, held *attached, edits []cluster.Edit) error {
	f.book.lineOf(pod)
	waiting := f.starting(placed)
	if err := f.apply(append(edits, cluster.Put(waiting))...); err != nil {
		return err
	}
	f.queue.landed++
	f.attaching = append(f.attaching, waiting)
	if held == nil {
		f.attachSoon()
		return nil
	}
	f.book.attaches(waiting, held.why())
	return nil
}

// vacate follows pods that are gone from their nodes: their volumes are detached, but for those that another pod there mounts,
// and attached where others wait for them.
func (f *future) vacate(gone []*corev1.Pod) error {
	var edits []cluster.Edit
	for _, pod := range gone {
		edits = append(edits, f.detach(pod)...)
		f.awaken(pod)
	}
	return f.apply(edits...)
}

// awaken lets the pods go on that wait for a volume of one that is gone, also those that have waited since before.
func (f *future) awaken(gone *corev1.Pod) {
	for i := range gone.Spec.Volumes {
		volume := f.exclusive(gone, &gone.Spec.Volumes[i])
		if volume == nil {
			continue
		}
		for _, pod := range f.pods.using(gone.Namespace, cluster.ClaimName(gone, &gone.Spec.Volumes[i])) {
			if node := pod.Spec.NodeName; node == "" || node == gone.Spec.NodeName || pod.DeletionTimestamp != nil || cluster.Ended(pod) || f.holds(pod, volume) {
				continue
			}
			if !f.isAttaching(pod) {
				f.book.startsLate(pod)
				f.attaching = append(f.attaching, pod)
			}
			f.attachSoon()
		}
	}
}

// attachSoon lets the attach-detach controller look at the pods that wait for it, once those are placed that are to be placed now.
func (f *future) attachSoon() {
	if !f.attachDue {
		f.attachDue = true
		f.in(0, func(context.Context) error { return f.attachAll() })
	}
}

// attachAll starts the pods whose volumes no other node has any more.
func (f *future) attachAll() error {
	waiting := f.attaching
	f.attaching, f.attachDue = nil, false
	shuffle(f.chance, waiting)
	for _, was := range waiting {
		pod := f.pods.get(was.Namespace, was.Name)
		if pod == nil || pod.UID != was.UID || pod.DeletionTimestamp != nil {
			continue
		}
		if held, _ := f.attachedElsewhere(pod); held != nil {
			f.attaching = append(f.attaching, pod)
			f.book.attaches(pod, held.why())
			continue
		}
		if err := f.start(pod); err != nil {
			return err
		}
	}
	return nil
}

// start lets a pod run that has had its node for a while.
func (f *future) start(pod *corev1.Pod) error {
	placed := f.running(pod, pod.Spec.NodeName)
	if err := f.apply(append(f.recovers(placed), cluster.Put(placed))...); err != nil {
		return err
	}
	f.lands(placed, placed.Spec.NodeName)
	return nil
}

func (f *future) isAttaching(pod *corev1.Pod) bool {
	return slices.ContainsFunc(f.attaching, func(other *corev1.Pod) bool { return other.UID == pod.UID && nameOf(other) == nameOf(pod) })
}

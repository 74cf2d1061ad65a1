package engine

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
)

// attachedVolume is a volume that is attached to another node, and a pod there that uses it.
type attachedVolume struct {
	volume *corev1.PersistentVolume
	pod    *corev1.Pod
}

func (a attachedVolume) reason() message.Sentence {
	return sentence.FateAttach(names.PodRef(a.pod), names.NodeRef(a.pod.Spec.NodeName), a.volume.Name)
}

// attachedElsewhere is the first single-attach volume of a pod that is attached to another node, nil if there is none; shared
// reports whether other pods mount any single-attach volume of the pod.
//
// Source: pkg/controller/volume/attachdetach/reconciler of Kubernetes (attachDesiredVolumes): such a volume is attached to
// no second node, and detached only once no pod on the first one uses it any more.
func (e *Engine) attachedElsewhere(pod *corev1.Pod) (held *attachedVolume, shared bool) {
	for i := range pod.Spec.Volumes {
		volume := e.singleAttachVolume(pod, &pod.Spec.Volumes[i])
		if volume == nil {
			continue
		}
		users := e.Pods.UsingClaim(pod.Namespace, cluster.ClaimName(pod, &pod.Spec.Volumes[i]))
		for _, other := range users {
			if other.Spec.NodeName != pod.Spec.NodeName && e.keepsAttached(other, volume) {
				return &attachedVolume{volume, other}, true
			}
		}
		shared = shared || len(users) > 1
	}
	return nil, shared
}

// singleAttachVolume is the volume that a pod mounts if it must be attached and only one node may have it, nil otherwise.
func (e *Engine) singleAttachVolume(pod *corev1.Pod, v *corev1.Volume) *corev1.PersistentVolume {
	volume := e.volumeOf(pod, v)
	if volume == nil || !isSingleAttach(volume) || !e.requiresAttach(volume) {
		return nil
	}
	return volume
}

// keepsAttached reports whether a pod keeps a volume attached to its node: it has started there, or the volume is attached for it.
func (e *Engine) keepsAttached(pod *corev1.Pod, volume *corev1.PersistentVolume) bool {
	if pod.Spec.NodeName == "" || cluster.Ended(pod) {
		return false
	}
	return pod.Status.Phase != corev1.PodPending || slices.ContainsFunc(e.World().Attachments(volume.Name), func(a *storagev1.VolumeAttachment) bool {
		return a.Spec.NodeName == pod.Spec.NodeName
	})
}

// attachContested reports whether pods on other nodes wait for a volume of a pod or, in some futures, may attach it first: the
// order among nodes is not determined.
func (e *Engine) attachContested(pod *corev1.Pod) bool {
	return e.Randomness.Delayed() || slices.ContainsFunc(e.attaching, func(other *corev1.Pod) bool {
		return other.Namespace == pod.Namespace && slices.ContainsFunc(other.Spec.Volumes, func(v corev1.Volume) bool {
			claim := cluster.ClaimName(other, &v)
			return claim != "" && slices.ContainsFunc(pod.Spec.Volumes, func(w corev1.Volume) bool { return cluster.ClaimName(pod, &w) == claim })
		})
	})
}

// bindBeforeAttach binds a pod to its node, where it starts only once its volumes can be attached.
func (e *Engine) bindBeforeAttach(pod, placed *corev1.Pod, held *attachedVolume, edits []cluster.Edit) error {
	e.Fates.Of(pod)
	waiting := e.startingPod(placed)
	if err := e.Edit(append(edits, cluster.Put(waiting))...); err != nil {
		return err
	}
	e.Queue.MarkBound()
	e.attaching = append(e.attaching, waiting)
	if held == nil {
		e.scheduleAttach()
		return nil
	}
	e.Fates.MarkBound(waiting, held.reason())
	return nil
}

// releaseVolumes detaches the volumes of removed pods, except those that another pod on the node mounts, and schedules the
// attachment to the nodes whose pods wait for them.
func (e *Engine) releaseVolumes(gone []*corev1.Pod) error {
	var edits []cluster.Edit
	for _, pod := range gone {
		edits = append(edits, e.detach(pod)...)
		e.attachReleased(pod)
	}
	return e.Edit(edits...)
}

// attachReleased schedules the attachment of a removed pod's volumes for the pods that wait for them, also those that waited at
// the start.
func (e *Engine) attachReleased(gone *corev1.Pod) {
	for i := range gone.Spec.Volumes {
		volume := e.singleAttachVolume(gone, &gone.Spec.Volumes[i])
		if volume == nil {
			continue
		}
		for _, pod := range e.Pods.UsingClaim(gone.Namespace, cluster.ClaimName(gone, &gone.Spec.Volumes[i])) {
			if node := pod.Spec.NodeName; node == "" || node == gone.Spec.NodeName || pod.DeletionTimestamp != nil || cluster.Ended(pod) || e.keepsAttached(pod, volume) {
				continue
			}
			if !e.isAttaching(pod) {
				e.Fates.MarkStartPending(pod)
				e.attaching = append(e.attaching, pod)
			}
			e.scheduleAttach()
		}
	}
}

// scheduleAttach runs the attach-detach controller after the scheduler has handled the pods that are queued now.
func (e *Engine) scheduleAttach() {
	if !e.attachPending {
		e.attachPending = true
		e.After(0, func(context.Context) error { return e.attachVolumes() })
	}
}

// attachVolumes starts the pods whose volumes are no longer attached to another node.
func (e *Engine) attachVolumes() error {
	waiting := e.attaching
	e.attaching, e.attachPending = nil, false
	randomness.Shuffle(e.Randomness, waiting)
	for _, was := range waiting {
		pod := e.Pods.Get(was.Namespace, was.Name)
		if pod == nil || pod.UID != was.UID || pod.DeletionTimestamp != nil {
			continue
		}
		if held, _ := e.attachedElsewhere(pod); held != nil {
			e.attaching = append(e.attaching, pod)
			e.Fates.MarkBound(pod, held.reason())
			continue
		}
		if err := e.startPod(pod); err != nil {
			return err
		}
	}
	return nil
}

// startPod starts a pod that is bound to a node already, if there is an address for it.
func (e *Engine) startPod(pod *corev1.Pod) error {
	if !e.assignAddress(pod) {
		e.waitForAddress(pod)
		return nil
	}
	placed := e.runningPod(pod, pod.Spec.NodeName)
	if err := e.Edit(append(e.markHealthy(placed), cluster.Put(placed))...); err != nil {
		return err
	}
	e.podRuns(placed, placed.Spec.NodeName)
	return nil
}

func (e *Engine) isAttaching(pod *corev1.Pod) bool {
	return slices.ContainsFunc(e.attaching, func(other *corev1.Pod) bool { return other.UID == pod.UID && names.Of(other) == names.Of(pod) })
}

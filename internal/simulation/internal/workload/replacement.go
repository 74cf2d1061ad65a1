package workload

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// ReplacePod has the owner of a removed pod react.
func (w *Controllers) ReplacePod(ctx context.Context, pod *corev1.Pod) error {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		w.markLost(pod, sentence.FateBare())
		return nil
	}
	switch owner := w.engine.World().Owner(pod).(type) {
	case *appsv1.DaemonSet:
		return w.replaceDaemonPod(pod, owner)
	case *batchv1.Job:
		return w.replaceJobPod(ctx, pod, owner)
	case *appsv1.StatefulSet:
		return w.replaceStatefulSetPod(pod, owner)
	case *appsv1.ReplicaSet, *corev1.ReplicationController:
		if w.engine.ActiveCount(ref) >= replicas.Of(owner, 1) {
			w.engine.Fates.End(pod, outcome.Ended, sentence.FateSurplus(ref.Name), w.engine.Elapsed())
			return nil
		}
		return w.recreate(pod)
	}
	return w.replaceForUnknownOwner(pod, ref)
}

// replaceForUnknownOwner is ReplacePod for owners that the world does not have.
func (w *Controllers) replaceForUnknownOwner(pod *corev1.Pod, ref *metav1.OwnerReference) error {
	switch cluster.Kind(ref.Kind) {
	case cluster.Node:
		w.markLost(pod, sentence.FateMirror())
		return nil
	case cluster.DaemonSet:
		w.engine.Fates.End(pod, outcome.Ended, sentence.FateDaemon(), w.engine.Elapsed())
		return nil
	case cluster.StatefulSet:
		return w.recreateAs(pod, pod.Name)
	}
	w.engine.Gaps.Note(ref.Kind, sentence.GapOwner(ref.Kind, ref.Name))
	return w.recreate(pod)
}

// markLost records that nothing recreates a pod.
func (w *Controllers) markLost(pod *corev1.Pod, why message.Sentence) {
	w.engine.Fates.End(pod, outcome.Lost, why, w.engine.Elapsed())
}

// recreate creates another pod in place of one.
func (w *Controllers) recreate(pod *corev1.Pod) error {
	return w.recreateAs(pod, w.engine.Names.Pod(pod.Namespace, names.Prefix(pod)))
}

func (w *Controllers) recreateAs(pod *corev1.Pod, name string) error {
	w.engine.CreatePod(pod, w.engine.ReplacementPod(pod, name))
	return nil
}

// ReplacedAfterRemoval reports whether a pod's owner creates a replacement only after the pod is removed: a StatefulSet, whose
// pods keep their names, and a Job that replaces only failed pods.
func (w *Controllers) ReplacedAfterRemoval(pod *corev1.Pod) bool {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return false
	}
	if job, ok := w.engine.World().Owner(pod).(*batchv1.Job); ok {
		return replacesOnlyFailed(job)
	}
	return cluster.Kind(ref.Kind) == cluster.StatefulSet
}

// ReplacedOnTermination reports whether a pod's owner creates another as soon as the pod is being deleted.
//
// Source: pkg/controller/replicaset of Kubernetes (claimPods and manageReplicas count no pod that is being deleted).
func (w *Controllers) ReplacedOnTermination(pod *corev1.Pod) bool {
	switch w.engine.World().Owner(pod).(type) {
	case *appsv1.ReplicaSet, *corev1.ReplicationController:
		return true
	default:
		return false
	}
}

// controllerRef is the owner reference that a controller of this kind sets on its pods.
func controllerRef(apiVersion, kind string, owner metav1.Object) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: apiVersion, Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: new(true), BlockOwnerDeletion: new(true),
	}
}

package simulation

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// replacePod has the owner of a removed pod react.
func (e *engine) replacePod(ctx context.Context, pod *corev1.Pod) error {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		e.markLost(pod, message.Of(message.FateBare, nil))
		return nil
	}
	switch owner := e.world().Owner(pod).(type) {
	case *appsv1.DaemonSet:
		return e.replaceDaemonPod(pod, owner)
	case *batchv1.Job:
		return e.replaceJobPod(ctx, pod, owner)
	case *appsv1.StatefulSet:
		return e.replaceStatefulSetPod(pod, owner)
	case *appsv1.ReplicaSet, *corev1.ReplicationController:
		if e.activeCount(ref) >= replicas.Of(owner, 1) {
			e.fates.End(pod, outcome.Ended, message.Of(message.FateSurplus, message.Args{"owner": ref.Name}), e.elapsed())
			return nil
		}
		return e.recreate(pod)
	}
	return e.replaceForUnknownOwner(pod, ref)
}

// replaceForUnknownOwner is replacePod for owners that the world does not have.
func (e *engine) replaceForUnknownOwner(pod *corev1.Pod, ref *metav1.OwnerReference) error {
	switch cluster.Kind(ref.Kind) {
	case cluster.Node:
		e.markLost(pod, message.Of(message.FateMirror, nil))
		return nil
	case cluster.DaemonSet:
		e.fates.End(pod, outcome.Ended, message.Of(message.FateDaemon, nil), e.elapsed())
		return nil
	case cluster.StatefulSet:
		return e.recreateAs(pod, pod.Name)
	}
	e.gaps.Note(ref.Kind, message.Of(message.GapOwner, message.Args{"kind": ref.Kind, "name": ref.Name}))
	return e.recreate(pod)
}

// markLost records that nothing recreates a pod.
func (e *engine) markLost(pod *corev1.Pod, why message.Sentence) {
	e.fates.End(pod, outcome.Lost, why, e.elapsed())
}

// recreate creates another pod in place of one.
func (e *engine) recreate(pod *corev1.Pod) error {
	return e.recreateAs(pod, e.names.Pod(pod.Namespace, names.Prefix(pod)))
}

func (e *engine) recreateAs(pod *corev1.Pod, name string) error {
	e.createPod(pod, e.replacementPod(pod, name))
	return nil
}

// createPod creates a pod, as the replacement of an old one unless that is nil.
func (e *engine) createPod(old, next *corev1.Pod) {
	if old != nil {
		e.fates.Replace(old, next)
	} else {
		e.fates.Begin(next)
	}
	e.submitPod(next)
}

// replacedAfterRemoval says whether a pod's owner creates a replacement only after the pod is removed: a StatefulSet, whose pods
// keep their names, and a Job that replaces only failed pods.
func (e *engine) replacedAfterRemoval(pod *corev1.Pod) bool {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return false
	}
	if job, ok := e.world().Owner(pod).(*batchv1.Job); ok {
		return replacesOnlyFailed(job)
	}
	return cluster.Kind(ref.Kind) == cluster.StatefulSet
}

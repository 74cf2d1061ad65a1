package simulation

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// replace lets the owner of a pod that is gone do what it does.
func (f *future) replace(ctx context.Context, pod *corev1.Pod) error {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		f.lose(pod, message.Of(message.FateBare, nil))
		return nil
	}
	switch owner := f.world().Owner(pod).(type) {
	case *appsv1.DaemonSet:
		return f.replaceDaemon(pod, owner)
	case *batchv1.Job:
		return f.replaceOfJob(ctx, pod, owner)
	case *appsv1.StatefulSet:
		return f.replaceInSet(pod, owner)
	case *appsv1.ReplicaSet, *corev1.ReplicationController:
		if f.activeOf(ref) >= replicasOf(owner, 1) {
			f.book.ends(pod, Ended, message.Of(message.FateSurplus, message.Args{"owner": ref.Name}), f.until())
			return nil
		}
		return f.recreate(pod)
	}
	return f.replaceUnseen(pod, ref)
}

// replaceUnseen is for owners that the world does not hold.
func (f *future) replaceUnseen(pod *corev1.Pod, ref *metav1.OwnerReference) error {
	switch cluster.Kind(ref.Kind) {
	case cluster.Node:
		f.lose(pod, message.Of(message.FateMirror, nil))
		return nil
	case cluster.DaemonSet:
		f.book.ends(pod, Ended, message.Of(message.FateDaemon, nil), f.until())
		return nil
	case cluster.StatefulSet:
		return f.recreateAs(pod, pod.Name)
	}
	f.gaps.note(ref.Kind, message.Of(message.GapOwner, message.Args{"kind": ref.Kind, "name": ref.Name}))
	return f.recreate(pod)
}

// lose is the end of a pod that nobody makes again.
func (f *future) lose(pod *corev1.Pod, why message.Sentence) {
	f.book.ends(pod, Lost, why, f.until())
}

// recreate makes another pod in place of one.
func (f *future) recreate(pod *corev1.Pod) error {
	return f.recreateAs(pod, f.names.pod(pod.Namespace, prefixOf(pod)))
}

func (f *future) recreateAs(pod *corev1.Pod, name string) error {
	f.create(pod, f.renew(pod, name))
	return nil
}

// create offers a new pod to the scheduler, as the next of a line, or as the first if there was none before.
func (f *future) create(old, next *corev1.Pod) {
	if old != nil {
		f.book.succeeds(old, next)
	} else {
		f.book.bears(next)
	}
	f.ask(next)
}

// waitsForEnd says whether a pod's owner makes no other before the pod is gone for good: a StatefulSet, whose pods are
// told apart by name, and a Job that replaces only failed pods.
func (f *future) waitsForEnd(pod *corev1.Pod) bool {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return false
	}
	if job, ok := f.world().Owner(pod).(*batchv1.Job); ok {
		return replacesOnlyFailed(job)
	}
	return cluster.Kind(ref.Kind) == cluster.StatefulSet
}

// replicasOf is how many pods an owner should have; otherwise if it is not one that says.
func replicasOf(owner metav1.Object, otherwise int) int {
	var replicas *int32
	switch o := owner.(type) {
	case *appsv1.ReplicaSet:
		replicas = o.Spec.Replicas
	case *corev1.ReplicationController:
		replicas = o.Spec.Replicas
	case *appsv1.StatefulSet:
		replicas = o.Spec.Replicas
	case *appsv1.Deployment:
		replicas = o.Spec.Replicas
	default:
		return otherwise
	}
	if replicas == nil {
		return 1
	}
	return int(*replicas)
}

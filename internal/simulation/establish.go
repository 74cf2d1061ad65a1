package simulation

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// establish adds an object that was not there, and what its controller makes of it.
func (f *future) establish(o metav1.Object) error {
	switch o := o.(type) {
	case *corev1.Pod:
		return f.establishPod(o)
	case *corev1.PersistentVolumeClaim:
		return f.putClaim(o)
	case *policyv1.PodDisruptionBudget:
		return f.protect(o)
	}
	if err := f.apply(cluster.Put(o)); err != nil {
		return err
	}
	f.room()
	switch o := o.(type) {
	case *corev1.ResourceQuota:
		delete(f.quotas.of, o.Namespace)
	case *appsv1.Deployment:
		if o.Spec.Paused {
			return nil // Its first ReplicaSet comes once it is resumed.
		}
		rs, err := f.newReplicaSet(o, replicasOf(o, 1))
		if err != nil {
			return err
		}
		return f.fill(rs)
	case *appsv1.ReplicaSet:
		return f.fill(o)
	case *appsv1.StatefulSet:
		return f.fillSet(o)
	case *appsv1.DaemonSet:
		return f.daemonsOf(o)
	case *batchv1.Job:
		return f.fillJob(o)
	case *batchv1.CronJob:
		f.gaps.note("cronjob/"+o.Name, message.Of(message.GapCronJob, message.Args{"job": o.Name}))
	case *corev1.Node:
		return f.daemonsFor(o)
	}
	return nil
}

// protect follows a budget that is new or has changed.
func (f *future) protect(pdb *policyv1.PodDisruptionBudget) error {
	edit := f.budgets.follow(pdb)
	f.things = f.things.With(edit)
	return f.apply(edit)
}

func (f *future) establishPod(pod *corev1.Pod) error {
	f.admit(pod)
	pod.Status.Phase = corev1.PodPending
	if err := f.take(pod); err != nil {
		return err
	}
	if node := pod.Spec.NodeName; node != "" {
		pod.Spec.NodeName = ""
		f.book.bears(pod)
		return f.bind(pod, node)
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		return f.apply(cluster.Put(pod))
	}
	f.create(nil, pod)
	return nil
}

// daemonsOf gives every node that a DaemonSet wants its pod, and takes it from those it does not.
func (f *future) daemonsOf(set *appsv1.DaemonSet) error {
	for _, node := range f.world().Nodes() {
		if wants(set, node) && !f.hasDaemon(set, node.Name) {
			f.create(nil, f.daemonPod(set, node.Name))
		}
	}
	return f.endUnwanted(f.daemons(set))
}

// endUnwanted ends those pods of DaemonSets that are on a node which their DaemonSet does not select.
func (f *future) endUnwanted(pods []*corev1.Pod) error {
	for _, pod := range pods {
		set, ok := f.world().Owner(pod).(*appsv1.DaemonSet)
		node := f.world().Node(daemonNode(pod))
		if !ok || node == nil || pod.DeletionTimestamp != nil || cluster.Ended(pod) || selects(set, node) {
			continue
		}
		if err := f.retire(pod); err != nil {
			return err
		}
		f.book.ends(pod, Ended, message.Of(message.FateUnwanted, nil), f.until())
	}
	return nil
}

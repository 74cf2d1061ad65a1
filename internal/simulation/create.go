package simulation

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/internal/replicas"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// createObject creates an object, and what its controller creates for it.
func (e *engine) createObject(o metav1.Object) error {
	switch o := o.(type) {
	case *corev1.Pod:
		return e.createBarePod(o)
	case *corev1.PersistentVolumeClaim:
		return e.createClaim(o)
	case *policyv1.PodDisruptionBudget:
		return e.putBudget(o)
	}
	if err := e.edit(cluster.Put(o)); err != nil {
		return err
	}
	e.retryUnschedulable()
	switch o := o.(type) {
	case *corev1.ResourceQuota:
		delete(e.quotas.byNamespace, o.Namespace)
	case *appsv1.Deployment:
		if o.Spec.Paused {
			return nil // Its first ReplicaSet is created when it is resumed.
		}
		rs, err := e.newReplicaSet(o, replicas.Of(o, 1))
		if err != nil {
			return err
		}
		return e.fillReplicaSet(rs)
	case *appsv1.ReplicaSet:
		return e.fillReplicaSet(o)
	case *appsv1.StatefulSet:
		return e.fillStatefulSet(o)
	case *appsv1.DaemonSet:
		return e.syncDaemonSet(o)
	case *batchv1.Job:
		return e.syncJob(o)
	case *batchv1.CronJob:
		e.gaps.Note("cronjob/"+o.Name, message.Of(message.GapCronJob, message.Args{"job": o.Name}))
	case *corev1.Node:
		return e.createDaemonPods(o)
	}
	return nil
}

// putBudget creates or updates a PodDisruptionBudget.
func (e *engine) putBudget(pdb *policyv1.PodDisruptionBudget) error {
	edit := e.budgets.Put(pdb)
	e.objects = e.objects.With(edit)
	return e.edit(edit)
}

func (e *engine) createBarePod(pod *corev1.Pod) error {
	e.admit(pod)
	pod.Status.Phase = corev1.PodPending
	if err := e.admitBarePod(pod); err != nil {
		return err
	}
	if node := pod.Spec.NodeName; node != "" {
		pod.Spec.NodeName = ""
		e.fates.Begin(pod)
		return e.bind(pod, node)
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		return e.edit(cluster.Put(pod))
	}
	e.createPod(nil, pod)
	return nil
}

// syncDaemonSet creates a DaemonSet's missing pods, and removes those on nodes that it does not select.
func (e *engine) syncDaemonSet(set *appsv1.DaemonSet) error {
	for _, node := range randomness.Shuffled(e.randomness, e.world().Nodes()) { // A quota may be exhausted by the first.
		if kube.ShouldRunDaemonPod(set, node) && !e.hasDaemonPod(set, node.Name) {
			e.createPod(nil, e.daemonPod(set, node.Name))
		}
	}
	return e.removeUnselectedDaemonPods(e.daemonPods(set))
}

// removeUnselectedDaemonPods removes the pods of DaemonSets on nodes that their DaemonSet does not select.
func (e *engine) removeUnselectedDaemonPods(pods []*corev1.Pod) error {
	for _, pod := range pods {
		set, ok := e.world().Owner(pod).(*appsv1.DaemonSet)
		node := e.world().Node(kube.TargetNodeName(pod))
		if !ok || node == nil || pod.DeletionTimestamp != nil || cluster.Ended(pod) || kube.DaemonSetSelects(set, node) {
			continue
		}
		if err := e.removePod(pod); err != nil {
			return err
		}
		e.fates.End(pod, outcome.Ended, message.Of(message.FateUnwanted, nil), e.elapsed())
	}
	return nil
}

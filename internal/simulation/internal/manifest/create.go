package manifest

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// createObject creates an object, and what its controller creates for it.
func (m *Applier) createObject(o metav1.Object) error {
	switch o := o.(type) {
	case *corev1.Pod:
		return m.createBarePod(o)
	case *corev1.PersistentVolumeClaim:
		return m.engine.CreateClaim(o)
	case *policyv1.PodDisruptionBudget:
		return m.engine.PutBudget(o)
	}
	if err := m.engine.Edit(cluster.Put(o)); err != nil {
		return err
	}
	m.engine.RetryUnschedulable()
	switch o := o.(type) {
	case *corev1.ResourceQuota:
		m.engine.ForgetQuotas(o.Namespace)
	case *corev1.Node:
		return m.workload.CreateDaemonPods(o)
	}
	return m.workload.SyncNew(o)
}

func (m *Applier) createBarePod(pod *corev1.Pod) error {
	m.engine.Admit(pod)
	pod.Status.Phase = corev1.PodPending
	if err := m.engine.AdmitBarePod(pod); err != nil {
		return err
	}
	if node := pod.Spec.NodeName; node != "" {
		pod.Spec.NodeName = ""
		m.engine.Fates.Begin(pod)
		return m.engine.Bind(pod, node)
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		return m.engine.Edit(cluster.Put(pod))
	}
	m.engine.CreatePod(nil, pod)
	return nil
}

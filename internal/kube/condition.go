package kube

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"
)

// PodCondition is a pod's condition of a type, nil if it has none.
//
// Source: pkg/api/v1/pod of Kubernetes (GetPodCondition).
func PodCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// IsPodReady says whether a pod's condition Ready is True.
//
// Source: pkg/api/v1/pod of Kubernetes (IsPodReady).
func IsPodReady(pod *corev1.Pod) bool {
	ready := PodCondition(pod, corev1.PodReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// TrueJobCondition is a Job's condition of a type, nil unless it is True.
func TrueJobCondition(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if c := &job.Status.Conditions[i]; c.Type == kind && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

// NodeCondition is a node's condition of a type, nil if it has none.
func NodeCondition(node *corev1.Node, kind corev1.NodeConditionType) *corev1.NodeCondition {
	_, condition := nodeutil.GetNodeCondition(&node.Status, kind)
	return condition
}

// NodeReady is a node's condition Ready. A node without it never reported: its status is Unknown, as the node lifecycle controller
// sets it then.
//
// Source: pkg/controller/nodelifecycle of Kubernetes (tryUpdateNodeHealth).
func NodeReady(node *corev1.Node) corev1.NodeCondition {
	if ready := NodeCondition(node, corev1.NodeReady); ready != nil {
		return *ready
	}
	return corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}
}

// IsNodeReady says whether a node's condition Ready is True.
//
// Source: pkg/util/node of Kubernetes (IsNodeReady).
func IsNodeReady(node *corev1.Node) bool { return NodeReady(node).Status == corev1.ConditionTrue }

// IsNodeUnreachable says whether nobody on a node answers: its condition Ready is Unknown. What its pods' statuses say is then what was
// so before.
func IsNodeUnreachable(node *corev1.Node) bool {
	return NodeReady(node).Status == corev1.ConditionUnknown
}

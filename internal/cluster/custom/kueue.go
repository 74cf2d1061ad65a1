package custom

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KueueGroup is the API group of Workloads (sigs.k8s.io/kueue/apis/kueue).
const KueueGroup = "kueue.x-k8s.io"

// Workload is a Job, or another thing that makes pods, as Kueue queues it.
type Workload = Object[WorkloadSpec, WorkloadStatus]

// WorkloadSpec says where it queues.
type WorkloadSpec struct {
	// QueueName is that of its LocalQueue; empty if none was named.
	QueueName string `json:"queueName,omitempty"`
	// Active is false once somebody, or Kueue, has taken it out of the queue.
	Active *bool `json:"active,omitempty"`
}

// WorkloadStatus tells whether it may run: conditions QuotaReserved, Admitted, Evicted and Finished.
type WorkloadStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

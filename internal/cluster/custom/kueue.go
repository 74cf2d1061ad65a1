package custom

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KueueGroup is the API group of Workloads and of what they queue in (sigs.k8s.io/kueue/apis/kueue).
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

// LocalQueue is where the Workloads of a namespace queue.
type LocalQueue = Object[LocalQueueSpec, LocalQueueStatus]

// LocalQueueSpec says which quota they queue for.
type LocalQueueSpec struct {
	ClusterQueue string `json:"clusterQueue,omitempty"`
	// StopPolicy is Hold or HoldAndDrain while nothing is to be admitted.
	StopPolicy string `json:"stopPolicy,omitempty"`
}

// LocalQueueStatus tells whether it works: condition Active.
type LocalQueueStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterQueue is a quota.
type ClusterQueue = Object[ClusterQueueSpec, ClusterQueueStatus]

// ClusterQueueSpec is what the quota is.
type ClusterQueueSpec struct {
	// Cohort is v1beta1's name for CohortName: the ClusterQueues that lend each other what they do not use; empty if it is alone.
	Cohort         string          `json:"cohort,omitempty"`
	CohortName     string          `json:"cohortName,omitempty"`
	ResourceGroups []ResourceGroup `json:"resourceGroups,omitempty"`
	StopPolicy     string          `json:"stopPolicy,omitempty"`
}

// ResourceGroup is what a quota is of some resources.
type ResourceGroup struct {
	Flavors []FlavorQuotas `json:"flavors,omitempty"`
}

// FlavorQuotas is what a quota is of one flavor, such as nodes of one kind.
type FlavorQuotas struct {
	Name      string        `json:"name,omitempty"`
	Resources []FlavorQuota `json:"resources,omitempty"`
}

// FlavorQuota is how much of a resource there is.
type FlavorQuota struct {
	Name         corev1.ResourceName `json:"name,omitempty"`
	NominalQuota resource.Quantity   `json:"nominalQuota"`
	// BorrowingLimit bounds what is borrowed from the cohort; nil is no bound.
	BorrowingLimit *resource.Quantity `json:"borrowingLimit,omitempty"`
}

// ClusterQueueStatus is what is reserved of the quota, and whether it works: condition Active.
type ClusterQueueStatus struct {
	FlavorsReservation []FlavorUsage      `json:"flavorsReservation,omitempty"`
	PendingWorkloads   int32              `json:"pendingWorkloads,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// FlavorUsage is how much of a flavor is reserved.
type FlavorUsage struct {
	Name      string          `json:"name,omitempty"`
	Resources []ResourceUsage `json:"resources,omitempty"`
}

// ResourceUsage is how much of a resource is reserved, what is borrowed included.
type ResourceUsage struct {
	Name     corev1.ResourceName `json:"name,omitempty"`
	Total    resource.Quantity   `json:"total"`
	Borrowed resource.Quantity   `json:"borrowed"`
}

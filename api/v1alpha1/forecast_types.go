package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Forecast is what happens to pods according to a simulation. The simulation plays several futures, which differ in random choices
// such as the order in which pods are scheduled, and compares each with the same future without the action.
type Forecast struct {
	// at is when the simulation was made. It is repeated until the first step starts.
	// +required
	At metav1.Time `json:"at"`

	// futures is the number of futures that were simulated, for example 3. They differ in random choices, such as the order in
	// which pods are scheduled. 0 if nothing had to be simulated, and in records of older versions.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Futures int32 `json:"futures,omitempty"`

	// worseFutures is the number of futures in which, because of the plan, a pod waits, is lost or is preempted, or a
	// PodDisruptionBudget is violated. The verdicts of the checks capacity and disruption-budgets name the pods.
	// +optional
	// +kubebuilder:validation:Minimum=0
	WorseFutures int32 `json:"worseFutures,omitempty"`

	// pods are the pods that the plan affects, in the future in which most pods are worse off, or in the first future if none are.
	// At most 512; omitted has the number of further pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Pods []PodForecast `json:"pods,omitempty"`

	// omitted is the number of affected pods that are not listed in pods. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Omitted int32 `json:"omitted,omitempty"`

	// workloads are the workloads from which the plan of a RebalancePolicy evicts pods. At most 64. Not set in other forecasts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Workloads []WorkloadForecast `json:"workloads,omitempty"`

	// nodes are the nodes that evicted pods leave, and those on which the pods in their place may run, if the plan of a RebalancePolicy is
	// about overutilized nodes too. At most 64. Not set in other forecasts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Nodes []NodeForecast `json:"nodes,omitempty"`
}

// NodeForecast is how far a node is overutilized after the plan.
type NodeForecast struct {
	// name is the metadata.name of the node, for example node-1.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// excess is by how many percentage points of the node's allocatable CPU or memory, whichever is more, its pods request more than the
	// policy allows after the plan, rounded up, for example 1. The plan turned out as forecast if they request no more. Defaults to 0: the
	// node is not overutilized.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Excess int32 `json:"excess,omitempty"`
}

// WorkloadForecast is how far a workload is out of balance after the plan.
type WorkloadForecast struct {
	// kind is the kind of the workload, for example Deployment.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// namespace is the metadata.namespace of the workload, for example shop.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// name is the metadata.name of the workload, for example web.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// excess is the most that the workload's pods are away from the policy's targets after the plan, for example 1: the number of pods
	// that must move for each limit to be met, added up. The plan turned out as forecast if they are no further away. Defaults to 0: the
	// targets are met.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Excess int32 `json:"excess,omitempty"`
}

// PodForecast is what happens to one pod.
type PodForecast struct {
	// namespace is the metadata.namespace of the pod, for example shop.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// name is the metadata.name of the pod before the plan, for example web-7d9f8c-x2x4z.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// change is the index in spec.plan of the change that affects the pod, counted from 0. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Change int32 `json:"change,omitempty"`

	// fate is what happens to the pod. Moved: it, or its replacement, runs on another node. Waiting: it, or its replacement, fits
	// on no node. Delayed: it runs after something else has happened, for example the detachment of a volume. Preempted: it makes
	// room for a pod with a higher priority. Lost: nothing recreates it. Ended: it is no longer needed, for example a DaemonSet's
	// pod that ends with its node. Created: it is new.
	// +required
	// +kubebuilder:validation:Enum=Moved;Waiting;Delayed;Preempted;Lost;Ended;Created
	Fate string `json:"fate"`

	// node is the name of the node on which the pod or its replacement would run, for example ip-10-0-4-7.ec2.internal. Not set
	// if it runs on none.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// nodes are the names of the nodes on which the replacement may run, in the forecast of a RebalancePolicy's plan, for example
	// ip-10-0-4-7.ec2.internal: more than one where the scheduler decides by chance. At most 64. Not set in other forecasts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	Nodes []string `json:"nodes,omitempty"`

	// owner is the controller that recreates the pod, for example a ReplicaSet; its replacement is recognized by it. Not set if
	// nothing recreates the pod.
	// +optional
	Owner *OwnerReference `json:"owner,omitempty"`

	// localData are the names of the pod's volumes whose data is only on the node and is lost when the pod moves, for example
	// cache. These are emptyDirs on disk, hostPaths and local PersistentVolumes. At most 32. Not set if there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	LocalData []string `json:"localData,omitempty"`
}

// OwnerReference identifies the controller of a pod.
type OwnerReference struct {
	// kind is the kind of the controller that owns the pod, for example ReplicaSet.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// name is the metadata.name of the controller, for example web-7d9f8c.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the metadata.uid of the controller, which distinguishes it from a later one of the same name.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid"`

	// ready is the number of its pods that were Ready when the forecast was made. After the repair, as many must be Ready again.
	// Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Ready int32 `json:"ready,omitempty"`
}

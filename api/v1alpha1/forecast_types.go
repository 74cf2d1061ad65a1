package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Forecast is what a simulation said would become of pods. It plays several futures, which differ by what is chance, such as the
// order in which pods are scheduled, and compares each with the same future without the action.
type Forecast struct {
	// at is when the simulation was made; it is made anew until the first step is taken.
	// +required
	At metav1.Time `json:"at"`

	// futures is the number of futures that were simulated, for example 3. They differ by what is left to chance, such as the
	// order in which pods are scheduled. 0 if nothing had to be simulated, or in records of older versions.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Futures int32 `json:"futures,omitempty"`

	// worseFutures is the number of futures in which a pod would wait, be lost or be preempted, or a PodDisruptionBudget be
	// violated, that would not without the plan. The verdicts of the checks capacity and disruption-budgets name the pods.
	// +optional
	// +kubebuilder:validation:Minimum=0
	WorseFutures int32 `json:"worseFutures,omitempty"`

	// pods are the pods that the plan would not leave as they are, in the future in which most of them are worse off, or in the
	// first if none is in any. At most 512; the number of further ones is in omitted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Pods []PodForecast `json:"pods,omitempty"`

	// omitted is the number of pods beyond those that pods lists. Defaults to 0, if pods lists all.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Omitted int32 `json:"omitted,omitempty"`
}

// PodForecast is what would become of one pod.
type PodForecast struct {
	// namespace is the metadata.namespace of the pod, for example shop.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// name is the metadata.name of the pod as it was before the plan, for example web-7d9f8c-x2x4z.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// change is the index in spec.plan of the change that befalls the pod, counted from 0. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Change int32 `json:"change,omitempty"`

	// fate is what would become of the pod. Moved: it, or its replacement, runs on another node. Waiting: it, or its
	// replacement, fits on no node. Delayed: it will run, but something must happen first, such as the detachment of a volume.
	// Preempted: it makes room for a pod of higher priority. Lost: nothing recreates it. Ended: it is not to run any more, as a
	// DaemonSet's pod that ends with its node. Created: it is new.
	// +required
	// +kubebuilder:validation:Enum=Moved;Waiting;Delayed;Preempted;Lost;Ended;Created
	Fate string `json:"fate"`

	// node is the name of the node on which the pod or its replacement would run, for example ip-10-0-4-7.ec2.internal. Not set
	// if it would run on none.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// owner is the controller that recreates the pod, such as a ReplicaSet, by which its replacement is recognised. Not set if
	// nothing recreates it.
	// +optional
	Owner *OwnerReference `json:"owner,omitempty"`

	// localData are the names of the pod's volumes whose data is on the node alone and is lost when the pod moves, for example
	// cache: an emptyDir on disk, a hostPath, or a claim on a local PersistentVolume. At most 32. Not set if all data moves
	// with the pod.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	LocalData []string `json:"localData,omitempty"`
}

// OwnerReference is a pod's controller.
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

	// uid is the metadata.uid of the controller, which tells it from a later one of the same name.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid"`

	// ready is the number of its pods that were Ready when the forecast was made, and that a repair must bring back. Defaults
	// to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Ready int32 `json:"ready,omitempty"`
}

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PodReturns counts how often pods of one controller came to a node after it was cordoned.
type PodReturns struct {
	// controller is the controller of the pods, as kind/namespace/name, for example ReplicaSet/shop/web-7d9f8c.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Controller string `json:"controller"`

	// count is the number of times that pods of the controller came; pods that came at the same time count once. At 3, they are no
	// longer evicted, and the drain ends.
	// +required
	// +kubebuilder:validation:Minimum=1
	Count int32 `json:"count"`

	// last is the metadata.creationTimestamp of the youngest of these pods.
	// +required
	Last metav1.Time `json:"last"`
}

package custom

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
)

// VerticalPodAutoscalerGroup is the API group of VerticalPodAutoscalers (k8s.io/autoscaler/vertical-pod-autoscaler).
const VerticalPodAutoscalerGroup = "autoscaling.k8s.io"

// VerticalPodAutoscaler recommends the requests of a workload's pods, and has new pods created with them unless its mode is Off.
type VerticalPodAutoscaler = Object[VerticalPodAutoscalerSpec, VerticalPodAutoscalerStatus]

// VerticalPodAutoscalerSpec says of which pods, and what bounds it.
type VerticalPodAutoscalerSpec struct {
	TargetRef      *autoscalingv1.CrossVersionObjectReference `json:"targetRef,omitempty"`
	UpdatePolicy   *PodUpdatePolicy                           `json:"updatePolicy,omitempty"`
	ResourcePolicy *PodResourcePolicy                         `json:"resourcePolicy,omitempty"`
}

// PodUpdatePolicy says when pods get the requests.
type PodUpdatePolicy struct {
	// UpdateMode is Off, Initial, Recreate, InPlaceOrRecreate or Auto; empty is one of the last three.
	UpdateMode UpdateMode `json:"updateMode,omitempty"`
}

// UpdateMode is when pods get the requests.
type UpdateMode string

// UpdateModeOff only recommends.
const UpdateModeOff UpdateMode = "Off"

// PodResourcePolicy bounds the requests.
type PodResourcePolicy struct {
	ContainerPolicies []ContainerResourcePolicy `json:"containerPolicies,omitempty"`
}

// ContainerResourcePolicy bounds a container's requests.
type ContainerResourcePolicy struct {
	ContainerName    string              `json:"containerName,omitempty"`
	MinAllowed       corev1.ResourceList `json:"minAllowed,omitempty"`
	MaxAllowed       corev1.ResourceList `json:"maxAllowed,omitempty"`
	ControlledValues ControlledValues    `json:"controlledValues,omitempty"`
}

// AnyContainer is the name in the policy of containers that have none of their own.
const AnyContainer = "*"

// ControlledValues says whether limits are set, too.
type ControlledValues string

// ControlledValuesRequestsOnly leaves limits as they are. By default, a limit keeps its proportion to the request.
const ControlledValuesRequestsOnly ControlledValues = "RequestsOnly"

// VerticalPodAutoscalerStatus is what is recommended.
type VerticalPodAutoscalerStatus struct {
	Recommendation *RecommendedPodResources `json:"recommendation,omitempty"`
}

// RecommendedPodResources are the recommendations, by container.
type RecommendedPodResources struct {
	ContainerRecommendations []RecommendedContainerResources `json:"containerRecommendations,omitempty"`
}

// RecommendedContainerResources is a container's recommendation.
type RecommendedContainerResources struct {
	ContainerName string              `json:"containerName,omitempty"`
	Target        corev1.ResourceList `json:"target,omitempty"`
}

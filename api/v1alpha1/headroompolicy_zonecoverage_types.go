package v1alpha1

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ZonesCovered is the condition type of a HeadroomPolicy with zoneCoverage: True if each zone that holds volumes in use has usable nodes that fit the pods of
// these volumes; False if one has not; Unknown if that is not known.
const ZonesCovered = "ZonesCovered"

// The reasons of ZonesCovered, and of a zone that is not covered.
const (
	// ZonesCoveredReason is used when every zone is covered.
	ZonesCoveredReason = "Covered"
	// ZoneReportOnlyReason is used when nothing is done because the policy is in mode Report.
	ZoneReportOnlyReason = "ReportOnly"
	// ZoneLackingReason is used when the zone has not been lacking a node for resize.lackSeconds yet, or a check of the guard delays the raise.
	ZoneLackingReason = "Lacking"
	// ZoneNodeStartingReason is used when the group has an instance in the zone whose node is not ready yet.
	ZoneNodeStartingReason = "NodeStarting"
	// ZoneResizingReason is used while the size of a node group is being raised, by naosu or by somebody else.
	ZoneResizingReason = "Resizing"
	// ZoneAutoscalerReason is used when an autoscaler manages the node group, so that naosu does not change its size.
	ZoneAutoscalerReason = "ManagedByAutoscaler"
	// ZoneMaximumReachedReason is used when the maximum size of the node group, or maxAddedNodes, does not allow the raise.
	ZoneMaximumReachedReason = "MaximumReached"
	// ZoneNoNodeGroupReason is used when no node group that is known could add a suitable node in the zone.
	ZoneNoNodeGroupReason = "NoNodeGroup"
	// ZoneResizeFailedReason is used when a raise did not add a node in the zone. There is no other until the policy is changed.
	ZoneResizeFailedReason = "ResizeFailed"
	// ZoneUnreadReason is used when objects or node groups cannot be read.
	ZoneUnreadReason = "Unread"
)

// DefaultMaxAddedNodes is the default of zoneCoverage.maxAddedNodes.
const DefaultMaxAddedNodes = 3

// HeadroomZoneCoverage has each zone that holds volumes in use keep usable nodes that fit the pods of these volumes.
type HeadroomZoneCoverage struct {
	// maxAddedNodes is the most nodes by which a node group is enlarged at once. A zone is given as many nodes as its pods need, and a
	// group in several zones adds nodes to its emptiest zone first, so that these may take nodes in other zones. With autoscaling
	// AddNodes, it is the most placeholder pods of a zone. From 1 to 50, for example 6. Defaults to 3.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	MaxAddedNodes *int32 `json:"maxAddedNodes,omitempty"`
}

// ZoneCoverageRule is the rule of every Remediation of a HeadroomPolicy.
const ZoneCoverageRule = "zone-coverage"

// Reference is the policy as a Remediation names it.
func (p *HeadroomPolicy) Reference() PolicyReference {
	return PolicyReference{Kind: HeadroomPolicyKind, Name: p.Name, UID: p.UID, Rule: ZoneCoverageRule}
}

// HeadroomZoneStatus is whether a zone that holds volumes in use is covered.
type HeadroomZoneStatus struct {
	// name is the name of the zone, for example us-east-1c.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// covered is whether usable nodes of the zone fit the pods of its volumes: True, False or Unknown.
	// +required
	// +kubebuilder:validation:Enum=True;False;Unknown
	Covered metav1.ConditionStatus `json:"covered"`

	// reason is why the zone is not covered, for example MaximumReached: ReportOnly, Lacking, NodeStarting, Resizing, ManagedByAutoscaler, MaximumReached,
	// NoNodeGroup, ResizeFailed, NoPriorityClass, NotPermitted, Paused or Unread; or Covered.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// message says in words why the zone is not covered, and what is needed.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// workloads are those that must run in the zone, for example [redash/deployment/redash-redis]. At most 100.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Workloads []string `json:"workloads,omitempty"`

	// placeholders is the number of placeholder pods that hold room in the zone, with autoscaling AddNodes.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Placeholders int32 `json:"placeholders,omitempty"`

	// lackingSince is the time since which the zone has not been covered. Not set while it is covered.
	// +optional
	LackingSince *metav1.Time `json:"lackingSince,omitempty"`

	// resize is the last resize of a node group for this zone that has ended. Not set if there was none.
	// +optional
	Resize *HeadroomZoneResize `json:"resize,omitempty"`
}

// HeadroomZoneResize is the outcome of a resize of a node group for a zone.
type HeadroomZoneResize struct {
	// remediation is the metadata.name of the Remediation that resized the node group, for example zone-default-6f2a.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Remediation string `json:"remediation"`

	// reason is that of the Remediation's condition Succeeded, for example AsForecast.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// message is that of the Remediation's condition Succeeded.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// endedAt is the time at which the Remediation ended.
	// +required
	EndedAt metav1.Time `json:"endedAt"`

	// generation is the metadata.generation of the policy when the end was noticed. A resize that failed is not repeated until the
	// generation is another.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Generation int64 `json:"generation,omitempty"`
}

// The parameters of ResizeNodeGroup.
const (
	parameterZone    = "zone"
	parameterDesired = "desired"
	parameterMin     = "min"
	parameterCluster = "cluster"
)

// NodeGroupResize is a raise of the desired and the minimum size of a node group.
type NodeGroupResize struct {
	// Group is the name of the node group, and Cluster the EKS cluster of a managed one; empty for an Auto Scaling group of no managed node group.
	Group, Cluster string
	// Zone is the one that needs a node.
	Zone string
	// Desired and Min are the sizes that are wanted.
	Desired, Min int
}

// Change is the change of a plan.
func (r NodeGroupResize) Change() Change {
	c := Change{Action: ActionResizeNodeGroup, Subject: &Subject{Kind: "NodeGroup", Name: r.Group}, Parameters: map[string]ParameterValue{
		parameterZone: ParameterValue(r.Zone), parameterDesired: ParameterValue(strconv.Itoa(r.Desired)), parameterMin: ParameterValue(strconv.Itoa(r.Min)),
	}}
	if r.Cluster != "" {
		c.Parameters[parameterCluster] = ParameterValue(r.Cluster)
	}
	return c
}

// Resize is the raise that a change of a plan is; false if it is none.
func (c Change) Resize() (NodeGroupResize, bool) {
	desired, errDesired := strconv.Atoi(string(c.Parameters[parameterDesired]))
	lowest, errMin := strconv.Atoi(string(c.Parameters[parameterMin]))
	if c.Action != ActionResizeNodeGroup || c.Subject == nil || errDesired != nil || errMin != nil {
		return NodeGroupResize{}, false
	}
	return NodeGroupResize{
		Group: c.Subject.Name, Cluster: string(c.Parameters[parameterCluster]), Zone: string(c.Parameters[parameterZone]), Desired: desired, Min: lowest,
	}, true
}

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HeadroomCovered is the condition type of a HeadroomPolicy: True if the placeholder pods that are bound survive every failure that the policy states,
// even if everything else that is free is used; False if they do not survive one of them; Unknown if that is not known.
const HeadroomCovered = "Covered"

// The reasons of HeadroomCovered.
const (
	// HeadroomCoveredReason is used when the room survives every failure.
	HeadroomCoveredReason = "Covered"
	// HeadroomReportOnlyReason is used when the policy holds no room because it is in mode Report.
	HeadroomReportOnlyReason = "ReportOnly"
	// HeadroomNotBoundReason is used when placeholder pods are not bound, or are not there yet.
	HeadroomNotBoundReason = "NotBound"
	// HeadroomMaximumReachedReason is used when the room would exceed maxRoom.
	HeadroomMaximumReachedReason = "MaximumReached"
	// HeadroomNeedsNodesReason is used when today's nodes do not have the room.
	HeadroomNeedsNodesReason = "NeedsNodes"
	// HeadroomNotSizedReason is used when no room was found, or the cluster is too large to look for one.
	HeadroomNotSizedReason = "NotSized"
	// HeadroomUnreadReason is used when objects that bear on the room cannot be read.
	HeadroomUnreadReason = "Unread"
	// HeadroomNoPriorityClassReason is used when the PriorityClass of the placeholder pods does not exist.
	HeadroomNoPriorityClassReason = "NoPriorityClass"
	// HeadroomNotFoundReason is used when a workload or DaemonSet that the policy names does not exist.
	HeadroomNotFoundReason = "NotFound"
)

// HeadroomPolicyLabel is on the placeholder pods of a HeadroomPolicy, and on the Deployments and DaemonSets that create them. Its value is the UID of the
// policy.
const HeadroomPolicyLabel = "naosu.dev/headroom-policy"

// HeadroomZonesLabel is, beside HeadroomPolicyLabel, on placeholder pods that hold room in zones, and on the Deployments that create them.
const HeadroomZonesLabel = "naosu.dev/headroom-zones"

// The PriorityClasses of placeholder pods, and their values.
const (
	// HeadroomAddNodesClass has the lowest priority for which cluster-autoscaler adds nodes.
	HeadroomAddNodesClass = "naosu-headroom-add-nodes"
	// HeadroomIgnoreClass has a lower one.
	HeadroomIgnoreClass = "naosu-headroom-ignore"
	// HeadroomAddNodesPriority and HeadroomIgnorePriority are the values of these classes.
	HeadroomAddNodesPriority int32 = -10
	HeadroomIgnorePriority   int32 = -11
)

// The bounds and defaults of the fields of a HeadroomPolicy.
const (
	// MaxPlaceholders is the most placeholder pods of one policy.
	MaxPlaceholders = 200
	// DefaultPlaceholders is the default of maxRoom.placeholders.
	DefaultPlaceholders = 50
	// DefaultLackSeconds is the default of resize.lackSeconds.
	DefaultLackSeconds = 60
	// DefaultExcessPercent is the default of resize.excessPercent.
	DefaultExcessPercent = 25
	// DefaultExcessMinutes is the default of resize.excessMinutes.
	DefaultExcessMinutes = 30
)

// HeadroomPolicy specifies failures that the cluster must survive without a pod that waits for room. naosu holds the smallest room that survives them,
// even if everything else that is free is used, with placeholder pods of a negative priority: pods that a failure displaces preempt them. The room is
// the one that naosu headroom computes. It may also have workloads protected from preemption.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=hrp,categories=naosu
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Covered",type=string,JSONPath=`.status.conditions[?(@.type=="Covered")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Covered")].reason`
// +kubebuilder:printcolumn:name="Zones Covered",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="ZonesCovered")].status`
// +kubebuilder:printcolumn:name="Wanted",type=integer,JSONPath=`.status.wanted.placeholders`
// +kubebuilder:printcolumn:name="Bound",type=integer,JSONPath=`.status.bound.placeholders`
// +kubebuilder:printcolumn:name="Pending",type=integer,JSONPath=`.status.pending.placeholders`
// +kubebuilder:printcolumn:name="Protected",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Protected")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Covered")].message`
type HeadroomPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired behavior: which failures the room survives, and how much room may be held. It is written by users.
	// +required
	Spec HeadroomPolicySpec `json:"spec"`

	// status is the observed state of the policy: the room that it wants and that is held, and which failures it survives. It is
	// written by the controller and is empty until a controller has processed the policy.
	// +optional
	Status HeadroomPolicyStatus `json:"status,omitzero"`
}

// HeadroomPolicyKind is the kind of a HeadroomPolicy.
const HeadroomPolicyKind = "HeadroomPolicy"

// StatesFailures says whether the policy states a failure that room is for.
func (p *HeadroomPolicy) StatesFailures() bool {
	survive := p.Spec.Survive
	return survive.Nodes > 0 || survive.Zones > 0 || len(survive.Bursts) > 0 || len(survive.Steps) > 0
}

// Holds says whether the policy holds room: it is in mode Auto, and states a failure.
func (p *HeadroomPolicy) Holds() bool { return p.Spec.Mode == ModeAuto && p.StatesFailures() }

// AddsNodes says whether an autoscaler is to add nodes for Pending placeholder pods.
func (p *HeadroomPolicy) AddsNodes() bool { return p.Spec.Autoscaling == AutoscalingAddNodes }

// HeadroomPolicyList is a list of HeadroomPolicies.
//
// +kubebuilder:object:root=true
type HeadroomPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HeadroomPolicy `json:"items"`
}

// HeadroomPolicySpec is the desired behavior of a HeadroomPolicy.
//
// +kubebuilder:validation:XValidation:rule="has(self.survive) || has(self.zoneCoverage) || has(self.protect)",message="survive, zoneCoverage or protect must be set",fieldPath=".survive"
// +kubebuilder:validation:XValidation:rule="!has(self.survive) || has(self.maxRoom)",message="is required with survive",fieldPath=".maxRoom"
type HeadroomPolicySpec struct {
	// mode determines whether naosu holds room. Report only states, in the status, what room the policy wants. Auto holds it with
	// placeholder pods. Approve is not allowed: placeholder pods disturb no other pod. A policy that is changed from Auto to Report
	// gives its room back. Defaults to Report.
	// +optional
	// +kubebuilder:default=Report
	// +kubebuilder:validation:XValidation:rule="self != 'Approve'",message="must be Report or Auto"
	Mode Mode `json:"mode,omitempty"`

	// paused indicates that the room of this policy is neither resized nor given back. Placeholder pods that are there stay. Defaults
	// to false.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// survive are the failures that the room survives, one at a time. At least one must be stated, unless zoneCoverage or protect is
	// set: then, the policy may hold no room.
	// +optional
	// +kubebuilder:validation:XValidation:rule="has(self.nodes) && self.nodes > 0 || has(self.zones) && self.zones > 0 || has(self.bursts) && size(self.bursts) > 0 || has(self.steps) && size(self.steps) > 0",message="at least one failure must be stated"
	Survive HeadroomFailures `json:"survive,omitzero"`

	// zoneCoverage has each zone that holds volumes in use keep usable nodes that fit the pods of these volumes. In mode Auto, if no
	// autoscaler manages the node group, naosu raises its desired and minimum size within its maximum; nothing is made smaller. With
	// autoscaling AddNodes, placeholder pods hold room in the zones instead, and an autoscaler adds the nodes. If not set, zones are not
	// covered.
	// +optional
	ZoneCoverage *HeadroomZoneCoverage `json:"zoneCoverage,omitempty"`
	// protect has workloads given a PriorityClass, so that other pods are preempted before theirs. In mode Report, and while the policy is
	// paused, they are given none. Not set: no workload is protected.
	// +optional
	Protect *HeadroomProtection `json:"protect,omitempty"`

	// maxRoom is the most room that placeholder pods of this policy request together, whether they are bound or Pending. If more is
	// needed, the largest placeholder pods that fit are held, and Covered is False. Required with survive.
	// +optional
	MaxRoom HeadroomAmount `json:"maxRoom,omitzero"`

	// autoscaling determines whether Pending placeholder pods make cluster-autoscaler add nodes. AddNodes gives placeholder pods the
	// priority -10, the lowest for which it does, and creates placeholder pods for nodes that are not there yet if today's nodes do not
	// have the room, and for zones that zoneCoverage covers. Ignore gives them the priority -11, which it ignores, and creates none
	// beyond today's nodes. Karpenter adds nodes for Pending pods of any priority. Defaults to Ignore.
	// +optional
	// +kubebuilder:default=Ignore
	Autoscaling HeadroomAutoscaling `json:"autoscaling,omitempty"`

	// resize determines when the room is resized. If not set, the defaults of its fields apply.
	// +optional
	// +kubebuilder:default={}
	Resize HeadroomResize `json:"resize,omitzero"`
}

// HeadroomAutoscaling is whether room that is not there makes an autoscaler add nodes.
// +kubebuilder:validation:Enum=Ignore;AddNodes
type HeadroomAutoscaling string

const (
	// AutoscalingIgnore has cluster-autoscaler ignore placeholder pods.
	AutoscalingIgnore HeadroomAutoscaling = "Ignore"
	// AutoscalingAddNodes has cluster-autoscaler add nodes for placeholder pods.
	AutoscalingAddNodes HeadroomAutoscaling = "AddNodes"
)

// HeadroomFailures are failures that a room survives, one at a time.
type HeadroomFailures struct {
	// nodes is the number of nodes that may be lost at once: 1 for any one node, 2 for any two, which is computed in clusters of up to
	// 100 nodes. From 0 to 2. Defaults to 0: the loss of nodes is not covered.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2
	Nodes int32 `json:"nodes,omitempty"`

	// zones is the number of zones that may be lost at once: 1 for any one zone. From 0 to 1. Defaults to 0: the loss of a zone is not
	// covered.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Zones int32 `json:"zones,omitempty"`

	// bursts are increases of the replicas of workloads. At most 16.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Bursts []HeadroomBurst `json:"bursts,omitempty"`

	// steps are increases of the requests of DaemonSets. Their room is on each node that runs a pod of the DaemonSet, held by a
	// placeholder DaemonSet, and is not shared with other failures. It is all that a pod requests after the step: a rollout deletes a
	// pod before it creates the next, and pods that wait may take what the deleted one leaves. At most 8.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Steps []HeadroomStep `json:"steps,omitempty"`
}

// HeadroomBurst is an increase of the replicas of a workload.
//
// +kubebuilder:validation:XValidation:rule="has(self.replicas) != has(self.percent)",message="one of replicas and percent must be set"
type HeadroomBurst struct {
	// kind is the kind of the workload: Deployment, StatefulSet or ReplicaSet.
	// +required
	// +kubebuilder:validation:Enum=Deployment;StatefulSet;ReplicaSet
	Kind string `json:"kind"`

	// namespace is the namespace of the workload, for example shop.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// name is the name of the workload, for example web.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// replicas is the number of replicas that are added. From 1 to 1000, for example 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Replicas *int32 `json:"replicas,omitempty"`

	// percent is the number of replicas that are added, in percent of those that the workload asks for, rounded up. From 1 to 1000,
	// for example 50.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Percent *int32 `json:"percent,omitempty"`
}

// HeadroomStep is an increase of the requests of the pods of a DaemonSet.
//
// +kubebuilder:validation:XValidation:rule="has(self.cpu) || has(self.memory)",message="cpu or memory must be set"
type HeadroomStep struct {
	// namespace is the namespace of the DaemonSet, for example kube-system.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// name is the name of the DaemonSet, for example calico-node.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// cpu is by how much the CPU request of each pod grows, for example 250m. If not set, it does not grow.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="must be more than 0"
	CPU resource.Quantity `json:"cpu,omitzero"`

	// memory is by how much the memory request of each pod grows, for example 128Mi. If not set, it does not grow.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="must be more than 0"
	Memory resource.Quantity `json:"memory,omitzero"`
}

// HeadroomAmount is an amount of room.
type HeadroomAmount struct {
	// cpu is the CPU that placeholder pods request together, for example 8.
	// +required
	// +kubebuilder:validation:XValidation:rule="!quantity(string(self)).isLessThan(quantity('0'))",message="must not be negative"
	CPU resource.Quantity `json:"cpu"`

	// memory is the memory that placeholder pods request together, for example 32Gi.
	// +required
	// +kubebuilder:validation:XValidation:rule="!quantity(string(self)).isLessThan(quantity('0'))",message="must not be negative"
	Memory resource.Quantity `json:"memory"`

	// placeholders is the number of placeholder pods. From 0 to 200, for example 20. Defaults to 50.
	// +optional
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=200
	Placeholders *int32 `json:"placeholders,omitempty"`
}

// HeadroomResize is when a room is resized.
type HeadroomResize struct {
	// lackSeconds is for how long the room must not survive a failure before it is resized, in seconds. From 0 to 3600, for example
	// 120. Defaults to 60.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	LackSeconds *int32 `json:"lackSeconds,omitempty"`

	// excessPercent is by how much the room must cost more than the smallest that is known before it is resized, in percent of the
	// smallest. From 0 to 1000, for example 50. Defaults to 25.
	// +optional
	// +kubebuilder:default=25
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	ExcessPercent *int32 `json:"excessPercent,omitempty"`

	// excessMinutes is for how long the room must have cost so much more before it is resized, in minutes. From 0 to 1440, for
	// example 60. Defaults to 30.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1440
	ExcessMinutes *int32 `json:"excessMinutes,omitempty"`
}

// HeadroomPolicyStatus is the observed state of a HeadroomPolicy.
type HeadroomPolicyStatus struct {
	// conditions are the latest observations of the policy. Covered is True if the placeholder pods that are bound survive every
	// failure that the policy states; otherwise, its reason is why: ReportOnly, NotBound, MaximumReached, NeedsNodes, NotSized, Unread,
	// NotFound, NoPriorityClass, or NotPermitted if the controller's role does not allow it. Not set if the policy states no failure.
	// ZonesCovered is True if each zone in status.zones is covered; otherwise, its reason is that of one that is not. Not set if
	// zoneCoverage is not set. Protected is True if new workloads that protect selects are given its PriorityClass; otherwise, its reason is
	// why: ReportOnly, Paused, InvalidSelector, NoPriorityClass, SystemClass, ClassPreempts, ClassTooLow, NotServed, NotInstalled,
	// NotPermitted, TooMany or Unread. Not set if protect is not set. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation of the policy that the rest of the status was computed from. If it is lower
	// than metadata.generation, the status refers to an earlier spec.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// zones are those that hold volumes in use, and whether they are covered. Not set without zoneCoverage. At most 100.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	Zones []HeadroomZoneStatus `json:"zones,omitempty"`

	// wanted is the smallest room that is known to survive the failures, whether or not maxRoom allows it. Not set if it is not known.
	// +optional
	Wanted *HeadroomHeld `json:"wanted,omitempty"`

	// bound is the room of the placeholder pods that are bound to nodes that are ready: only this counts.
	// +optional
	Bound *HeadroomHeld `json:"bound,omitempty"`

	// pending is the room of the placeholder pods that are not bound to a node.
	// +optional
	Pending *HeadroomHeld `json:"pending,omitempty"`

	// failures are the failures that the policy states, and whether the bound room survives them. At most 200.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=200
	Failures []HeadroomFailureStatus `json:"failures,omitempty"`

	// neededNodes is the number of nodes that must be added before there is room to survive the failures, for example 2. Not set if the nodes
	// that are there are enough, or if it is not known.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NeededNodes int32 `json:"neededNodes,omitempty"`

	// unreadKinds are the kinds of which not all objects could be read, so that some failures are Unknown, for example [ReplicaSet]. At most 100.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	UnreadKinds []string `json:"unreadKinds,omitempty"`

	// missingWorkloads are the workloads and DaemonSets that survive names and that do not exist, for example [shop/deployment/web]. At most 200.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=200
	MissingWorkloads []string `json:"missingWorkloads,omitempty"`

	// protection is what spec.protect protects. Not set if it is not set.
	// +optional
	Protection *HeadroomProtectionStatus `json:"protection,omitempty"`

	// resizedAt is when placeholder pods were last added or removed.
	// +optional
	ResizedAt *metav1.Time `json:"resizedAt,omitempty"`

	// lackingSince is since when the room does not survive a failure. Not set if it survives all of them, or if that is not known.
	// +optional
	LackingSince *metav1.Time `json:"lackingSince,omitempty"`

	// excessSince is since when the room costs more than resize.excessPercent allows. Not set if it does not.
	// +optional
	ExcessSince *metav1.Time `json:"excessSince,omitempty"`
}

// HeadroomHeld is room in placeholder pods.
type HeadroomHeld struct {
	// placeholders is the number of placeholder pods of which the room consists.
	// +required
	// +kubebuilder:validation:Minimum=0
	Placeholders int32 `json:"placeholders"`

	// cpu is the CPU that these placeholder pods request together, for example 1500m.
	// +optional
	CPU resource.Quantity `json:"cpu,omitzero"`

	// memory is the memory that these placeholder pods request together, for example 2Gi.
	// +optional
	Memory resource.Quantity `json:"memory,omitzero"`
}

// HeadroomFailureStatus is whether the room survives one failure.
type HeadroomFailureStatus struct {
	// name says which failure it is, as naosu headroom names it, for example zone us-east-1a.
	// +required
	// +kubebuilder:validation:MaxLength=512
	Name string `json:"name"`

	// covered is whether the bound room survives the failure: True, False or Unknown.
	// +required
	// +kubebuilder:validation:Enum=True;False;Unknown
	Covered metav1.ConditionStatus `json:"covered"`

	// nodes are those whose loss the room does not survive, of the first such case, for example [node-1]. At most 1000.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Nodes []string `json:"nodes,omitempty"`

	// lackingPods is the number of pods that would wait or be preempted in this case.
	// +optional
	// +kubebuilder:validation:Minimum=0
	LackingPods int32 `json:"lackingPods,omitempty"`

	// lackingCPU is the CPU that these pods request together.
	// +optional
	LackingCPU resource.Quantity `json:"lackingCPU,omitzero"`

	// lackingMemory is the memory that these pods request together.
	// +optional
	LackingMemory resource.Quantity `json:"lackingMemory,omitzero"`
}

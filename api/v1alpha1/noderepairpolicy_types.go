package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PolicyReady says whether a policy can do what it says. It is True only if nothing known stands in the way.
const PolicyReady = "Ready"

// The reasons of PolicyReady.
const (
	// PolicyReadyReason is used when nothing stands in the way.
	PolicyReadyReason = "Ready"
	// PolicyPausedReason is used when spec.paused is true.
	PolicyPausedReason = "Paused"
	// PolicyBrakedReason is used when many nodes are unhealthy together, so that no node is repaired.
	PolicyBrakedReason = "Braked"
	// PolicyInvalidSelectorReason is used when the node selector has keys or values that no label can have.
	PolicyInvalidSelectorReason = "InvalidSelector"
	// PolicyNoNodesReason is used when the node selector selects no node.
	PolicyNoNodesReason = "NoNodes"
	// PolicyNoActuatorReason is used when nothing on this cluster can do what a rule asks for.
	PolicyNoActuatorReason = "NoActuator"
	// PolicyCompetingReason is used when something else repairs the same nodes.
	PolicyCompetingReason = "CompetingRepairer"
)

// PolicyUnasked says, of a policy of mode Auto, whether the controller's role lets it begin what nobody has approved. Other
// policies do not have it.
const PolicyUnasked = "Unasked"

// The reasons of PolicyUnasked.
const (
	// PolicyPermittedReason is used when the role has the verb automate on remediations.
	PolicyPermittedReason = "Permitted"
	// PolicyNotPermittedReason is used when it lacks that verb: what the policy proposes waits for a person's approval.
	PolicyNotPermittedReason = "NotPermitted"
	// PolicyNotAnsweredReason is used when the API server did not say.
	PolicyNotAnsweredReason = "NotAnswered"
)

// NodeRepairPolicy says which nodes are repaired, for which conditions, how, and how gently.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=nrp,categories=naosu
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Nodes",type=integer,JSONPath=`.status.nodes`
// +kubebuilder:printcolumn:name="Unhealthy",type=integer,JSONPath=`.status.unhealthyNodes`
// +kubebuilder:printcolumn:name="AsForecast",type=integer,JSONPath=`.status.asForecast`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type NodeRepairPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is wanted.
	// +required
	Spec NodeRepairPolicySpec `json:"spec"`

	// status is what is so.
	// +optional
	Status NodeRepairPolicyStatus `json:"status,omitzero"`
}

// NodeRepairPolicyKind is the kind of a NodeRepairPolicy.
const NodeRepairPolicyKind = "NodeRepairPolicy"

// Reference names the policy and one of its rules.
func (p *NodeRepairPolicy) Reference(rule string) PolicyReference {
	return PolicyReference{Kind: NodeRepairPolicyKind, Name: p.Name, UID: p.UID, Rule: rule}
}

// Rule is the policy's rule of a name; false if it has none.
func (p *NodeRepairPolicy) Rule(name string) (RepairRule, bool) {
	at := slices.IndexFunc(p.Spec.Rules, func(r RepairRule) bool { return r.Name == name })
	if at < 0 {
		return RepairRule{}, false
	}
	return p.Spec.Rules[at], true
}

// NodeRepairPolicyList is a list of them.
//
// +kubebuilder:object:root=true
type NodeRepairPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NodeRepairPolicy `json:"items"`
}

// NodeRepairPolicySpec is what is wanted.
//
// +kubebuilder:validation:XValidation:rule="!has(self.earnAuto) || self.mode == 'Auto'",message="earnAuto needs mode Auto",fieldPath=".earnAuto"
type NodeRepairPolicySpec struct {
	// mode is how far the policy may go by itself. Defaults to Report.
	// +optional
	// +kubebuilder:default=Report
	Mode Mode `json:"mode,omitempty"`

	// earnAuto is how many Remediations of this policy with the same action must have turned out as forecast before one is
	// done unasked; until then mode Auto is as Approve. From 1 to 1000; not set, nothing has to be earned.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	EarnAuto *int32 `json:"earnAuto,omitempty"`

	// paused keeps anything new from being begun. What has begun is finished.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// nodeSelector selects nodes by their labels; {} selects all. At most 32 labels and 32 expressions, of at most 32 values.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	NodeSelector metav1.LabelSelector `json:"nodeSelector"`

	// rules say what is done for which condition. The first that matches decides. From 1 to 64.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Rules []RepairRule `json:"rules"`

	// escalation is the ladder, mildest first: when an action did not help as often as its step allows, the next step is
	// taken in its place. From 1 to 3 steps; without any, a rule's action is tried once.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:XValidation:rule="self.map(s, s.action == 'RestartService' ? 0 : s.action == 'Reboot' ? 1 : 2).isSorted()",message="the mildest action comes first"
	Escalation []EscalationStep `json:"escalation,omitempty"`

	// budgets are how many nodes may be out at once, and how many of a group within a day. Default to 1 for each of zone, group
	// and cluster.
	// +optional
	// +kubebuilder:default={}
	Budgets Budgets `json:"budgets,omitzero"`

	// brake is when many unhealthy nodes are taken for one fault that repairing nodes does not mend.
	// +optional
	// +kubebuilder:default={}
	Brake Brake `json:"brake,omitzero"`

	// maintenanceWindow is when reboots and replacements may begin; not set, at any time.
	// +optional
	MaintenanceWindow *MaintenanceWindow `json:"maintenanceWindow,omitempty"`

	// drain is how pods leave the node before it is rebooted or replaced.
	// +optional
	// +kubebuilder:default={}
	Drain Drain `json:"drain,omitzero"`

	// verification is how it is seen that the repair helped.
	// +optional
	// +kubebuilder:default={}
	Verification Verification `json:"verification,omitzero"`

	// nodeStartupGracePeriod is how long a node is left alone after it was created, while it starts and its agents take their
	// first looks. From 0s to 24h; defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('24h')",message="at most 24h"
	NodeStartupGracePeriod *metav1.Duration `json:"nodeStartupGracePeriod,omitempty"`

	// coolDown is how long a node is left alone after a Remediation of it has ended. From 0s to 168h; defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('168h')",message="at most 168h"
	CoolDown *metav1.Duration `json:"coolDown,omitempty"`

	// rememberFailure is for how long an action that did not help a machine counts against trying it there again, and how long
	// after a replacement a new machine that is ill counts as replaced in vain. From 0s to 720h; defaults to 24h.
	// +optional
	// +kubebuilder:default="24h"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('720h')",message="at most 720h"
	RememberFailure *metav1.Duration `json:"rememberFailure,omitempty"`
}

// RepairRule says what is done when a node's condition has had a status for some time.
//
// +kubebuilder:validation:XValidation:rule="(self.action == 'RestartService') == has(self.service)",message="service is named with RestartService, and only with it",fieldPath=".service"
type RepairRule struct {
	// name is what Remediations and messages call the rule.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// condition is the type of a node condition, such as NetworkingReady.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$`
	Condition string `json:"condition"`

	// status is the status that is ill.
	// +required
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status metav1.ConditionStatus `json:"status"`

	// reasons are those that the condition must have, one of them. At most 64; none means any reason.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reasons []string `json:"reasons,omitempty"`

	// for is how long the condition must have been so. From 0s to 168h.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('168h')",message="at most 168h"
	For metav1.Duration `json:"for"`

	// action is what is done; None leaves the node alone and keeps later rules from matching.
	// +required
	Action Action `json:"action"`

	// service is the systemd unit that RestartService restarts, such as containerd.service.
	// +optional
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9:_.@-]+\.service$`
	Service string `json:"service,omitempty"`
}

// EscalationStep is one step of the ladder.
type EscalationStep struct {
	// action is what is tried.
	// +required
	// +kubebuilder:validation:XValidation:rule="self != 'None'",message="None is no action to take"
	Action Action `json:"action"`

	// attempts is how often it is tried within rememberFailure before the next step is taken. From 1 to 5; defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	Attempts int32 `json:"attempts,omitempty"`
}

// Brake stops all repair of nodes that have a zone, an image, an instance type or an agent version in common, of which
// at least so many, and such a share, are unhealthy together.
type Brake struct {
	// nodes is the least number of unhealthy nodes. From 2 to 5000; defaults to 3.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=5000
	Nodes int32 `json:"nodes,omitempty"`

	// percent is the least share of the nodes. From 1 to 100; defaults to 20.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Percent int32 `json:"percent,omitempty"`
}

// DrainFallback is what is done when pods are left at a drain's deadline.
// +kubebuilder:validation:Enum=GiveUp;Proceed
type DrainFallback string

// What is done at a drain's deadline.
const (
	// DrainGiveUp uncordons the node and ends the Remediation.
	DrainGiveUp DrainFallback = "GiveUp"
	// DrainProceed acts on the node with the pods that are left on it.
	DrainProceed DrainFallback = "Proceed"
)

// LocalData is what a drain means for data that pods have on the node alone.
// +kubebuilder:validation:Enum=Delete;Keep
type LocalData string

// What becomes of data that pods have on the node alone.
const (
	// LocalDataDelete drains pods all the same: they lose it.
	LocalDataDelete LocalData = "Delete"
	// LocalDataKeep begins no reboot or replacement while a pod has such data.
	LocalDataKeep LocalData = "Keep"
)

// Drain is how pods leave a node: by eviction, so that PodDisruptionBudgets are kept to.
type Drain struct {
	// timeout is the drain's deadline. From 1ms to 24h; defaults to 15m.
	// +optional
	// +kubebuilder:default="15m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self >= duration('1ms') && self <= duration('24h')",message="from 1ms to 24h"
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// fallback is what is done when pods are left at the deadline. Defaults to GiveUp.
	// +optional
	// +kubebuilder:default=GiveUp
	Fallback DrainFallback `json:"fallback,omitempty"`

	// localData is what is done about pods that have data on the node alone, which they lose when they are evicted: in an
	// emptyDir on disk, a hostPath, or a local PersistentVolume. Delete drains them all the same, Keep begins no reboot or
	// replacement while there are any. Pods with the annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "true", and
	// volumes that cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes names, do not count. Defaults to Delete.
	// +optional
	// +kubebuilder:default=Delete
	LocalData LocalData `json:"localData,omitempty"`
}

// Verification is how it is seen that a repair helped.
type Verification struct {
	// nodeWithin is how long the node may take to be healthy again. From 1ms to 24h; defaults to 15m.
	// +optional
	// +kubebuilder:default="15m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self >= duration('1ms') && self <= duration('24h')",message="from 1ms to 24h"
	NodeWithin *metav1.Duration `json:"nodeWithin,omitempty"`

	// dwell is how long the node must then stay healthy. From 0s to 24h; defaults to 5m.
	// +optional
	// +kubebuilder:default="5m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('24h')",message="at most 24h"
	Dwell *metav1.Duration `json:"dwell,omitempty"`

	// podsWithin is how long the pods that had to move may take to run again. From 1ms to 24h; defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self >= duration('1ms') && self <= duration('24h')",message="from 1ms to 24h"
	PodsWithin *metav1.Duration `json:"podsWithin,omitempty"`
}

// NodeRepairPolicyStatus is what is so.
type NodeRepairPolicyStatus struct {
	// conditions are the policy's, of which Ready is one. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of the spec that the status is of.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// nodes is how many nodes the policy selects.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Nodes *int32 `json:"nodes,omitempty"`

	// unhealthyNodes is how many of them match a rule, whether for long enough or not.
	// +optional
	// +kubebuilder:validation:Minimum=0
	UnhealthyNodes *int32 `json:"unhealthyNodes,omitempty"`

	// asForecast is how many Remediations of the policy turned out as forecast.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AsForecast *int32 `json:"asForecast,omitempty"`

	// asForecastByAction is how many of them each action has that the policy may come to, which is what earnAuto looks at. At
	// most 8.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +kubebuilder:validation:MaxItems=8
	AsForecastByAction []ActionCount `json:"asForecastByAction,omitempty"`

	// permissions say, of each action that a rule asks for, whether the controller may take it, as far as it could ask
	// without taking it. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +listMapKey=actuator
	// +kubebuilder:validation:MaxItems=64
	Permissions []Permission `json:"permissions,omitempty"`
}

// ActionCount is how often something holds of an action.
type ActionCount struct {
	// action is the action.
	// +required
	Action Action `json:"action"`

	// count is how often.
	// +required
	// +kubebuilder:validation:Minimum=0
	Count int32 `json:"count"`
}

// May is whether something may be done.
// +kubebuilder:validation:Enum="Yes";"No";Unknown
type May string

// Whether something may be done.
const (
	MayYes     May = "Yes"
	MayNo      May = "No"
	MayUnknown May = "Unknown"
)

// Permission is whether the controller may take an action through an actuator.
type Permission struct {
	// action is what is to be done.
	// +required
	Action Action `json:"action"`

	// actuator is who would be asked, such as aws, karpenter, clusterapi or agent; None if nobody offers the action.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Actuator string `json:"actuator"`

	// may is the answer; where groups differ, the worst: No, then Unknown, then Yes.
	// +required
	May May `json:"may"`

	// message says how it is known, or why it is not.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// at is when it was asked.
	// +required
	At metav1.Time `json:"at"`

	// groups are the answers for the machines of each node group, by name. Without any, may is of all machines: the actuator
	// is not asked by machine, as the agent, or the controller is of a version that asked about one machine of all. At most 64;
	// of a group that is not listed nothing is known.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Groups []GroupPermission `json:"groups,omitempty"`
}

// GroupPermission is whether the controller may take an action on the machines of one node group.
type GroupPermission struct {
	// name is the group's, as the labels of its nodes tell, such as workers; empty for machines whose labels name none.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// may is the worst answer for any kind of machine in the group: No, then Unknown, then Yes. A kind that was not asked about
	// is Unknown.
	// +required
	May May `json:"may"`

	// message says how it is known, or why it is not.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

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

// NodeRepairPolicy says which nodes naosu repairs, for which node conditions, by which action, and within which limits. Without
// one naosu repairs nothing.
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

	// spec is what the policy asks for: which nodes it is about, which conditions are repaired by which action, and within
	// which limits. Users write it.
	// +required
	Spec NodeRepairPolicySpec `json:"spec"`

	// status is what the controller observes of the policy: whether it can act, and how many nodes it selects. The controller
	// writes it; it is empty until a controller has read the policy.
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

// NodeRepairPolicySpec is what a NodeRepairPolicy asks for.
//
// +kubebuilder:validation:XValidation:rule="!has(self.earnAuto) || self.mode == 'Auto'",message="earnAuto needs mode Auto",fieldPath=".earnAuto"
type NodeRepairPolicySpec struct {
	// mode is how far naosu goes without being asked. Report records what would be done and does nothing, Approve waits for a
	// person's approval of each Remediation (naosu approve NAME), and Auto acts unasked, once earnAuto is reached. Defaults to
	// Report.
	// +optional
	// +kubebuilder:default=Report
	Mode Mode `json:"mode,omitempty"`

	// earnAuto is how many Remediations of this policy with the same action must have ended AsForecast before mode Auto does
	// one without approval; until then Auto waits for approval as Approve does. From 1 to 1000, for example 3; only with mode
	// Auto. Not set, Auto acts from the start.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	EarnAuto *int32 `json:"earnAuto,omitempty"`

	// paused, if true, keeps the controller from beginning anything new for this policy. What has begun is finished. Defaults
	// to false.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// nodeSelector selects the nodes that the policy is about, by their labels, for example matchLabels: {role: worker}. {}
	// selects all nodes. At most 32 labels and 32 expressions, each of at most 32 values. If two policies select a node, the
	// first by name that has a rule due decides.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	NodeSelector metav1.LabelSelector `json:"nodeSelector"`

	// rules say which action is taken for which condition of a node. The first in order whose condition has lasted long enough
	// decides. From 1 to 64.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Rules []RepairRule `json:"rules"`

	// escalation is the order in which actions are tried, the mildest first. When an action did not help as often as attempts
	// allows, the next one is proposed in its place. From 1 to 3 steps, for example RestartService, Reboot, Replace. Not set, a
	// rule's action is tried once.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:XValidation:rule="self.map(s, s.action == 'RestartService' ? 0 : s.action == 'Reboot' ? 1 : 2).isSorted()",message="the mildest action comes first"
	Escalation []EscalationStep `json:"escalation,omitempty"`

	// budgets limit how many nodes are disrupted at once by anything that naosu does, and how many machines of a group are
	// rebooted or replaced within a day. Defaults to 1 node at once in each zone, in each group and in the cluster.
	// +optional
	// +kubebuilder:default={}
	Budgets Budgets `json:"budgets,omitzero"`

	// brake says how many nodes must be unhealthy together for naosu to take them for one fault with one cause, which repairing
	// nodes does not mend, and to begin no repair of such nodes. Defaults to 3 nodes and 20 percent.
	// +optional
	// +kubebuilder:default={}
	Brake Brake `json:"brake,omitzero"`

	// maintenanceWindow is the time in which reboots and replacements may begin. What has begun is finished after it closes;
	// RestartService does not wait for it. Not set, they may begin at any time.
	// +optional
	MaintenanceWindow *MaintenanceWindow `json:"maintenanceWindow,omitempty"`

	// drain says how pods leave a node before it is rebooted or replaced. Defaults to evicting them for up to 15m and giving up
	// if some are left.
	// +optional
	// +kubebuilder:default={}
	Drain Drain `json:"drain,omitzero"`

	// verification says how long a repaired node and the pods that had to move may take to be healthy again, before the repair
	// counts as having failed to help.
	// +optional
	// +kubebuilder:default={}
	Verification Verification `json:"verification,omitzero"`

	// nodeStartupGracePeriod is how long after its creation a node is not repaired, so that it can start and its agents can
	// look at it first. A duration from 0s to 24h, for example 15m. Defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('24h')",message="at most 24h"
	NodeStartupGracePeriod *metav1.Duration `json:"nodeStartupGracePeriod,omitempty"`

	// coolDown is how long after the end of a Remediation its node is not repaired again. A duration from 0s to 168h, for
	// example 1h. Defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('168h')",message="at most 168h"
	CoolDown *metav1.Duration `json:"coolDown,omitempty"`

	// rememberFailure is for how long an action that did not help a machine counts as an attempt on that machine (see
	// escalation), and within how long after a replacement a new machine that is unhealthy counts as replaced in vain. A
	// duration from 0s to 720h, for example 48h. Defaults to 24h.
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
	// name identifies the rule in Remediations and messages, for example network. A DNS label of at most 63 characters, unique
	// within the policy.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`

	// condition is the type of the node condition that the rule watches, for example NetworkingReady, or the kubelet's Ready.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$`
	Condition string `json:"condition"`

	// status is the status of the condition that calls for the action: True, False or Unknown. For a condition that is True on
	// a healthy node it is False or Unknown.
	// +required
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status metav1.ConditionStatus `json:"status"`

	// reasons limit the rule to conditions with one of these reasons, for example InterfaceNotUp. At most 64. Not set, any
	// reason matches.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reasons []string `json:"reasons,omitempty"`

	// for is how long the condition must have had the status, counted from its lastTransitionTime, before the action is
	// proposed. A change of the reason alone does not start the time again. A duration from 0s to 168h, for example 10m.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('168h')",message="at most 168h"
	For metav1.Duration `json:"for"`

	// action is what is done to the node: None leaves the node alone, RestartService restarts one systemd unit while pods keep
	// running, Reboot restarts the machine, and Replace gives the machine up for a new one. With None no later rule is applied
	// to the condition either.
	// +required
	Action Action `json:"action"`

	// service is the systemd unit that RestartService restarts, for example containerd.service; naosu's agent on the node does
	// it. Needed with RestartService, and refused with any other action.
	// +optional
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9:_.@-]+\.service$`
	Service string `json:"service,omitempty"`
}

// EscalationStep is an action, and how often it is tried before the next one.
type EscalationStep struct {
	// action is what this step tries: RestartService, Reboot or Replace. None is refused.
	// +required
	// +kubebuilder:validation:XValidation:rule="self != 'None'",message="None is no action to take"
	Action Action `json:"action"`

	// attempts is how many times the action may fail to help a machine within rememberFailure before the next step is taken.
	// From 1 to 5. Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	Attempts int32 `json:"attempts,omitempty"`
}

// Brake stops all repair of nodes that have a zone, an image, an instance type or an agent version in common, of which
// at least so many, and such a share, are unhealthy together.
type Brake struct {
	// nodes is the least number of nodes with a zone, an image, an instance type or an agent version in common that must be
	// unhealthy together. From 2 to 5000. Defaults to 3.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=5000
	Nodes int32 `json:"nodes,omitempty"`

	// percent is the least share, in percent, of the nodes with that in common that must be unhealthy together. From 1 to 100.
	// Defaults to 20.
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
	// timeout is how long the pods of the node may take to leave it. A duration from 1ms to 24h, for example 20m. Defaults to
	// 15m.
	// +optional
	// +kubebuilder:default="15m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self >= duration('1ms') && self <= duration('24h')",message="from 1ms to 24h"
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// fallback is what is done when pods are still on the node at the end of timeout. GiveUp uncordons the node and ends the
	// Remediation; Proceed acts on the machine with these pods still on it. Defaults to GiveUp.
	// +optional
	// +kubebuilder:default=GiveUp
	Fallback DrainFallback `json:"fallback,omitempty"`

	// localData is what is done about pods that lose data when they leave the node, because it is in an emptyDir on disk, a
	// hostPath or a local PersistentVolume. Delete drains them all the same; Keep begins no reboot or replacement while there
	// are any. Pods with the annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "true", and volumes that
	// cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes names, do not count. Defaults to Delete.
	// +optional
	// +kubebuilder:default=Delete
	LocalData LocalData `json:"localData,omitempty"`
}

// Verification is how it is seen that a repair helped.
type Verification struct {
	// nodeWithin is how long after the action the node may take to be healthy: to be Ready, and without the condition that was
	// repaired. A duration from 1ms to 24h, for example 20m. Defaults to 15m.
	// +optional
	// +kubebuilder:default="15m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self >= duration('1ms') && self <= duration('24h')",message="from 1ms to 24h"
	NodeWithin *metav1.Duration `json:"nodeWithin,omitempty"`

	// dwell is how long the node must then stay healthy before it is uncordoned. A duration from 0s to 24h, for example 10m.
	// Defaults to 5m.
	// +optional
	// +kubebuilder:default="5m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('24h')",message="at most 24h"
	Dwell *metav1.Duration `json:"dwell,omitempty"`

	// podsWithin is how long the pods that had to move may take to run on other nodes. A duration from 1ms to 24h, for example
	// 15m. Defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self >= duration('1ms') && self <= duration('24h')",message="from 1ms to 24h"
	PodsWithin *metav1.Duration `json:"podsWithin,omitempty"`
}

// NodeRepairPolicyStatus is what the controller observes of a NodeRepairPolicy.
type NodeRepairPolicyStatus struct {
	// conditions are the latest observations of the policy. Ready is True if nothing known keeps the policy from acting; its
	// reason tells what does, for example Paused, NoNodes or NoActuator. Unasked, in mode Auto only, is True if the
	// controller's role lets it act without approval. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation of the policy that the rest of the status was computed from. If it is lower
	// than metadata.generation, the status is of an earlier spec.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// nodes is the number of nodes that nodeSelector selects. Not set if the selector is not valid or nodes could not be read.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Nodes *int32 `json:"nodes,omitempty"`

	// unhealthyNodes is the number of selected nodes with a condition that matches a rule, whether it has lasted long enough or
	// not.
	// +optional
	// +kubebuilder:validation:Minimum=0
	UnhealthyNodes *int32 `json:"unhealthyNodes,omitempty"`

	// asForecast is the number of this policy's Remediations that ended Succeeded with reason AsForecast, over all actions.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AsForecast *int32 `json:"asForecast,omitempty"`

	// asForecastByAction is the number of Remediations that ended AsForecast for each action that the rules or the escalation
	// can come to. earnAuto is compared with these. At most 8.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +kubebuilder:validation:MaxItems=8
	AsForecastByAction []ActionCount `json:"asForecastByAction,omitempty"`

	// permissions tell for each action that a rule asks for whether the controller may take it, as far as it could find out
	// without taking it (a dry run, or an access review). At most 64.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +listMapKey=actuator
	// +kubebuilder:validation:MaxItems=64
	Permissions []Permission `json:"permissions,omitempty"`
}

// ActionCount is how often something holds of an action.
type ActionCount struct {
	// action is the action that is counted: None, RestartService, Reboot or Replace.
	// +required
	Action Action `json:"action"`

	// count is the number of Remediations with this action that ended AsForecast.
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
	// action is the action that the answer is about: None, RestartService, Reboot or Replace.
	// +required
	Action Action `json:"action"`

	// actuator is the part that would carry out the action, such as aws, karpenter, clusterapi or agent; None if nothing on the
	// cluster offers it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Actuator string `json:"actuator"`

	// may is the answer: Yes, No, or Unknown if it could not be found out. Where node groups differ it is the worst of groups:
	// No, then Unknown, then Yes.
	// +required
	May May `json:"may"`

	// message tells how the answer is known or why there is none, in one sentence, such as the error of the dry run.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// at is when the controller last asked, in UTC. Answers are asked for again from time to time.
	// +required
	At metav1.Time `json:"at"`

	// groups are the answers for each node group, by name. Not set if the actuator does not answer by machine, as the agent;
	// may then holds for all machines. Of a group that is not listed nothing is known. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Groups []GroupPermission `json:"groups,omitempty"`
}

// GroupPermission is whether the controller may take an action on the machines of one node group.
type GroupPermission struct {
	// name is the name of the node group, as the labels of its nodes tell it, for example workers; empty for nodes whose labels
	// name no group.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// may is the worst answer for any kind of machine in the group: No, then Unknown, then Yes. A kind of machine that was not
	// asked about is Unknown.
	// +required
	May May `json:"may"`

	// message tells how the answer is known or why there is none, in one sentence, such as the error of the dry run.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

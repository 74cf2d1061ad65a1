package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PolicyReady is the condition that says whether the policy can be carried out. It is True only if no obstacle is known.
const PolicyReady = "Ready"

// The reasons of PolicyReady.
const (
	// PolicyReadyReason is used when no obstacle is known.
	PolicyReadyReason = "Ready"
	// PolicyPausedReason is used when spec.paused is true.
	PolicyPausedReason = "Paused"
	// PolicyBrakedReason is used when too many nodes are unhealthy at the same time, so that no node is repaired.
	PolicyBrakedReason = "Braked"
	// PolicyInvalidSelectorReason is used when the node selector has keys or values that are not valid in labels.
	PolicyInvalidSelectorReason = "InvalidSelector"
	// PolicyNoNodesReason is used when the node selector selects no node.
	PolicyNoNodesReason = "NoNodes"
	// PolicyNoActuatorReason is used when nothing in the cluster supports the action of a rule, or the action is not permitted.
	PolicyNoActuatorReason = "NoActuator"
	// PolicyCompetingReason is used when something else repairs the same nodes.
	PolicyCompetingReason = "CompetingRepairer"
)

// PolicyUnasked is the condition that says whether the controller's role permits it to act without approval. Only policies with
// mode Auto have it.
const PolicyUnasked = "Unasked"

// The reasons of PolicyUnasked.
const (
	// PolicyPermittedReason is used when the role has the verb automate on remediations.
	PolicyPermittedReason = "Permitted"
	// PolicyNotPermittedReason is used when the role lacks that verb: Remediations of the policy wait for approval.
	PolicyNotPermittedReason = "NotPermitted"
	// PolicyNotAnsweredReason is used when the API server did not respond.
	PolicyNotAnsweredReason = "NotAnswered"
)

// NodeRepairPolicy specifies which nodes naosu repairs, for which node conditions, with which actions, and within which limits.
// Without a NodeRepairPolicy, naosu repairs nothing.
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

	// spec is the desired behavior: which nodes the policy applies to, which conditions are repaired with which action, and within
	// which limits. It is written by users.
	// +required
	Spec NodeRepairPolicySpec `json:"spec"`

	// status is the observed state of the policy: whether it can be carried out, and how many nodes it selects. It is written by
	// the controller and is empty until a controller has processed the policy.
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

// NodeRepairPolicyList is a list of NodeRepairPolicies.
//
// +kubebuilder:object:root=true
type NodeRepairPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NodeRepairPolicy `json:"items"`
}

// NodeRepairPolicySpec is the desired behavior of a NodeRepairPolicy.
//
// +kubebuilder:validation:XValidation:rule="!has(self.earnAuto) || self.mode == 'Auto'",message="requires mode Auto",fieldPath=".earnAuto"
type NodeRepairPolicySpec struct {
	// mode determines whether naosu acts, and whether it needs approval. Report only records what would be done. Approve waits for
	// the approval of each Remediation (naosu approve NAME). Auto acts without approval once earnAuto is reached. Defaults to
	// Report.
	// +optional
	// +kubebuilder:default=Report
	Mode Mode `json:"mode,omitempty"`

	// earnAuto is the number of Remediations of this policy with the same action that must have ended with the reason AsForecast
	// before mode Auto performs that action without approval; until then, Auto waits for approval as Approve does. From 1 to 1000,
	// for example 3. Allowed only with mode Auto. If not set, Auto acts without approval from the start.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	EarnAuto *int32 `json:"earnAuto,omitempty"`

	// paused indicates that the controller starts no new repairs for this policy. Repairs in progress are finished. Defaults to
	// false.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// nodeSelector selects the nodes that the policy applies to, by their labels, for example matchLabels: {role: worker}. An empty
	// selector ({}) selects all nodes. At most 32 labels and 32 expressions, each with at most 32 values. If several policies
	// select a node, the first one by name that has a due rule decides.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	NodeSelector metav1.LabelSelector `json:"nodeSelector"`

	// rules specify which action is taken for which node condition. The first rule in this order whose condition has lasted long
	// enough decides. From 1 to 64 rules.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Rules []RepairRule `json:"rules"`

	// escalation is the order in which actions are tried, the mildest first. When an action has failed to help in the given number
	// of attempts, the next one is proposed instead. From 1 to 3 steps, for example RestartService, Reboot, Replace. If not set,
	// the action of a rule is tried once.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:XValidation:rule="self.map(s, s.action == 'RestartService' ? 0 : s.action == 'Reboot' ? 1 : 2).isSorted()",message="the mildest action must come first"
	Escalation []EscalationStep `json:"escalation,omitempty"`

	// budgets limit how many nodes naosu disrupts at the same time, by all policies together, and how many machines of a node group
	// are rebooted or replaced within a day. Defaults to 1 node at a time in each zone, in each node group and in the cluster.
	// +optional
	// +kubebuilder:default={}
	Budgets Budgets `json:"budgets,omitzero"`

	// brake stops repairs when so many nodes are unhealthy at the same time that they probably have a common cause, which
	// repairing single nodes does not remove. Defaults to 3 nodes and 20 percent.
	// +optional
	// +kubebuilder:default={}
	Brake Brake `json:"brake,omitzero"`

	// maintenanceWindow is the time in which reboots and replacements may start. Those in progress are finished after it closes.
	// RestartService does not wait for it. If not set, they may start at any time.
	// +optional
	MaintenanceWindow *MaintenanceWindow `json:"maintenanceWindow,omitempty"`

	// drain specifies how pods are evicted from a node before it is rebooted or replaced. By default, eviction may take 15m, and
	// the repair is given up if pods remain.
	// +optional
	// +kubebuilder:default={}
	Drain Drain `json:"drain,omitzero"`

	// verification specifies how long a repaired node, and the pods that had to move, may take to become healthy before the repair
	// counts as failed.
	// +optional
	// +kubebuilder:default={}
	Verification Verification `json:"verification,omitzero"`

	// nodeStartupGracePeriod is how long after its creation a node is not repaired, so that the node and its agents have time to
	// start. A duration from 0s to 24h, for example 15m. Defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('24h')",message="at most 24h"
	NodeStartupGracePeriod *metav1.Duration `json:"nodeStartupGracePeriod,omitempty"`

	// coolDown is how long a node is not repaired again after its last Remediation has ended. A duration from 0s to 168h, for
	// example 1h. Defaults to 10m.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('168h')",message="at most 168h"
	CoolDown *metav1.Duration `json:"coolDown,omitempty"`

	// rememberFailure is how long an action that did not help a machine counts as an attempt (see escalation), and how long after a
	// replacement an unhealthy new machine counts as replaced in vain. A duration from 0s to 720h, for example 48h. Defaults to
	// 24h.
	// +optional
	// +kubebuilder:default="24h"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('720h')",message="at most 720h"
	RememberFailure *metav1.Duration `json:"rememberFailure,omitempty"`
}

// RepairRule specifies which action is taken when a node condition has had a certain status for some time.
//
// +kubebuilder:validation:XValidation:rule="(self.action == 'RestartService') == has(self.service)",message="is required with RestartService and not allowed otherwise",fieldPath=".service"
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

	// status is the unhealthy status of the condition: True, False or Unknown. For a condition that is True on a healthy node, such
	// as Ready, it is False or Unknown.
	// +required
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status metav1.ConditionStatus `json:"status"`

	// reasons restrict the rule to conditions with one of these reasons, for example InterfaceNotUp. At most 64. If not set, any
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
	// proposed. If only the reason changes, the time does not restart. A duration from 0s to 168h, for example 10m.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=duration
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="self <= duration('168h')",message="at most 168h"
	For metav1.Duration `json:"for"`

	// action is the action that is taken. None takes no action, and no later rule applies to the condition either. RestartService
	// restarts one systemd unit while pods keep running. Reboot reboots the machine. Replace replaces it with a new machine.
	// +required
	// +kubebuilder:validation:Enum=None;RestartService;Reboot;Replace
	Action Action `json:"action"`

	// service is the systemd unit that naosu's agent on the node restarts, for example containerd.service. Required if the action
	// is RestartService, and not allowed otherwise.
	// +optional
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9:_.@-]+\.service$`
	Service string `json:"service,omitempty"`
}

// EscalationStep is an action, and the number of attempts before the next one.
type EscalationStep struct {
	// action is the action of this step: RestartService, Reboot or Replace. None is not allowed.
	// +required
	// +kubebuilder:validation:XValidation:rule="self != 'None'",message="must not be None"
	// +kubebuilder:validation:Enum=None;RestartService;Reboot;Replace
	Action Action `json:"action"`

	// attempts is how many times the action may fail to help a machine within rememberFailure before the next step is used. From 1
	// to 5. Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	Attempts int32 `json:"attempts,omitempty"`
}

// Brake stops the repair of nodes with the same zone, image, instance type or agent version if at least this number and this share
// of them are unhealthy at the same time.
type Brake struct {
	// nodes is the minimum number of nodes with the same zone, image, instance type or agent version that are unhealthy at the same
	// time. From 2 to 5000. Defaults to 3.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=5000
	Nodes int32 `json:"nodes,omitempty"`

	// percent is the minimum share, in percent, of the nodes with the same zone, image, instance type or agent version that are
	// unhealthy at the same time. From 1 to 100. Defaults to 20.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Percent int32 `json:"percent,omitempty"`
}

// DrainFallback is what happens when pods remain at the deadline of a drain.
// +kubebuilder:validation:Enum=GiveUp;Proceed
type DrainFallback string

// What happens at the deadline of a drain.
const (
	// DrainGiveUp uncordons the node and ends the Remediation.
	DrainGiveUp DrainFallback = "GiveUp"
	// DrainProceed acts on the node although pods remain.
	DrainProceed DrainFallback = "Proceed"
)

// LocalData is what happens to pods whose data is only on the node.
// +kubebuilder:validation:Enum=Delete;Keep
type LocalData string

// What happens to pods whose data is only on the node.
const (
	// LocalDataDelete evicts the pods, which lose their data.
	LocalDataDelete LocalData = "Delete"
	// LocalDataKeep starts no reboot or replacement while a pod has such data.
	LocalDataKeep LocalData = "Keep"
)

// Drain specifies how pods are evicted from a node. Evictions respect PodDisruptionBudgets.
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

	// fallback is what happens when pods are still on the node after timeout. GiveUp uncordons the node and ends the Remediation.
	// Proceed acts on the machine although these pods are still running on it. Defaults to GiveUp.
	// +optional
	// +kubebuilder:default=GiveUp
	Fallback DrainFallback `json:"fallback,omitempty"`

	// localData is what happens to pods that lose data when they are evicted, because the data is in an emptyDir on disk, a
	// hostPath or a local PersistentVolume. Delete evicts them anyway. Keep starts no reboot or replacement while there are any.
	// Pods with the annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "true", and volumes that
	// cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes names, do not count. Defaults to Delete.
	// +optional
	// +kubebuilder:default=Delete
	LocalData LocalData `json:"localData,omitempty"`
}

// Verification specifies how naosu verifies that a repair helped.
type Verification struct {
	// nodeWithin is how long after the action the node may take to become healthy: to be Ready and no longer have the condition
	// that was repaired. A duration from 1ms to 24h, for example 20m. Defaults to 15m.
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

// NodeRepairPolicyStatus is the observed state of a NodeRepairPolicy.
type NodeRepairPolicyStatus struct {
	// conditions are the latest observations of the policy. Ready is True if no obstacle to repairs is known; otherwise, its
	// reason is the obstacle, for example Paused, NoNodes or NoActuator. Unasked, which exists only in mode Auto, is True if the
	// controller's role permits it to act without approval. At most 16.
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

	// nodes is the number of nodes that nodeSelector selects. Not set if the selector is invalid or nodes could not be read.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Nodes *int32 `json:"nodes,omitempty"`

	// unhealthyNodes is the number of selected nodes with a condition that matches a rule, whether or not it has lasted long
	// enough.
	// +optional
	// +kubebuilder:validation:Minimum=0
	UnhealthyNodes *int32 `json:"unhealthyNodes,omitempty"`

	// asForecast is the number of this policy's Remediations, with any action, that ended with the reason AsForecast.
	// +optional
	// +kubebuilder:validation:Minimum=0
	AsForecast *int32 `json:"asForecast,omitempty"`

	// asForecastByAction is the number of Remediations that ended with the reason AsForecast, for each action of the rules and of
	// the escalation. earnAuto is compared with these numbers. At most 8.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +kubebuilder:validation:MaxItems=8
	AsForecastByAction []ActionCount `json:"asForecastByAction,omitempty"`

	// permissions say for each action of the rules whether the controller is permitted to take it, as far as this is known without
	// taking it (from a dry run or an access review). At most 64.
	// +optional
	// +listType=map
	// +listMapKey=action
	// +listMapKey=actuator
	// +kubebuilder:validation:MaxItems=64
	Permissions []Permission `json:"permissions,omitempty"`
}

// ActionCount is the number of Remediations with an action.
type ActionCount struct {
	// action is the action that is counted: None, RestartService, Reboot or Replace.
	// +required
	// +kubebuilder:validation:Enum=None;RestartService;Reboot;Replace
	Action Action `json:"action"`

	// count is the number of Remediations with this action that ended with the reason AsForecast.
	// +required
	// +kubebuilder:validation:Minimum=0
	Count int32 `json:"count"`
}

// May says whether something is permitted.
// +kubebuilder:validation:Enum="Yes";"No";Unknown
type May string

// Whether something is permitted.
const (
	MayYes     May = "Yes"
	MayNo      May = "No"
	MayUnknown May = "Unknown"
)

// Permission says whether the controller is permitted to take an action through an actuator.
type Permission struct {
	// action is the action that was checked: None, RestartService, Reboot or Replace.
	// +required
	// +kubebuilder:validation:Enum=None;RestartService;Reboot;Replace
	Action Action `json:"action"`

	// actuator is what would perform the action, for example aws, karpenter, clusterapi or agent; None if nothing in the cluster
	// supports it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Actuator string `json:"actuator"`

	// may says whether the action is permitted: Yes, No, or Unknown if this could not be determined. If node groups differ, it is
	// the worst answer in groups: No, then Unknown, then Yes.
	// +required
	May May `json:"may"`

	// message is one sentence that explains the answer, for example the error of the dry run.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// at is when the controller last checked, in UTC. It repeats the checks regularly.
	// +required
	At metav1.Time `json:"at"`

	// groups are the answers for each node group, by name. Not set if the answer does not depend on the machine, for example for
	// the agent; may then applies to all machines. For a group that is not listed, the answer is not known. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Groups []GroupPermission `json:"groups,omitempty"`
}

// GroupPermission says whether the controller is permitted to take an action on the machines of one node group.
type GroupPermission struct {
	// name is the name of the node group, taken from the labels of its nodes, for example workers; empty for nodes without such a
	// label.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// may is the worst answer for any kind of machine in the group: No, then Unknown, then Yes. A kind of machine that was not
	// checked is Unknown.
	// +required
	May May `json:"may"`

	// message is one sentence that explains the answer, for example the error of the dry run.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

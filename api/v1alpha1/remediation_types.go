package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The types of a Remediation's conditions.
const (
	// RemediationAllowed says whether the guard allows it to continue; its reasons are the guard's.
	RemediationAllowed = "Allowed"
	// RemediationApproved says, once a person has set spec.approval, whether the Remediation is approved; its reasons are the
	// values of Approval. Its lastTransitionTime is when the controller saw the decision.
	RemediationApproved = "Approved"
	// RemediationSucceeded says, once the Remediation has ended, whether it helped.
	RemediationSucceeded = "Succeeded"
)

// RemediationFinalizer keeps a deleted Remediation until its node is restored: deleting a running Remediation aborts it, and
// deleting a proposed one rejects it. Drills and ended Remediations do not have it.
const RemediationFinalizer = "naosu.dev/remediation"

// RemediationAbortAnnotation with the value "true" aborts a Remediation and keeps its record: its node is restored, and it ends
// with the reason Aborted.
const RemediationAbortAnnotation = "naosu.dev/abort"

// The reasons of RemediationSucceeded.
const (
	// RemediationAsForecastReason is used when it helped and every pod turned out as forecast.
	RemediationAsForecastReason = "AsForecast"
	// RemediationNotAsForecastReason is used when it helped, but a pod did not turn out as forecast.
	RemediationNotAsForecastReason = "NotAsForecast"
	// RemediationDidNotHelpReason is used when the node was no healthier afterwards.
	RemediationDidNotHelpReason = "DidNotHelp"
	// RemediationRefusedReason is used when the actuator refused the action. Nothing was done to the machine, so this does not
	// count as an attempt.
	RemediationRefusedReason = "Refused"
	// RemediationGaveUpReason is used when it ended before it acted, for example at a drain's deadline, or before it could be
	// verified, because others removed the node.
	RemediationGaveUpReason = "GaveUp"
	// RemediationRejectedReason is used when a person rejected it, or uncordoned the node before the action.
	RemediationRejectedReason = "Rejected"
	// RemediationAbortedReason is used when a person aborted it.
	RemediationAbortedReason = "Aborted"
	// RemediationNotNeededReason is used when the node became healthy before anything was done.
	RemediationNotNeededReason = "NotNeeded"
	// RemediationNotAskedReason is used when, before anything was done to the machine, its policy did not ask for it or no longer did.
	RemediationNotAskedReason = "NotAsked"
	// RemediationDrillPassedReason is used when a drill passed every hop.
	RemediationDrillPassedReason = "DrillPassed"
	// RemediationDrillFailedReason is used when a drill failed; the last step says where.
	RemediationDrillFailedReason = "DrillFailed"
)

// Remediation is the record of one plan that a policy proposes or performs or that a person requested, or of one drill. It is created by
// the controller, by naosu rebalance apply for a request, or by naosu repair drill for a drill. A person can approve, reject, abort or
// delete it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=rem,categories=naosu
// +kubebuilder:selectablefield:JSONPath=`.spec.node.name`
// +kubebuilder:printcolumn:name="Node",type=string,JSONPath=`.spec.node.name`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.spec.evidence.reason`
// +kubebuilder:printcolumn:name="Action",type=string,JSONPath=`.spec..action`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Guard",type=string,JSONPath=`.status.conditions[?(@.type=="Allowed")].reason`
// +kubebuilder:printcolumn:name="Outcome",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Allowed")].message`
type Remediation struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the proposed plan, and whether a person has approved it. It is written once by the controller, by naosu rebalance apply
	// for a request, or by naosu repair drill for a drill. Apart from approval and approvedBy, it never changes.
	// +required
	Spec RemediationSpec `json:"spec"`

	// status is what the guard decided, what was forecast, and what has been done so far. It is written by the controller, except
	// agent, which is written by the agent of the node.
	// +optional
	Status RemediationStatus `json:"status,omitzero"`
}

// RemediationList is a list of Remediations.
//
// +kubebuilder:object:root=true
type RemediationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Remediation `json:"items"`
}

// RemediationSpec is the proposed plan, or the drill. Only approval and approvedBy can change, so that the record is reliable.
//
// +kubebuilder:validation:XValidation:rule="has(self.drill) || (has(self.policy) || has(self.request)) && has(self.evidence) && (has(self.plan) || has(self.action))",message="policy or request, evidence and plan are required, except for a drill"
// +kubebuilder:validation:XValidation:rule="!has(self.request) || !has(self.policy) && !has(self.drill) && !has(self.node)",message="must not be set together with policy, drill or node",fieldPath=".request"
// +kubebuilder:validation:XValidation:rule="!has(self.request) || has(self.plan) && size(self.plan) <= 30 && self.plan.all(change, change.action == 'Evict')",message="must be 1 to 30 evictions for a request",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.request) || has(self.subjects)",message="is required for a request",fieldPath=".subjects"
// +kubebuilder:validation:XValidation:rule="!has(self.plan) || !has(self.action)",message="must not be set together with action",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.drill) || !has(self.policy) && !has(self.evidence) && !has(self.plan) && !has(self.action) && !has(self.subjects) && !has(self.approval)",message="a drill must not have a policy, subjects, evidence, a plan or an approval",fieldPath=".drill"
// +kubebuilder:validation:XValidation:rule="has(self.node) || has(self.request) || has(self.policy) && self.policy.kind != 'NodeRepairPolicy'",message="is required for a drill and for a proposal of a NodeRepairPolicy",fieldPath=".node"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || self.policy.kind != 'NodeRepairPolicy' || !has(self.subjects)",message="must not be set for a proposal of a NodeRepairPolicy",fieldPath=".subjects"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || self.policy.kind != 'NodeRepairPolicy' || !has(self.evidence) || has(self.evidence.condition)",message="must have a condition of the node for a proposal of a NodeRepairPolicy",fieldPath=".evidence"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || self.policy.kind != 'NodeRepairPolicy' || !has(self.plan) || size(self.plan) == 1 && !has(self.plan[0].subject)",message="must be one change of the node for a proposal of a NodeRepairPolicy",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.plan) || !has(self.policy) || self.plan.all(change, (change.action == 'Evict') == (self.policy.kind == 'RebalancePolicy'))",message="must be evictions for a proposal of a RebalancePolicy, and only for one",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.plan) || !has(self.policy) || self.plan.all(change, (change.action == 'DeleteInterface') == (self.policy.kind == 'AddressPolicy'))",message="must be deletions of network interfaces for a proposal of an AddressPolicy, and only for one",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.plan) || !has(self.policy) || self.policy.kind == 'HeadroomPolicy' || self.plan.all(change, change.action != 'ResizeNodeGroup')",message="must not be resizes of node groups, except for a proposal of a HeadroomPolicy",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="has(self.drill) == has(oldSelf.drill) && has(self.policy) == has(oldSelf.policy) && has(self.request) == has(oldSelf.request) && has(self.node) == has(oldSelf.node) && has(self.subjects) == has(oldSelf.subjects) && has(self.evidence) == has(oldSelf.evidence) && has(self.plan) == has(oldSelf.plan) && has(self.action) == has(oldSelf.action)",message="cannot be changed"
// +kubebuilder:validation:XValidation:rule="!has(self.plan) || !has(oldSelf.plan) || self.plan == oldSelf.plan",message="cannot be changed",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.action) || !has(oldSelf.action) || self.action == oldSelf.action",message="cannot be changed",fieldPath=".action"
// +kubebuilder:validation:XValidation:rule="(has(self.action) && self.action == 'RestartService') == has(self.service)",message="is required with RestartService and not allowed otherwise",fieldPath=".service"
// +kubebuilder:validation:XValidation:rule="has(self.service) == has(oldSelf.service) && (!has(self.service) || self.service == oldSelf.service)",message="cannot be changed",fieldPath=".service"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.approval) || has(self.approval) && (self.approval == oldSelf.approval || self.approval == 'Rejected')",message="Approved can only be changed to Rejected, and Rejected cannot be changed",fieldPath=".approval"
// +kubebuilder:validation:XValidation:rule="!has(self.approvedBy) || has(self.approval)",message="requires approval",fieldPath=".approvedBy"
// +kubebuilder:validation:XValidation:rule="has(self.approval) != has(oldSelf.approval) || has(self.approval) && self.approval != oldSelf.approval || has(self.approvedBy) == has(oldSelf.approvedBy) && (!has(self.approvedBy) || self.approvedBy == oldSelf.approvedBy)",message="can be changed only together with approval",fieldPath=".approvedBy"
type RemediationSpec struct {
	// policy is the policy, and its rule, that the Remediation was proposed for. Not set in a request or a drill.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Policy PolicyReference `json:"policy,omitzero"`

	// request is what a person requested in place of a policy. Its plan is evictions that restore the balance of workloads; the
	// controller carries them out once they are approved, if it plans the same ones. Written by naosu rebalance apply.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Request *Request `json:"request,omitempty"`

	// node is the node to repair, or to run the drill on. The agent of that node watches Remediations by spec.node.name. Required
	// for drills and for Remediations of a NodeRepairPolicy.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Node NodeReference `json:"node,omitzero"`

	// subjects are the objects, in addition to node, that the plan is for, for example a workload, a node group or a subnet. At
	// most 64. Remediations of a NodeRepairPolicy have none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Subjects []Subject `json:"subjects,omitempty"`

	// evidence is the reason for the proposal: the node's condition as it was read, or a finding. Not set in a drill.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Evidence Evidence `json:"evidence,omitzero"`

	Plan `json:",inline"`

	// approval is a person's decision, Approved or Rejected, written by naosu approve NAME. Not set until someone decides. Approved
	// can be changed to Rejected, which ends a running Remediation at its next step; Rejected cannot be changed. It cannot be set
	// on creation. If naosu's admission policy is installed, setting it requires the verb approve on remediations.naosu.dev.
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// approvedBy is the name of the user who set approval, as authenticated by the API server, for example jane@example.com. naosu's
	// admission policy rejects any other name. Not set until someone decides, and in records of older versions.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	ApprovedBy string `json:"approvedBy,omitempty"`

	// drill makes the Remediation a drill: a harmless fault is injected and traced from its detection to an action that is not
	// performed. Not set in a repair.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Drill *Drill `json:"drill,omitempty"`
}

// Request is what a person requested: evictions that restore the balance of workloads. If naosu's admission policy is installed, creating
// one requires that the user may create pods/eviction in the namespaces of all pods of the plan.
type Request struct {
	// by is the name of the user who created the Remediation, as authenticated by the API server, for example jane@example.com.
	// naosu's admission policy rejects any other name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	By string `json:"by"`

	// maxSharePercent is the largest share of the pods of a workload that one node, and one zone, may hold, in percent, where an
	// even distribution over the nodes that may run them allows it. From 1 to 100, for example 50. Defaults to 33, which stands for
	// a third.
	// +optional
	// +kubebuilder:default=33
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	MaxSharePercent int32 `json:"maxSharePercent,omitempty"`

	// maxUtilizationDeviationPercent is by how many percentage points more of a node's allocatable CPU, or memory, its pods may request
	// than those of all nodes with the same taints together, as in a RebalancePolicy. From 1 to 100, for example 20. Not set if
	// utilization is not considered.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	MaxUtilizationDeviationPercent int32 `json:"maxUtilizationDeviationPercent,omitempty"`
}

// PolicyKind is the kind of policy whose controller processes the Remediation, for a request too; empty for a drill.
func (s *RemediationSpec) PolicyKind() string {
	if s.Request != nil {
		return RebalancePolicyKind
	}
	return s.Policy.Kind
}

// Drill is a test of the links from detection to action on a node. It does not change the node's conditions, unless its depth is
// Raised.
type Drill struct {
	// nonce is a random string that identifies the evidence of this drill, for example 7k2m9x4q. 8 to 32 lower-case letters and
	// digits, written by naosu repair drill.
	// +required
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]+$`
	Nonce string `json:"nonce"`

	// condition is the type of the node condition that the fault would change, for example NetworkingReady. Required if the reason
	// is not one that naosu's agent reports; otherwise, the reason determines it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	Condition string `json:"condition,omitempty"`

	// reason is the fault that the agent has to detect, for example InterfaceNotUp.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// depth is how far the drill goes. With DryRun, the agent injects and detects a harmless fault, and the controller stops before
	// the action. Raised records that naosu repair drill --act has set the real condition on an expendable node. Defaults to
	// DryRun.
	// +optional
	// +kubebuilder:default=DryRun
	Depth DrillDepth `json:"depth,omitempty"`
}

// DrillDepth is how far a drill goes.
// +kubebuilder:validation:Enum=DryRun;Raised
type DrillDepth string

// How far a drill goes.
const (
	// DrillDryRun means that the agent detects a harmless fault, and the controller stops before the action.
	DrillDryRun DrillDepth = "DryRun"
	// DrillRaised records that a person set the real condition on an expendable node, to see whether its repairer repairs it.
	DrillRaised DrillDepth = "Raised"
)

// PolicyReference identifies a policy and one of its rules.
type PolicyReference struct {
	// kind is the kind of the policy: NodeRepairPolicy, RebalancePolicy or AddressPolicy. FailoverPolicy and HeadroomPolicy are
	// reserved.
	// +required
	// +kubebuilder:validation:Enum=NodeRepairPolicy;FailoverPolicy;RebalancePolicy;HeadroomPolicy;AddressPolicy
	Kind string `json:"kind"`

	// name is the metadata.name of the policy, for example workers.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the metadata.uid of the policy, which distinguishes it from a later policy of the same name. Not set in records of
	// older versions.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid,omitempty"`

	// rule is the name of the policy's rule that matched, for example network. A RebalancePolicy has one rule, named
	// balance, and an AddressPolicy one named reclaim.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Rule string `json:"rule"`
}

// Names says whether it names a policy. A later policy of the same name is another.
func (ref PolicyReference) Names(p *NodeRepairPolicy) bool {
	return ref.Kind == NodeRepairPolicyKind && ref.Name == p.Name && (ref.UID == "" || ref.UID == p.UID)
}

// NodeReference identifies one node, and not a later one of the same name.
type NodeReference struct {
	// name is the metadata.name of the node, for example ip-10-0-3-120.ec2.internal.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the metadata.uid of the Node object, which distinguishes it from a later node of the same name.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid"`

	// providerID is the cloud's identifier of the machine, from the spec.providerID of the node, for example
	// aws:///us-east-1a/i-0123456789abcdef0. Not set if the node has none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ProviderID string `json:"providerID,omitempty"`
}

// Evidence is the reason for a proposal: a condition of a node as it was read, or a finding.
//
// +kubebuilder:validation:XValidation:rule="has(self.condition) == has(self.status) && (has(self.condition) || has(self.finding))",message="a condition with its status, or a finding, is required"
type Evidence struct {
	// finding is the code of the finding that the plan addresses, for example N301 for an unhealthy node. docs/en/findings.md lists
	// the codes, and naosu explain CODE explains them.
	// +optional
	// +kubebuilder:validation:Pattern=`^N[1-9][0-9]{2}$`
	// +kubebuilder:validation:MaxLength=4
	Finding string `json:"finding,omitempty"`

	// condition is the type of the node's condition, for example NetworkingReady. Not set if the evidence is a finding without
	// a condition.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	Condition string `json:"condition,omitempty"`

	// status is the status of the condition as it was read: True, False or Unknown. Set if and only if condition is set.
	// +optional
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status metav1.ConditionStatus `json:"status,omitempty"`

	// reason is the reason of the condition or of the finding, in one word, for example InterfaceNotUp.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// message is the message of the condition or the finding as it was read, truncated to 4096 characters.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// since is when the condition changed to its status (its lastTransitionTime), or when the finding first applied.
	// +required
	Since metav1.Time `json:"since"`
}

// Phase is the progress of a Remediation.
// +kubebuilder:validation:Enum=Proposed;Waiting;Running;Ended
type Phase string

// The phases of a Remediation.
const (
	// PhaseProposed means that nothing can be done yet: the policy only reports, or nobody has approved.
	PhaseProposed Phase = "Proposed"
	// PhaseWaiting means that the guard delays the Remediation.
	PhaseWaiting Phase = "Waiting"
	// PhaseRunning lasts from the first step to the last.
	PhaseRunning Phase = "Running"
	// PhaseEnded is final; the condition Succeeded has the outcome.
	PhaseEnded Phase = "Ended"
)

// RemediationStatus is the observed state of a Remediation.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.phase) || oldSelf.phase != 'Ended' || has(self.phase) && self.phase == 'Ended'",message="Ended cannot be changed",fieldPath=".phase"
type RemediationStatus struct {
	// conditions are Allowed (whether the guard allows the Remediation to continue; its reason is that of the deciding verdict, for
	// example BudgetFull), Approved (what a person decided, and when the controller saw the decision) and Succeeded (once it has
	// ended, whether it helped, for example with the reason AsForecast or DidNotHelp). At most 16.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation of the Remediation that the rest of the status was computed from. It is
	// lower than metadata.generation until the controller has processed a change of approval.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is the progress of the Remediation. Proposed: nothing can be done yet, because the policy only reports or nobody has
	// approved. Waiting: the guard delays it. Running: steps are being performed. Ended: it is over, and the condition Succeeded
	// has the outcome. Not set until the controller has processed the Remediation.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// match is the rule that the evidence of a drill matched, and the plan of that rule. Set only in drills.
	// +optional
	Match *Match `json:"match,omitempty"`

	// forecast is what happens to the pods according to a simulation of the plan, made before the first step.
	// +optional
	Forecast *Forecast `json:"forecast,omitempty"`

	// verdicts are the latest decisions of the guard's checks, one for each check. The worst one decides: Deny, then Delay, then
	// Allow. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=check
	// +kubebuilder:validation:MaxItems=64
	Verdicts []Verdict `json:"verdicts,omitempty"`

	// steps are the steps of the Remediation so far, in order. Each one is recorded before it starts, so that a restarted
	// controller can continue. At most 64.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Steps []Step `json:"steps,omitempty"`

	// agent is the report of the node's agent about RestartService or a drill. It is written only by that agent.
	// +optional
	Agent *AgentReport `json:"agent,omitempty"`
}

// Match is the rule of a policy that evidence matched, and its plan.
type Match struct {
	// policy identifies the policy and the rule whose condition, status and reasons the evidence matched.
	// +required
	Policy PolicyReference `json:"policy"`

	// generation is the metadata.generation of the policy when its rule was matched.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Generation int64 `json:"generation,omitempty"`

	// plan is the plan of the rule; not set if its action is None.
	Plan `json:",inline"`
}

// Decision is the decision of a check.
// +kubebuilder:validation:Enum=Allow;Delay;Deny
type Decision string

// The decisions of a check.
const (
	DecisionAllow Decision = "Allow"
	DecisionDelay Decision = "Delay"
	DecisionDeny  Decision = "Deny"
)

// Verdict is the decision of one check of the guard.
type Verdict struct {
	// check is the name of the check, for example budgets or capacity. docs/en/policy.md lists all checks.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Check string `json:"check"`

	// decision is what the check decided. Allow: the check does not object. Delay: not at this time; the check is repeated. Deny:
	// the action is not allowed, and waiting does not change that.
	// +required
	Decision Decision `json:"decision"`

	// reason is why the check decided so, in one word, for example BudgetFull or WindowClosed. Empty with Allow.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Reason string `json:"reason,omitempty"`

	// message is a human-readable explanation of the decision. Empty with Allow.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// since is when the check started to make this decision without interruption.
	// +required
	Since metav1.Time `json:"since"`
}

// StepName is the name of a step.
// +kubebuilder:validation:Enum=Detect;Match;Assess;Guard;Cordon;Drain;Act;Wait;Dwell;Verify;Uncordon
type StepName string

// The steps of a repair, in order. Detect and Match are steps of a drill.
const (
	StepDetect   StepName = "Detect"
	StepMatch    StepName = "Match"
	StepAssess   StepName = "Assess"
	StepGuard    StepName = "Guard"
	StepCordon   StepName = "Cordon"
	StepDrain    StepName = "Drain"
	StepAct      StepName = "Act"
	StepWait     StepName = "Wait"
	StepDwell    StepName = "Dwell"
	StepVerify   StepName = "Verify"
	StepUncordon StepName = "Uncordon"
)

// StepResult is how a step ended.
// +kubebuilder:validation:Enum=Done;Failed;Skipped
type StepResult string

// How a step ended.
const (
	StepDone    StepResult = "Done"
	StepFailed  StepResult = "Failed"
	StepSkipped StepResult = "Skipped"
)

// Step is one step of a Remediation.
//
// +kubebuilder:validation:XValidation:rule="has(self.result) == has(self.endedAt)",message="must be set if and only if the step has ended",fieldPath=".result"
// +kubebuilder:validation:XValidation:rule="!has(self.endedAt) || self.endedAt >= self.startedAt",message="must not be before startedAt",fieldPath=".endedAt"
type Step struct {
	// name is the name of the step. In the order of a repair: Cordon, Drain, Act (requests the action), Wait (until the node is
	// healthy), Dwell (the node must stay healthy), Verify (the pods must run) and Uncordon. Detect, Match, Assess and Guard are
	// the steps of a drill.
	// +required
	Name StepName `json:"name"`

	// change is the index in spec.plan of the change that the step belongs to, counted from 0. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Change int32 `json:"change,omitempty"`

	// startedAt is when the step was recorded, just before it started.
	// +required
	StartedAt metav1.MicroTime `json:"startedAt"`

	// endedAt is when the step ended. Not set while it is in progress.
	// +optional
	EndedAt *metav1.MicroTime `json:"endedAt,omitempty"`

	// result is how the step ended: Done, Failed, or Skipped if there was nothing to do. Not set while it is in progress.
	// +optional
	Result StepResult `json:"result,omitempty"`

	// message is a human-readable explanation, for example why the step failed.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// actuator is what was asked to perform the action, for example aws, karpenter, clusterapi or agent. Not set on steps without a
	// request.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Actuator string `json:"actuator,omitempty"`

	// operation is the actuator's own identifier of the request, such as the ID of an Auto Scaling activity or of an AWS request,
	// for example 7f6e5d4c-3b2a-1908-f7e6-d5c4b3a29180. On the step Wait of a replacement, it is the new node instead, for example
	// node/ip-10-0-4-7.ec2.internal. Not set if there is none.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Operation string `json:"operation,omitempty"`

	// before is the boot ID of the machine before the action, for example 91130d0d-1816-230a-a18f-a6bd0505af76. A different
	// boot ID afterwards shows that the machine was rebooted.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Before string `json:"before,omitempty"`

	// returns counts the pods that came to the node after it was cordoned, by controller. Set only on Drain. At most 32.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Returns []PodReturns `json:"returns,omitempty"`

	// preexisting are the types of the node's other conditions that matched a rule of the policy before the action, for example
	// StorageReady. If they still match after it, the repair does not count as failed for that. At most 64.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=316
	Preexisting []string `json:"preexisting,omitempty"`
}

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The types of a Remediation's conditions.
const (
	// RemediationAllowed says whether the guard lets it go on; its reasons are the guard's.
	RemediationAllowed = "Allowed"
	// RemediationApproved says, once a person has set spec.approval, whether it is Approved; its reasons are the Approvals. Its
	// lastTransitionTime is when the controller saw it.
	RemediationApproved = "Approved"
	// RemediationSucceeded says, once it is over, whether it helped.
	RemediationSucceeded = "Succeeded"
)

// RemediationFinalizer keeps a Remediation that is deleted until its node is put back: deleting one that runs aborts it, and
// deleting a proposal rejects it. Drills and what has ended do not have it.
const RemediationFinalizer = "naosu.dev/remediation"

// RemediationAbortAnnotation with the value "true" aborts a Remediation and keeps its record: its node is put back, and it ends
// as Aborted.
const RemediationAbortAnnotation = "naosu.dev/abort"

// The reasons of RemediationSucceeded.
const (
	// RemediationAsForecastReason is used when it helped and every pod fared as forecast.
	RemediationAsForecastReason = "AsForecast"
	// RemediationNotAsForecastReason is used when it helped, but a pod fared otherwise than forecast.
	RemediationNotAsForecastReason = "NotAsForecast"
	// RemediationDidNotHelpReason is used when the node was no healthier afterwards.
	RemediationDidNotHelpReason = "DidNotHelp"
	// RemediationRefusedReason is used when who was to act on the machine refused to. Nothing was done to it, so that this does
	// not count as an attempt.
	RemediationRefusedReason = "Refused"
	// RemediationGaveUpReason is used when it was ended before it acted, such as by a drain's deadline, or before it could be
	// seen whether it helped, since others removed the node.
	RemediationGaveUpReason = "GaveUp"
	// RemediationRejectedReason is used when a person rejected it, by a word or by uncordoning the node before it was acted on.
	RemediationRejectedReason = "Rejected"
	// RemediationAbortedReason is used when a person aborted it.
	RemediationAbortedReason = "Aborted"
	// RemediationNotNeededReason is used when the node was healthy again before anything was done.
	RemediationNotNeededReason = "NotNeeded"
	// RemediationNotAskedReason is used when, before anything was done to the machine, its policy does not ask for it (any more).
	RemediationNotAskedReason = "NotAsked"
	// RemediationDrillPassedReason is used when a drill went the whole way.
	RemediationDrillPassedReason = "DrillPassed"
	// RemediationDrillCutReason is used when it did not; the last step says where it was cut.
	RemediationDrillCutReason = "DrillCut"
)

// Remediation is one plan that a policy proposes or carries out, or one drill, and the record of how it went. The controller
// creates it; a person may approve, reject, abort or delete it.
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

	// spec is what is proposed, and whether a person has approved it. The controller writes it once, or naosu repair drill for
	// a drill; apart from approval and approvedBy it never changes.
	// +required
	Spec RemediationSpec `json:"spec"`

	// status is what the guard decided, what was forecast, and what has been done so far. The controller writes it, apart from
	// agent, which the agent of the node writes.
	// +optional
	Status RemediationStatus `json:"status,omitzero"`
}

// RemediationList is a list of them.
//
// +kubebuilder:object:root=true
type RemediationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Remediation `json:"items"`
}

// RemediationSpec is what is proposed, or what is drilled. Only approval and approvedBy can change: a record that could be
// rewritten would be none.
//
// +kubebuilder:validation:XValidation:rule="has(self.drill) || has(self.policy) && has(self.evidence) && (has(self.plan) || has(self.action))",message="policy, evidence and plan are needed, but for a drill"
// +kubebuilder:validation:XValidation:rule="!has(self.plan) || !has(self.action)",message="a record has a plan or, from an older version, an action",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.drill) || !has(self.policy) && !has(self.evidence) && !has(self.plan) && !has(self.action) && !has(self.subjects) && !has(self.approval)",message="a drill has no policy, subjects, evidence, plan or approval: it finds out",fieldPath=".drill"
// +kubebuilder:validation:XValidation:rule="has(self.node) || has(self.policy) && self.policy.kind != 'NodeRepairPolicy'",message="a drill and a NodeRepairPolicy's proposal name a node",fieldPath=".node"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || self.policy.kind != 'NodeRepairPolicy' || !has(self.subjects)",message="a NodeRepairPolicy's proposal has its node alone",fieldPath=".subjects"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || self.policy.kind != 'NodeRepairPolicy' || !has(self.evidence) || has(self.evidence.condition)",message="a NodeRepairPolicy's proposal rests on a condition of its node",fieldPath=".evidence"
// +kubebuilder:validation:XValidation:rule="!has(self.policy) || self.policy.kind != 'NodeRepairPolicy' || !has(self.plan) || size(self.plan) == 1 && !has(self.plan[0].subject)",message="a NodeRepairPolicy's plan is one change of its node",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="has(self.drill) == has(oldSelf.drill) && has(self.policy) == has(oldSelf.policy) && has(self.node) == has(oldSelf.node) && has(self.subjects) == has(oldSelf.subjects) && has(self.evidence) == has(oldSelf.evidence) && has(self.plan) == has(oldSelf.plan) && has(self.action) == has(oldSelf.action)",message="cannot be changed"
// +kubebuilder:validation:XValidation:rule="!has(self.plan) || !has(oldSelf.plan) || self.plan == oldSelf.plan",message="cannot be changed",fieldPath=".plan"
// +kubebuilder:validation:XValidation:rule="!has(self.action) || !has(oldSelf.action) || self.action == oldSelf.action",message="cannot be changed",fieldPath=".action"
// +kubebuilder:validation:XValidation:rule="(has(self.action) && self.action == 'RestartService') == has(self.service)",message="service is named with RestartService, and only with it",fieldPath=".service"
// +kubebuilder:validation:XValidation:rule="has(self.service) == has(oldSelf.service) && (!has(self.service) || self.service == oldSelf.service)",message="cannot be changed",fieldPath=".service"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.approval) || has(self.approval) && (self.approval == oldSelf.approval || self.approval == 'Rejected')",message="an approval can be rejected, and a rejection stands",fieldPath=".approval"
// +kubebuilder:validation:XValidation:rule="!has(self.approvedBy) || has(self.approval)",message="it is set with approval, and only with it",fieldPath=".approvedBy"
// +kubebuilder:validation:XValidation:rule="has(self.approval) != has(oldSelf.approval) || has(self.approval) && self.approval != oldSelf.approval || has(self.approvedBy) == has(oldSelf.approvedBy) && (!has(self.approvedBy) || self.approvedBy == oldSelf.approvedBy)",message="it changes with approval alone",fieldPath=".approvedBy"
type RemediationSpec struct {
	// policy is the policy, and its rule, that the Remediation was proposed for. Not set in a drill.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Policy PolicyReference `json:"policy,omitzero"`

	// node is the node to repair or to drill. The agent of that node watches for Remediations by spec.node.name. Needed in a
	// drill and in a NodeRepairPolicy's Remediation.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Node NodeReference `json:"node,omitzero"`

	// subjects are the objects, apart from node, for whose sake the plan is carried out, such as a workload, a node group or a
	// subnet. At most 64. A NodeRepairPolicy's Remediation has none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Subjects []Subject `json:"subjects,omitempty"`

	// evidence is what the proposal rests on: the node's condition as it was read, or a finding. Not set in a drill.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Evidence Evidence `json:"evidence,omitzero"`

	Plan `json:",inline"`

	// approval is a person's decision, Approved or Rejected; naosu approve NAME sets it. Not set, nobody has decided. Approved
	// may be changed to Rejected, which ends what has begun at its next step; Rejected cannot be changed. It cannot be set at
	// creation, and where naosu's admission policy is installed, setting it takes the verb approve on remediations.naosu.dev.
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// approvedBy is the name of the user who set approval, as the API server knows them, for example jane@example.com; naosu's
	// admission policy refuses any other. Not set before anybody has decided, and in records of older versions.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	ApprovedBy string `json:"approvedBy,omitempty"`

	// drill makes the Remediation a drill: a harmless fault is detected and followed up to an action that is not taken. Not set
	// in a repair.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Drill *Drill `json:"drill,omitempty"`
}

// Drill is what is tried on a node. Nothing of it ever reaches the node's conditions, unless it is Raised.
type Drill struct {
	// nonce is a random string that tells the evidence of this drill from any other, for example 7k2m9x4q. 8 to 32 lower-case
	// letters and digits; naosu repair drill writes it.
	// +required
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]+$`
	Nonce string `json:"nonce"`

	// condition is the type of the node condition that the fault would change, for example NetworkingReady. Needed where the
	// reason is none of naosu's agent's; else it is known from the reason.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	Condition string `json:"condition,omitempty"`

	// reason is the fault that the agent is to detect, by the name that reports have for it, for example InterfaceNotUp.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// depth is how far the drill goes. DryRun has the agent make and detect a harmless fault, and the controller stop before
	// the action. Raised records that naosu repair drill --act has set the real condition on a node that may be lost. Defaults
	// to DryRun.
	// +optional
	// +kubebuilder:default=DryRun
	Depth DrillDepth `json:"depth,omitempty"`
}

// DrillDepth is how far a drill goes.
// +kubebuilder:validation:Enum=DryRun;Raised
type DrillDepth string

// How far a drill goes.
const (
	// DrillDryRun has the agent detect a harmless fault and the controller stop short of acting.
	DrillDryRun DrillDepth = "DryRun"
	// DrillRaised records that a person raised the real condition on a node that may be lost, to see whether whoever
	// repairs it does.
	DrillRaised DrillDepth = "Raised"
)

// PolicyReference names a policy.
type PolicyReference struct {
	// kind is the kind of the policy. NodeRepairPolicy is the one that exists; FailoverPolicy, RebalancePolicy, HeadroomPolicy
	// and AddressPolicy are reserved.
	// +required
	// +kubebuilder:validation:Enum=NodeRepairPolicy;FailoverPolicy;RebalancePolicy;HeadroomPolicy;AddressPolicy
	Kind string `json:"kind"`

	// name is the metadata.name of the policy, for example workers.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the metadata.uid of the policy, which tells it from a later policy of the same name. Not set in records of older
	// versions.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid,omitempty"`

	// rule is the name of the policy's rule that matched, for example network.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Rule string `json:"rule"`
}

// Names says whether it names a policy. A later policy of the same name is another.
func (ref PolicyReference) Names(p *NodeRepairPolicy) bool {
	return ref.Kind == NodeRepairPolicyKind && ref.Name == p.Name && (ref.UID == "" || ref.UID == p.UID)
}

// NodeReference is one node and no later one of its name.
type NodeReference struct {
	// name is the metadata.name of the node, for example ip-10-0-3-120.ec2.internal.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the metadata.uid of the Node object, which tells it from a later node of the same name.
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

// Evidence is what a proposal rests on: a condition of a node as it was read, or a finding.
//
// +kubebuilder:validation:XValidation:rule="has(self.condition) == has(self.status) && (has(self.condition) || has(self.finding))",message="a condition with its status, or a finding, is needed"
type Evidence struct {
	// finding is the code of the finding that calls for the plan, for example N301 for an unhealthy node. docs/en/findings.md
	// lists the codes, and naosu explain CODE tells what one means.
	// +optional
	// +kubebuilder:validation:Pattern=`^N[1-9][0-9]{2}$`
	// +kubebuilder:validation:MaxLength=4
	Finding string `json:"finding,omitempty"`

	// condition is the type of the node's condition, for example NetworkingReady. Not set if the evidence is a finding without
	// one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	Condition string `json:"condition,omitempty"`

	// status is the status of the condition as it was read: True, False or Unknown. Set with condition, and only with it.
	// +optional
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status metav1.ConditionStatus `json:"status,omitempty"`

	// reason is the reason of the condition or of the finding, in one word, for example InterfaceNotUp.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// message is the message of the condition or the finding as it was read, cut at 4096 characters.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// since is when the condition took on its status (its lastTransitionTime), or since when the finding holds.
	// +required
	Since metav1.Time `json:"since"`
}

// Phase is how far a Remediation has come.
// +kubebuilder:validation:Enum=Proposed;Waiting;Running;Ended
type Phase string

// How far a Remediation has come.
const (
	// PhaseProposed is before anything may be done: the policy only reports, or nobody has approved.
	PhaseProposed Phase = "Proposed"
	// PhaseWaiting is while the guard delays it.
	PhaseWaiting Phase = "Waiting"
	// PhaseRunning is from its first step to its last.
	PhaseRunning Phase = "Running"
	// PhaseEnded is for good; the condition Succeeded says how it went.
	PhaseEnded Phase = "Ended"
)

// RemediationStatus is what has become of a Remediation so far.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.phase) || oldSelf.phase != 'Ended' || has(self.phase) && self.phase == 'Ended'",message="what has ended stays so",fieldPath=".phase"
type RemediationStatus struct {
	// conditions are Allowed (whether the guard lets it go on; the reason is that of the verdict that counts, for example
	// BudgetFull), Approved (what a person decided, and when the controller saw it) and Succeeded (once it has ended, whether
	// it helped, for example with reason AsForecast or DidNotHelp). At most 16.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation of the Remediation that the rest of the status was computed from. It is
	// lower than metadata.generation until a change of approval has been seen.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is how far it has come. Proposed: nothing may be done yet, because the policy only reports or nobody has approved.
	// Waiting: the guard delays it. Running: steps are being taken. Ended: it is over, and the condition Succeeded tells how it
	// went. Not set until the controller has seen it.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// match is the rule that the evidence of a drill met, and what that rule asks for. Set in drills only.
	// +optional
	Match *Match `json:"match,omitempty"`

	// forecast is what a simulation of the plan told would become of the pods, from before the first step.
	// +optional
	Forecast *Forecast `json:"forecast,omitempty"`

	// verdicts are the latest decisions of the guard's checks, one for each check. The worst counts: Deny, then Delay, then
	// Allow. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=check
	// +kubebuilder:validation:MaxItems=64
	Verdicts []Verdict `json:"verdicts,omitempty"`

	// steps are what was done, in order; each is written before it is begun, so that a controller that is restarted goes on
	// where the last one ended. At most 64.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Steps []Step `json:"steps,omitempty"`

	// agent is what the agent of the node reports of RestartService or of a drill. That agent alone writes it.
	// +optional
	Agent *AgentReport `json:"agent,omitempty"`
}

// Match is a policy's rule that evidence met, and what it asks for.
type Match struct {
	// policy names the policy, and the rule of it, whose condition, status and reasons the evidence met.
	// +required
	Policy PolicyReference `json:"policy"`

	// generation is the metadata.generation of the policy when its rule was matched.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Generation int64 `json:"generation,omitempty"`

	// plan is what the rule asks for; not set if it leaves the node alone.
	Plan `json:",inline"`
}

// Decision is a check's.
// +kubebuilder:validation:Enum=Allow;Delay;Deny
type Decision string

// The decisions of a check.
const (
	DecisionAllow Decision = "Allow"
	DecisionDelay Decision = "Delay"
	DecisionDeny  Decision = "Deny"
)

// Verdict is what one check of the guard said.
type Verdict struct {
	// check is the name of the guard's check, for example budgets or capacity. docs/en/policy.md lists all of them.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Check string `json:"check"`

	// decision is what the check decided. Allow: nothing is in the way. Delay: not now, it is asked again. Deny: not at all,
	// which waiting does not change.
	// +required
	Decision Decision `json:"decision"`

	// reason is why the check decided so, in one word, for example BudgetFull or WindowClosed. Empty with Allow.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Reason string `json:"reason,omitempty"`

	// message is why the check decided so, in one sentence for people. Empty with Allow.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// since is when the check began to decide so without interruption.
	// +required
	Since metav1.Time `json:"since"`
}

// StepName is what a step does.
// +kubebuilder:validation:Enum=Detect;Match;Assess;Guard;Cordon;Drain;Act;Wait;Dwell;Verify;Uncordon
type StepName string

// The steps of a repair, in their order. Detect and Match are a drill's.
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

// Step is one thing done.
//
// +kubebuilder:validation:XValidation:rule="has(self.result) == has(self.endedAt)",message="a step has a result when it has ended, and only then",fieldPath=".result"
// +kubebuilder:validation:XValidation:rule="!has(self.endedAt) || self.endedAt >= self.startedAt",message="a step ends after it began",fieldPath=".endedAt"
type Step struct {
	// name is what the step does, in the order of a repair: Cordon, Drain, Act (the action is asked for), Wait (for the node to
	// be healthy), Dwell (it must stay so), Verify (the pods run) and Uncordon. Detect, Match, Assess and Guard are the steps
	// of a drill.
	// +required
	Name StepName `json:"name"`

	// change is the index in spec.plan of the change that the step belongs to, counted from 0. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Change int32 `json:"change,omitempty"`

	// startedAt is when the step was written down, before it was begun.
	// +required
	StartedAt metav1.MicroTime `json:"startedAt"`

	// endedAt is when the step ended. Not set while it is under way.
	// +optional
	EndedAt *metav1.MicroTime `json:"endedAt,omitempty"`

	// result is how the step ended: Done, Failed, or Skipped if there was nothing to do. Not set while it is under way.
	// +optional
	Result StepResult `json:"result,omitempty"`

	// message tells more of the step, in one sentence for people, such as why it failed.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// actuator is the part that was asked to carry out the action, such as aws, karpenter, clusterapi or agent. Not set on
	// steps that ask nobody.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Actuator string `json:"actuator,omitempty"`

	// operation is the identifier that the actuator gave to what was asked of it, by which its own log has it: an Auto Scaling
	// activity's or an AWS request's ID, for example 7f6e5d4c-3b2a-1908-f7e6-d5c4b3a29180. On the Wait of a replacement it is
	// the new node instead, for example node/ip-10-0-4-7.ec2.internal. Not set if there is none.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Operation string `json:"operation,omitempty"`

	// before is the boot ID of the machine before the action, for example 91130d0d-1816-230a-a18f-a6bd0505af76. A different one
	// afterwards shows that the machine was rebooted.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Before string `json:"before,omitempty"`

	// returns counts pods that came to the node after it was cordoned, by their controller. Set on Drain only. At most 32.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Returns []PodReturns `json:"returns,omitempty"`

	// preexisting are the types of the node's other conditions that met a rule of the policy before the action, for example
	// StorageReady. That they still do afterwards does not mean that the repair failed to help. At most 64.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=316
	Preexisting []string `json:"preexisting,omitempty"`
}

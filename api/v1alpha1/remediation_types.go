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

// Remediation is one thing that a policy proposes or does, and the record of how it went.
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

	// spec is what is proposed, and whether a person agrees.
	// +required
	Spec RemediationSpec `json:"spec"`

	// status is how it goes.
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
	// policy is whose proposal it is.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Policy PolicyReference `json:"policy,omitzero"`

	// node is the node that it is about, if it is about one: the node to repair or to drill. Its agent watches for it by this.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Node NodeReference `json:"node,omitzero"`

	// subjects are what else it is about: those for whose sake it is done, such as a workload, a node group or a subnet. At most
	// 64.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Subjects []Subject `json:"subjects,omitempty"`

	// evidence is why.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Evidence Evidence `json:"evidence,omitzero"`

	Plan `json:",inline"`

	// approval is a person's word; not set, nobody has spoken. Approved may become Rejected, which ends what has begun at
	// its next step; a rejection stands. It cannot be set at creation, and to set it takes the verb approve on
	// remediations.naosu.dev, where naosu's admission policy is installed.
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// approvedBy is the name of the user who set approval to what it is, as the API server knows them: naosu's admission
	// policy refuses any other. Not set where nobody has spoken, and on records of older versions.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	ApprovedBy string `json:"approvedBy,omitempty"`

	// drill makes it a drill: the chain is tried from detection to an action that is not done.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot be changed"
	Drill *Drill `json:"drill,omitempty"`
}

// Drill is what is tried on a node. Nothing of it ever reaches the node's conditions, unless it is Raised.
type Drill struct {
	// nonce tells this drill's evidence from any other's.
	// +required
	// +kubebuilder:validation:MinLength=8
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]+$`
	Nonce string `json:"nonce"`

	// condition is the node condition that the fault would turn; needed where no agent of naosu's detects it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	Condition string `json:"condition,omitempty"`

	// reason is the fault to detect, such as InterfaceNotUp.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// depth is how far it goes. Defaults to DryRun.
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
	// kind is the policy's. Each kind has a controller of its own; NodeRepairPolicy is the one that there is.
	// +required
	// +kubebuilder:validation:Enum=NodeRepairPolicy;FailoverPolicy;RebalancePolicy;HeadroomPolicy;AddressPolicy
	Kind string `json:"kind"`

	// name is the policy's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the policy's: a later one of its name did not propose this. Not set in records of older versions.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid,omitempty"`

	// rule is the rule that matched.
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
	// name is the node's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the node object's.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid"`

	// providerID is the machine's, where the node tells.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ProviderID string `json:"providerID,omitempty"`
}

// Evidence is what a proposal rests on: a condition of a node as it was read, or a finding.
//
// +kubebuilder:validation:XValidation:rule="has(self.condition) == has(self.status) && (has(self.condition) || has(self.finding))",message="a condition with its status, or a finding, is needed"
type Evidence struct {
	// finding is the code of the finding that it is, such as N301 for an unhealthy node; docs/en/findings.md lists them.
	// +optional
	// +kubebuilder:validation:Pattern=`^N[1-9][0-9]{2}$`
	// +kubebuilder:validation:MaxLength=4
	Finding string `json:"finding,omitempty"`

	// condition is the type of the node's condition.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	Condition string `json:"condition,omitempty"`

	// status is the condition's status.
	// +optional
	// +kubebuilder:validation:Enum="True";"False";Unknown
	Status metav1.ConditionStatus `json:"status,omitempty"`

	// reason is the condition's or the finding's reason, in one word.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`

	// message is its message, cut where it is longer than 4096 characters.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// since is when the condition came to have the status, or since when the finding holds.
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

// RemediationStatus is how it goes.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.phase) || oldSelf.phase != 'Ended' || has(self.phase) && self.phase == 'Ended'",message="what has ended stays so",fieldPath=".phase"
type RemediationStatus struct {
	// conditions are Allowed, Approved and Succeeded. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of the spec that the status is of.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is how far it has come.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// match is the rule that a drill's evidence met.
	// +optional
	Match *Match `json:"match,omitempty"`

	// forecast is what the simulation said would become of pods.
	// +optional
	Forecast *Forecast `json:"forecast,omitempty"`

	// verdicts are the guard's latest, one for each check. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=check
	// +kubebuilder:validation:MaxItems=64
	Verdicts []Verdict `json:"verdicts,omitempty"`

	// steps are what was done, in order, each written down before it is done. At most 64.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Steps []Step `json:"steps,omitempty"`

	// agent is what the agent of the node reports of RestartService or of a drill. The agent alone writes it.
	// +optional
	Agent *AgentReport `json:"agent,omitempty"`
}

// Match is a policy's rule that evidence met, and what it asks for.
type Match struct {
	// policy is whose rule it is.
	// +required
	Policy PolicyReference `json:"policy"`

	// generation is that of the policy.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Generation int64 `json:"generation,omitempty"`

	// plan is what the rule asks for; not set if it leaves the node alone.
	Plan `json:",inline"`
}

// Forecast is what a simulation said would become of pods. It plays several futures, which differ by what is chance, such as the
// order in which pods are scheduled, and compares each with the same future without the action.
type Forecast struct {
	// at is when it was made.
	// +required
	At metav1.Time `json:"at"`

	// futures is how many futures were played, 3 for example; zero where nothing had to be, or where an older version made it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Futures int32 `json:"futures,omitempty"`

	// worseFutures is in how many of them a pod would wait, be lost or be preempted, or a PodDisruptionBudget not be kept to, that
	// would fare better without the action. The verdicts of capacity and disruption-budgets name them.
	// +optional
	// +kubebuilder:validation:Minimum=0
	WorseFutures int32 `json:"worseFutures,omitempty"`

	// pods are those that the action would not leave as they are, in the future in which most fare worse by it, or in the first if
	// none does in any. At most 512; more are counted in omitted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Pods []PodForecast `json:"pods,omitempty"`

	// omitted is how many more there are.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Omitted int32 `json:"omitted,omitempty"`
}

// PodForecast is what would become of one pod.
type PodForecast struct {
	// namespace is the pod's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// name is the pod's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// change is which change of the plan it comes of, counted from 0. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Change int32 `json:"change,omitempty"`

	// fate is what would become of it.
	// +required
	// +kubebuilder:validation:Enum=Moved;Waiting;Delayed;Preempted;Lost;Ended;Created
	Fate string `json:"fate"`

	// node is where it, or its replacement, would run.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// owner is the controller that recreates it, by which its replacement is known.
	// +optional
	Owner *OwnerReference `json:"owner,omitempty"`

	// localData are the names of the pod's volumes whose data is on the node alone and does not move with the pod: emptyDir
	// on disk, hostPath, and claims on a local PersistentVolume. At most 32; none if all of its data moves along.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	LocalData []string `json:"localData,omitempty"`
}

// OwnerReference is a pod's controller.
type OwnerReference struct {
	// kind is the controller's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// name is the controller's.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// uid is the controller's.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid"`

	// ready is how many of its pods were ready when the forecast was made, which is what a repair must bring back.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Ready int32 `json:"ready,omitempty"`
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
	// check is its name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Check string `json:"check"`

	// decision is what it decided.
	// +required
	Decision Decision `json:"decision"`

	// reason says why in one word; empty with Allow.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Reason string `json:"reason,omitempty"`

	// message says why in one sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// since is when the check came to decide so.
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
	// name is what it does.
	// +required
	Name StepName `json:"name"`

	// change is which change of the plan it belongs to, counted from 0. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Change int32 `json:"change,omitempty"`

	// startedAt is when it was written down, before it was begun.
	// +required
	StartedAt metav1.MicroTime `json:"startedAt"`

	// endedAt is when it ended.
	// +optional
	EndedAt *metav1.MicroTime `json:"endedAt,omitempty"`

	// result is how it ended.
	// +optional
	Result StepResult `json:"result,omitempty"`

	// message says more, in one sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// actuator is who was asked, such as aws.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Actuator string `json:"actuator,omitempty"`

	// operation is the actuator's token for what was asked of it.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Operation string `json:"operation,omitempty"`

	// before is what told the machine apart before it was acted on, its boot ID, by which it is seen that it was.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Before string `json:"before,omitempty"`

	// returns counts, for Drain, pods that came to the node after it was cordoned, by their controller. At most 32; none if no
	// pod came.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Returns []PodReturns `json:"returns,omitempty"`

	// preexisting are the types of the node's other conditions that met a rule of the policy before the machine was acted on,
	// one that leaves it to a person among them: that they still do does not mean that the repair did not help. At most 64.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=316
	Preexisting []string `json:"preexisting,omitempty"`
}

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The reasons of PolicyReady that only a FailoverPolicy has. It also has PolicyReadyReason, PolicyPausedReason,
// PolicyInvalidSelectorReason and PolicyNotPermittedReason.
const (
	// PolicyNoPodsReason is used when the selectors select no pod.
	PolicyNoPodsReason = "NoPods"
	// PolicyChangesLostReason is used when something else, such as a webhook, undoes or rejects what the policy sets.
	PolicyChangesLostReason = "ChangesLost"
)

// The bounds of the seconds of a FailoverPolicy.
const (
	// MinTolerationSeconds outlasts a restart of the kubelet, in which it reports its node not ready for some seconds.
	MinTolerationSeconds = 30
	// MaxTolerationSeconds is what the API server gives pods whose template says nothing, unless its flags say otherwise.
	//
	// Source: plugin/pkg/admission/defaulttolerationseconds of Kubernetes.
	MaxTolerationSeconds = 300
)

// FailoverPolicy specifies how long pods stay on a node that is not ready, unreachable or silent before they are replaced. It
// changes only the tolerationSeconds that the API server has given the pods by default: what the template of their workload
// specifies is left alone.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=fop,categories=naosu
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="NotReady",type=integer,JSONPath=`.spec.notReadySeconds`
// +kubebuilder:printcolumn:name="Unreachable",type=integer,JSONPath=`.spec.unreachableSeconds`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Pods",type=integer,JSONPath=`.status.pods`
// +kubebuilder:printcolumn:name="Covered",type=integer,JSONPath=`.status.coveredPods`
// +kubebuilder:printcolumn:name="Explicit",type=integer,JSONPath=`.status.explicitPods`,priority=1
// +kubebuilder:printcolumn:name="Waiting",type=integer,JSONPath=`.status.waitingPods`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type FailoverPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired behavior: which pods the policy applies to, and how long they stay on a failed node. It is written by
	// users.
	// +required
	Spec FailoverPolicySpec `json:"spec"`

	// status is the observed state of the policy: how many pods it selects, and how many of them have its seconds. It is written
	// by the controller and is empty until a controller has processed the policy.
	// +optional
	Status FailoverPolicyStatus `json:"status,omitzero"`
}

// FailoverPolicyKind is the kind of a FailoverPolicy.
const FailoverPolicyKind = "FailoverPolicy"

// Acts says whether the policy changes pods: it is in mode Auto and not paused.
func (p *FailoverPolicy) Acts() bool { return p.Spec.Mode == ModeAuto && !p.Spec.Paused }

// FailoverPolicyList is a list of FailoverPolicies.
//
// +kubebuilder:object:root=true
type FailoverPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []FailoverPolicy `json:"items"`
}

// FailoverPolicySpec is the desired behavior of a FailoverPolicy.
type FailoverPolicySpec struct {
	// mode determines whether naosu changes pods. Report only counts, in the status, the pods that would be changed. Auto changes
	// them. Approve is not allowed: the change disturbs no pod and can be changed back. Defaults to Report.
	// +optional
	// +kubebuilder:default=Report
	// +kubebuilder:validation:XValidation:rule="self != 'Approve'",message="must be Report or Auto"
	Mode Mode `json:"mode,omitempty"`

	// paused indicates that no more pods are changed for this policy. Those that were changed stay as they are. Defaults to false.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// namespaceSelector selects the namespaces of the pods, by their labels, for example matchLabels: {kubernetes.io/metadata.name:
	// shop}. An empty selector ({}) selects all namespaces. At most 32 labels and 32 expressions, each with at most 32 values.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// podSelector selects pods in these namespaces, by their labels, for example matchLabels: {app: web}. An empty selector ({})
	// selects all pods. At most 32 labels and 32 expressions, each with at most 32 values. If several policies select a pod, the
	// first one by name of those that are in mode Auto and not paused decides; without one of these, the first one by name.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	PodSelector metav1.LabelSelector `json:"podSelector"`

	// notReadySeconds is how long the pods stay on a node whose kubelet reports that it is not ready (taint
	// node.kubernetes.io/not-ready), in seconds. From 30, which outlasts a restart of the kubelet, to 300, for example 60.
	// Defaults to 60.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=30
	// +kubebuilder:validation:Maximum=300
	NotReadySeconds int32 `json:"notReadySeconds,omitempty"`

	// unreachableSeconds is how long the pods stay on a node whose kubelet does not report any more (taint
	// node.kubernetes.io/unreachable), in seconds, counted from when the node is found unreachable: by default 50 seconds after
	// its last report. From 30 to 300, for example 90. Defaults to 60, with which a reboot of less than 110 seconds evicts no
	// pod.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=30
	// +kubebuilder:validation:Maximum=300
	UnreachableSeconds int32 `json:"unreachableSeconds,omitempty"`

	// outOfService determines whether naosu sets the taint node.kubernetes.io/out-of-service on a node that runs a pod of the policy
	// and whose machine is proven to be off. The taint releases all pods of the node: they are deleted at once, StatefulSets replace
	// theirs, and volumes are detached without the wait of 6 minutes. WhenOff sets it, in mode Auto, once the node is not ready and
	// the cloud provider has reported its machine as stopped or terminated twice; naosu removes it when the node is back. Never
	// leaves it to people. Defaults to Never.
	// +optional
	// +kubebuilder:default=Never
	OutOfService OutOfService `json:"outOfService,omitempty"`

	// replaceOnSilence determines which pods of the policy are replaced within seconds when their node is silent: its agent has sent no
	// heartbeat for silentAfterSeconds, no renewal of the node's Lease has been received since, and at least two other nodes cannot
	// reach it. Silence is not proof that the machine is off, so each replaced pod may run twice until the node is back or is proven to
	// be off. Replicated replaces pods of ReplicaSets that have no volume claim and no resource claim, of workloads with at least two
	// replicas. Never replaces none. In mode Report, only an Event says what would be replaced. Defaults to Never.
	// +optional
	// +kubebuilder:default=Never
	ReplaceOnSilence ReplaceOnSilence `json:"replaceOnSilence,omitempty"`

	// notReadyOnSilence determines which pods of the policy get the condition Ready with the status False when their node is silent, so that
	// Services send them no traffic until their kubelet sets it again. Without it, they get traffic until the node is not ready, by default
	// 50 seconds after its last report. Unreplaced sets it for all pods that are not replaced on silence. Never sets it for none. In mode
	// Report, only an Event says for how many it would be set. Defaults to Never.
	// +optional
	// +kubebuilder:default=Never
	NotReadyOnSilence NotReadyOnSilence `json:"notReadyOnSilence,omitempty"`

	// silentAfterSeconds is for how long a node gives no sign of life before other nodes are asked whether they reach it, in seconds.
	// From 3 to 60, for example 10 where nodes are paused for migration. Defaults to 4.
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=3
	// +kubebuilder:validation:Maximum=60
	SilentAfterSeconds int32 `json:"silentAfterSeconds,omitempty"`
}

// ReplaceOnSilence is which pods of a silent node are replaced.
// +kubebuilder:validation:Enum=Never;Replicated
type ReplaceOnSilence string

// Which pods of a silent node are replaced.
const (
	// ReplaceNever replaces none.
	ReplaceNever ReplaceOnSilence = "Never"
	// ReplaceReplicated replaces pods of ReplicaSets without claims, of workloads with at least two replicas.
	ReplaceReplicated ReplaceOnSilence = "Replicated"
)

// NotReadyOnSilence is which pods of a silent node get the condition Ready with the status False.
// +kubebuilder:validation:Enum=Never;Unreplaced
type NotReadyOnSilence string

// Which pods of a silent node get the condition Ready with the status False.
const (
	// NotReadyNever leaves the condition of all of them to kubelets and Kubernetes.
	NotReadyNever NotReadyOnSilence = "Never"
	// NotReadyUnreplaced sets it for those that are not replaced.
	NotReadyUnreplaced NotReadyOnSilence = "Unreplaced"
)

// OutOfService is when naosu sets the taint node.kubernetes.io/out-of-service on a node.
// +kubebuilder:validation:Enum=Never;WhenOff
type OutOfService string

// When naosu sets the taint node.kubernetes.io/out-of-service on a node.
const (
	// OutOfServiceNever leaves the taint to people.
	OutOfServiceNever OutOfService = "Never"
	// OutOfServiceWhenOff sets it once the cloud provider has reported the machine as stopped or terminated twice.
	OutOfServiceWhenOff OutOfService = "WhenOff"
)

// FailoverPolicyStatus is the observed state of a FailoverPolicy.
type FailoverPolicyStatus struct {
	// conditions are the latest observations of the policy. Ready is True if no obstacle is known; otherwise, its reason is the
	// obstacle: Paused, InvalidSelector, NoPods, NotPermitted or ChangesLost. At most 16.
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

	// pods is the number of pods that the policy decides for: it selects them, and no other policy decides. Pods that have ended
	// or are being deleted do not count. It is the sum of the counts below.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Pods *int32 `json:"pods,omitempty"`

	// coveredPods is the number of these pods that have the seconds of the policy.
	// +optional
	// +kubebuilder:validation:Minimum=0
	CoveredPods *int32 `json:"coveredPods,omitempty"`

	// duePods is the number of these pods that can be changed now. In mode Report, or while the policy is paused, they stay as
	// they are.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DuePods *int32 `json:"duePods,omitempty"`

	// waitingPods is the number of these pods that are to be changed once they are on a healthy node: while a node is not ready
	// or unreachable, changing the seconds of its pods has no effect.
	// +optional
	// +kubebuilder:validation:Minimum=0
	WaitingPods *int32 `json:"waitingPods,omitempty"`

	// explicitPods is the number of these pods whose workload specifies in its template how long they stay on a failed node. They
	// keep what it says.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ExplicitPods *int32 `json:"explicitPods,omitempty"`

	// unsupportedPods is the number of these pods that are never changed, because nothing replaces them (bare and static pods),
	// they never leave the node (DaemonSets), or it cannot be told who has chosen their tolerations.
	// +optional
	// +kubebuilder:validation:Minimum=0
	UnsupportedPods *int32 `json:"unsupportedPods,omitempty"`
}

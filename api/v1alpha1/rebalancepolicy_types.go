package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PolicyNoPlanReason is the reason of PolicyReady that only a RebalancePolicy has: workloads are out of balance, and no evictions help. It also
// has PolicyReadyReason, PolicyPausedReason, PolicyInvalidSelectorReason and PolicyNoPodsReason.
const PolicyNoPlanReason = "NoPlan"

// PolicyUtilizationNotConsideredReason is a further one: maxUtilizationDeviationPercent has no effect, since an autoscaler consolidates nodes, or since it
// is not known whether one does.
const PolicyUtilizationNotConsideredReason = "UtilizationNotConsidered"

// The bounds of the fields of a RebalancePolicy.
const (
	// MaxPolicyEvictions is the most evictions of one Remediation: each takes two steps of its status.
	MaxPolicyEvictions = 30
	// DefaultPolicyEvictions is the default of maxEvictions.
	DefaultPolicyEvictions = 10
	// DefaultDwellSeconds is the default of dwellSeconds.
	DefaultDwellSeconds = 300
)

// RebalanceRule is the one rule of a RebalancePolicy, as Remediations name it.
const RebalanceRule = "balance"

// RebalancePolicy specifies which workloads are kept in balance over nodes and zones. Kubernetes chooses a node when a pod is created
// and does not move running pods. After nodes have come, come back or changed, naosu evicts the fewest pods that restore the
// balance, as naosu rebalance plan shows them.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=rbp,categories=naosu
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Workloads",type=integer,JSONPath=`.status.workloads`
// +kubebuilder:printcolumn:name="Unbalanced",type=integer,JSONPath=`.status.unbalancedWorkloads`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type RebalancePolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired behavior: which workloads are kept in balance, and within which limits pods are evicted. It is written by
	// users.
	// +required
	Spec RebalancePolicySpec `json:"spec"`

	// status is the observed state of the policy: how many workloads it selects, and how many of them are out of balance. It is
	// written by the controller and is empty until a controller has processed the policy.
	// +optional
	Status RebalancePolicyStatus `json:"status,omitzero"`
}

// RebalancePolicyKind is the kind of a RebalancePolicy.
const RebalancePolicyKind = "RebalancePolicy"

// Reference names the policy and its rule.
func (p *RebalancePolicy) Reference() PolicyReference {
	return PolicyReference{Kind: RebalancePolicyKind, Name: p.Name, UID: p.UID, Rule: RebalanceRule}
}

// RebalancePolicyList is a list of RebalancePolicies.
//
// +kubebuilder:object:root=true
type RebalancePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RebalancePolicy `json:"items"`
}

// RebalancePolicySpec is the desired behavior of a RebalancePolicy.
type RebalancePolicySpec struct {
	// mode determines whether naosu evicts pods, and whether it needs approval. Report only records, in a Remediation, what would
	// be evicted. Approve waits for the approval of each Remediation (naosu approve NAME). Auto evicts without approval. Defaults
	// to Report.
	// +optional
	// +kubebuilder:default=Report
	Mode Mode `json:"mode,omitempty"`

	// paused indicates that no more pods are evicted for this policy. A Remediation that has begun ends after the evictions of the
	// wave it is in. Defaults to false.
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
	// selects all pods. At most 32 labels and 32 expressions, each with at most 32 values. The policy is for the workloads whose
	// pod template has such labels. If several policies select a workload, the first one by name decides.
	// +required
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 32",message="at most 32 labels",fieldPath=".matchLabels"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 32",message="at most 32 expressions",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) >= 1 && size(e.values) <= 32 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="In and NotIn take 1 to 32 values, Exists and DoesNotExist none; there is no other operator",fieldPath=".matchExpressions"
	PodSelector metav1.LabelSelector `json:"podSelector"`

	// maxSharePercent is the largest share of the pods of a workload that one node, and one zone, may hold, in percent, where an
	// even distribution over the nodes that may run them allows it. From 1 to 100, for example 50. 100 leaves only what violates
	// the rules of the pods themselves. Defaults to 33, which stands for a third.
	// +optional
	// +kubebuilder:default=33
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	MaxSharePercent int32 `json:"maxSharePercent,omitempty"`

	// maxUtilizationDeviationPercent is by how many percentage points the share of a node's allocatable CPU, or memory, that its pods
	// request may exceed the share that is requested of all open nodes with the same taints together. Nodes above it are overutilized:
	// pods of theirs are evicted if that helps. From 0 to 100, for example 20. It has no effect where Karpenter or cluster-autoscaler
	// consolidates nodes. Defaults to 0: utilization is not considered.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	MaxUtilizationDeviationPercent int32 `json:"maxUtilizationDeviationPercent,omitempty"`

	// dwellSeconds is for how long no node must have been created, become ready or not ready, been cordoned or uncordoned, or changed
	// its taints before pods are evicted, in seconds: a node that has just come, or come back, may fail again. From 5 to 86400, for example 60. Defaults to 300.
	// +optional
	// +kubebuilder:default=300
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=86400
	DwellSeconds int32 `json:"dwellSeconds,omitempty"`

	// maxEvictions is the largest number of pods that one Remediation evicts. If more evictions are needed, another Remediation
	// follows. From 1 to 30, for example 5. Defaults to 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	MaxEvictions int32 `json:"maxEvictions,omitempty"`

	// maxEvictionsPerNode is the largest number of pods that one Remediation evicts of those that run on one node. From 1 to 30, for example 2. Not set if only
	// maxEvictions limits them.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	MaxEvictionsPerNode *int32 `json:"maxEvictionsPerNode,omitempty"`

	// maxEvictionsPerNamespace is the largest number of pods that one Remediation evicts of those that are in one namespace. From 1 to 30, for example 2. Not set if only
	// maxEvictions limits them.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	MaxEvictionsPerNamespace *int32 `json:"maxEvictionsPerNamespace,omitempty"`

	// maxEvictionsPerWorkload is the largest number of pods that one Remediation evicts of those that belong to one workload. From 1 to 30, for example 2. Not set if only
	// maxEvictions limits them.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	MaxEvictionsPerWorkload *int32 `json:"maxEvictionsPerWorkload,omitempty"`

	// minPodAgeSeconds is the least age of pods that are evicted, in seconds. From 0 to 604800, for example 3600. Defaults to 0:
	// pods of any age.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	MinPodAgeSeconds int32 `json:"minPodAgeSeconds,omitempty"`

	// maxPriority is the highest priority of pods that are evicted, for example 1000. System-critical pods, with a priority of
	// 2000000000 or more, are never evicted. Not set if pods of any other priority are.
	// +optional
	MaxPriority *int32 `json:"maxPriority,omitempty"`

	// maintenanceWindow is the time in which Remediations may begin. Those in progress are finished after it closes. If not set,
	// they may begin at any time.
	// +optional
	MaintenanceWindow *MaintenanceWindow `json:"maintenanceWindow,omitempty"`
}

// RebalancePolicyStatus is the observed state of a RebalancePolicy.
type RebalancePolicyStatus struct {
	// conditions are the latest observations of the policy. Ready is True if no obstacle is known; otherwise, its reason is the
	// obstacle: Paused, InvalidSelector, NoPods, NoPlan if workloads are out of balance or nodes overutilized and no evictions help, or
	// UtilizationNotConsidered if maxUtilizationDeviationPercent has no effect. At most 16.
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

	// workloads is the number of workloads that the policy decides for: it selects their pods, and no other policy decides.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Workloads *int32 `json:"workloads,omitempty"`

	// unbalancedWorkloads is the number of these workloads that are out of balance.
	// +optional
	// +kubebuilder:validation:Minimum=0
	UnbalancedWorkloads *int32 `json:"unbalancedWorkloads,omitempty"`

	// overutilizedNodes is the number of overutilized nodes that run pods of these workloads. Not set if utilization is not considered.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OverutilizedNodes *int32 `json:"overutilizedNodes,omitempty"`
}

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The reasons of PolicyReady that only an AddressPolicy has. It also has PolicyReadyReason, PolicyPausedReason and PolicyNotPermittedReason.
const (
	// PolicyAddressesUnknownReason is used when the network cannot be read, or the nodes are not known.
	PolicyAddressesUnknownReason = "AddressesUnknown"
	// PolicyNoVPCCNIReason is used when the cluster has no DaemonSet kube-system/aws-node.
	PolicyNoVPCCNIReason = "NoVPCCNI"
	// PolicyNoClusterNameReason is used when the VPC CNI sets no cluster's name on interfaces, so that none is known to be this cluster's.
	PolicyNoClusterNameReason = "NoClusterName"
	// PolicyOtherPolicyReason is used when another AddressPolicy, the first by name, decides.
	PolicyOtherPolicyReason = "OtherPolicy"
)

// AddressesLow is the condition that says whether a subnet has few free addresses. It is Unknown if subnets cannot be read.
const AddressesLow = "AddressesLow"

// The reasons of AddressesLow.
const (
	// AddressesLowReason is used when a subnet is in status.lowSubnets.
	AddressesLowReason = "SubnetsLow"
	// AddressesSufficientReason is used when none is.
	AddressesSufficientReason = "Sufficient"
)

// The bounds of the fields of an AddressPolicy.
const (
	// DefaultMinAgeSeconds is the default of minAgeSeconds.
	DefaultMinAgeSeconds = 1800
	// DefaultObservationSeconds is the default of observationSeconds.
	DefaultObservationSeconds = 600
	// DefaultPolicyDeletions is the default of maxDeletions.
	DefaultPolicyDeletions = 20
	// DefaultLowBelowPercent is the default of lowBelowPercent.
	DefaultLowBelowPercent = 10
	// DefaultClearFromPercent is the default of clearFromPercent.
	DefaultClearFromPercent = 20
	// MaxLowSubnets bounds status.lowSubnets.
	MaxLowSubnets = 64
)

// AddressRule is the one rule of an AddressPolicy, as Remediations name it.
const AddressRule = "reclaim"

// AddressPolicy specifies when subnets count as short of addresses, and whether naosu deletes network interfaces that the AWS VPC CNI left behind
// in them. Of several AddressPolicies, the first by name decides.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=addresspolicies,shortName=adp,categories=naosu
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Low",type=string,JSONPath=`.status.conditions[?(@.type=="AddressesLow")].status`
// +kubebuilder:printcolumn:name="Deleted",type=integer,JSONPath=`.status.lastRun.deleted`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="AddressesLow")].message`
type AddressPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired behavior: when a subnet counts as low, and which interfaces may be deleted. It is written by users.
	// +required
	Spec AddressPolicySpec `json:"spec"`

	// status is the observed state of the policy: which subnets are low, which interfaces are observed, and what was deleted. It is
	// written by the controller and is empty until a controller has processed the policy.
	// +optional
	Status AddressPolicyStatus `json:"status,omitzero"`
}

// AddressPolicyKind is the kind of an AddressPolicy.
const AddressPolicyKind = "AddressPolicy"

// Reference names the policy and its rule.
func (p *AddressPolicy) Reference() PolicyReference {
	return PolicyReference{Kind: AddressPolicyKind, Name: p.Name, UID: p.UID, Rule: AddressRule}
}

// AddressPolicyList is a list of AddressPolicies.
//
// +kubebuilder:object:root=true
type AddressPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AddressPolicy `json:"items"`
}

// AddressPolicySpec is the desired behavior of an AddressPolicy.
//
// +kubebuilder:validation:XValidation:rule="!has(self.lowBelowPercent) || !has(self.clearFromPercent) || self.lowBelowPercent <= self.clearFromPercent",message="must not be less than lowBelowPercent",fieldPath=".clearFromPercent"
type AddressPolicySpec struct {
	// mode determines whether naosu deletes leaked network interfaces, and whether it needs approval. Report only records, in a
	// Remediation, what would be deleted. Approve waits for the approval of each Remediation (naosu approve NAME). Auto deletes
	// without approval. Defaults to Report.
	// +optional
	// +kubebuilder:default=Report
	Mode Mode `json:"mode,omitempty"`

	// paused indicates that no more interfaces are deleted for this policy. A Remediation that has begun ends after the interface
	// it is at. Subnets and interfaces are observed all the same. Defaults to false.
	// +optional
	Paused bool `json:"paused,omitempty"`

	// lowBelowPercent is how many percent of the addresses of a subnet of the nodes must be free for it not to count as low, rounded
	// down. From 0 to 100, for example 5. 0 means that no subnet is low. Defaults to 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	LowBelowPercent *int32 `json:"lowBelowPercent,omitempty"`

	// clearFromPercent is how many percent of the addresses of a low subnet must be free for it not to count as low any more, so
	// that one that varies by a few does not change all the time. Not less than lowBelowPercent. From 0 to 100, for example 15.
	// Defaults to 20.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	ClearFromPercent *int32 `json:"clearFromPercent,omitempty"`

	// minAgeSeconds is how long ago an interface must have been created, in seconds, according to its tag
	// node.k8s.amazonaws.com/createdAt. Without a readable one, it must have been observed for so long. From 60 to 604800, for
	// example 3600. Defaults to 1800.
	// +optional
	// +kubebuilder:default=1800
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=604800
	MinAgeSeconds int32 `json:"minAgeSeconds,omitempty"`

	// observationSeconds is for how long an interface must have been seen leaked each time the network was read, in seconds. EC2's
	// answers may be some seconds old. From 60 to 86400, for example 1200. Defaults to 600.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=86400
	ObservationSeconds int32 `json:"observationSeconds,omitempty"`

	// maxDeletions is the largest number of interfaces that one Remediation deletes. If there are more, another Remediation
	// follows. From 1 to 50, for example 5. Defaults to 20.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	MaxDeletions int32 `json:"maxDeletions,omitempty"`

	// maintenanceWindow is the time in which Remediations may begin. Those in progress are finished after it closes. If not set,
	// they may begin at any time.
	// +optional
	MaintenanceWindow *MaintenanceWindow `json:"maintenanceWindow,omitempty"`
}

// AddressPolicyStatus is the observed state of an AddressPolicy.
type AddressPolicyStatus struct {
	// conditions are the latest observations of the policy. Ready is True if no obstacle is known; otherwise, its reason is the
	// obstacle: Paused, AddressesUnknown, NoVPCCNI, NoClusterName, NotPermitted or OtherPolicy. AddressesLow is True if a subnet is
	// low. At most 16.
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

	// unknown is since when the addresses are not known, and why. Not set while they are known.
	// +optional
	Unknown *AddressesUnknown `json:"unknown,omitempty"`

	// lowSubnets are the subnets that had less free addresses than lowBelowPercent, and have not had clearFromPercent
	// since. At most 64.
	// +optional
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=64
	LowSubnets []LowSubnet `json:"lowSubnets,omitempty"`

	// observedAt is when the network was last read completely, and decisions and observations were made. Not set until then.
	// +optional
	ObservedAt *metav1.MicroTime `json:"observedAt,omitempty"`

	// decisions are how many available interfaces of the VPC CNI may be deleted (reason Eligible), and how many may not, by the
	// reason. docs/en/addresses.md lists the reasons. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=reason
	// +kubebuilder:validation:MaxItems=16
	Decisions []InterfaceCount `json:"decisions,omitempty"`

	// observations are the interfaces that lack nothing but time at most, and since when each was seen so each time. An interface
	// that is seen otherwise once is observed anew. At most 500; those observed for longest.
	// +optional
	// +listType=map
	// +listMapKey=interface
	// +kubebuilder:validation:MaxItems=500
	Observations []InterfaceObservation `json:"observations,omitempty"`

	// lastRun is the Remediation of this policy that ended last. Not set if none has.
	// +optional
	LastRun *AddressRun `json:"lastRun,omitempty"`
}

// AddressesUnknown is since when addresses are not known, and why.
type AddressesUnknown struct {
	// since is when the addresses were first not known, without interruption until now.
	// +required
	Since metav1.Time `json:"since"`

	// message says why, with the permission that naosu lacks, if it is that.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message"`
}

// LowSubnet is a subnet with few free addresses.
type LowSubnet struct {
	// id is the ID of the subnet, for example subnet-0a1b2c3d4e5f60718.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ID string `json:"id"`

	// zone is the zone of the subnet, for example us-east-1a.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Zone string `json:"zone,omitempty"`

	// free is how many of its addresses nothing held when they were last read.
	// +required
	// +kubebuilder:validation:Minimum=0
	Free int64 `json:"free"`

	// size is how many addresses it has, without those that AWS reserves.
	// +required
	// +kubebuilder:validation:Minimum=0
	Size int64 `json:"size"`

	// since is when the subnet became low, without interruption until now.
	// +required
	Since metav1.Time `json:"since"`
}

// InterfaceCount is the number of interfaces of one decision.
type InterfaceCount struct {
	// reason is why they may be deleted, or why not, for example OwnerExists.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Reason string `json:"reason"`

	// interfaces is the number of interfaces with this decision.
	// +required
	// +kubebuilder:validation:Minimum=0
	Interfaces int32 `json:"interfaces"`
}

// InterfaceObservation is since when an interface is observed.
type InterfaceObservation struct {
	// interface is the ID of the network interface, for example eni-0a1b2c3d4e5f60718.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Interface string `json:"interface"`

	// instance is the ID of the instance that it was made for, for example i-0a1b2c3d4e5f60718.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Instance string `json:"instance"`

	// firstSeen is when it was first seen so. It was seen so each time the network was read since, until observedAt.
	// +required
	FirstSeen metav1.MicroTime `json:"firstSeen"`
}

// AddressRun is what one Remediation did.
type AddressRun struct {
	// remediation is the metadata.name of the Remediation, for example addresses-all-1a2b3c4d5e6f7a8b.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Remediation string `json:"remediation"`

	// endedAt is when the Remediation ended, whether it helped or not.
	// +required
	EndedAt metav1.Time `json:"endedAt"`

	// planned is how many interfaces were to be deleted.
	// +required
	// +kubebuilder:validation:Minimum=0
	Planned int32 `json:"planned"`

	// deleted is how many of them are gone, whoever deleted them.
	// +required
	// +kubebuilder:validation:Minimum=0
	Deleted int32 `json:"deleted"`
}

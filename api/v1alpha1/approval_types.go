package v1alpha1

// Approval is a person's decision.
// +kubebuilder:validation:Enum=Approved;Rejected
type Approval string

// The decisions of a person.
const (
	Approved Approval = "Approved"
	Rejected Approval = "Rejected"
)

package v1alpha1

// Approval is a person's word.
// +kubebuilder:validation:Enum=Approved;Rejected
type Approval string

// A person's word.
const (
	Approved Approval = "Approved"
	Rejected Approval = "Rejected"
)

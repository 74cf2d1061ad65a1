package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AgentState is how far an agent is with its work.
// +kubebuilder:validation:Enum=Accepted;Done;Failed;Refused
type AgentState string

// How far an agent is with its work.
const (
	AgentAccepted AgentState = "Accepted"
	AgentDone     AgentState = "Done"
	AgentFailed   AgentState = "Failed"
	AgentRefused  AgentState = "Refused"
)

// AgentReport is what the agent of the node says.
type AgentReport struct {
	// state is how far it is.
	// +required
	State AgentState `json:"state"`

	// at is since when.
	// +required
	At metav1.MicroTime `json:"at"`

	// version is the agent's.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// message says more, in one sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// hops are the ways that a drill's evidence went within the agent, in order.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Hops []Hop `json:"hops,omitempty"`

	// evidence is the condition as the agent would have written it, had the drill been a fault.
	// +optional
	Evidence *Evidence `json:"evidence,omitempty"`
}

// HopName is a link of the chain within the agent.
// +kubebuilder:validation:Enum=Fault;Detect;Evidence;Report
type HopName string

// The hops of a drill within the agent, in order.
const (
	// HopFault is the harmless fault, made.
	HopFault HopName = "Fault"
	// HopDetect is the detector that saw it.
	HopDetect HopName = "Detect"
	// HopEvidence is the evidence weighed: the reason stands.
	HopEvidence HopName = "Evidence"
	// HopReport is the condition made of it, and sent.
	HopReport HopName = "Report"
)

// Hop is one link of the chain that was passed.
type Hop struct {
	// name is the link's.
	// +required
	Name HopName `json:"name"`

	// at is when it was passed.
	// +required
	At metav1.MicroTime `json:"at"`

	// by is the part that passed it, such as the monitor.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	By string `json:"by,omitempty"`
}

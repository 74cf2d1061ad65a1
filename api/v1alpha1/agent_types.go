package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AgentState is the progress of an agent's work.
// +kubebuilder:validation:Enum=Accepted;Done;Failed;Refused
type AgentState string

// The states of an agent's work.
const (
	AgentAccepted AgentState = "Accepted"
	AgentDone     AgentState = "Done"
	AgentFailed   AgentState = "Failed"
	AgentRefused  AgentState = "Refused"
)

// AgentReport is the report of the node's agent.
type AgentReport struct {
	// state is the progress of the work: Accepted (started), Done, Failed, or Refused (nothing was done; message explains why).
	// +required
	State AgentState `json:"state"`

	// at is when the agent reached this state, according to the node's clock.
	// +required
	At metav1.MicroTime `json:"at"`

	// version is the version of the agent, for example v0.4.0.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// message is a human-readable explanation, for example why the agent refused.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// hops are the parts of the agent that the evidence of a drill has passed so far, in order. At most 16. Set only in drills.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Hops []Hop `json:"hops,omitempty"`

	// evidence is the node condition that the agent would have written for a real fault. It is not written to the Node. Set only in
	// drills.
	// +optional
	Evidence *Evidence `json:"evidence,omitempty"`
}

// HopName is the name of a part of the agent.
// +kubebuilder:validation:Enum=Fault;Detect;Evidence;Report
type HopName string

// The hops of a drill within the agent, in order.
const (
	// HopFault means that the harmless fault has been injected.
	HopFault HopName = "Fault"
	// HopDetect means that the detector has detected it.
	HopDetect HopName = "Detect"
	// HopEvidence means that there is enough evidence for the reason.
	HopEvidence HopName = "Evidence"
	// HopReport means that the condition has been built and sent.
	HopReport HopName = "Report"
)

// Hop is one part of the agent that the evidence of a drill has passed.
type Hop struct {
	// name is the name of the part. In order: Fault (the harmless fault has been injected), Detect (the monitor has detected it),
	// Evidence (there is enough evidence for the reason) and Report (the condition has been built and sent).
	// +required
	Name HopName `json:"name"`

	// at is when the part was passed, according to the node's clock.
	// +required
	At metav1.MicroTime `json:"at"`

	// by is the component, for example the name of the monitor that detected the fault.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	By string `json:"by,omitempty"`
}

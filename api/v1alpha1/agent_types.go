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
	// state is how far the agent is: Accepted (it has begun), Done, Failed, or Refused (it does not do this, and nothing was
	// done; message tells why).
	// +required
	State AgentState `json:"state"`

	// at is when the agent came to this state, by the clock of the node.
	// +required
	At metav1.MicroTime `json:"at"`

	// version is the version of the agent that reports, for example v0.4.0.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// message tells more of the state, in one sentence for people, such as why the agent refused.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// hops are the parts of the agent that the evidence of a drill has passed so far, in order. At most 16. Set in drills only.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Hops []Hop `json:"hops,omitempty"`

	// evidence is the node condition that the agent would have written if the drill had been a fault. It is not written to the
	// node. Set in drills only.
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
	// name is the part of the agent that was passed, in this order: Fault (the harmless fault is made), Detect (the monitor has
	// seen it), Evidence (there is enough evidence for the reason) and Report (the condition is made and sent).
	// +required
	Name HopName `json:"name"`

	// at is when the part was passed, by the clock of the node.
	// +required
	At metav1.MicroTime `json:"at"`

	// by is what passed it, such as the name of the monitor that saw the fault.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	By string `json:"by,omitempty"`
}

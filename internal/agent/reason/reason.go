// Package reason is the catalogue of what the node agent can report: every reason, how much evidence it needs, how it
// clears and how that was proven. catalogue.yaml is the one place where it is written; code and docs are generated.
package reason

import (
	"slices"
	"time"
)

//go:generate go run ./generate

// ID names a reason, as in a node condition's reason field.
type ID string

// Condition is the type of a node condition. True is healthy in all that the agent writes.
type Condition string

// The conditions that EKS tooling and Karpenter act on
// (https://docs.aws.amazon.com/eks/latest/userguide/node-health.html).
const (
	KernelReady           Condition = "KernelReady"
	NetworkingReady       Condition = "NetworkingReady"
	StorageReady          Condition = "StorageReady"
	ContainerRuntimeReady Condition = "ContainerRuntimeReady"
	// AcceleratedHardwareReady is that of nodes with accelerators: others are without it.
	AcceleratedHardwareReady Condition = "AcceleratedHardwareReady"
)

// Conditions are all that the agent writes.
var Conditions = []Condition{KernelReady, NetworkingReady, StorageReady, ContainerRuntimeReady, AcceleratedHardwareReady}

// Optional says that the agent writes the condition only where something may turn it False.
func (c Condition) Optional() bool { return c == AcceleratedHardwareReady }

// Hardware is a kind of device that a reason is about and that not every host has.
type Hardware string

const (
	// NVIDIA are NVIDIA's GPUs and NVSwitches.
	NVIDIA Hardware = "nvidia"
	// Neuron are AWS's Inferentia and Trainium.
	Neuron Hardware = "neuron"
)

// Severity is what a reason does once there is evidence enough.
type Severity string

// Fatal turns the condition False, which repairers act on. Warning is an Event on the node. Off is neither.
const (
	Fatal   Severity = "fatal"
	Warning Severity = "warning"
	Off     Severity = "off"
)

// Action is what mends a node with that reason, if a policy says nothing else.
type Action string

// The gentlest first.
const (
	None           Action = "None"
	RestartService Action = "RestartService"
	Reboot         Action = "Reboot"
	Replace        Action = "Replace"
)

// Reason is one thing that may be wrong with a node.
type Reason struct {
	ID        ID
	Condition Condition
	Severity  Severity
	Action    Action
	// Aliases are other spellings in use.
	Aliases []ID
	// Entity is what there may be several of on a node: "interface", "unit". Empty if it is the node itself.
	Entity string
	// Hardware is what a host must have for the reason to be any matter there. Empty if every host has it.
	Hardware Hardware
	// Means says it in a sentence or two.
	Means Words
	// Reads is what is read, ReadsJA the same in Japanese.
	Reads, ReadsJA string
	Needs          Needs
	Clears         Clears
	// Rests is what a fatal reason rests on.
	Rests Rests
	// Matches are the log lines that are evidence. A reason without any is told by a monitor's looks.
	Matches []Match
	// Own is the file in which a team defines the reason. It is empty for a reason of the catalogue.
	Own string `json:",omitempty"`
	// Witness is what must agree with each line of an own reason that is fatal.
	Witness SecondWitness `json:",omitzero"`
}

// OwnFiles is what the names of files with own reasons end in. The agent reads those beside its configuration.
const OwnFiles = ".patterns.yaml"

// OwnQuiet is for how long no more lines may come before an own reason goes, if its file does not say.
const OwnQuiet = 10 * time.Minute

// SecondWitness is something that is not a log. A line counts once it says the same. One field is set.
type SecondWitness struct {
	// Unit is a systemd service, as "raid.service". It agrees while systemd says that the service has failed.
	Unit string `json:",omitempty"`
	// Counter is a file below /sys or /proc, or a pattern of such as in path/filepath.Match. It agrees while one of the files
	// holds a number above zero.
	Counter string `json:",omitempty"`
}

// Words are a sentence in each language.
type Words struct{ EN, JA string }

// In is the sentence in a language; English if it is not ja.
func (w Words) In(language string) string {
	if language == "ja" {
		return w.JA
	}
	return w.EN
}

// Basis is a kind of evidence that may turn a condition False, which has a node rebooted or replaced.
type Basis string

// No other is there: what stands in a log may be a workload's text.
const (
	// State is what the agent asks or tries itself.
	State Basis = "state"
	// Record is the kernel's own lines that no process can have it write.
	Record Basis = "record"
	// Witness is such lines, of which each counts only while something that is not a log says the same.
	Witness Basis = "witness"
	// Driver is a record in which a device's driver says that the device is lost until it is reset. It is written once, so one is enough.
	Driver Basis = "driver"
)

// Rests is what a fatal reason rests on. The zero Rests is that of a reason that is not fatal.
type Rests struct {
	On Basis
	// Says is one sentence that says it.
	Says Words
}

// Needs is how much evidence makes a reason stand. Log lines count; looks last.
type Needs struct {
	// Count of faults Within a time, for reasons whose evidence is occurrences.
	Count  int
	Within time.Duration
	// For is how long every look must have found the fault, for reasons that are looked at.
	For time.Duration
}

// Clears is what makes a reason go.
type Clears struct {
	// Quiet is for how long nothing more may have been seen, for reasons whose evidence is occurrences.
	Quiet time.Duration
	// For is for how long looks must have found it well, for reasons that are looked at. Zero takes the first.
	For time.Duration
}

// Looked says that looks tell whether the fault is there, so that a look that does not find it finds it gone. The evidence
// of other reasons is occurrences, which nothing but time takes back.
func (r Reason) Looked() bool { return r.Needs.Count == 0 }

// Match is a pattern of log lines.
type Match struct {
	// Log is where the line stands: "kernel", "kubelet", "unit:docker.service", or a file's path.
	Log string
	// Pattern is a regular expression (RE2). What its group "entity" takes is the entity.
	Pattern string
	// Except is a pattern of lines that are none, though Pattern matches them. Empty if there are none.
	Except string
	// Clears says that such a line is the end of the fault: what was told of the entity before is over.
	Clears bool
}

// Written says that lines are evidence which are not the kernel's own: a workload may be able to have them written. The Neuron driver
// prints whatever text a process gives it (NEURON_IOCTL_PRINTK, ncdev_printk in neuron_cdev.c of github.com/aws-neuron/aws-neuron-driver).
func (r Reason) Written() bool {
	return r.Hardware == Neuron && len(r.Matches) > 0 || slices.ContainsFunc(r.Matches, func(m Match) bool { return m.Log != "kernel" })
}

// Records says that a fatal reason rests on nothing but the kernel's records.
func (r Reason) Records() bool { return r.Rests.On == Record || r.Rests.On == Driver }

// Find is the reason of an ID or of another spelling of it.
func Find(name string) (Reason, bool) {
	for _, r := range Catalogue {
		if string(r.ID) == name {
			return r, true
		}
		for _, alias := range r.Aliases {
			if string(alias) == name {
				return r, true
			}
		}
	}
	return Reason{}, false
}

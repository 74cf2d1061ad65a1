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
)

// Conditions are all that the agent writes.
var Conditions = []Condition{KernelReady, NetworkingReady, StorageReady, ContainerRuntimeReady}

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
	// Means is one sentence that says it.
	Means Words
	// Reads is what is read.
	Reads  string
	Needs  Needs
	Clears Clears
	// Rests is what a fatal reason rests on.
	Rests Rests
	// Matches are the log lines that are evidence. A reason without any is told by a monitor's looks.
	Matches []Match
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
}

// Written says that lines are evidence which are not the kernel's own: a workload may be able to have them written.
func (r Reason) Written() bool {
	return slices.ContainsFunc(r.Matches, func(m Match) bool { return m.Log != "kernel" })
}

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

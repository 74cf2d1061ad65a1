// Package reason is the catalogue of the reasons that the node agent can report: for each, what is read, how much evidence is needed, when
// it clears, and how that was tested. The YAML files in the folder catalogue are the source; Go code and docs are generated from them.
package reason

import (
	"slices"
	"time"
)

//go:generate go run ./generate

// ID is the name of a reason, as in the reason field of a node condition or an Event.
type ID string

// Condition is the type of a node condition. In every condition that the agent writes, True is healthy.
type Condition string

// The conditions that EKS tooling and Karpenter act on
// (https://docs.aws.amazon.com/eks/latest/userguide/node-health.html).
const (
	KernelReady           Condition = "KernelReady"
	NetworkingReady       Condition = "NetworkingReady"
	StorageReady          Condition = "StorageReady"
	ContainerRuntimeReady Condition = "ContainerRuntimeReady"
	// AcceleratedHardwareReady exists only on nodes with accelerators.
	AcceleratedHardwareReady Condition = "AcceleratedHardwareReady"
)

// Conditions are all conditions that the agent writes.
var Conditions = []Condition{KernelReady, NetworkingReady, StorageReady, ContainerRuntimeReady, AcceleratedHardwareReady}

// Optional reports whether the agent writes the condition only on nodes where a reason of it can apply.
func (c Condition) Optional() bool { return c == AcceleratedHardwareReady }

// Hardware is a kind of device that not every host has.
type Hardware string

const (
	// NVIDIA is NVIDIA's GPUs and NVSwitches.
	NVIDIA Hardware = "nvidia"
	// Neuron is AWS Inferentia and Trainium.
	Neuron Hardware = "neuron"
)

// Severity is the effect of a reason once there is enough evidence.
type Severity string

// Fatal turns the condition False, on which repairers act. Warning creates an Event on the node. Off does neither.
const (
	Fatal   Severity = "fatal"
	Warning Severity = "warning"
	Off     Severity = "off"
)

// Action is what repairs a node with a reason, unless a policy specifies another action.
type Action string

// The actions, the mildest first.
const (
	None           Action = "None"
	RestartService Action = "RestartService"
	Reboot         Action = "Reboot"
	Replace        Action = "Replace"
)

// Reason is a kind of fault of a node.
type Reason struct {
	ID        ID
	Condition Condition
	Severity  Severity
	Action    Action
	// Aliases are names that other agents use for the reason.
	Aliases []ID
	// Entity is what the reason is about if a node may have several, such as "interface". Empty if it is the node itself.
	Entity string
	// Hardware is the hardware without which the reason does not apply to a host. Empty if it applies to all.
	Hardware Hardware
	// Means is what the reason means, in a sentence or two.
	Means Words
	// Reads is what the agent reads to detect it; ReadsJA is the Japanese.
	Reads, ReadsJA string
	Needs          Needs
	Clears         Clears
	// Basis is the evidence of a fatal reason.
	Basis Basis
	// Matches are the log lines that are evidence. A reason without any is detected by a monitor's checks.
	Matches []Match
	// Own is the file that defines an own reason. Empty for a reason of the catalogue.
	Own string
	// Witness is the second source that must confirm each line of a fatal own reason.
	Witness SecondWitness
}

// OwnFiles is the suffix of the names of files with own reasons. The agent reads those in the folder of its configuration.
const OwnFiles = ".patterns.yaml"

// OwnQuiet is the default time without a line after which an own reason clears.
const OwnQuiet = 10 * time.Minute

// SecondWitness is a source other than a log. A log line counts only once this source confirms it. Exactly one field is set.
type SecondWitness struct {
	// Unit is a systemd service, such as "raid.service". It confirms a line while systemd reports the service as failed.
	Unit string
	// Counter is a file in /sys or /proc, or a pattern for such files (path/filepath.Match). It confirms a line while one of the files
	// contains a number greater than 0.
	Counter string
}

// Words is a text in each language.
type Words struct{ EN, JA string }

// In returns the text in a language: Japanese for ja, English for any other.
func (w Words) In(language string) string {
	if language == "ja" {
		return w.JA
	}
	return w.EN
}

// BasisKind is a kind of evidence that may turn a condition False, because of which a node may be rebooted or replaced.
type BasisKind string

// All kinds. Log lines alone are none of them, because a workload may have written them.
const (
	// State is what the agent reads or tries itself.
	State BasisKind = "state"
	// Record is kernel messages that no process can cause to be written.
	Record BasisKind = "record"
	// Witness is such messages, each counted only while a second source that is not a log confirms it.
	Witness BasisKind = "witness"
	// Driver is a record in which a device driver reports that the device does not work until it is reset. The driver writes it once, so
	// one record is enough.
	Driver BasisKind = "driver"
)

// Basis is the evidence of a fatal reason. It is the zero value for other reasons.
type Basis struct {
	Kind BasisKind
	// Text describes the evidence in one sentence.
	Text Words
}

// Needs is how much evidence is needed before a reason is reported: occurrences, or checks that find the fault.
type Needs struct {
	// Count is the number of occurrences Within a time, for reasons whose evidence is occurrences.
	Count  int
	Within time.Duration
	// For is the time in which every check must find the fault, for reasons that are polled. Zero: the first check is enough.
	For time.Duration
}

// Clears is when a reason is no longer reported.
type Clears struct {
	// Quiet is the time without an occurrence, for reasons whose evidence is occurrences.
	Quiet time.Duration
	// For is the time in which no check may find the fault, for reasons that are polled. Zero: the first check is enough.
	For time.Duration
}

// Polled reports whether checks at intervals detect the reason, so that a check without the fault shows that it is over. The evidence of
// other reasons is occurrences, which only time clears.
func (r Reason) Polled() bool { return r.Needs.Count == 0 }

// Match is a pattern of log lines.
type Match struct {
	// Log is the log with the line: "kernel", "kubelet", "unit:docker.service", or the path of a file.
	Log string
	// Pattern is a regular expression (RE2), whose group "entity" captures the entity.
	Pattern string
	// Except is a regular expression for lines that Pattern matches but that are no evidence. Empty if there are none.
	Except string
	// Clears is true if the line reports that the fault of the entity is over.
	Clears bool
}

// WritableByWorkloads reports whether the evidence includes lines that a workload may be able to write: lines of a log other than the
// kernel's, and those of the Neuron driver, which prints any text that a process passes to it (NEURON_IOCTL_PRINTK, ncdev_printk in
// neuron_cdev.c of github.com/aws-neuron/aws-neuron-driver).
func (r Reason) WritableByWorkloads() bool {
	return r.Hardware == Neuron && len(r.Matches) > 0 || slices.ContainsFunc(r.Matches, func(m Match) bool { return m.Log != "kernel" })
}

// KernelRecordsOnly reports whether the evidence of a fatal reason is only kernel messages.
func (r Reason) KernelRecordsOnly() bool { return r.Basis.Kind == Record || r.Basis.Kind == Driver }

// Catalogue is every reason, sorted by condition and name.
var Catalogue = slices.Concat(kernelReady, networkingReady, storageReady, containerRuntimeReady, acceleratedHardwareReady)

// Find returns the reason with a name or an alias, if there is one.
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

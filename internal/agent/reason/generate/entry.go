package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	conditions = []string{"KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady", "AcceleratedHardwareReady"}
	severities = []string{"fatal", "warning", "off"}
	actions    = []string{"None", "RestartService", "Reboot", "Replace"}
	hardware   = []string{"", "nvidia", "neuron"}
)

// entry is a reason in a file of the folder catalogue. The name of the file is the node condition that its reasons belong to.
type entry struct {
	// Name is the reason field of the node condition or Event, in CamelCase. Aliases are names that other agents use for it.
	Name    string   `yaml:"name"`
	Aliases []string `yaml:"aliases"`
	// Condition is the type of the node condition, from the name of the file.
	Condition string `yaml:"-"`
	// Severity is fatal (the condition turns False), warning (an Event) or off.
	Severity string `yaml:"severity"`
	// Action repairs the node, unless a policy specifies another one: None, RestartService, Reboot or Replace.
	Action string `yaml:"action"`
	// Monitor is the folder of internal/agent/monitor that detects the reason; "config" for errors in the agent's own configuration.
	Monitor string `yaml:"monitor"`
	// Entity is what the reason is about if a node may have several, such as "interface". Empty if it is the node itself.
	Entity string `yaml:"entity"`
	// Hardware is the hardware without which the reason does not apply to a host: nvidia or neuron. Empty if it applies to all.
	Hardware string `yaml:"hardware"`
	// Means is what the reason means, in one sentence.
	Means words `yaml:"means"`
	// Reads is what the agent reads to detect it; ReadsJA is the Japanese.
	Reads   string `yaml:"reads"`
	ReadsJA string `yaml:"readsJA"`
	// Matches are the log lines that are evidence. A reason without any is detected by checks at intervals.
	Matches []match `yaml:"matches"`
	Needs   needs   `yaml:"needs"`
	Clears  clears  `yaml:"clears"`
	// Basis is the evidence of a fatal reason. Other reasons have none.
	Basis basis `yaml:"basis"`
	Proof proof `yaml:"proof"`
	// EKS and NPD are what the EKS node monitoring agent and node-problem-detector do about the same fault.
	EKS otherAgent `yaml:"eks"`
	NPD otherAgent `yaml:"npd"`
}

type words struct {
	EN string `yaml:"en"`
	JA string `yaml:"ja"`
}

// match is a pattern of log lines.
type match struct {
	// Log is kernel, kubelet, unit:NAME (the journal of a systemd service) or the path of a file.
	Log string `yaml:"log"`
	// Pattern is a regular expression (RE2), whose group "entity" captures the entity. It begins with ^ and with text that only the
	// writer of the log can write: for the kubelet, the name of the source file (the agent removes the rest of the header, in text
	// and JSON); for the kernel, more text than the name of a process can hold.
	Pattern string `yaml:"pattern"`
	// Except excludes lines that Pattern matches.
	Except string `yaml:"except"`
	// Clears is true for lines that report the end of the fault.
	Clears bool `yaml:"clears"`
}

// needs is how much evidence is needed before a reason is reported: Count occurrences Within a time, or For, the time in which every
// check must find the fault.
type needs struct {
	Count  int           `yaml:"count"`
	Within time.Duration `yaml:"within"`
	For    time.Duration `yaml:"for"`
	// Because is why these values were chosen.
	Because string `yaml:"because"`
}

// clears is when a reason is no longer reported: after Quiet, the time without an occurrence, or For, the time in which no check finds
// the fault.
type clears struct {
	Quiet time.Duration `yaml:"quiet"`
	For   time.Duration `yaml:"for"`
	// How is the same as a sentence, for the English page.
	How string `yaml:"how"`
}

// basis is the evidence of a fatal reason: its kind (one of reason.BasisKind) and a sentence.
type basis struct {
	Kind  string `yaml:"kind"`
	words `yaml:",inline"`
}

// proof is how the reason was tested. At least one of Fault and Golden is set.
type proof struct {
	// Fault lists tests that provoke the fault on a real kernel: "folder TestName, folder TestName".
	Fault string `yaml:"fault"`
	// Golden are files of real log records.
	Golden []string `yaml:"golden"`
	// Note is how the tested fault differs from the real one.
	Note string `yaml:"note"`
}

// otherAgent is whether another agent reports the fault (Fires) and whether its report ends with the fault (Clears): yes, no, or a few words.
type otherAgent struct {
	Fires  string `yaml:"fires"`
	Clears string `yaml:"clears"`
	Note   string `yaml:"note"`
}

// check returns all errors in an entry.
func (e entry) check() (wrong []error) {
	say := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	for field, value := range map[string]string{
		"name": e.Name, "monitor": e.Monitor, "means.en": e.Means.EN, "means.ja": e.Means.JA, "reads": e.Reads, "readsJA": e.ReadsJA, "needs.because": e.Needs.Because,
		"clears.how": e.Clears.How, "eks.fires": e.EKS.Fires, "npd.fires": e.NPD.Fires,
	} {
		say(value == "", "%s is missing", field)
	}
	say(!slices.Contains(conditions, e.Condition), "condition %q is none of %q", e.Condition, conditions)
	say(!slices.Contains(severities, e.Severity), "severity %q is none of %q", e.Severity, severities)
	say(!slices.Contains(actions, e.Action), "action %q is none of %q", e.Action, actions)
	say(!slices.Contains(hardware, e.Hardware), "hardware %q is none of %q", e.Hardware, hardware)
	say(e.Proof.Fault == "" && len(e.Proof.Golden) == 0, "proof is missing")
	wrong = append(wrong, e.checkEvidence()...)
	wrong = append(wrong, e.checkBasis()...)
	for _, m := range e.Matches {
		_, err := regexp.Compile(m.Pattern)
		say(err != nil, "%v", err)
		_, err = regexp.Compile(m.Except)
		say(err != nil, "%v", err)
		say(m.Log == "", "a pattern without a log")
	}
	return wrong
}

// checkEvidence checks that evidence is either occurrences or checks, and that a single line never makes a reason fatal.
func (e entry) checkEvidence() (wrong []error) {
	occurrences := e.Needs.Count > 0
	switch {
	case occurrences && (e.Needs.Within == 0 || e.Needs.For != 0 || e.Clears.Quiet == 0 || e.Clears.For != 0):
		wrong = append(wrong, errors.New("occurrences take needs {count, within} and clears {quiet}"))
	case !occurrences && (e.Needs.Within != 0 || e.Clears.Quiet != 0):
		wrong = append(wrong, errors.New("checks take needs {for} and clears {for}"))
	case !occurrences && len(e.Matches) > 0:
		wrong = append(wrong, errors.New("log lines are occurrences: they take needs {count, within}"))
	case e.Severity == "fatal" && e.Needs.Count == 1 && e.Basis.Kind != "driver":
		wrong = append(wrong, errors.New("a single line must not turn a condition False"))
	}
	return wrong
}

// checkBasis checks that a fatal reason has a basis, and that no workload can write its evidence.
func (e entry) checkBasis() (wrong []error) {
	if e.Severity != "fatal" {
		if e.Basis != (basis{}) {
			wrong = append(wrong, errors.New("basis is only for fatal reasons"))
		}
		return wrong
	}
	if e.Basis.EN == "" || e.Basis.JA == "" {
		wrong = append(wrong, errors.New("basis.en or basis.ja is missing"))
	}
	switch e.Basis.Kind {
	case "state":
		if len(e.Matches) > 0 {
			wrong = append(wrong, errors.New("its basis is log lines, not a state"))
		}
	case "record", "witness", "driver":
		if len(e.Matches) == 0 {
			wrong = append(wrong, errors.New("its basis needs matches"))
		}
		for _, m := range e.Matches {
			if m.Log != "kernel" || !strings.HasPrefix(m.Pattern, "^") {
				wrong = append(wrong, fmt.Errorf("the pattern of a fatal reason must match kernel messages from their beginning: %s: %s", m.Log, m.Pattern))
			}
		}
	default:
		wrong = append(wrong, fmt.Errorf("basis.kind %q is none of state, record, witness, driver", e.Basis.Kind))
	}
	return wrong
}

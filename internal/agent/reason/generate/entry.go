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

// entry is a reason as catalogue.yaml has it.
type entry struct {
	Name      string   `yaml:"name"`
	Aliases   []string `yaml:"aliases"`
	Condition string   `yaml:"condition"`
	Severity  string   `yaml:"severity"`
	Action    string   `yaml:"action"`
	Monitor   string   `yaml:"monitor"`
	Entity    string   `yaml:"entity"`
	Hardware  string   `yaml:"hardware"`
	Means     words    `yaml:"means"`
	Reads     string   `yaml:"reads"`
	ReadsJA   string   `yaml:"readsJA"`
	Matches   []match  `yaml:"matches"`
	Needs     needs    `yaml:"needs"`
	Clears    clears   `yaml:"clears"`
	Rests     rests    `yaml:"rests"`
	Proof     proof    `yaml:"proof"`
	EKS       other    `yaml:"eks"`
	NPD       other    `yaml:"npd"`
}

type words struct {
	EN string `yaml:"en"`
	JA string `yaml:"ja"`
}

type match struct {
	Log     string `yaml:"log"`
	Pattern string `yaml:"pattern"`
	Except  string `yaml:"except"`
	Clears  bool   `yaml:"clears"`
}

type needs struct {
	Count   int           `yaml:"count"`
	Within  time.Duration `yaml:"within"`
	For     time.Duration `yaml:"for"`
	Because string        `yaml:"because"`
}

type clears struct {
	Quiet time.Duration `yaml:"quiet"`
	For   time.Duration `yaml:"for"`
	How   string        `yaml:"how"`
}

// rests is what a fatal reason rests on: state, record, witness or driver, and a sentence.
type rests struct {
	On string `yaml:"on"`
	EN string `yaml:"en"`
	JA string `yaml:"ja"`
}

// proof is how the reason was seen firing and clearing: on a real fault, on golden records, or both.
type proof struct {
	Fault  string   `yaml:"fault"`
	Golden []string `yaml:"golden"`
	// Note says what the fault of the test is not.
	Note string `yaml:"note"`
}

// other is what another agent does about the same fault.
type other struct {
	Fires  string `yaml:"fires"`
	Clears string `yaml:"clears"`
	Note   string `yaml:"note"`
}

// check is all that is wrong with an entry.
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
	say(e.Proof.Fault == "" && len(e.Proof.Golden) == 0, "nothing proves it")
	wrong = append(wrong, e.checkEvidence()...)
	wrong = append(wrong, e.checkRests()...)
	for _, m := range e.Matches {
		_, err := regexp.Compile(m.Pattern)
		say(err != nil, "%v", err)
		_, err = regexp.Compile(m.Except)
		say(err != nil, "%v", err)
		say(m.Log == "", "a pattern without its log")
	}
	return wrong
}

// checkEvidence holds that evidence is of one kind, and never one stray line.
func (e entry) checkEvidence() (wrong []error) {
	occurrences := e.Needs.Count > 0
	switch {
	case occurrences && (e.Needs.Within == 0 || e.Needs.For != 0 || e.Clears.Quiet == 0 || e.Clears.For != 0):
		wrong = append(wrong, errors.New("occurrences need {count, within} and clear by {quiet}"))
	case !occurrences && (e.Needs.Within != 0 || e.Clears.Quiet != 0):
		wrong = append(wrong, errors.New("looks need {for} and clear by {for}"))
	case !occurrences && len(e.Matches) > 0:
		wrong = append(wrong, errors.New("log lines are occurrences: they need {count, within}"))
	case e.Severity == "fatal" && e.Needs.Count == 1 && e.Rests.On != "driver":
		wrong = append(wrong, errors.New("one stray line must not make a condition False"))
	}
	return wrong
}

// checkRests holds that a fatal reason says what it rests on, and that this is no text which a workload may have written.
func (e entry) checkRests() (wrong []error) {
	if e.Severity != "fatal" {
		if e.Rests != (rests{}) {
			wrong = append(wrong, errors.New("rests is of fatal reasons"))
		}
		return wrong
	}
	if e.Rests.EN == "" || e.Rests.JA == "" {
		wrong = append(wrong, errors.New("rests.en or rests.ja is missing"))
	}
	switch e.Rests.On {
	case "state":
		if len(e.Matches) > 0 {
			wrong = append(wrong, errors.New("it rests on lines, not on a state"))
		}
	case "record", "witness", "driver":
		if len(e.Matches) == 0 {
			wrong = append(wrong, errors.New("it has no lines to rest on"))
		}
		for _, m := range e.Matches {
			if m.Log != "kernel" || !strings.HasPrefix(m.Pattern, "^") {
				wrong = append(wrong, fmt.Errorf("a fatal reason must not rest on a line of %s that looks so: %s", m.Log, m.Pattern))
			}
		}
	default:
		wrong = append(wrong, fmt.Errorf("rests.on %q is none of state, record, witness, driver", e.Rests.On))
	}
	return wrong
}

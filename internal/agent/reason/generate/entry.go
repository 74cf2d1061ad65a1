package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

var (
	conditions = []string{"KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady"}
	severities = []string{"fatal", "warning", "off"}
	actions    = []string{"None", "RestartService", "Reboot", "Replace"}
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
	Means     words    `yaml:"means"`
	Reads     string   `yaml:"reads"`
	Matches   []match  `yaml:"matches"`
	Needs     needs    `yaml:"needs"`
	Clears    clears   `yaml:"clears"`
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
		"name": e.Name, "monitor": e.Monitor, "means.en": e.Means.EN, "means.ja": e.Means.JA, "reads": e.Reads, "needs.because": e.Needs.Because,
		"clears.how": e.Clears.How, "eks.fires": e.EKS.Fires, "npd.fires": e.NPD.Fires,
	} {
		say(value == "", "%s is missing", field)
	}
	say(!slices.Contains(conditions, e.Condition), "condition %q is none of %q", e.Condition, conditions)
	say(!slices.Contains(severities, e.Severity), "severity %q is none of %q", e.Severity, severities)
	say(!slices.Contains(actions, e.Action), "action %q is none of %q", e.Action, actions)
	say(e.Proof.Fault == "" && len(e.Proof.Golden) == 0, "nothing proves it")
	wrong = append(wrong, e.checkEvidence()...)
	for _, m := range e.Matches {
		_, err := regexp.Compile(m.Pattern)
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
	case e.Severity == "fatal" && e.Needs.Count == 1:
		wrong = append(wrong, errors.New("one stray line must not make a condition False"))
	}
	return wrong
}

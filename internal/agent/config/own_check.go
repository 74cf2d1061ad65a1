package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// OwnCondition is a node condition that the agent writes.
type OwnCondition reason.Condition

// UnmarshalText reads one.
func (c *OwnCondition) UnmarshalText(text []byte) error {
	if !slices.Contains(reason.Conditions, reason.Condition(text)) {
		return fmt.Errorf("the agent writes no condition %q; it writes %s", text, list(reason.Conditions))
	}
	*c = OwnCondition(text)
	return nil
}

func list[T ~string](all []T) string {
	names := make([]string, len(all))
	for i, name := range all {
		names[i] = string(name)
	}
	return strings.Join(names, ", ")
}

// OwnLog is a log that may tell own reasons.
type OwnLog string

var unitName = regexp.MustCompile(`^[A-Za-z0-9:_.@\\-]+\.service$`)

// workloads are where the lines of pods are: whatever is in them, a pod wrote.
var workloads = []string{"/var/log/pods/", "/var/log/containers/"}

// UnmarshalText reads one.
func (l *OwnLog) UnmarshalText(text []byte) error {
	log := string(text)
	unit, isUnit := strings.CutPrefix(log, "unit:")
	switch {
	case log == "kernel", log == "kubelet":
	case isUnit && !unitName.MatchString(unit):
		return fmt.Errorf("%q names no systemd service; one is unit:docker.service", text)
	case isUnit:
	case !filepath.IsAbs(log) || filepath.Clean(log) != log:
		return fmt.Errorf("%q is none of kernel, kubelet, unit:NAME.service and the clean absolute path of a file", text)
	case slices.ContainsFunc(workloads, func(folder string) bool { return strings.HasPrefix(log, folder) }):
		return fmt.Errorf("%q holds what a pod writes, which is no evidence about a node", text)
	}
	*l = OwnLog(log)
	return nil
}

// reserved are what the agent gives as the reason of conditions and Events that no fault has.
var reserved = []string{"NoFault", "NotKnown", "NotWatched", "StandsAside"}

var ownName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)

// checkOwn holds an own reason to what the catalogue's are held to. names are those that are taken, in small letters, and by what.
func (d *decoder) checkOwn(path string, o OwnReason, names map[string]string) {
	say := func(bad bool, field, format string, args ...any) {
		n := d.at[path+field]
		if n == nil {
			n = d.at[path]
		}
		if bad && n != nil {
			d.wrong(n, path+field, format, args...)
		}
	}
	say(!ownName.MatchString(o.Name) || len(o.Name) > maxOwnName, ".name", "%q is no name: it takes 2 to %d letters and digits, the first a capital, as RaidBatteryFailed", o.Name, maxOwnName)
	taken := takenBy(o.Name, names)
	say(taken != "", ".name", "%s; give it another name", taken)
	names[strings.ToLower(o.Name)] = "it is there twice in this file"
	say(o.Means == "" || len(o.Means) > maxOwnMeans, ".means", "one sentence that says what is wrong is needed, of %d bytes at most", maxOwnMeans)
	say(o.Condition == "" && d.at[path+".condition"] == nil, ".condition", "it is missing; it is one of %s", list(reason.Conditions))
	say(len(o.Matches) == 0 || len(o.Matches) > maxOwnMatches, ".matches", "there are %d; 1 to %d are needed", len(o.Matches), maxOwnMatches)
	for i, m := range o.Matches {
		at := fmt.Sprintf(".matches[%d]", i)
		say(m.Log == "" && d.at[path+at+".log"] == nil, at+".log", "it is missing: kernel, kubelet, unit:NAME.service or the path of a file")
		why := wrongPattern(m)
		say(why != "", at+".pattern", "%s", why)
	}
	say(o.Needs.Count < 1 || o.Needs.Count > maxOwnCount, ".needs.count", "it counts lines, from 1 to %d", maxOwnCount)
	say(o.Needs.Within > maxOwnDuration, ".needs.within", "it is %v at most", maxOwnDuration)
	say(o.Clears.Quiet > maxOwnDuration, ".clears.quiet", "it is %v at most", maxOwnDuration)
	why := wrongWitness(o.Witness)
	say(why != "", ".witness", "%s", why)
	if reason.Severity(o.Severity) == reason.Fatal {
		field, why := wrongFatal(o)
		say(why != "", field, "%s", why)
	} else {
		say(reason.Severity(o.Severity) == reason.Warning && o.Witness != OwnWitness{}, ".witness", "a witness is of fatal reasons; leave it out")
	}
}

// takenBy says why a name cannot be taken; empty if it can.
func takenBy(name string, names map[string]string) string {
	for _, r := range reason.Catalogue {
		for _, taken := range append([]reason.ID{r.ID}, r.Aliases...) {
			if strings.EqualFold(string(taken), name) {
				return fmt.Sprintf("the catalogue has %s (`naosu-agent reasons`), which is set in agent.yaml under reasons", r.ID)
			}
		}
	}
	if slices.ContainsFunc(reserved, func(taken string) bool { return strings.EqualFold(taken, name) }) {
		return "the agent itself uses " + name
	}
	return names[strings.ToLower(name)]
}

// ofKubelet is what a pattern of the kubelet's log begins with: the file that writes the line.
var ofKubelet = regexp.MustCompile(`^\^[a-z0-9_]+\\\.go:`)

// wrongPattern is what is wrong with a pattern; empty if nothing is.
func wrongPattern(m OwnMatch) string {
	if len(m.Pattern) > maxOwnPattern {
		return fmt.Sprintf("it has %d bytes; %d are the most", len(m.Pattern), maxOwnPattern)
	}
	tree, err := syntax.Parse(m.Pattern, syntax.Perl)
	if err != nil {
		return fmt.Sprintf("it is no regular expression of RE2 (https://github.com/google/re2/wiki/Syntax; it has no lookarounds and no backreferences): %v", err)
	}
	if !anchored(tree) {
		return "it begins anywhere in a line, so that others' text may be taken for the writer's: begin it with ^ and what the line begins with"
	}
	if wildcard(tree) {
		return "what comes after ^ takes any text, so that it begins anywhere: begin it with what the line begins with"
	}
	if m.Log == "kubelet" && !ofKubelet.MatchString(m.Pattern) {
		return `a pattern of the kubelet's log begins with the file that writes the line, as ^prober\.go:`
	}
	if compiled, err := syntax.Compile(tree.Simplify()); err != nil || len(compiled.Inst) > maxOwnProgram {
		return "it is too large when it is compiled: use smaller repetitions"
	}
	return ""
}

// anchored says that every match of a pattern begins where a line begins. (?m)^ also begins within one.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return anchored(re.Sub[0])
	case syntax.OpConcat:
		return len(re.Sub) > 0 && anchored(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !anchored(sub) })
	}
	return false
}

// wildcard says that the first thing of an anchored pattern that takes text may take any run of words.
func wildcard(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if sub.Op != syntax.OpBeginText && sub.Op != syntax.OpEmptyMatch {
				return wildcard(sub)
			}
		}
		return true // ^ alone takes every line.
	case syntax.OpCapture:
		return wildcard(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, wildcard)
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat, syntax.OpQuest:
		return anyText(re.Sub[0]) || wildcard(re.Sub[0])
	case syntax.OpBeginText, syntax.OpEmptyMatch:
		return true
	}
	return false
}

// anyText says that something takes letters and blanks alike.
func anyText(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCharClass:
		return holds(re.Rune, ' ') && holds(re.Rune, 'e')
	case syntax.OpCapture:
		return anyText(re.Sub[0])
	}
	return false
}

// holds says whether a class, as pairs of the first and the last of a range, has a character.
func holds(class []rune, r rune) bool {
	for i := 0; i+1 < len(class); i += 2 {
		if class[i] <= r && r <= class[i+1] {
			return true
		}
	}
	return false
}

// wrongWitness is what is wrong with a witness; empty if nothing is, or there is none.
func wrongWitness(w OwnWitness) string {
	_, err := filepath.Match(w.Counter, "")
	below := strings.HasPrefix(w.Counter, "/sys/") || strings.HasPrefix(w.Counter, "/proc/")
	switch {
	case w.Unit != "" && w.Counter != "":
		return "it has unit and counter; leave one out"
	case w.Unit != "" && !unitName.MatchString(w.Unit):
		return fmt.Sprintf("unit: %q names no systemd service; one is raid.service", w.Unit)
	case w.Counter != "" && (err != nil || !below || filepath.Clean(w.Counter) != w.Counter):
		return fmt.Sprintf("counter: %q is no clean path below /sys or /proc, nor a pattern of such", w.Counter)
	}
	return ""
}

// processName is how many bytes of a line the name of a process may fill, which is anyone's choice (TASK_COMM_LEN of Linux).
const processName = 15

// wrongFatal is what a fatal reason lacks, and in which field; empty if nothing.
func wrongFatal(o OwnReason) (field, why string) {
	if o.Witness == (OwnWitness{}) {
		return ".witness", "a fatal reason needs one, which is no log: {unit: NAME.service} (systemd says that it has failed) or {counter: PATH} (a file below /sys or /proc holds more than zero); else make it a warning"
	}
	if o.Needs.Count < 2 {
		return ".needs.count", "one stray line must not make a condition False: a fatal reason needs a count of 2 or more"
	}
	for i, m := range o.Matches {
		if m.Log != "kernel" {
			return fmt.Sprintf(".matches[%d].log", i), "its lines are not the kernel's own, and a workload may have them written: it cannot be fatal"
		}
		if tree, err := syntax.Parse(m.Pattern, syntax.Perl); err == nil && (!opensWithText(tree) || textLength(tree) <= processName) {
			return fmt.Sprintf(".matches[%d].pattern", i), fmt.Sprintf(
				"a fatal reason's begins with text, and has more of it than the name of a process, which anyone chooses: %d characters besides wildcards", processName+1)
		}
	}
	return "", ""
}

// opensWithText says that text comes next after ^.
func opensWithText(re *syntax.Regexp) bool {
	return re.Op == syntax.OpConcat && len(re.Sub) > 1 && re.Sub[1].Op == syntax.OpLiteral
}

// textLength is how many characters of text every match of a pattern has besides what wildcards take.
func textLength(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return textLength(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n += textLength(sub)
		}
	case syntax.OpAlternate:
		n = textLength(re.Sub[0])
		for _, sub := range re.Sub {
			n = min(n, textLength(sub))
		}
	}
	return n
}

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

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *OwnCondition) UnmarshalText(text []byte) error {
	if !slices.Contains(reason.Conditions, reason.Condition(text)) {
		return fmt.Errorf("%q is not a condition that the agent writes; it writes %s", text, list(reason.Conditions))
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

// OwnLog is a log that own reasons can read.
type OwnLog string

var unitName = regexp.MustCompile(`^[A-Za-z0-9:_.@\\-]+\.service$`)

// workloads are the folders with the logs of pods.
var workloads = []string{"/var/log/pods/", "/var/log/containers/"}

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *OwnLog) UnmarshalText(text []byte) error {
	log := string(text)
	unit, isUnit := strings.CutPrefix(log, "unit:")
	switch {
	case log == "kernel", log == "kubelet":
	case isUnit && !unitName.MatchString(unit):
		return fmt.Errorf("%q is not a systemd service; write it like unit:docker.service", text)
	case isUnit:
	case !filepath.IsAbs(log) || filepath.Clean(log) != log:
		return fmt.Errorf("%q is not one of kernel, kubelet, unit:NAME.service and the absolute path of a file (without . and ..)", text)
	case slices.ContainsFunc(workloads, func(folder string) bool { return strings.HasPrefix(log, folder) }):
		return fmt.Errorf("%q contains lines that a pod writes, which are no evidence about the node", text)
	}
	*l = OwnLog(log)
	return nil
}

// reserved are the reasons that the agent uses for conditions and Events without a fault.
var reserved = []string{"NoFault", "NotKnown", "NotWatched", "StandsAside"}

var ownName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)

// checkOwn applies the rules of the catalogue to an own reason. names are the names in use, in lower case, with a sentence on who uses them.
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
	say(!ownName.MatchString(o.Name) || len(o.Name) > maxOwnName, ".name", "%q is not a valid name: use 2 to %d letters and digits, beginning with a capital letter, such as RaidBatteryFailed", o.Name, maxOwnName)
	taken := takenBy(o.Name, names)
	say(taken != "", ".name", "%s; choose another name", taken)
	names[strings.ToLower(o.Name)] = "this file defines it twice"
	say(o.Means == "" || len(o.Means) > maxOwnMeans, ".means", "must be one sentence that describes the fault, of at most %d bytes", maxOwnMeans)
	say(o.Condition == "" && d.at[path+".condition"] == nil, ".condition", "missing; must be one of %s", list(reason.Conditions))
	say(len(o.Matches) == 0 || len(o.Matches) > maxOwnMatches, ".matches", "has %d patterns; must have 1 to %d", len(o.Matches), maxOwnMatches)
	for i, m := range o.Matches {
		at := fmt.Sprintf(".matches[%d]", i)
		say(m.Log == "" && d.at[path+at+".log"] == nil, at+".log", "missing; must be kernel, kubelet, unit:NAME.service or the path of a file")
		why := wrongPattern(m)
		say(why != "", at+".pattern", "%s", why)
	}
	say(o.Needs.Count < 1 || o.Needs.Count > maxOwnCount, ".needs.count", "must be from 1 to %d", maxOwnCount)
	say(o.Needs.Within > maxOwnDuration, ".needs.within", "must be at most %v", maxOwnDuration)
	say(o.Clears.Quiet > maxOwnDuration, ".clears.quiet", "must be at most %v", maxOwnDuration)
	why := wrongWitness(o.Witness)
	say(why != "", ".witness", "%s", why)
	if reason.Severity(o.Severity) == reason.Fatal {
		field, why := wrongFatal(o)
		say(why != "", field, "%s", why)
	} else {
		say(reason.Severity(o.Severity) == reason.Warning && o.Witness != OwnWitness{}, ".witness", "only fatal reasons have a witness; remove it")
	}
}

// takenBy returns why a name cannot be used; empty if it can.
func takenBy(name string, names map[string]string) string {
	for _, r := range reason.Catalogue {
		for _, taken := range append([]reason.ID{r.ID}, r.Aliases...) {
			if strings.EqualFold(string(taken), name) {
				return fmt.Sprintf("the catalogue already has %s (`naosu-agent reasons`); to change it, use reasons in agent.yaml", r.ID)
			}
		}
	}
	if slices.ContainsFunc(reserved, func(taken string) bool { return strings.EqualFold(taken, name) }) {
		return "the agent itself uses " + name
	}
	return names[strings.ToLower(name)]
}

// ofKubelet matches the beginning of a pattern for the kubelet's log: the name of the source file that writes the line.
var ofKubelet = regexp.MustCompile(`^\^[a-z0-9_]+\\\.go:`)

// wrongPattern returns the error in a pattern; empty if there is none.
func wrongPattern(m OwnMatch) string {
	if len(m.Pattern) > maxOwnPattern {
		return fmt.Sprintf("has %d bytes; the maximum is %d", len(m.Pattern), maxOwnPattern)
	}
	tree, err := syntax.Parse(m.Pattern, syntax.Perl)
	if err != nil {
		return fmt.Sprintf("is not a regular expression in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax, without lookarounds and backreferences): %v", err)
	}
	if !anchored(tree) {
		return "matches in the middle of a line, where the text may come from someone else: begin it with ^ and the beginning of the line"
	}
	if wildcard(tree) {
		return "matches any text after ^, so it still matches in the middle of a line: write the beginning of the line after ^"
	}
	if m.Log == "kubelet" && !ofKubelet.MatchString(m.Pattern) {
		return `must begin with the source file that writes the line, such as ^prober\.go:, because the log is the kubelet's`
	}
	if compiled, err := syntax.Compile(tree.Simplify()); err != nil || len(compiled.Inst) > maxOwnProgram {
		return "is too large when compiled: use smaller repetitions"
	}
	return ""
}

// anchored reports whether every match of a pattern is at the beginning of the line. (?m)^ also matches after a line break.
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

// wildcard reports whether an anchored pattern may match any text after ^.
func wildcard(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if sub.Op != syntax.OpBeginText && sub.Op != syntax.OpEmptyMatch {
				return wildcard(sub)
			}
		}
		return true // ^ alone matches every line.
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

// anyText reports whether an expression matches both letters and blanks.
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

// holds reports whether a character class, given as pairs of the first and the last character of a range, contains a character.
func holds(class []rune, r rune) bool {
	for i := 0; i+1 < len(class); i += 2 {
		if class[i] <= r && r <= class[i+1] {
			return true
		}
	}
	return false
}

// wrongWitness returns the error in a witness; empty if there is none.
func wrongWitness(w OwnWitness) string {
	_, err := filepath.Match(w.Counter, "")
	below := strings.HasPrefix(w.Counter, "/sys/") || strings.HasPrefix(w.Counter, "/proc/")
	switch {
	case w.Unit != "" && w.Counter != "":
		return "has both unit and counter; remove one"
	case w.Unit != "" && !unitName.MatchString(w.Unit):
		return fmt.Sprintf("unit: %q is not a systemd service such as raid.service", w.Unit)
	case w.Counter != "" && (err != nil || !below || filepath.Clean(w.Counter) != w.Counter):
		return fmt.Sprintf("counter: %q is not a path in /sys or /proc (without . and ..), nor a pattern for such paths", w.Counter)
	}
	return ""
}

// processName is the maximum length of the name of a process, which anyone can choose (TASK_COMM_LEN of Linux minus 1).
const processName = 15

// wrongFatal returns what a fatal reason lacks, and in which field; empty if nothing.
func wrongFatal(o OwnReason) (field, why string) {
	if o.Witness == (OwnWitness{}) {
		return ".witness", "missing; a fatal reason needs a second source that is not a log: {unit: NAME.service} (systemd reports it as failed) or {counter: PATH} (a file in /sys or /proc contains a number greater than 0). Otherwise, use severity warning"
	}
	if o.Needs.Count < 2 {
		return ".needs.count", "a single line must not turn a condition False: a fatal reason needs a count of at least 2"
	}
	for i, m := range o.Matches {
		if m.Log != "kernel" {
			return fmt.Sprintf(".matches[%d].log", i), "must be kernel for a fatal reason: a workload may be able to write the lines of other logs"
		}
		if tree, err := syntax.Parse(m.Pattern, syntax.Perl); err == nil && (!opensWithText(tree) || textLength(tree) <= processName) {
			return fmt.Sprintf(".matches[%d].pattern", i), fmt.Sprintf(
				"must begin with text and contain at least %d characters besides wildcards, because the reason is fatal: anyone can choose the name of a process, which is shorter", processName+1)
		}
	}
	return "", ""
}

// opensWithText reports whether literal text follows ^.
func opensWithText(re *syntax.Regexp) bool {
	return re.Op == syntax.OpConcat && len(re.Sub) > 1 && re.Sub[1].Op == syntax.OpLiteral
}

// textLength returns the minimum number of literal characters in a match of a pattern.
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

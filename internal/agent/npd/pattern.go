package npd

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// logfmt is how lines of Docker and containerd begin (github.com/sirupsen/logrus, TextFormatter): what a rule of node-problem-detector
// takes stands somewhere in the message.
const logfmt = `^(?:time="[^"]*" )?level=[a-z]+ msg="(?:[^"\\]|\\.)*`

var ofLogrus = []string{"unit:docker.service", "unit:containerd.service"}

// anchor is a pattern as an own reason's has to be: it begins where the line begins. node-problem-detector's may begin anywhere, and
// have to end where the line ends (pkg/systemlogmonitor/log_buffer.go, CompilePattern).
func anchor(pattern, log string) (anchored string, notes, wrong []Note) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	switch {
	case pattern == "":
		return "", nil, []Note{{NoPattern, ""}}
	case err != nil:
		return "", nil, []Note{{NoPattern, err.Error()}}
	case takesLineBreak(tree):
		return "", nil, []Note{{SeveralLines, ""}}
	case tree.Op == syntax.OpAlternate:
		pattern = "(?:" + pattern + ")"
	}
	if slices.Contains(ofLogrus, log) && !strings.HasPrefix(pattern, "^") {
		return logfmt + strings.TrimPrefix(pattern, ".*"), []Note{{InMessage, ""}}, nil
	}
	if beginsAnywhere(tree) {
		return "", nil, []Note{{BeginsAnywhere, ""}}
	}
	if !strings.HasSuffix(pattern, ".*") && !strings.HasSuffix(pattern, "$") {
		pattern += "$"
	}
	if strings.HasPrefix(pattern, "^") {
		return pattern, nil, nil
	}
	return "^" + pattern, []Note{{Anchored, ""}}, nil
}

// tried holds the pattern against real lines: what node-problem-detector would take must be taken here.
func tried(theirs, ours string, lines []string, notes []Note) (_, wrong []Note) {
	before, err := regexp.Compile("(?:" + theirs + `)\z`)
	after, other := regexp.Compile(ours)
	if err != nil || other != nil {
		return notes, nil // CheckOwn says so.
	}
	for _, line := range lines {
		if !before.MatchString(line) {
			continue
		}
		if !after.MatchString(line) {
			return nil, []Note{{BeginsOtherwise, line}}
		}
		for i := range notes {
			if notes[i].About == Anchored {
				notes[i] = Note{Begins, line}
			}
		}
	}
	return notes, nil
}

// beginsAnywhere says that a pattern, or a branch of it, begins with any text: what stands before its own is not known.
func beginsAnywhere(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat, syntax.OpStar:
		if re.Op != syntax.OpConcat && (re.Sub[0].Op == syntax.OpAnyCharNotNL || re.Sub[0].Op == syntax.OpAnyChar) {
			return true
		}
		return beginsAnywhere(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, beginsAnywhere)
	}
	return false
}

// takesLineBreak says that a pattern names a line break.
func takesLineBreak(re *syntax.Regexp) bool {
	if re.Op == syntax.OpAnyChar || re.Op == syntax.OpLiteral && strings.ContainsRune(string(re.Rune), '\n') {
		return true
	}
	return slices.ContainsFunc(re.Sub, takesLineBreak)
}

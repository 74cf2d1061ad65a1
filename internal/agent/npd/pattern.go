package npd

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// logfmt matches the beginning of lines of Docker and containerd (github.com/sirupsen/logrus, TextFormatter), up to some text in the
// message: rules of node-problem-detector match anywhere in the message.
const logfmt = `^(?:time="[^"]*" )?level=[a-z]+ msg="(?:[^"\\]|\\.)*`

var ofLogrus = []string{"unit:docker.service", "unit:containerd.service"}

// anchor returns a pattern that matches from the beginning of a line, as own reasons require. Patterns of node-problem-detector may begin
// anywhere and must match up to the end of the line (pkg/systemlogmonitor/log_buffer.go, CompilePattern).
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

// tried checks that the new pattern matches all real lines that node-problem-detector's pattern matches.
func tried(theirs, ours string, lines []string, notes []Note) (_, wrong []Note) {
	before, err := regexp.Compile("(?:" + theirs + `)\z`)
	after, other := regexp.Compile(ours)
	if err != nil || other != nil {
		return notes, nil // CheckOwn reports the error.
	}
	for _, line := range lines {
		if !before.MatchString(line) {
			continue
		}
		if !after.MatchString(line) {
			return nil, []Note{{BeginsOtherwise, line}}
		}
		for i := range notes {
			if notes[i].Kind == Anchored {
				notes[i] = Note{Begins, line}
			}
		}
	}
	return notes, nil
}

// beginsAnywhere reports whether a pattern, or a branch of it, begins with a wildcard.
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

// takesLineBreak reports whether a pattern matches a line break.
func takesLineBreak(re *syntax.Regexp) bool {
	if re.Op == syntax.OpAnyChar || re.Op == syntax.OpLiteral && strings.ContainsRune(string(re.Rune), '\n') {
		return true
	}
	return slices.ContainsFunc(re.Sub, takesLineBreak)
}

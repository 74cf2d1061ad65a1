package logs

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// pattern is one of a reason's matches, compiled.
type pattern struct {
	reason reason.ID
	regexp *regexp.Regexp
	// except matches lines that are no evidence although regexp matches them; nil if there are none.
	except *regexp.Regexp
	// begins is the text that each match begins the line with; empty if there is none.
	begins string
	// literals are strings of which each match has one; nil if there are none.
	literals []string
	entity   int // the group's number, -1 if there is none
	// processNamed says that it takes lines which begin with the name of a process.
	processNamed bool
	// clears says that the lines are the end of the fault.
	clears bool
}

// ofProcess are the lines that the kernel begins with the name of a process, which any process may choose, of 15 bytes: they are
// no evidence of what the name makes of them (of Linux: arch/*/mm/fault.c, mm/oom_kill.c, mm/page_alloc.c, fs/drop_caches.c,
// kernel/exit.c, kernel/signal.c, block/blk-core.c).
var ofProcess = regexp.MustCompile(`^(?s:.{1,15}?)(?:\[\d+\]: (?:segfault at |unhandled exception: )|\[\d+\] bad frame in | invoked oom-killer: |: page allocation failure: |` +
	` \(\d+\)(?:: drop_caches: | used greatest stack depth: )|: potentially unexpected fatal signal |: rw=\d)`)

// matchResult is a reason that a line is evidence of, or evidence of the end of.
type matchResult struct {
	reason reason.ID
	entity string
	clears bool // the line says that the fault has ended
}

// patterns are those of one log.
type patterns struct {
	all []pattern
	// files are those whose lines a kubelet's patterns take; nil for other logs.
	files []string
}

// compile sorts the matches of reasons by log. That they compile at all is seen to by the catalogue's generator.
func compile(reasons []reason.Reason) map[string]patterns {
	logs := map[string]patterns{}
	for _, r := range reasons {
		if r.Severity == reason.Off {
			continue
		}
		for _, m := range r.Matches {
			of := logs[m.Log]
			of.all = append(of.all, newPattern(r.ID, m))
			if file := kubeletFile(m); file != "" && !slices.Contains(of.files, file) {
				of.files = append(of.files, file)
			}
			logs[m.Log] = of
		}
	}
	return logs
}

// kubeletFile is the file with which a pattern of the kubelet's log begins; empty of other logs.
func kubeletFile(m reason.Match) string {
	file, _, _ := strings.Cut(strings.TrimPrefix(m.Pattern, "^"), ":")
	if m.Log != kubeletLog {
		return ""
	}
	return strings.ReplaceAll(file, `\.`, ".")
}

func newPattern(id reason.ID, m reason.Match) pattern {
	p := pattern{reason: id, regexp: regexp.MustCompile(m.Pattern), processNamed: strings.HasPrefix(m.Pattern, "^(?P<entity>.+)"), clears: m.Clears}
	if m.Except != "" {
		p.except = regexp.MustCompile(m.Except)
	}
	p.entity = p.regexp.SubexpIndex("entity")
	if tree, err := syntax.Parse(m.Pattern, syntax.Perl); err == nil {
		p.begins, p.literals = literalPrefix(tree), literals(tree)
	}
	return p
}

// match returns the reasons that a line is evidence of, each once for an entity.
func (of patterns) match(text string) []matchResult {
	if of.files != nil {
		text = kubeletLine(text, of.files)
	}
	var results []matchResult
	for _, p := range of.all {
		if !p.mayMatch(text) {
			continue
		}
		if h, is := p.match(text); is && !slices.Contains(results, h) {
			results = append(results, h)
		}
	}
	return results
}

// mayMatch says whether the regular expression must be run: its literals are in the text.
func (p pattern) mayMatch(text string) bool {
	if !strings.HasPrefix(text, p.begins) {
		return false
	}
	for _, l := range p.literals {
		if strings.Contains(text, l) {
			return true
		}
	}
	return p.literals == nil
}

func (p pattern) match(text string) (matchResult, bool) {
	at := p.regexp.FindStringSubmatchIndex(text)
	if at == nil || !p.processNamed && ofProcess.MatchString(text) || p.except != nil && p.except.MatchString(text) {
		return matchResult{}, false
	}
	h := matchResult{reason: p.reason, clears: p.clears}
	if p.entity >= 0 && at[2*p.entity] >= 0 {
		h.entity = truncate(reason.OneLine(text[at[2*p.entity]:at[2*p.entity+1]]), maxEntity)
	}
	return h, true
}

// truncate shortens text to some bytes, between two characters.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

package logs

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// pattern is one line of a reason's matches.
type pattern struct {
	reason reason.ID
	regexp *regexp.Regexp
	// literals are strings of which each match has one; nil if there are none.
	literals []string
	entity   int // the group's number, -1 if there is none
}

// hit is a reason that a line is evidence of.
type hit struct {
	reason reason.ID
	entity string
}

// patterns are those of one log.
type patterns []pattern

// compile sorts the matches of reasons by log. That they compile at all is seen to by the catalogue's generator.
func compile(reasons []reason.Reason) map[string]patterns {
	logs := map[string]patterns{}
	for _, r := range reasons {
		if r.Severity == reason.Off {
			continue
		}
		for _, m := range r.Matches {
			logs[m.Log] = append(logs[m.Log], newPattern(r.ID, m.Pattern))
		}
	}
	return logs
}

func newPattern(id reason.ID, text string) pattern {
	p := pattern{reason: id, regexp: regexp.MustCompile(text)}
	p.entity = p.regexp.SubexpIndex("entity")
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil {
		p.literals = literals(tree)
	}
	return p
}

// match is every reason that a line is evidence of, each once an entity.
func (all patterns) match(text string) []hit {
	var hits []hit
	for _, p := range all {
		if !p.likely(text) {
			continue
		}
		if h, is := p.match(text); is && !slices.Contains(hits, h) {
			hits = append(hits, h)
		}
	}
	return hits
}

// likely says whether it is worth while to run the pattern.
func (p pattern) likely(text string) bool {
	for _, l := range p.literals {
		if strings.Contains(text, l) {
			return true
		}
	}
	return p.literals == nil
}

func (p pattern) match(text string) (hit, bool) {
	at := p.regexp.FindStringSubmatchIndex(text)
	if at == nil {
		return hit{}, false
	}
	h := hit{reason: p.reason}
	if p.entity >= 0 && at[2*p.entity] >= 0 {
		h.entity = clip(text[at[2*p.entity]:at[2*p.entity+1]], maxEntity)
	}
	return h, true
}

// clip shortens text to some bytes, between two characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

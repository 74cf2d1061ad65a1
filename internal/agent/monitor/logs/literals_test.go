package logs

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func TestLiterals(t *testing.T) {
	for text, want := range map[string][]string{
		`^INFO: task (?P<entity>.+):\d+ blocked for more than`: {" blocked for more than"},
		`(?:end_request: )?I/O error`:                          {"I/O error"},
		`Memory failure|memory error`:                          {"Memory failure", "memory error"},
		`^(?:ip|nf)_conntrack: table full`:                     {"_conntrack: table full"},
		`(abc)+x?`:                                             {"abc"},
		`(abc){2,3}`:                                           {"abc"},
		`(abc){0,3}`:                                           nil,
		`(?i)oops`:                                             nil,
		`(?i)12:34`:                                            {"12:34"},
		`a*|b`:                                                 nil,
		`[a-z]+\d`:                                             nil,
	} {
		tree, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, literals(tree)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// Each of the catalogue's patterns has a literal: one without would be run on every line.
func TestEveryPatternIsCheap(t *testing.T) {
	for _, r := range reason.Catalogue {
		for _, m := range r.Matches {
			if p := newPattern(r.ID, m); shortest(p.literals) < 4 {
				t.Errorf("%s: no literal of four bytes or more in %s: %q", r.ID, m.Pattern, p.literals)
			}
		}
	}
}

// expression is a random regular expression.
func expression() *rapid.Generator[string] {
	atom := rapid.SampledFrom([]string{`abc`, `a`, `B`, `.`, `\d+`, `[ab]`, `[^b]`, `x?`, `(?i)Ab`, ` `, `\[`, `あ`, `^`, `$`, `\b`, `(?P<entity>a+)`})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			parts := rapid.SliceOfN(atom, 1, 3).Draw(t, "atoms")
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				b.WriteString("(?:" + strings.Join(parts, "|") + ")")
			case 1:
				b.WriteString("(?:" + strings.Join(parts, "") + ")*")
			case 2:
				b.WriteString("(?:" + strings.Join(parts, "") + "){2,3}")
			default:
				b.WriteString(strings.Join(parts, ""))
			}
		}
		return b.String()
	}).Filter(func(text string) bool { // A name is there once.
		_, err := syntax.Parse(text, syntax.Perl)
		return err == nil
	})
}

// What the literals rule out, no pattern matches: with them and without, the same lines match.
func TestLiteralsRuleNothingOut(t *testing.T) {
	drawn, matched := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		p := newPattern("X", reason.Match{Pattern: expression().Draw(t, "pattern")})
		near := rapid.StringMatching(strings.NewReplacer(`^`, ``, `$`, ``, `\b`, ``).Replace(p.regexp.String())).Draw(t, "line")
		line := rapid.SampledFrom([]string{"", "abc ", "あ\n", "\xff"}).Draw(t, "before") + near + rapid.StringN(0, 5, -1).Draw(t, "after")
		if p.regexp.MatchString(line) {
			matched++
			if !p.mayMatch(line) {
				t.Errorf("%s matches %q, which has none of %q", p.regexp, line, p.literals)
			}
		}
	})
	// Two thirds match, of a hundred, or of twenty in a quick run: by the binomial distribution fewer than a tenth do in
	// one run of ten million.
	if matched*10 < drawn {
		t.Errorf("only %d of %d lines matched: this proves nothing", matched, drawn)
	}
}

// The same for the catalogue, on lines made of its own patterns and cut about.
func TestCatalogueWithAndWithoutLiterals(t *testing.T) {
	for log, of := range compile(reason.Catalogue) {
		of.files = nil // The line is made as the patterns have it.
		for _, made := range of.all {
			line := rapid.StringMatching(plain(made.regexp.String()))
			rapid.Check(t, func(t *rapid.T) {
				text := line.Draw(t, "line")
				from := rapid.IntRange(0, min(3, len(text))).Draw(t, "from")
				text = text[from:]
				var want []matchResult
				for _, p := range of.all {
					if h, is := p.match(text); is && !slices.Contains(want, h) {
						want = append(want, h)
					}
				}
				if diff := cmp.Diff(want, of.match(text), cmp.AllowUnexported(matchResult{})); diff != "" {
					t.Errorf("%s: %q: %s", log, text, diff)
				}
			})
		}
	}
}

// plain is a pattern without what says nothing of the text itself, which rapid cannot make.
func plain(pattern string) string { return strings.NewReplacer(`\b`, ``).Replace(pattern) }

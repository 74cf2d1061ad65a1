package output

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

func TestPage(t *testing.T) {
	say := message.English()
	for name, tc := range map[string]struct {
		colour bool
		write  func(*Page)
		want   string
	}{
		"wraps under its mark": {
			write: func(p *Page) { p.Paragraph("  1. ", "one two three four five", Plain) },
			want:  "  1. one two three\n     four five\n",
		},
		"a long word stands alone": {
			write: func(p *Page) { p.Paragraph("", "a 01234567890123456789012345 b", Plain) },
			want:  "a\n01234567890123456789012345\nb\n",
		},
		"what is not known is said once": {
			write: func(p *Page) {
				p.Gaps(say, []finding.Gap{{About: "a", Message: message.Verbatim("x")}, {About: "b", Message: message.Verbatim("x")}, {About: "c", Message: message.Verbatim("y")}})
			},
			want: "  - x\n  - y\n",
		},
		"remedies to choose from": {
			write: func(p *Page) {
				p.Remedies(say, "", []finding.Remedy{{Message: message.Verbatim("a"), Verified: true}, {Message: message.Verbatim("b")}})
			},
			want: "→ a (verified by\n  simulation)\n  or: 1 other remedy\n  (shown by -o wide)\n",
		},
		"remedies that belong together": {
			write: func(p *Page) {
				p.Remedies(say, "", []finding.Remedy{{Message: message.Verbatim("a"), Together: true}, {Message: message.Verbatim("b"), Together: true}})
			},
			want: "→ a (not simulated)\n  together with: 1\n  more change (shown\n  by -o wide)\n",
		},
		"colour": {
			colour: true,
			write:  func(p *Page) { p.Paragraph("- ", "word", Strong) },
			want:   "- \x1b[1mword\x1b[0m\n",
		},
		"what objects hold cannot steer the terminal": {
			write: func(p *Page) { p.Paragraph("", "a\x1b[2Jb\rc", Plain) },
			want:  "a^[[2Jb\\rc\n",
		},
		"nor by C1, nor turn what is read": {
			write: func(p *Page) {
				p.Paragraph("\u202e- ", "a\u009bb", Plain)
				p.Command("$ ", "t\x9bv\ntool verb")
				p.Table("", nil, [][]string{{"a\a", "\u2066b\nc"}})
			},
			want: "\\u202e- a\\u009bb\n$ t\\x9bv tool verb\na\\u0007   \\u2066b c\n",
		},
		"Japanese breaks between characters": {
			write: func(p *Page) { p.Paragraph("- ", "Pod はノードを待っています。", Plain) },
			want:  "- Pod はノードを待っ\n  ています。\n",
		},
		"a full stop does not begin a line": {
			write: func(p *Page) { p.Paragraph("", "ノードを待っています。", Plain) },
			want:  "ノードを待っていま\nす。\n",
		},
		"no space follows a full-width stop": {
			write: func(p *Page) { p.Paragraph("", "はい。 (済み)", Plain) },
			want:  "はい。(済み)\n",
		},
		"a word in katakana stays whole": {
			write: func(p *Page) { p.Paragraph("", "このボリュームをアタッチできません。", Plain) },
			want:  "このボリュームを\nアタッチできません。\n",
		},
		"a name stays whole among Japanese": {
			write: func(p *Page) { p.Paragraph("", "これは pod/redis-0-a/b です", Plain) },
			want:  "これは\npod/redis-0-a/b です\n",
		},
		"a table": {
			write: func(p *Page) {
				p.Table("  ", []string{"POD", "理由"}, [][]string{{"a", "too big"}, {"日本", "no node stands there at all"}})
			},
			want: "  POD    理由\n  a      too big\n  日本   no node stands there\n         at all\n",
		},
		"a table without room for its last column": {
			write: func(p *Page) {
				p.Table("  ", []string{"POD", "NODE", "WHY"}, [][]string{{"shop/web", "", "ok"}, {"shop/db-0", "ip-10-0-1-2.internal", "too big for it"}})
			},
			want: "  shop/web\n    WHY: ok\n  shop/db-0\n    NODE: ip-10-0-1-2.internal\n    WHY: too big for\n         it\n",
		},
		"a command breaks before flags only": {
			write: func(p *Page) { p.Command("$ ", "tool verb --name <group> --to 3") },
			want:  "$ tool verb \\\n    --name <group> \\\n    --to 3\n",
		},
		"a command does not break within quotes": {
			write: func(p *Page) { p.Command("$ ", `tool --patch '{"a":"curl --fail it'\''s --there"}' --to 3`) },
			want:  "$ tool \\\n    --patch '{\"a\":\"curl --fail it'\\''s --there\"}' \\\n    --to 3\n",
		},
		"a short command stays whole": {
			write: func(p *Page) { p.Command("$ ", "tool verb --to 3") },
			want:  "$ tool verb --to 3\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			page := NewPageOf(&out, 20, tc.colour)
			tc.write(page)
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if page.Err() != nil {
				t.Error(page.Err())
			}
		})
	}
}

func TestNoTerminalNoColour(t *testing.T) {
	var out bytes.Buffer
	NewPage(&out).Paragraph("", "word", Strong)
	if got := out.String(); got != "word\n" {
		t.Errorf("got %q", got)
	}
}

func TestPageKeepsItsFirstError(t *testing.T) {
	full := errors.New("disk full")
	page := NewPageOf(failing{full}, 20, false)
	page.Paragraph("", "word", Plain)
	page.Blank()
	if !errors.Is(page.Err(), full) {
		t.Errorf("err = %v, want %v", page.Err(), full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"plain":                           {"pod/web-0 は待機中です 👩‍👧", "pod/web-0 は待機中です 👩‍👧"},
		"lines and tabs stay":             {"a\n\tb", "a\n\tb"},
		"a sequence that clears":          {"a\x1b[2Jb\rc", `a^[[2Jb\rc`},
		"a title, ended by a bell":        {"\x1b]0;root\a", `^[]0;root\u0007`},
		"backspace, vertical tab, delete": {"a\bb\vc\x7f", `a\u0008b\u000bc\u007f`},
		"NUL":                             {"a\x00b", `a\u0000b`},
		"C1 as a character":               {"a\u009b2Jb\u0085c", `a\u009b2Jb\u0085c`},
		"C1 as a byte":                    {"a\x9b2Jb", `a\x9b2Jb`},
		"cut in the midst of a character": {"a\xe3\x81", `a\xe3\x81`},
		"a surrogate, which is no UTF-8":  {"\xed\xa0\x80", `\xed\xa0\x80`},
		"U+FFFD itself":                   {"\ufffd", "\ufffd"},
		"an override":                     {"a\u202etxt.exe", `a\u202etxt.exe`},
		"an isolate":                      {"a\u2066b\u2069c", `a\u2066b\u2069c`},
		"marks":                           {"a\u200eb\u200fc\u061cd", `a\u200eb\u200fc\u061cd`},
		"letters of the right stay":       {"שלום سلام", "שלום سلام"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Escape(tc.text); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestEscapeAll looks at every character there is.
func TestEscapeAll(t *testing.T) {
	bidirectional := "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	for r := range rune(unicode.MaxRune + 1) {
		if !utf8.ValidRune(r) || r == '\n' || r == '\t' {
			continue
		}
		harmful := r < ' ' || r >= 0x7f && r < 0xa0 || strings.ContainsRune(bidirectional, r)
		if got := Escape("a" + string(r) + "b"); strings.ContainsRune(got, r) == harmful {
			t.Errorf("%U is escaped as %q", r, got)
		}
	}
	for b := range 256 {
		if got := Escape("a" + string([]byte{byte(b)}) + "b"); !utf8.ValidString(got) {
			t.Errorf("the byte %#x is escaped as %q", b, got)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b[2J\x9b\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		got := Escape(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, isControl) {
			t.Errorf("%q is escaped as %q", text, got)
		}
		if again := Escape(got); again != got {
			t.Errorf("%q is escaped again, as %q", got, again)
		}
	})
}

func TestWriteLine(t *testing.T) {
	var out strings.Builder
	if err := WriteLine(&out, "a\nb\tc\x1b[2J"); err != nil || out.String() != "a b c^[[2J\n" {
		t.Errorf("got %q (%v)", out.String(), err)
	}
}

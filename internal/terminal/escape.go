// Package terminal prepares text for a terminal: it escapes control characters in text from elsewhere, and measures and aligns columns. It is for
// output that people read; JSON and YAML have their own escapes.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape is text with escapes for all that controls a terminal or changes the order in which characters are shown: control characters
// (C0, DEL and C1), Unicode's bidirectional controls, and bytes that are no UTF-8, which a terminal may take for C1. Each is
// shown as what it is: ^[ for an escape, \r for a carriage return, else \u202e and the like, and \x9b for a single byte. Line
// feeds and tabs stay: the caller must handle them.
//
// Source: Unicode's properties General_Category=Control and Bidi_Control; "Trojan Source", CVE-2021-42574.
func Escape(text string) string {
	if !strings.ContainsFunc(text, isControl) && utf8.ValidString(text) {
		return text
	}
	var escaped strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&escaped, `\x%02x`, text[at])
		case r == '\x1b':
			escaped.WriteString("^[")
		case r == '\r':
			escaped.WriteString(`\r`)
		case isControl(r):
			fmt.Fprintf(&escaped, `\u%04x`, r)
		default:
			escaped.WriteRune(r)
		}
		at += size
	}
	return escaped.String()
}

func isControl(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Line is text, escaped, as one line without its end.
func Line(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Escape(text))
}

// WriteLine writes text, escaped, as one line.
func WriteLine(w io.Writer, text string) error {
	_, err := io.WriteString(w, Line(text)+"\n")
	return err
}

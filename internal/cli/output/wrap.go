package output

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/naosu-dev/naosu/internal/terminal"
)

// wrap breaks text into lines of at most width cells: between words, and where Japanese allows it between characters
// (UAX #14, which also keeps closing brackets and full stops off the start of a line). What is longer has a line of its
// own: a name that is broken cannot be copied.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "。 ", "。") // A full-width stop holds its own space.
	for _, part := range parts(text) {
		if line != "" && terminal.Width(line+strings.TrimRight(part, " ")) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += part
	}
	return append(lines, strings.TrimRight(line, " "))
}

// quotedValue is a flag's value in single quotes, as commands have it where it holds spaces: broken, it cannot be pasted.
var quotedValue = regexp.MustCompile(`(?:^| )--?[a-z][a-z-]*[ =]('(?:[^']|'\\'')*')`)

// parts are what a line may not break within.
func parts(text string) []string {
	whole := quotedValue.FindAllStringSubmatchIndex(text, -1)
	at := 0 // where the segment begins
	within := func() bool {
		return slices.ContainsFunc(whole, func(span []int) bool { return span[2] < at && at < span[3] })
	}
	var parts []string
	var segment string
	rest, state := text, -1
	for rest != "" {
		segment, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		if n := len(parts); n > 0 && (within() || !mayBreak(parts[n-1], segment)) {
			parts[n-1] += segment
		} else {
			parts = append(parts, segment)
		}
		at += len(segment)
	}
	return parts
}

// mayBreak keeps names whole that UAX #14 would break at a hyphen or a slash, and words in katakana, which it would break anywhere.
func mayBreak(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	if katakana(last) && katakana(first) {
		return false
	}
	return strings.HasSuffix(before, " ") || endsWide(before) || startsWide(after)
}

func katakana(r rune) bool { return unicode.Is(unicode.Katakana, r) || r == 'ー' }

func endsWide(text string) bool {
	runes := []rune(text)
	return terminal.Width(string(runes[len(runes)-1])) == 2
}

func startsWide(text string) bool {
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return terminal.Width(first) == 2
}

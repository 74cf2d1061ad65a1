package reason

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Line is a standing reason as a node condition's message tells it. A message has a line for each, so that people read it
// with kubectl and programs with Parse:
//
//	InterfaceNotUp eth1 since 2026-11-21T17:40:12Z: link eth1 is down
type Line struct {
	Reason ID
	// Entity is what it is about; empty if that is the node itself. One with blanks is written in quotes.
	Entity string
	// Since is when the evidence began, to the second.
	Since time.Time
	// Raw is the last evidence itself, without line breaks.
	Raw string
}

// The API server bounds no node condition's message (pkg/apis/core/validation), but keeps it in the Node, which every
// kubelet and scheduler reads; an Event's note it bounds to 1024 bytes (NoteLengthLimit there). A line
// fits into either.
const (
	maxEntity  = 320  // bytes: a namespace and a pod's name, and more than a systemd unit's
	maxRaw     = 512  // bytes
	maxMessage = 4096 // bytes, some eight lines at their longest
)

// Format is the message of standing reasons. Lines that do not fit in 4 KiB are counted in a last one.
func Format(lines []Line) string {
	var b strings.Builder
	for i, l := range lines {
		line := l.String()
		if i > 0 && b.Len()+len(line) > maxMessage {
			fmt.Fprintf(&b, "\nand %d more", len(lines)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}

// String is the line as a message has it.
func (l Line) String() string {
	entity := cut(l.Entity, maxEntity)
	if strings.ContainsFunc(entity, func(r rune) bool { return r == '"' || unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		entity = strconv.Quote(entity)
	}
	if entity != "" {
		entity = " " + entity
	}
	return fmt.Sprintf("%s%s since %s: %s", l.Reason, entity, l.Since.UTC().Format(time.RFC3339), OneLine(l.Raw))
}

// Parse reads a message that Format wrote, and leaves out lines that it did not.
func Parse(message string) []Line {
	var lines []Line
	for text := range strings.SplitSeq(message, "\n") {
		if l, ok := parseLine(text); ok {
			lines = append(lines, l)
		}
	}
	return lines
}

func parseLine(text string) (Line, bool) {
	id, rest, ok := strings.Cut(text, " ")
	if !ok || id == "" {
		return Line{}, false
	}
	if l, ok := since(ID(id), "", rest); ok {
		return l, true
	}
	entity, rest, ok := cutEntity(rest)
	if !ok {
		return Line{}, false
	}
	return since(ID(id), entity, rest)
}

// since reads what comes after the entity.
func since(id ID, entity, text string) (Line, bool) {
	text, found := strings.CutPrefix(text, "since ")
	at, raw, cut := strings.Cut(text, ": ")
	if !found || !cut {
		return Line{}, false
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return Line{}, false
	}
	return Line{Reason: id, Entity: entity, Since: t.UTC(), Raw: raw}, true
}

// cutEntity takes the entity off, which is a word or quoted.
func cutEntity(text string) (entity, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return strings.Cut(text, " ")
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", false
	}
	if entity, err = strconv.Unquote(quoted); err != nil {
		return "", "", false
	}
	rest, ok = strings.CutPrefix(text[len(quoted):], " ")
	return entity, rest, ok
}

// OneLine is text on one line, of valid UTF-8, of at most 512 bytes.
func OneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return cut(text, maxRaw)
}

// cut is text of at most some bytes, whole runes of it.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const ellipsis = "…"
	end := most - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

package twin

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// note is one group of things that could not be carried over as they are.
type note struct {
	count     int
	what, why string
}

type notes []note

// add notes that so many of something differ. What is in the singular and begins with its noun.
func (n *notes) add(count int, what, why string) {
	if count > 0 {
		*n = append(*n, note{count, what, why})
	}
}

func (n note) String() string {
	if n.count == 0 {
		return n.what + ": " + n.why
	}
	return fmt.Sprintf("%d %s: %s", n.count, plural(n.count, n.what), n.why)
}

// plural puts the noun that a phrase such as "pod of another scheduler" begins with into the plural.
func plural(count int, phrase string) string {
	if count == 1 {
		return phrase
	}
	noun, rest, _ := strings.Cut(phrase, " ")
	switch {
	case strings.HasSuffix(noun, "ss"):
		noun += "es"
	case !strings.HasSuffix(noun, "s"):
		noun += "s"
	}
	if rest == "" {
		return noun
	}
	return noun + " " + rest
}

// print writes the notes as a list, those of most things first.
func (n notes) print(w io.Writer) {
	sorted := slices.Clone(n)
	slices.SortStableFunc(sorted, func(a, b note) int { return b.count - a.count })
	for _, one := range sorted {
		_, _ = fmt.Fprintln(w, "  "+one.String())
	}
}

// noteMissingKinds notes which kinds the snapshot does not have in full, so that they are not taken for absent.
func (c *contents) noteMissingKinds() {
	for _, kind := range slices.Sorted(maps.Keys(c.header.Knowledge)) {
		switch knowledge := c.header.Knowledge[kind]; knowledge {
		case "Forbidden":
			c.notes = append(c.notes, note{what: kind, why: "whoever took the snapshot was not allowed to read it"})
		case "Partial":
			c.notes = append(c.notes, note{what: kind, why: "the snapshot holds some of them only"})
		}
	}
}

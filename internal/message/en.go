package message

import (
	"fmt"
	"strings"
)

// English is naosu's first language.
func English() Printer { return Printer{&english} }

var english = languageOf("en", englishTexts)

// count is a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// verb is the form that goes with a number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func englishAnd(items []string) string { return enumerate(items, "and") }

// englishList is for items that are clauses with commas of their own.
func englishList(items []string) string { return strings.Join(items, "; ") }

func englishOr(items []string) string { return enumerate(items, "or") }

func enumerate(items []string, word string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " " + word + " " + items[n-1]
	}
}

// sequence is sentences one after another.
func sequence(sentences []string) string { return strings.Join(sentences, " ") }

// Package textutil shortens texts and finds names that are nearly alike, where the standard library does not.
package textutil

import (
	"cmp"
	"slices"
	"strings"
)

// Truncate is a text of at most so many characters: where it is longer, the last of them is an ellipsis.
func Truncate(text string, most int) string {
	if len(text) <= most { // It has no more characters than bytes.
		return text
	}
	characters := []rune(text)
	if len(characters) <= most {
		return text
	}
	return string(characters[:most-1]) + "…"
}

// maxSimilar bounds how many names are offered in place of one that does not exist.
const maxSimilar = 3

// Similar are the names that a mistyped one may have meant, at most three, the nearest first: those that differ from it in two
// characters or in a quarter of its own, and those that begin with it, such as a ReplicaSet's without its hash.
func Similar(typed string, names []string) []string {
	type guess struct {
		name     string
		distance int
	}
	var guesses []guess
	for _, name := range names {
		distance := EditDistance(typed, name)
		if strings.HasPrefix(name, typed) {
			distance = min(distance, 1)
		}
		if distance <= max(2, len(typed)/4) && distance < len(typed) {
			guesses = append(guesses, guess{name, distance})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.distance, b.distance) })
	var similar []string
	for _, g := range guesses[:min(len(guesses), maxSimilar)] {
		similar = append(similar, g.name)
	}
	return similar
}

// EditDistance is how many bytes have to be put in, left out or changed to make one text the other (Levenshtein).
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}

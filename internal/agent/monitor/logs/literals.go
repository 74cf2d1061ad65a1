package logs

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxLiterals is how many literals are still cheaper to look for than to run the pattern.
const maxLiterals = 16

// literals are strings of which every match of a pattern has at least one, or nil if there are none to name. Looking for a
// string costs a hundredth of running a regular expression, and hardly any line has one.
func literals(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		// What is no UTF-8 matches U+FFFD, and is not the same string.
		if re.Flags&syntax.FoldCase != 0 && hasLetter(re.Rune) || slices.Contains(re.Rune, utf8.RuneError) {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return literals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literals(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if found := literals(sub); found != nil && shortest(found) > shortest(best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		return literalsOfAll(re.Sub)
	}
	return nil
}

// literalPrefix is the string that every match of a pattern begins a text with, or empty if there is none to name.
func literalPrefix(re *syntax.Regexp) string {
	if re.Op != syntax.OpConcat || re.Sub[0].Op != syntax.OpBeginText || re.Sub[1].Op != syntax.OpLiteral || literals(re.Sub[1]) == nil {
		return ""
	}
	return string(re.Sub[1].Rune)
}

// literalsOfAll are the literals of all of some patterns, if each has any.
func literalsOfAll(subs []*syntax.Regexp) []string {
	var all []string
	for _, sub := range subs {
		found := literals(sub)
		if found == nil || len(all)+len(found) > maxLiterals {
			return nil
		}
		all = append(all, found...)
	}
	return all
}

func hasLetter(runes []rune) bool {
	return slices.ContainsFunc(runes, func(r rune) bool { return unicode.SimpleFold(r) != r })
}

// shortest is the length of the shortest: the literal that says least.
func shortest(all []string) int {
	least := 0
	for i, s := range all {
		if i == 0 || len(s) < least {
			least = len(s)
		}
	}
	return least
}

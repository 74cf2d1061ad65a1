package anonymous

import (
	"regexp"
	"strings"
	"unicode"
)

var kubernetesWordSet = setOf(kubernetesWords)

// phrase is a word, or several that nothing but punctuation joins, as it does in names, paths and addresses.
var phrase = regexp.MustCompile(`[\pL\pM\pN]+(?:[-._/:@^+=~]+[\pL\pM\pN]+)*`)

// quantity matches an amount or a duration, which are kept.
var quantity = regexp.MustCompile(`^(?:\d+(?:[munkKMGTPEshdx]|[KMGTPE]i|ms|us|ns|min|st|nd|rd|th))+$`)

// timestamp matches a time in RFC 3339. Times are kept, as in fields of their own.
var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$`)

// sentence replaces the words of a sentence that are not of Kubernetes' own messages. One that is a name as well is kept if it stands alone,
// so that the sentence can be understood.
func (t *tokens) sentence(s string) string {
	return phrase.ReplaceAllStringFunc(s, func(phrase string) string {
		if address, ok := t.addresses.whole(phrase); ok {
			return address
		}
		if timestamp.MatchString(phrase) {
			return phrase
		}
		parts := part.FindAllString(phrase, -1)
		for _, word := range parts {
			isName := len(parts) > 1 && t.seen[word] && !t.kept[word]
			if isName || !t.isKubernetesWord(word) {
				return t.name(phrase)
			}
		}
		return phrase
	})
}

func (t *tokens) isKubernetesWord(word string) bool {
	return t.kept[word] || kubernetesWordSet[strings.ToLower(word)] || isNumber(word) && !strings.ContainsAny(word, ".-") || quantity.MatchString(word) ||
		t.isTerm(word)
}

// isTerm says whether a word in camel case, as reasons and types of conditions are, consists of Kubernetes' words.
func (t *tokens) isTerm(term string) bool {
	for _, word := range camelWords(term) {
		if !kubernetesWordSet[strings.ToLower(word)] && !t.kept[strings.ToLower(word)] {
			return false
		}
	}
	return true
}

// camelWords splits before a capital that follows a small letter, and before the last of several capitals that a small
// letter follows: "OOMKilled" is "OOM" and "Killed".
func camelWords(term string) []string {
	var words []string
	runes, from := []rune(term), 0
	for i := 1; i < len(runes); i++ {
		afterSmall := unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1])
		beforeSmall := unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if afterSmall || beforeSmall {
			words, from = append(words, string(runes[from:i])), i
		}
	}
	return append(words, string(runes[from:]))
}

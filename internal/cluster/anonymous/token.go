package anonymous

import (
	"crypto/hmac"
	"crypto/sha256"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"strings"
	"unicode"
)

// tokens replaces parts of names: equal parts by equal ones, and different ones by different ones.
type tokens struct {
	key       []byte
	addresses *addresses
	// kept are the parts that are not replaced, and seen all parts of the names that were learned.
	kept, seen map[string]bool
	by         map[string]string
	used       map[string]bool
	// names caches replaced names: many are in thousands of objects.
	names map[string]string
}

func newTokens(key []byte) *tokens {
	return &tokens{
		key: key, addresses: &addresses{key: key, by: map[netip.Addr]netip.Addr{}}, kept: setOf(commonParts),
		seen: map[string]bool{}, by: map[string]string{}, used: map[string]bool{}, names: map[string]string{},
	}
}

// part matches the parts of names: addresses, also as they are in names of nodes and pods, and runs of letters and digits.
var part = regexp.MustCompile(`\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:\d{1,3}-){3}\d{1,3}\b|[\pL\pM\pN]+`)

// keep keeps the parts of a string, wherever they are.
func (t *tokens) keep(s string) {
	for _, word := range part.FindAllString(s, -1) {
		t.kept[word] = true
	}
}

// record adds the parts of a name to those that were seen.
func (t *tokens) record(s string) {
	if t.names[s] != "" {
		return
	}
	t.names[s] = s // It is replaced once every name was seen.
	for _, word := range part.FindAllString(s, -1) {
		t.seen[word] = true
	}
}

// freeze ends learning.
func (t *tokens) freeze() { clear(t.names) }

// name replaces every part of a name.
func (t *tokens) name(s string) string {
	replaced, ok := t.names[s]
	if ok {
		return replaced
	}
	if replaced, ok = t.addresses.whole(s); !ok {
		replaced = part.ReplaceAllStringFunc(s, t.part)
	}
	t.names[s] = replaced
	return replaced
}

func (t *tokens) part(word string) string {
	if strings.ContainsAny(word, ".-") {
		if address, ok := t.addresses.whole(strings.ReplaceAll(word, "-", ".")); ok && strings.Contains(word, "-") {
			return strings.ReplaceAll(address, ".", "-")
		} else if ok {
			return address
		}
	}
	if t.kept[word] || isNumber(word) {
		return word
	}
	token, ok := t.by[word]
	for attempt := 0; !ok; attempt++ {
		token = t.make(word, attempt)
		ok = !t.used[token] && !t.kept[token] && !t.seen[token]
	}
	t.by[word], t.used[token] = token, true
	return token
}

// isNumber says whether a word is an ordinal, a port or the like, or several with dots or dashes between them. Longer
// ones are account numbers and such.
func isNumber(word string) bool {
	const longest = 5
	digits := 0
	for _, r := range word {
		switch {
		case r == '.' || r == '-':
			digits = 0
		case r < '0' || r > '9' || digits == longest:
			return false
		default:
			digits++
		}
	}
	return true
}

// generated are the letters and digits of generated names (k8s.io/apimachinery/pkg/util/rand), five of which are the suffix of generateName: by it
// a pod is recognised as one of a workload's.
const generated = "bcdfghjklmnpqrstvwxz2456789"

const (
	consonants = "bdfgklmnprstvz"
	vowels     = "aeiou"
	hex        = "0123456789abcdef"
)

// make generates a word of the same length, with letters and digits in the same places. Each attempt returns another, and a longer one if there
// are no more of that length.
func (t *tokens) make(word string, attempt int) string {
	mac := hmac.New(sha256.New, t.key)
	mac.Write(append([]byte(word), 0, byte(attempt>>8), byte(attempt)))
	random := rand.New(rand.NewChaCha8([32]byte(mac.Sum(nil))))
	pick := func(from string) rune { return rune(from[random.IntN(len(from))]) }
	isHex := len(word) >= 4 && strings.Trim(word, hex) == "" && strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, unicode.IsLetter)
	isGenerated := len(word) == 5 && strings.Trim(word, generated) == ""
	var made strings.Builder
	for i, r := range []rune(word + strings.Repeat("a", attempt/8)) {
		var c rune
		switch {
		case isGenerated:
			c = pick(generated)
		case unicode.IsDigit(r) && (!isHex || i == 0):
			c = pick("0123456789")
		case isHex && i > 0:
			c = pick(hex)
		case isHex:
			c = pick("abcdef")
		case i%2 == 0:
			c = pick(consonants)
		default:
			c = pick(vowels)
		}
		if unicode.IsUpper(r) {
			c = unicode.ToUpper(c)
		}
		made.WriteRune(c)
	}
	return made.String()
}

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

// tokens replaces parts of names, the same by the same, and different ones by different ones.
type tokens struct {
	key       []byte
	addresses *addresses
	// kept are the parts that stay, and seen all that names have, as far as objects were looked at.
	kept, seen map[string]bool
	by         map[string]string
	used       map[string]bool
	// names are those that were replaced: many stand in thousands of objects.
	names map[string]string
}

func newTokens(key []byte) *tokens {
	return &tokens{
		key: key, addresses: &addresses{key: key, by: map[netip.Addr]netip.Addr{}}, kept: setOf(named),
		seen: map[string]bool{}, by: map[string]string{}, used: map[string]bool{}, names: map[string]string{},
	}
}

// part is what tells one name from another: an address, also as nodes and pods have it in their names, or a run of letters
// and digits.
var part = regexp.MustCompile(`\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:\d{1,3}-){3}\d{1,3}\b|[\pL\pM\pN]+`)

// keep leaves the parts of a string as they are, wherever they stand.
func (t *tokens) keep(s string) {
	for _, word := range part.FindAllString(s, -1) {
		t.kept[word] = true
	}
}

// see notes the parts of a name.
func (t *tokens) see(s string) {
	if t.names[s] != "" {
		return
	}
	t.names[s] = s // It is replaced once every name was seen.
	for _, word := range part.FindAllString(s, -1) {
		t.seen[word] = true
	}
}

// allSeen ends the looking.
func (t *tokens) allSeen() { clear(t.names) }

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

// generated are the letters and digits that Kubernetes makes names of (k8s.io/apimachinery/pkg/util/rand), five where the
// API server puts them behind a name: by these a pod is known for one of a workload's.
const generated = "bcdfghjklmnpqrstvwxz2456789"

const (
	consonants = "bdfgklmnprstvz"
	vowels     = "aeiou"
	hex        = "0123456789abcdef"
)

// make makes up a word of the same length, of letters where there are letters and digits where there are digits. Each
// attempt gives another, and a longer one once the short ones run out.
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

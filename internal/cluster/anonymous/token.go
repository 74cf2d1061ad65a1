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
	key  []byte
	by   map[string]string
	used map[string]bool
	kept map[string]bool
	// addresses are those that were replaced: it takes a while.
	addresses map[netip.Addr]netip.Addr
}

func newTokens(key []byte) *tokens {
	t := &tokens{key: key, by: map[string]string{}, used: map[string]bool{}, kept: map[string]bool{}, addresses: map[netip.Addr]netip.Addr{}}
	for _, word := range strings.Fields(vocabulary) {
		t.kept[word] = true
	}
	return t
}

// part is what tells one name from another: an address, also as nodes of AWS have it in their names, or a run of letters
// and digits.
var part = regexp.MustCompile(`\b(?:\d{1,3}\.){3}\d{1,3}\b|\bip-(?:\d{1,3}-){3}\d{1,3}\b|[\pL\pN]+`)

// keep leaves the parts of a string as they are, wherever they stand.
func (t *tokens) keep(s string) {
	for _, word := range part.FindAllString(s, -1) {
		t.kept[word] = true
	}
}

// name replaces every part of a name.
func (t *tokens) name(s string) string {
	if address, ok := t.whole(s); ok {
		return address
	}
	return part.ReplaceAllStringFunc(s, t.replace)
}

// text replaces the parts of a sentence that are names elsewhere, or look like an ID.
func (t *tokens) text(s string) string {
	return part.ReplaceAllStringFunc(s, func(word string) string {
		if _, named := t.by[word]; named || strings.ContainsAny(word, ".-") || looksLikeID(word) {
			return t.replace(word)
		}
		return word
	})
}

// looksLikeID says whether a word is a mixture of letters and digits, or long digits: 5m30s and 128Mi are too short.
func looksLikeID(word string) bool {
	const long = 8
	return len(word) >= long && strings.ContainsFunc(word, unicode.IsDigit)
}

func (t *tokens) replace(word string) string {
	if dashed, ok := strings.CutPrefix(word, "ip-"); ok {
		if address, ok := t.whole(strings.ReplaceAll(dashed, "-", ".")); ok {
			return "ip-" + strings.ReplaceAll(address, ".", "-")
		}
	}
	if address, ok := t.whole(word); ok {
		return address
	}
	if t.kept[word] || isNumber(word) {
		return word
	}
	token, ok := t.by[word]
	for attempt := 0; !ok; attempt++ {
		token = t.make(word, attempt)
		ok = !t.used[token] && !t.kept[token] && token != word
	}
	t.by[word], t.used[token] = token, true
	return token
}

// isNumber says whether a word is an ordinal, a port or the like. Longer ones are account numbers and such.
func isNumber(word string) bool {
	const longest = 5
	return len(word) <= longest && !strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
}

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
	var made strings.Builder
	isHex := len(word) >= 4 && strings.Trim(word, hex) == "" && strings.ContainsFunc(word, unicode.IsDigit)
	for i, r := range word + strings.Repeat("a", attempt/8) {
		var c rune
		switch {
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

// whole replaces a string that is an address, or a network in CIDR notation.
func (t *tokens) whole(s string) (string, bool) {
	if !strings.ContainsAny(s, ".:") {
		return "", false
	}
	if address, err := netip.ParseAddr(s); err == nil {
		return t.address(address).String(), true
	}
	if network, err := netip.ParsePrefix(s); err == nil {
		return netip.PrefixFrom(t.address(network.Addr()), network.Bits()).Masked().String(), true
	}
	return "", false
}

// address replaces an address. Whether a bit is turned over depends on the bits before it: two addresses have as long a
// prefix in common as they had.
//
// Source: Xu, Fan, Ammar, Moon, Prefix-preserving IP address anonymization, ICNP 2002.
func (t *tokens) address(a netip.Addr) netip.Addr {
	if a.IsLoopback() || a.IsUnspecified() {
		return a
	}
	if known, ok := t.addresses[a]; ok {
		return known
	}
	original, replaced := a.AsSlice(), a.AsSlice()
	for i := range 8 * len(original) {
		prefix := make([]byte, len(original)+1)
		copy(prefix, original[:i/8])
		prefix[i/8] = original[i/8] &^ (0xff >> (i % 8))
		prefix[len(original)] = byte(i)
		mac := hmac.New(sha256.New, t.key)
		mac.Write(prefix)
		replaced[i/8] ^= (mac.Sum(nil)[0] & 1) << (7 - i%8)
	}
	made, _ := netip.AddrFromSlice(replaced) // It is as long as the original.
	t.addresses[a] = made
	return made
}

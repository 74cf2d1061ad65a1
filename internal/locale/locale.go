// Package locale tells which of naosu's languages the environment asks for.
package locale

import (
	"cmp"
	"strings"
)

// The languages that naosu answers in, as ISO 639-1 codes.
const (
	English  = "en"
	Japanese = "ja"
)

// Languages are all of them, the default first.
var Languages = []string{English, Japanese}

// Language is the language of the locale that env, such as os.Getenv, has; English if naosu does not answer in that one. As POSIX has it,
// LC_ALL goes before LC_MESSAGES, and that before LANG.
func Language(env func(string) string) string {
	locale := cmp.Or(env("LC_ALL"), env("LC_MESSAGES"), env("LANG"))
	if end := strings.IndexAny(locale, "_.@"); end >= 0 {
		locale = locale[:end]
	}
	if locale == Japanese {
		return Japanese
	}
	return English
}

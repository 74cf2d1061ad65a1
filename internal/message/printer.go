package message

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// ID names a sentence, the same in every language.
type ID string

// Printer says sentences in one language. The zero Printer says nothing but IDs; get one from a language's function.
type Printer struct{ language *language }

// language is what naosu speaks.
type language struct {
	name  string                    // As --lang takes it.
	texts func() map[ID]func(*text) // What says each sentence.
}

// compiled is a sentence and what says it. Unlike a map of functions, a slice of them is data to the compiler, and no code
// that fills it at each start.
type compiled struct {
	id ID
	// args are the names of its values.
	args []string
	say  func(*text)
}

// namesOf are the names of each sentence's values.
var namesOf = sync.OnceValue(func() map[ID][]string {
	names := make(map[ID][]string, len(englishTexts))
	for _, s := range englishTexts {
		names[s.id] = s.args
	}
	return names
})

func languageOf(name string, sentences []compiled) language {
	return language{name, sync.OnceValue(func() map[ID]func(*text) {
		texts := make(map[ID]func(*text), len(sentences))
		for _, s := range sentences {
			texts[s.id] = s.say
		}
		return texts
	})}
}

// Say is the Sentence in the Printer's language; empty for the zero Sentence.
func (p Printer) Say(s Sentence) string {
	if s.IsZero() {
		return ""
	}
	return p.text(s.ID, s.Args)
}

// text is a sentence in the Printer's language. One that is missing, or lacks a value, is said as its ID and values: at the
// worst moment a clumsy answer is better than none. Tests see to it that it does not happen.
func (p Printer) text(id ID, args Args) string {
	if say := p.say(id); say != nil {
		t := text{printer: p, args: args}
		say(&t)
		if !t.failed {
			return t.said.String()
		}
	}
	return fallback(id, args)
}

// Value is the text of a sentence's value in the Printer's language; false if there is none.
func (p Printer) Value(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case Sentence:
		return p.Say(v), true
	case Translated:
		return v.In(p.Language()), true
	case error:
		return v.Error(), true
	case fmt.Stringer:
		return v.String(), true
	case nil:
		return "", false
	}
	return fmt.Sprint(reflect.Indirect(reflect.ValueOf(value))), true
}

func (p Printer) say(id ID) func(*text) {
	if p.language == nil {
		return nil
	}
	return p.language.texts()[id]
}

// Language is the name of the Printer's language, as --lang takes it.
func (p Printer) Language() string {
	if p.language == nil {
		return "en"
	}
	return p.language.name
}

func fallback(id ID, args Args) string {
	words := []string{string(id)}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		words = append(words, fmt.Sprintf("%s=%v", name, args[name]))
	}
	return strings.Join(words, " ")
}

// sentences are those of one area, as templates of text/template over Args. They are compiled (generate/): the program
// does not hold them.
type sentences map[ID]string

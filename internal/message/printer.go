package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// ID names a sentence, the same in every language.
type ID string

// Args are the values of a sentence, by the names its catalogue entry uses.
type Args map[string]any

// Sentence is something to say, not yet in a language.
type Sentence struct {
	ID   ID
	Args Args
}

// Of makes a Sentence.
func Of(id ID, args Args) Sentence { return Sentence{ID: id, Args: args} }

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
	id  ID
	say func(*text)
}

func languageOf(name string, sentences []compiled) language {
	return language{name, sync.OnceValue(func() map[ID]func(*text) {
		texts := make(map[ID]func(*text), len(sentences))
		for _, s := range sentences {
			texts[s.id] = s.say
		}
		return texts
	})}
}

// Text is the sentence in the Printer's language. A sentence that is missing, or lacks a value, is said as its ID and
// values: at the worst moment a clumsy answer is better than none. Tests see to it that it does not happen.
func (p Printer) Text(id ID, args Args) string {
	if say := p.say(id); say != nil {
		t := text{args: args}
		say(&t)
		if !t.failed {
			return t.said.String()
		}
	}
	return fallback(id, args)
}

// Say is the Sentence in the Printer's language.
func (p Printer) Say(s Sentence) string { return p.Text(s.ID, s.Args) }

// Has says whether the language has a sentence.
func (p Printer) Has(id ID) bool { return p.say(id) != nil }

func (p Printer) say(id ID) func(*text) {
	if p.language == nil {
		return nil
	}
	return p.language.texts()[id]
}

// Language is the name of the Printer's language, as --lang takes it.
func (p Printer) Language() string {
	if p.language == nil {
		return english.name
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

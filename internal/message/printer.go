package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
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
type Printer struct{ catalogue *template.Template }

// Text is the sentence in the Printer's language. A sentence that is missing, or lacks a value, is said as its ID and
// values: at the worst moment a clumsy answer is better than none. Tests see to it that it does not happen.
func (p Printer) Text(id ID, args Args) string {
	if p.catalogue != nil {
		var said strings.Builder
		if err := p.catalogue.ExecuteTemplate(&said, string(id), args); err == nil {
			return said.String()
		}
	}
	return fallback(id, args)
}

// Say is the Sentence in the Printer's language.
func (p Printer) Say(s Sentence) string { return p.Text(s.ID, s.Args) }

// Has says whether the language has a sentence.
func (p Printer) Has(id ID) bool { return p.catalogue != nil && p.catalogue.Lookup(string(id)) != nil }

func fallback(id ID, args Args) string {
	words := []string{string(id)}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		words = append(words, fmt.Sprintf("%s=%v", name, args[name]))
	}
	return strings.Join(words, " ")
}

// sentences are those of one area, as templates of text/template over Args.
type sentences map[ID]string

// compile makes a catalogue of a language's sentences and its grammar. It panics on a sentence that does not parse or is
// there twice, which no test and no program can miss.
func compile(grammar template.FuncMap, areas ...sentences) *template.Template {
	root := template.New("").Funcs(grammar).Option("missingkey=error")
	for _, area := range areas {
		for id, sentence := range area {
			if root.Lookup(string(id)) != nil {
				panic("message: two sentences for " + id)
			}
			template.Must(root.New(string(id)).Parse(sentence))
		}
	}
	return root
}

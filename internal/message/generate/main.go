// Command generate compiles the sentences of internal/message to Go functions, one file for each language. Interpreted as
// templates, they would be slower, and since templates call methods by name, the linker would have to keep every
// exported method of every type that the program links.
package main

import (
	"fmt"
	"os"
)

// languages are those that naosu speaks, by the prefix of their variables and with the functions of their grammar.
var languages = []language{
	{name: "english", files: "en*.go", out: "zz_generated.en.go", grammar: map[string]function{
		"and":      {"englishAnd", []string{items}},
		"count":    {"count", []string{number, value, value}},
		"list":     {"englishList", []string{items}},
		"or":       {"englishOr", []string{items}},
		"sequence": {"sequence", []string{items}},
		"verb":     {"verb", []string{number, value, value}},
	}},
	{name: "japanese", files: "ja*.go", out: "zz_generated.ja.go", grammar: map[string]function{
		"and":      {"japaneseAnd", []string{items}},
		"list":     {"japaneseAnd", []string{items}},
		"or":       {"japaneseOr", []string{items}},
		"sequence": {"sequence", []string{items}},
		"span":     {"span", []string{words}},
	}},
}

type language struct {
	name, files, out string
	grammar          map[string]function
}

// function is one of Go that a sentence calls by another name, and what it takes.
type function struct {
	name  string
	takes []string
}

// What functions take, as the methods of text are called that give it.
const (
	value  = "value"
	words  = "words"
	number = "number"
	items  = "items"
)

func main() {
	for _, l := range languages {
		source, err := l.generate(".")
		write(l.out, source, err)
	}
	source, err := constructors(languages, ".")
	write("sentence/zz_generated.go", source, err)
}

func write(path string, source []byte, err error) {
	if err == nil {
		err = os.WriteFile(path, source, 0o644)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "compiling the sentences: %s: %v\n", path, err)
		os.Exit(1)
	}
}

package message

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"
	"time"
)

// TestCompiled holds each sentence's function against its template, with values of all kinds and with some missing.
func TestCompiled(t *testing.T) {
	for _, tc := range []struct {
		printer Printer
		grammar template.FuncMap
		areas   []sentences
	}{
		{English(), englishGrammar, englishSentences},
		{Japanese(), japaneseGrammar, japaneseSentences},
	} {
		catalogue, texts := flat(tc.areas), tc.printer.language.texts()
		if len(texts) != len(catalogue) {
			t.Errorf("%s: %d sentences are compiled and %d written; run go generate ./internal/message", tc.printer.Language(), len(texts), len(catalogue))
		}
		said := 0
		for id, sentence := range catalogue {
			interpreted := template.Must(template.New("").Funcs(tc.grammar).Option("missingkey=error").Parse(sentence))
			needs := needsOf(interpreted)
			for seed := range uint64(100) {
				args := needs.draw(rand.New(rand.NewPCG(seed, 0)))
				want, err := interpret(interpreted, args)
				if err != nil {
					want = fallback(id, args)
				} else {
					said++
				}
				if got := tc.printer.text(id, args); got != want {
					t.Errorf("%s: %s with %v:\n got %q\nwant %q; run go generate ./internal/message", tc.printer.Language(), id, args, got, want)
					break
				}
			}
		}
		if said < 50*len(catalogue) {
			t.Errorf("%s: %d sentences were said %d times in all, since values were missing", tc.printer.Language(), len(catalogue), said)
		}
	}
}

func interpret(sentence *template.Template, args Args) (string, error) {
	var said strings.Builder
	err := sentence.Execute(&said, args)
	return said.String(), err
}

// needs is which values a sentence has, which of them must be numbers, lists or structs, and the literals that
// it compares some with.
type needs struct {
	names                   []string
	numbers, lists, fielded map[string]bool
	literals                []any
}

type object struct{ Name, Namespace string }

func (o object) String() string { return "kind/" + o.Name }

func (n *needs) draw(chance *rand.Rand) Args {
	args := Args{}
	for _, name := range n.names {
		if chance.IntN(50) == 0 {
			continue
		}
		choices := n.choices(name)
		args[name] = choices[chance.IntN(len(choices))]
	}
	return args
}

func (n *needs) choices(name string) []any {
	objects := []any{object{}, object{Name: "a"}, object{Name: "b", Namespace: "c"}}
	numbers := []any{0, 1, 2, 7}
	switch {
	case n.lists[name]:
		return []any{[]string(nil), []string{}, []string{"a"}, []string{"a", "<b>"}, []string{"a", "b", "c"}}
	case n.fielded[name]:
		return objects
	case n.numbers[name]:
		return numbers
	}
	texts := []any{"", "a", "{{.}}", "5m40s", "0", errors.New("it broke"), time.Minute, true, false, int32(3)}
	return slices.Concat(texts, numbers, objects, n.literals)
}

func needsOf(interpreted *template.Template) *needs {
	n := newNeeds()
	n.walk(interpreted.Root)
	return n
}

func newNeeds() *needs {
	return &needs{numbers: map[string]bool{}, lists: map[string]bool{}, fielded: map[string]bool{}}
}

func (n *needs) walk(node parse.Node) {
	switch node := node.(type) {
	case *parse.ListNode:
		if node == nil {
			return
		}
		for _, child := range node.Nodes {
			n.walk(child)
		}
	case *parse.ActionNode:
		n.walk(node.Pipe)
	case *parse.PipeNode:
		for _, command := range node.Cmds {
			n.call(command)
		}
	case *parse.IfNode:
		n.branch(&node.BranchNode)
	case *parse.RangeNode:
		name := node.Pipe.Cmds[0].Args[0].(*parse.FieldNode).Ident[0]
		n.walk(node.Pipe)
		n.lists[name] = true
	case *parse.WithNode:
		n.branch(&node.BranchNode)
	case *parse.StringNode:
		n.literals = append(n.literals, node.Text)
	case *parse.FieldNode:
		if name := node.Ident[0]; !slices.Contains(n.names, name) {
			n.names = append(n.names, name)
		}
		if len(node.Ident) > 1 {
			n.fielded[node.Ident[0]] = true
		}
	}
}

func (n *needs) branch(b *parse.BranchNode) {
	n.walk(b.Pipe)
	n.walk(b.List)
	n.walk(b.ElseList)
}

func (n *needs) call(command *parse.CommandNode) {
	if name, ok := command.Args[0].(*parse.IdentifierNode); ok {
		switch name.Ident {
		case "and", "or", "list", "sequence", "len":
			need(n.lists, command.Args[1])
		case "count", "verb", "lt", "gt":
			need(n.numbers, command.Args[1])
		}
	}
	for _, arg := range command.Args {
		n.walk(arg)
	}
}

func need(kind map[string]bool, node parse.Node) {
	if field, ok := node.(*parse.FieldNode); ok {
		kind[field.Ident[0]] = true
	}
}

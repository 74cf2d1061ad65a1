package message

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"
)

var languages = map[string][]sentences{"English": englishSentences, "Japanese": japaneseSentences}

// TestComplete reads the IDs from the code: each has a sentence in each language, and no sentence is left over. The texts
// of commands and flags are asked for by their paths, so that each language is to have those of the other.
func TestComplete(t *testing.T) {
	declared := map[ID]bool{}
	for _, id := range declaredIDs(t) {
		declared[id] = true
	}
	for _, areas := range languages {
		for id := range flat(areas) {
			if strings.Contains(string(id), "/") {
				declared[id] = true
			}
		}
	}
	for language, areas := range languages {
		said := flat(areas)
		for id := range declared {
			if _, ok := said[id]; !ok {
				t.Errorf("%s lacks %s", language, id)
			}
		}
		for id := range said {
			if !declared[id] {
				t.Errorf("%s has %s, which nothing asks for", language, id)
			}
		}
	}
}

// TestTranslationsSayTheSame finds a translation that has fallen behind: one that asks for a value that the English does
// not have, or leaves out one that the English prints.
func TestTranslationsSayTheSame(t *testing.T) {
	translated := flat(japaneseSentences)
	for id, english := range flat(englishSentences) {
		want, got := valuesOf(t, englishGrammar, english), valuesOf(t, japaneseGrammar, translated[id])
		for value := range got {
			if _, ok := want[value]; !ok {
				t.Errorf("%s: the Japanese asks for %s, which the English does not have", id, value)
			}
		}
		for value, printed := range want {
			if _, ok := got[value]; printed && !ok {
				t.Errorf("%s: the Japanese leaves out %s", id, value)
			}
		}
	}
}

func flat(areas []sentences) sentences {
	all := sentences{}
	for _, area := range areas {
		maps.Copy(all, area)
	}
	return all
}

// chooses are the functions of the English grammar that only choose words by a value.
var chooses = map[string]bool{"verb": true, "if": true, "len": true, "eq": true, "not": true, "gt": true, "lt": true}

// valuesOf are the values that a sentence asks for; true for those it prints rather than chooses words by.
func valuesOf(t *testing.T, grammar template.FuncMap, sentence string) map[string]bool {
	t.Helper()
	values := map[string]bool{}
	parsed, err := template.New("").Funcs(grammar).Parse(sentence)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(node parse.Node, prints bool)
	pipe := func(p *parse.PipeNode, prints bool) {
		for _, command := range p.Cmds {
			if name, ok := command.Args[0].(*parse.IdentifierNode); ok && chooses[name.Ident] {
				prints = false
			}
			for _, arg := range command.Args {
				walk(arg, prints)
			}
		}
	}
	branch := func(b *parse.BranchNode) {
		pipe(b.Pipe, false)
		walk(b.List, true)
		if b.ElseList != nil {
			walk(b.ElseList, true)
		}
	}
	walk = func(node parse.Node, prints bool) {
		switch n := node.(type) {
		case *parse.ListNode:
			for _, child := range n.Nodes {
				walk(child, prints)
			}
		case *parse.ActionNode:
			pipe(n.Pipe, prints)
		case *parse.PipeNode:
			pipe(n, prints)
		case *parse.IfNode:
			branch(&n.BranchNode)
		case *parse.RangeNode:
			branch(&n.BranchNode)
		case *parse.WithNode:
			branch(&n.BranchNode)
		case *parse.FieldNode:
			values[n.Ident[0]] = values[n.Ident[0]] || prints
		}
	}
	walk(parsed.Root, true)
	return values
}

func declaredIDs(t *testing.T) []ID {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var ids []ID
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if value, ok := n.(*ast.ValueSpec); ok && isID(value) {
				literal, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, ID(literal))
			}
			return true
		})
	}
	if len(ids) == 0 {
		t.Fatal("the package declares no ID")
	}
	return ids
}

func isID(value *ast.ValueSpec) bool {
	kind, ok := value.Type.(*ast.Ident)
	return ok && kind.Name == "ID" && len(value.Values) == 1
}

func TestText(t *testing.T) {
	for name, tc := range map[string]struct {
		id   ID
		args Args
		want string
	}{
		"one": {
			CauseGroup,
			Args{"total": 3, "suited": 1, "groups": []string{"group/a"}, "excluded": []string(nil)},
			"Of 3 node groups, 1 suits the pod: group/a.",
		},
		"several": {
			CauseGroup,
			Args{"total": 5, "suited": 3, "groups": []string{"a", "b", "c"}, "excluded": []string{"2 out"}},
			"Of 5 node groups, 3 suit the pod (2 out): a, b and c.",
		},
		"a choice":            {CauseNoNode, Args{"zones": []string{"1a", "1b"}}, "Nodes in 1a or 1b: none."},
		"a value is missing":  {PodRunning, Args{"pod": "pod/x"}, "PodRunning pod=pod/x"},
		"nobody wrote it":     {"Unwritten", Args{"b": 2, "a": 1}, "Unwritten a=1 b=2"},
		"values are not code": {PodFinished, Args{"pod": "{{.}}<b>"}, "{{.}}<b> has completed."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := English().text(tc.id, tc.args); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	for length, want := range map[string]string{"5m40s": "5 分 40 秒", "2y30d": "2 年 30 日", "3h": "3 時間", "<invalid>": "<invalid>", "": ""} {
		if got := span(length); got != want {
			t.Errorf("span(%q) = %q, want %q", length, got, want)
		}
	}
}

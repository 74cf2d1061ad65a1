package message

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"
)

// TestCallsGiveTheValues finds calls, of any function, that name a sentence and beside it give a value that the sentence
// does not have, and of those that make the sentence the ones that lack a value that it always needs.
func TestCallsGiveTheValues(t *testing.T) {
	wants := map[string]want{}
	for id, sentence := range flat(englishSentences) {
		wants[string(id)] = wantOf(template.Must(template.New("").Funcs(englishGrammar).Parse(sentence)))
	}
	seen := 0
	for _, folder := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok {
					for _, wrong := range wrongValues(call, wants) {
						t.Errorf("%s: %s", files.Position(call.Pos()), wrong)
					}
					if _, _, ok := sentenceOf(call); ok {
						seen++
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 200 {
		t.Errorf("only %d calls that name a sentence were found", seen)
	}
}

func TestWrongValues(t *testing.T) {
	wants := map[string]want{"Moved": wantOf(template.Must(template.New("").Parse("{{.pod}} moved{{if .from}} from {{.from}}{{if .to}} to {{.to}}{{end}}{{end}}.")))}
	for source, expected := range map[string][]string{
		`message.Of(message.Moved, message.Args{"pod": p, "from": f, "to": n})`: nil,
		`message.Of(message.Moved, message.Args{"pod": p, "from": f})`:          nil,
		`message.Of(message.Moved, message.Args{"pod": p})`:                     {"Moved needs from"},
		`say.Text(message.Moved, nil)`:                                          {"Moved needs pod", "Moved needs from"},
		`say.Text(message.Moved, message.Args{"pods": p, "from": f})`:           {"Moved has no pods", "Moved needs pod"},
		`s.add(ref, message.Moved, message.Args{"form": f})`:                    {"Moved has no form"},
		`message.Of(message.Moved, args)`:                                       nil,
		`message.Of(id, message.Args{"form": f})`:                               nil,
	} {
		expression, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := wrongValues(expression.(*ast.CallExpr), wants); !slices.Equal(got, expected) {
			t.Errorf("%s: %q, want %q", source, got, expected)
		}
	}
}

// want is the values that a sentence has, and which of them it asks for whatever the others are.
type want struct{ all, always []string }

func wantOf(sentence *template.Template) want {
	always := newNeeds()
	for _, node := range sentence.Root.Nodes {
		switch node := node.(type) {
		case *parse.IfNode:
			always.walk(node.Pipe)
		case *parse.WithNode:
			always.walk(node.Pipe)
		case *parse.RangeNode:
			always.walk(node.Pipe)
		default:
			always.walk(node)
		}
	}
	return want{needsOf(sentence).names, always.names}
}

func wrongValues(call *ast.CallExpr, wants map[string]want) []string {
	id, given, ok := sentenceOf(call)
	wanted, known := wants[id]
	if !ok || !known {
		return nil
	}
	var wrong []string
	for _, name := range given {
		if !slices.Contains(wanted.all, name) {
			wrong = append(wrong, id+" has no "+name)
		}
	}
	if called, ok := call.Fun.(*ast.SelectorExpr); ok && (called.Sel.Name == "Of" || called.Sel.Name == "Text") {
		for _, name := range wanted.always {
			if !slices.Contains(given, name) {
				wrong = append(wrong, id+" needs "+name)
			}
		}
	}
	return wrong
}

// sentenceOf is the sentence that a call names, and the names of the values that it gives for it, both written out.
func sentenceOf(call *ast.CallExpr) (id string, given []string, ok bool) {
	for i := range len(call.Args) - 1 {
		name, isSelector := call.Args[i].(*ast.SelectorExpr)
		if !isSelector || !isMessage(name.X) {
			continue
		}
		switch values := call.Args[i+1].(type) {
		case *ast.Ident:
			return name.Sel.Name, nil, values.Name == "nil"
		case *ast.CompositeLit:
			kind, isSelector := values.Type.(*ast.SelectorExpr)
			if !isSelector || !isMessage(kind.X) || kind.Sel.Name != "Args" {
				continue
			}
			for _, element := range values.Elts {
				key, isLiteral := element.(*ast.KeyValueExpr).Key.(*ast.BasicLit)
				if !isLiteral {
					return "", nil, false
				}
				unquoted, _ := strconv.Unquote(key.Value)
				given = append(given, unquoted)
			}
			return name.Sel.Name, given, true
		}
	}
	return "", nil, false
}

func isMessage(node ast.Expr) bool {
	ident, ok := node.(*ast.Ident)
	return ok && ident.Name == "message"
}

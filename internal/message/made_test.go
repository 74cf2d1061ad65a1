package message

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestSentencesAreMadeByFunctions finds code that makes a sentence of an ID and a map, which may lack a value that the
// sentence has: outside of this package, only the generated functions do.
func TestSentencesAreMadeByFunctions(t *testing.T) {
	for _, folder := range []string{"cmd", "internal", "test"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			if name := filepath.Base(path); name == "zz_generated.go" && filepath.Base(filepath.Dir(path)) == "sentence" {
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if made, ok := node.(*ast.CompositeLit); ok && len(made.Elts) > 0 && (isOf(made.Type, "Sentence") || isOf(made.Type, "Args")) {
					t.Errorf("%s: use the sentence's function in internal/message/sentence", files.Position(made.Pos()))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// isOf says whether a type is one of package message, as other packages write it.
func isOf(kind ast.Expr, name string) bool {
	selector, ok := kind.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	from, ok := selector.X.(*ast.Ident)
	return ok && from.Name == "message"
}

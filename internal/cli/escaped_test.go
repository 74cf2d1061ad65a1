package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownText are the files that print nothing but what naosu itself holds, and those that lay out what package output has made
// harmless to a terminal.
var ownText = []string{"explain/explain.go", "version/version.go", "output/progress.go", "output/page.go"}

// TestWhatIsPrintedIsEscaped finds what is printed past package output and package terminal: it may hold what objects hold.
func TestWhatIsPrintedIsEscaped(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || slices.Contains(ownText, filepath.ToSlash(path)) {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		checked++
		for _, at := range printed(file) {
			t.Errorf("%s: print through internal/cli/output or internal/terminal", files.Position(at))
		}
		return nil
	})
	if err != nil || checked == 0 {
		t.Errorf("%d files read (%v)", checked, err)
	}
}

func TestPrintedIsFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "", `package a
func b() { fmt.Fprintln(w, x); fmt.Print(x); io.WriteString(w, x); _ = fmt.Sprint(x); _ = fmt.Errorf("x"); println(x) }`, 0)
	if err != nil || len(printed(file)) != 4 {
		t.Errorf("found %v (%v), want 4", printed(file), err)
	}
}

// printed is where a file prints.
func printed(file *ast.File) []token.Pos {
	var found []token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if f.Name == "print" || f.Name == "println" {
				found = append(found, call.Pos())
			}
		case *ast.SelectorExpr:
			from, _ := f.X.(*ast.Ident)
			if from != nil && (from.Name == "fmt" && (strings.HasPrefix(f.Sel.Name, "Fprint") || strings.HasPrefix(f.Sel.Name, "Print")) ||
				from.Name == "io" && f.Sel.Name == "WriteString") {
				found = append(found, call.Pos())
			}
		}
		return true
	})
	return found
}

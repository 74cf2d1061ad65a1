package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/npd"
)

// Whatever is to be known of a rule can be said in both languages, with its argument in both or in neither.
func TestAllNotesAreSaid(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "../npd/npd.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		if kind, is := spec.Type.(*ast.Ident); !is || kind.Name != "About" {
			return true
		}
		found++
		about := npd.About(spec.Names[0].Name)
		en, ja := englishFates.notes[about], japaneseFates.notes[about]
		if en == "" || ja == "" || strings.Contains(en, "%s") != strings.Contains(ja, "%s") {
			t.Errorf("%s is said as %q and %q", about, en, ja)
		}
		return true
	})
	if found < 10 {
		t.Errorf("only %d were found", found)
	}
}

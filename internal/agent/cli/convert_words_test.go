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
		if typeName, is := spec.Type.(*ast.Ident); !is || typeName.Name != "Kind" {
			return true
		}
		found++
		kind := npd.Kind(spec.Names[0].Name)
		en, ja := englishConversion.notes[kind], japaneseConversion.notes[kind]
		if en == "" || ja == "" || strings.Contains(en, "%s") != strings.Contains(ja, "%s") {
			t.Errorf("the texts of %s are %q and %q", kind, en, ja)
		}
		return true
	})
	if found < 10 {
		t.Errorf("only %d were found", found)
	}
}

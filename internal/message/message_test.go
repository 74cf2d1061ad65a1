package message

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"
)

// TestEnglishIsComplete reads the IDs from the code: each has a sentence, and no sentence is left over.
func TestEnglishIsComplete(t *testing.T) {
	declared := map[ID]bool{}
	for _, id := range declaredIDs(t) {
		declared[id] = true
		if !English().Has(id) {
			t.Errorf("English lacks %s", id)
		}
	}
	for _, area := range englishSentences {
		for id := range area {
			if !declared[id] {
				t.Errorf("English has %s, which nothing asks for", id)
			}
		}
	}
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
		"values are not code": {PodFinished, Args{"pod": "{{.}}<b>"}, "{{.}}<b> has run to its end."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := English().Text(tc.id, tc.args); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

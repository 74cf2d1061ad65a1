// Package words holds names and texts to the glossary (docs/en/glossary.md, docs/ja/glossary.md).
package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var root = filepath.Join("..", "..")

// metaphors are words that name something by what it is like, so that readers need an explanation, and ill, for which Kubernetes says unhealthy.
var metaphors = []string{
	"asker", "askers", "balloon", "balloons", "basket", "bed", "beds", "cargo", "company", "contrast", "crime", "crimes", "crowd", "crowds", "deed",
	"deeds", "desk", "dice", "foresaw", "foretold", "ground", "haste", "homeless", "ill", "kin", "lens", "mood", "moods", "newcomer",
	"newcomers", "news", "rack", "racks", "rooms", "scene", "scenes", "shelf", "sight", "sighting", "sightings",
	"sights", "tenant", "tenants", "town", "towns", "truthbed", "wing",
}

// Nothing is named by a metaphor: no package, type, function, constant, variable, field or parameter.
func TestNames(t *testing.T) {
	count := 0
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." || entry.Name() == "testdata" || entry.Name() == "bin"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		count++
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		for _, found := range named(t, file, text) {
			t.Errorf("%s:%d: %s names something by a metaphor (%s)", filepath.ToSlash(name), found.line, found.name, found.word)
		}
		return nil
	})
	if err != nil || count < 500 {
		t.Fatalf("%d files were read: %v", count, err)
	}
}

// name is something declared whose name has a metaphor in it.
type name struct {
	name, word string
	line       int
}

// named are what a file of Go declares with a metaphor in its name, its own name included.
func named(t *testing.T, file string, text []byte) []name {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []name
	check := func(given string, at token.Pos) {
		for _, word := range parts(given) {
			if slices.Contains(metaphors, word) {
				found = append(found, name{given, word, set.Position(at).Line})
			}
		}
	}
	check(strings.TrimSuffix(filepath.Base(file), ".go"), parsed.Package)
	check(parsed.Name.Name, parsed.Name.Pos())
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			check(n.Name.Name, n.Pos())
		case *ast.TypeSpec:
			check(n.Name.Name, n.Pos())
		case *ast.ValueSpec:
			for _, each := range n.Names {
				check(each.Name, each.Pos())
			}
		case *ast.Field:
			for _, each := range n.Names {
				check(each.Name, each.Pos())
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if each, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
					check(each.Name, each.Pos())
				}
			}
		case *ast.RangeStmt:
			for _, left := range []ast.Expr{n.Key, n.Value} {
				if each, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
					check(each.Name, each.Pos())
				}
			}
		}
		return true
	})
	return found
}

// parts are the words of a name, in lower case: oneBasket is one and basket, HTTPNews http and news, a_kin a and kin.
func parts(name string) []string {
	var found []string
	letters := []rune(name)
	begin := 0
	end := func(at int) {
		if at > begin {
			found = append(found, strings.ToLower(string(letters[begin:at])))
		}
		begin = at
	}
	for i, r := range letters {
		switch {
		case !unicode.IsLetter(r):
			end(i)
			begin = i + 1
		case i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			end(i)
		}
	}
	end(len(letters))
	return found
}

func TestParts(t *testing.T) {
	for given, want := range map[string][]string{
		"oneBasket": {"one", "basket"}, "HTTPNews": {"http", "news"}, "a_kin2": {"a", "kin"}, "kind": {"kind"}, "Crowd": {"crowd"},
		"newsID": {"news", "id"}, "": nil, "x509Kin": {"x", "kin"},
	} {
		if diff := cmp.Diff(want, parts(given)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
	}
}

func TestNamed(t *testing.T) {
	text := "package p\n\ntype Shelf struct{ kin, kind int }\n\nfunc of(news int) {\n\tfor _, deed := range x {\n\t}\n\tcrowds := 1\n\tcrowds = y.tenants\n\t_ = \"company\" // basket\n}\n"
	var got []string
	for _, found := range named(t, "lens_test.go", []byte(text)) {
		got = append(got, found.word)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"crowds", "deed", "kin", "lens", "news", "shelf"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// texts are for contributors.
var texts = []string{"CONTRIBUTING.md", ".golangci.yaml", "docs/adr/*.md"}

var inText = regexp.MustCompile(`(?i)\b(` + strings.Join(slices.DeleteFunc(slices.Clone(metaphors), func(word string) bool {
	return slices.Contains([]string{"company", "contrast", "ground", "news", "sight", "newcomer", "newcomers"}, word) // Plain English, too.
}), "|") + `|room of its own|the (first|whole) wing)\b`)

// Documents for contributors say what a thing is.
func TestTexts(t *testing.T) {
	for _, name := range files(t, texts...) {
		for i, line := range strings.Split(read(t, name), "\n") {
			if match := inText.FindString(line); match != "" {
				t.Errorf("%s:%d: %q is a metaphor", name, i+1, match)
			}
		}
	}
	for _, line := range []string{"the agent's wing", "Rooms of the lab", "each have a room of its own", "pods of a crowd"} {
		if !inText.MatchString(line) {
			t.Errorf("%q is not found", line)
		}
	}
}

// files are those of patterns, from the root.
func files(t *testing.T, patterns ...string) []string {
	t.Helper()
	var found []string
	for _, pattern := range patterns {
		matches, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(matches) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(matches), err)
		}
		for _, match := range matches {
			name, err := filepath.Rel(root, match)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, filepath.ToSlash(name))
		}
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	// words are three in a row, as commands and formats have not.
	words = regexp.MustCompile(`\b[A-Za-z]{2,} [a-z']{2,} [a-z']{2,}\b`)
	// sentence begins and ends as one. What Kubernetes says, which the diagnosis looks for, does not.
	sentence = regexp.MustCompile(`(?s)^[A-Z].* .* .*[.:;!?]$`)
)

// TestNoSentenceOutsideTheCatalogue finds words for people in string literals: they are in one language only.
func TestNoSentenceOutsideTheCatalogue(t *testing.T) {
	for folder, tells := range map[string]func(string) bool{
		".":            func(s string) bool { return words.MatchString(s) && !command(s) && !strings.Contains(s, "%w") },
		"../diagnosis": sentence.MatchString,
		"../finding":   sentence.MatchString,
	} {
		checked := 0
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for at, literal := range literals(t, path) {
				checked++
				if tells(literal) {
					t.Errorf("%s: %q belongs into internal/message", at, literal)
				}
			}
			return nil
		})
		if err != nil || checked == 0 {
			t.Errorf("%s: %d literals read (%v)", folder, checked, err)
		}
	}
}

func TestSentencesAreTold(t *testing.T) {
	for literal, want := range map[string]bool{
		"there is no such pod": true, "naosu why pod/a": false, "why [KIND/NAME | KIND NAME]": false, "reading the file: %w": false,
		"  kubectl get nodes,pods of all": false, "scale %s --to %d": false,
	} {
		if got := words.MatchString(literal) && !command(literal) && !strings.Contains(literal, "%w"); got != want {
			t.Errorf("%q told as words: %v", literal, got)
		}
	}
	if !sentence.MatchString("No node takes it.") || sentence.MatchString("Failed to pull image") {
		t.Error("sentences are not told from others")
	}
}

// command says whether a literal is what a person may type, as examples are.
func command(literal string) bool {
	words := strings.Fields(literal)
	return words[0] == "naosu" || words[0] == "kubectl"
}

// literals are a file's strings by where they stand.
func literals(t *testing.T, path string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				found[files.Position(literal.Pos()).String()] = text
			}
		}
		return true
	})
	return found
}

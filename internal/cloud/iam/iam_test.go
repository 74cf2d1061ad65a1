package iam_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/cloud/iam"
)

// TestGenerated: what docs and config/iam have is what the policies are.
func TestGenerated(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, p := range iam.Policies {
		text, err := os.ReadFile(filepath.Join(root, "config", "iam", p.Name+".json"))
		if err != nil || string(text) != p.JSON() {
			t.Errorf("config/iam/%s.json is not current; run make generate (%v)", p.Name, err)
		}
		var policy struct{ Statement []struct{ Effect string } }
		if err := json.Unmarshal([]byte(p.JSON()), &policy); err != nil || len(policy.Statement) != len(p.Statements) {
			t.Errorf("%s: %v in %s", p.Name, err, p.JSON())
		}
	}
	pages := 0
	for page, names := range iam.Pages {
		for _, language := range []string{"en", "ja"} {
			text, err := os.ReadFile(filepath.Join(root, "docs", language, page))
			if err != nil {
				t.Fatal(err)
			}
			if current, err := iam.Insert(string(text), iam.Named(names...)...); err != nil || current != string(text) {
				t.Errorf("docs/%s/%s is not current; run make generate (%v)", language, page, err)
			}
			if got := strings.Count(string(text), `"2012-10-17"`); got != len(names) {
				t.Errorf("docs/%s/%s has %d policies, want %d that are generated", language, page, got, len(names))
			}
		}
		pages += len(names)
	}
	if pages != len(iam.Policies) {
		t.Errorf("pages have %d policies of %d", pages, len(iam.Policies))
	}
	if _, err := iam.Insert("a page without one", iam.Policies[0]); err == nil {
		t.Error("a page without the mark is no error")
	}
}

// TestEachPermissionIsUsed: the policies allow exactly the calls that internal/cloud/aws makes, and those are named by this package alone.
func TestEachPermissionIsUsed(t *testing.T) {
	allowed := map[string]bool{}
	for _, p := range iam.Policies {
		for _, s := range p.Statements {
			for _, action := range s.Actions {
				allowed[action] = true
			}
		}
	}
	values, used := actions(t), map[string]bool{}
	eachFile(t, filepath.Join("..", "aws"), func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if of, is := n.X.(*ast.Ident); is && of.Name == "iam" && values[n.Sel.Name] != "" {
					used[values[n.Sel.Name]] = true
				}
			case *ast.BasicLit:
				for _, service := range []string{`"ec2:`, `"autoscaling:`, `"eks:`} {
					if name := strings.Trim(n.Value, `"`); strings.HasPrefix(n.Value, service) && strings.ContainsAny(name[strings.Index(name, ":")+1:][:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
						t.Errorf("%s names the call %s itself", path, n.Value)
					}
				}
			}
			return true
		})
	})
	for name, action := range values {
		if !used[action] || !allowed[action] {
			t.Errorf("%s (%s): called is %v, allowed is %v", name, action, used[action], allowed[action])
		}
	}
	if len(values) < 10 || len(allowed) != len(values) {
		t.Errorf("%d actions, %d allowed", len(values), len(allowed))
	}
}

// actions are the constants of this package, by name.
func actions(t *testing.T) map[string]string {
	t.Helper()
	values := map[string]string{}
	eachFile(t, ".", func(path string, file *ast.File) {
		if filepath.Base(path) != "action.go" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.ValueSpec); is {
				values[spec.Names[0].Name] = strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
			}
			return true
		})
	})
	return values
}

// eachFile parses the Go files of a folder that are no tests.
func eachFile(t *testing.T, folder string, each func(path string, file *ast.File)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no files: %v", folder, err)
	}
	for _, path := range slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") }) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		each(path, file)
	}
}

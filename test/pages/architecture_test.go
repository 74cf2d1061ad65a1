package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page of the architecture names what there is, in both languages the same.
func TestArchitecture(t *testing.T) {
	english, japanese := pathsIn(page(t, "en", "architecture.md")), pathsIn(page(t, "ja", "architecture.md"))
	if !slices.Equal(english, japanese) {
		t.Errorf("the English page names %q, the Japanese %q", english, japanese)
	}
	if len(english) < 30 {
		t.Errorf("the page names %q only", english)
	}
	for _, name := range english {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("docs/*/architecture.md names %s, which is not there", name)
		}
	}
}

var (
	inCode  = regexp.MustCompile("`([^`\n]+)`")
	inBoxes = regexp.MustCompile(`\["((?:internal|lab|api|agent)[a-z0-9/]*)`)
)

// pathsIn are the files and folders that a page names, in code and in the boxes of its diagrams, sorted.
func pathsIn(text string) []string {
	var found []string
	for _, match := range inCode.FindAllStringSubmatch(prose(text), -1) {
		name, _, _ := strings.Cut(match[1], " ")
		first, _, _ := strings.Cut(name, "/")
		if slices.Contains([]string{"api", "cmd", "docs", "internal", "lab", "scenarios", "test", ".golangci.yaml"}, first) {
			found = append(found, name)
		}
	}
	for _, match := range inBoxes.FindAllStringSubmatch(text, -1) {
		name := match[1]
		if strings.HasPrefix(name, "agent/") {
			name = "internal/" + name
		}
		found = append(found, name)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestPathsIn(t *testing.T) {
	text := "`internal/gone` and `make generate`, `test/x_test.go`.\n```mermaid\n a[\"internal/cli: verbs\"] --> b[\"agent/source: reads\"]\n c[\"API server\"]\n```\n"
	if got := pathsIn(text); !slices.Equal(got, []string{"internal/agent/source", "internal/cli", "internal/gone", "test/x_test.go"}) {
		t.Errorf("found %q", got)
	}
}

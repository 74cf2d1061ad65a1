// Package lint checks what golangci-lint cannot check itself.
package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/test/module"
)

// standard are the linters that golangci-lint's default "standard" enables.
var standard = []string{"errcheck", "govet", "ineffassign", "staticcheck", "unused"}

var directive = regexp.MustCompile(`//nolint:([a-z,]+)`)

// Every //nolint names enabled linters only: nolintlint reports an unused directive only if its linter is enabled.
func TestDirectives(t *testing.T) {
	root, err := module.Root()
	if err != nil {
		t.Fatal(err)
	}
	enabled := enabledLinters(t, filepath.Join(root, ".golangci.yaml"))
	count := 0
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "testdata"}, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		count++
		for _, linter := range disabled(string(text), enabled) {
			t.Errorf("%s has a nolint directive for %s, which .golangci.yaml does not enable", file, linter)
		}
		return nil
	})
	if err != nil || count < 500 {
		t.Fatalf("%d files were read: %v", count, err)
	}
}

// enabledLinters reads the configuration of golangci-lint.
func enabledLinters(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Linters struct {
			Default string
			Enable  []string
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil || config.Linters.Default != "standard" || len(config.Linters.Enable) == 0 {
		t.Fatalf("%+v, %v", config, err)
	}
	return append(config.Linters.Enable, standard...)
}

// disabled returns the linters that nolint directives of a file name and that are not enabled.
func disabled(text string, enabled []string) []string {
	var found []string
	for _, match := range directive.FindAllStringSubmatch(text, -1) {
		for linter := range strings.SplitSeq(match[1], ",") {
			if !slices.Contains(enabled, linter) {
				found = append(found, linter)
			}
		}
	}
	return found
}

func TestDisabled(t *testing.T) {
	// Put together here, so that TestDirectives does not find them in this file.
	mark := "//" + "nolint:"
	text := "a() " + mark + "gosec // Safe.\n" + mark + "nilerr,nilnil // None.\n" + mark + "errcheck // Printed.\n// " + "nolint:gosec"
	if diff := cmp.Diff([]string{"gosec", "nilnil"}, disabled(text, []string{"nilerr", "errcheck"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

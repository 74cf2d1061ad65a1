package reason_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../../.."

// Every proof that the catalogue names is there: a test by that name, and the golden records.
func TestProofsAreThere(t *testing.T) {
	text, err := os.ReadFile("catalogue.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		Name  string
		Proof struct {
			Fault  string
			Golden []string
		}
	}
	if err := yaml.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for named := range strings.SplitSeq(e.Proof.Fault, ", ") {
			if folder, test, _ := strings.Cut(named, " "); named != "" && !hasTest(t, folder, test) {
				t.Errorf("%s: there is no test %s in %s", e.Name, test, folder)
			}
		}
		for _, file := range e.Proof.Golden {
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
	}
}

// hasTest says whether a folder's test files have a test; of Test/case the case must be named.
func hasTest(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	name, part, _ := strings.Cut(test, "/")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(source, []byte("func "+name+"(t *testing.T)")) && bytes.Contains(source, []byte(part)) {
			return true
		}
	}
	return false
}

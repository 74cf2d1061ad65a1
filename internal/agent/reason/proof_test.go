package reason_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

const root = "../../.."

// Every test and every file of golden records that the catalogue names exists.
func TestProofsAreThere(t *testing.T) {
	for _, condition := range reason.Conditions {
		text, err := os.ReadFile(filepath.Join("catalogue", string(condition)+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var entries []proven
		if err := yaml.Unmarshal(text, &entries); err != nil {
			t.Fatal(err)
		}
		checkProofs(t, entries)
	}
}

// proven is an entry of the catalogue, as far as this test reads it.
type proven struct {
	Name  string
	Proof struct {
		Fault  string
		Golden []string
	}
}

func checkProofs(t *testing.T, entries []proven) {
	t.Helper()
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

// hasTest reports whether a folder's test files contain a test. For Test/case, they must also contain the name of the case.
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

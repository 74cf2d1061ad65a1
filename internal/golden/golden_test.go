package golden_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/golden"
)

// recorder is a test of which only failures matter.
type recorder struct {
	testing.TB
	failed bool
}

func (*recorder) Helper()                 {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "golden")
	set := func(update string) {
		if err := flag.Set("update", update); err != nil {
			t.Fatal(err)
		}
	}
	before := golden.Update()
	defer func() { set(map[bool]string{true: "true", false: "false"}[before]) }()
	set("true")
	golden.Compare(t, path, []byte("a\n"))
	if text, err := os.ReadFile(path); err != nil || string(text) != "a\n" {
		t.Fatalf("-update wrote %q (%v)", text, err)
	}
	set("false")
	golden.Compare(t, path, []byte("a\n"))
	other := &recorder{TB: t}
	if golden.Compare(other, path, []byte("b\n")); !other.failed {
		t.Error("a text that differs passes")
	}
	if text, _ := os.ReadFile(path); string(text) != "a\n" {
		t.Errorf("without -update the file holds %q", text)
	}
}

package page_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/hack/page"
)

// TestInsert replaces what stands between the marks, and nothing else.
func TestInsert(t *testing.T) {
	const begin, end = "<!-- begin -->\n", "<!-- end -->\n"
	file := filepath.Join(t.TempDir(), "page.md")
	for _, content := range []string{"before\n" + begin + end + "after\n", "before\n" + begin + "old\n" + end + "after\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := page.Insert(file, begin, end, "new\n"); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != "before\n"+begin+"new\n"+end+"after\n" {
			t.Errorf("the page is %q", got)
		}
	}
	if err := os.WriteFile(file, []byte("no mark"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := page.Insert(file, begin, end, "new\n"); !errors.Is(err, page.ErrNoMark) {
		t.Errorf("a page without marks: %v", err)
	}
}

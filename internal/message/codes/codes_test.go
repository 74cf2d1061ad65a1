package codes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestEntries sees to it that every code has an entry in every language, under the title that findings use.
func TestEntries(t *testing.T) {
	printers := map[string]message.Printer{"en": message.English(), "ja": message.Japanese()}
	for _, language := range Languages {
		for _, code := range finding.Codes {
			first, _, _ := strings.Cut(Entry(language, code), "\n")
			if message.Label("Title" + string(code)).IsZero() {
				continue // Its rule is not written yet.
			}
			title := "# " + string(code) + ": " + printers[language].Say(message.Label("Title"+string(code)))
			if first != title {
				t.Errorf("%s/%s.md begins with %q, want %q", language, code, first, title)
			}
		}
	}
}

// TestDocs sees to it that the documentation is what go generate writes.
func TestDocs(t *testing.T) {
	for _, language := range Languages {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", language, "findings.md"))
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != Page(language) {
			t.Errorf("docs/%s/findings.md is stale; run make generate", language)
		}
	}
}

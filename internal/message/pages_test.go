package message

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// ofOneLanguage is the page that the other language has no use for: English begins at the repository's README.
var ofOneLanguage = []string{"README.md"}

// TestPagesAreInBothLanguages finds a page of the documentation that one language lacks.
func TestPagesAreInBothLanguages(t *testing.T) {
	english, japanese := pages(t, "en"), pages(t, "ja")
	if len(english) == 0 || !slices.Equal(english, japanese) {
		t.Errorf("docs/en has %q, docs/ja has %q", english, japanese)
	}
}

func pages(t *testing.T, language string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", language, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if name := filepath.Base(file); !slices.Contains(ofOneLanguage, name) {
			names = append(names, name)
		}
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s is empty (%v)", file, err)
		}
	}
	return names
}

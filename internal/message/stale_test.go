package message

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/golden"
)

// TestTranslationsAreOfThisEnglish finds English sentences that were changed while their translation was not. Sentences
// are noted in pairs in testdata/pairs; -update notes them anew, but for a stale pair. Where the translation holds as it
// is, take the pair's line out of the file first.
func TestTranslationsAreOfThisEnglish(t *testing.T) {
	path := filepath.Join("testdata", "pairs")
	noted, pairs := readPairs(t, path), map[ID][2]string{}
	japanese := flat(japaneseSentences)
	for id, english := range flat(englishSentences) {
		pair, before := [2]string{digest(english), digest(japanese[id])}, noted[id]
		if before[0] != "" && before[0] != pair[0] && before[1] == pair[1] {
			t.Errorf("%s: the English has changed and its Japanese has not", id)
			pair = before
		}
		pairs[id] = pair
	}
	switch {
	case golden.Update():
		writePairs(t, path, pairs)
	case !maps.Equal(noted, pairs):
		t.Error("testdata/pairs is not of today; run: go test ./internal/message -update")
	}
}

func digest(sentence string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(sentence)))[:12] }

func readPairs(t *testing.T, path string) map[ID][2]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[ID][2]string{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("%s: %q is no pair", path, line)
		}
		pairs[ID(words[0])] = [2]string{words[1], words[2]}
	}
	return pairs
}

func writePairs(t *testing.T, path string, pairs map[ID][2]string) {
	t.Helper()
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(pairs)) {
		fmt.Fprintln(&text, id, pairs[id][0], pairs[id][1])
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

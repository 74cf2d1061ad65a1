package textutil_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/textutil"
)

func TestTruncate(t *testing.T) {
	five := strings.Repeat("あ", 5)
	for text, want := range map[string]string{"": "", "abcd": "abcd", "abcde": "abcde", "abcdef": "abcd…", five: five, five + "x": strings.Repeat("あ", 4) + "…"} {
		if got := textutil.Truncate(text, 5); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"n9", "n1", 1}, {"ab", "ba", 2}, {"web", "web-0", 2},
	} {
		if got := textutil.EditDistance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q and %q: got %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestSimilar(t *testing.T) {
	names := []string{"batch", "node-1", "node-12", "node-3", "redash-7d4f9c-x2x8b", "us-east-1a", "us-east-1b", "us-east-1c", "us-east-1e"}
	for typed, want := range map[string][]string{
		"node-2":       {"node-1", "node-12", "node-3"}, // The nearest first, else in order.
		"redash":       {"redash-7d4f9c-x2x8b"},
		"us-east-1d":   {"us-east-1a", "us-east-1b", "us-east-1c"}, // No more than three.
		"us-easst-1e":  {"us-east-1e", "us-east-1a", "us-east-1b"},
		"production":   nil,
		"n":            nil, // Everything of one character is as near.
		"":             nil,
		"batches-2026": nil,
	} {
		if diff := cmp.Diff(want, textutil.Similar(typed, names)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
}

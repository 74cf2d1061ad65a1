package terminal

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "node": 4, "状態": 4, "が": 2, "e\u0301": 1} {
		if got := Width(text); got != want {
			t.Errorf("%q is %d wide, want %d", text, got, want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for text, want := range map[string]string{"0123456789": "0123456789", "01234567890": "012345678…", "一二三四五": "一二三四五", "一二三四五六": "一二三四…"} {
		if got := Truncate(text, 10); got != want {
			t.Errorf("%q is truncated to %q, want %q", text, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	rows := [][]string{{"状態", "REASON"}, {"ok", "AppCrash"}}
	widths := Widths(rows)
	if !slices.Equal(widths, []int{4, 8}) || Widths(nil) != nil {
		t.Fatalf("widths %v", widths)
	}
	for i, want := range []string{"状態  REASON    ", "ok    AppCrash  "} {
		if got := Pad(rows[i], widths, 2); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSizeOfWhatIsNoTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if columns, ok := SizeOf(file); ok {
		t.Errorf("a file has %d columns", columns)
	}
	if columns, ok := SizeOf(&bytes.Buffer{}); ok {
		t.Errorf("a buffer has %d columns", columns)
	}
}

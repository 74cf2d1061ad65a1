// Package page writes generated text into pages of the documentation.
package page

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// ErrNoMark is that a page has no place for the text.
var ErrNoMark = errors.New("there is no place for the text")

// Insert puts text between two lines of a file, in place of what stands there.
func Insert(file, begin, end, text string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading a page: %w", err)
	}
	before, rest, begins := bytes.Cut(content, []byte(begin))
	_, after, ends := bytes.Cut(rest, []byte(end))
	if !begins || !ends {
		return fmt.Errorf("%s: %w; add the lines %q and %q", file, ErrNoMark, begin, end)
	}
	if err := os.WriteFile(file, bytes.Join([][]byte{before, after}, []byte(begin+text+end)), 0o600); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	return nil
}

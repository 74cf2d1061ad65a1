package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one thing wrong in a file, and where.
type Error struct {
	File         string
	Line, Column int
	// Path leads to the field, such as "cluster.cloud.groups[0].desired"; it is empty for the document as a whole.
	Path string
	// Problem says what is wrong and what to do.
	Problem string
}

func (e Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.File, e.Line, e.Column, e.Path, e.Problem)
}

// Errors is everything wrong in a file, a line each.
type Errors []Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// OrNil is the errors in the order of their lines, each once, or nil if there are none.
func (e Errors) OrNil() error {
	if len(e) == 0 {
		return nil
	}
	sorted := slices.Clone(e)
	slices.SortStableFunc(sorted, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Path, b.Path))
	})
	return slices.Compact(sorted)
}

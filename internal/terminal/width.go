package terminal

import (
	"io"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Width is how many columns of a terminal text takes: full-width characters take two, combining ones none (UAX #11, UAX #29).
func Width(text string) int { return uniseg.StringWidth(text) }

// SizeOf is how many columns the terminal behind w has; false if it is no terminal.
func SizeOf(w io.Writer) (columns int, ok bool) {
	file, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	return columns, err == nil && columns > 0
}

// Truncate is text of at most width columns; what is longer ends with an ellipsis.
func Truncate(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	var kept strings.Builder
	taken := 0
	for clusters := uniseg.NewGraphemes(text); clusters.Next(); {
		if taken += clusters.Width(); taken >= width {
			break
		}
		kept.WriteString(clusters.Str())
	}
	return kept.String() + "…"
}

// Widths are how wide each column of a table is: as its widest cell. All rows have as many cells as the first.
func Widths(rows [][]string) []int {
	if len(rows) == 0 {
		return nil
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	return widths
}

// Pad are cells side by side, each filled with spaces to the width of its column and some more.
func Pad(cells []string, widths []int, gap int) string {
	var padded strings.Builder
	for i, cell := range cells {
		padded.WriteString(cell + strings.Repeat(" ", widths[i]-Width(cell)+gap))
	}
	return padded.String()
}

package main

import (
	"strings"
	"unicode/utf8"
)

const (
	width = 110 // of the terminals in which the table is to be read
	gap   = "  "
)

// table has the packages one below the other, and in each a line for each comparison of a benchmark. What else a benchmark
// measured, or why it failed, is on lines of its own below: there is always more of it than a column has room for.
func table(results []result) string {
	lines := [][]string{{"BENCHMARK", "FIGURE", "ALTERNATIVE", "RATIO", "TARGET"}}
	folder := ""
	for _, r := range results {
		if r.folder != folder {
			folder = r.folder
			lines = append(lines, []string{folder})
		}
		lines = append(lines, r.lines()...)
	}
	return align(lines)
}

// lines are cells, or, where there is one only, a line that the columns do not touch.
func (r result) lines() (lines [][]string) {
	name := gap + r.name
	switch {
	case r.failure != "":
		return append([][]string{{name, "FAILED"}}, below(strings.Fields(r.failure), " ")...)
	case r.skipped != "":
		return append([][]string{{name, "skipped"}}, below(strings.Fields(r.skipped), " ")...)
	}
	rows, besides := r.rows()
	for _, row := range rows {
		lines = append(lines, []string{name, row.figure, row.alternative, row.ratio, row.target})
		name = ""
	}
	return append(lines, below(besides, ", ")...)
}

// below breaks a list into lines.
func below(parts []string, separator string) (lines [][]string) {
	const indent = gap + gap + gap
	line := ""
	for i, part := range parts {
		if i < len(parts)-1 {
			part += separator
		}
		if line != "" && utf8.RuneCountInString(indent+line+strings.TrimRight(part, " ")) > width {
			lines, line = append(lines, []string{indent + line}), ""
		}
		line += part
	}
	if line == "" {
		return lines
	}
	return append(lines, []string{indent + line})
}

func align(lines [][]string) string {
	var widths []int
	for _, cells := range lines {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if len(cells) > 1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	var text strings.Builder
	for _, cells := range lines {
		var line strings.Builder
		for i, cell := range cells {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))) + gap)
		}
		text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return text.String()
}

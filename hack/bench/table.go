package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// result is what one benchmark measured.
type result struct {
	folder, name string
	runs         int
	figures      []figure // the time of one run first, as go test prints them
}

type figure struct {
	value float64
	unit  string
}

// parseResult reads a line such as "BenchmarkReady-2  5  2510000000 ns/op  331.0 MiB-resident".
func parseResult(line string) (result, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
		return result{}, false
	}
	runs, err := strconv.Atoi(fields[1])
	if err != nil {
		return result{}, false
	}
	r := result{name: withoutProcs(strings.TrimPrefix(fields[0], "Benchmark")), runs: runs}
	for pair := range slices.Chunk(fields[2:], 2) {
		value, err := strconv.ParseFloat(pair[0], 64)
		if err != nil {
			return result{}, false
		}
		r.figures = append(r.figures, figure{value, pair[1]})
	}
	return r, true
}

// withoutProcs drops the "-2" by which go test says how many processors there were.
func withoutProcs(name string) string {
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i]
		}
	}
	return name
}

func (f figure) String() string {
	switch f.unit {
	case "ns/op":
		return humanTime(f.value) + "/op"
	case "B/op":
		return humanBytes(f.value) + "/op"
	default:
		return strconv.FormatFloat(f.value, 'f', -1, 64) + " " + f.unit
	}
}

func humanTime(nanoseconds float64) string {
	if nanoseconds < 100 {
		return fmt.Sprintf("%.3g ns", nanoseconds)
	}
	d := time.Duration(nanoseconds)
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond} {
		if d >= unit {
			return strconv.FormatFloat(float64(d)/float64(unit), 'g', 4, 64) + " " + strings.TrimLeft(unit.String(), "1")
		}
	}
	return d.String()
}

func humanBytes(bytes float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.size {
			return fmt.Sprintf("%.1f %s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f B", bytes)
}

const header = "PACKAGE\tBENCHMARK\tFIGURE\tTARGET\tALTERNATIVE\tRATIO\tBESIDES"

// printTable prints a row for each figure that has a target, and one for a benchmark without any.
func printTable(out io.Writer, results []result) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, header)
	for _, r := range results {
		for _, row := range r.rows() {
			fmt.Fprintf(table, "%s\t%s\t%s\n", r.folder, r.name, strings.TrimRight(strings.Join(row, "\t"), "\t"))
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}

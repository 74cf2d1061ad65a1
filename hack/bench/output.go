package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// result is what one benchmark measured, or why it did not.
type result struct {
	folder, name     string
	figures          []figure // the time of one run first, as go test prints them
	failure, skipped string   // a reason each
}

// event is a line of `go test -json` (go doc test2json).
type event struct{ Action, Test, Output string }

// read reads what `go test -json` prints for the benchmarks of one package, and writes the lines of the benchmarks to log.
func read(output io.Reader, log io.Writer) ([]result, error) {
	var p parser
	for decoder := json.NewDecoder(output); ; {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return p.results, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the output of go test: %w", err)
		}
		fmt.Fprint(log, e.Output)
		p.take(e)
	}
}

type parser struct {
	results []result
	running string   // the benchmark that has begun and not ended
	lines   []string // what was printed since
	begun   string   // a line that was printed in part
}

func (p *parser) take(e event) {
	switch {
	case e.Action == "run":
		p.running, p.lines = e.Test, nil
	case e.Action == "output", e.Action == "build-output":
		p.print(e.Output)
	case e.Action == "skip" && e.Test != "":
		p.end(result{name: shortName(e.Test), skipped: logged(p.lines)})
	case e.Action == "fail" && e.Test != "":
		if reason := logged(p.lines); reason != "" || !p.failedBelow(e.Test) {
			p.end(result{name: shortName(e.Test), failure: cmp.Or(reason, "for no reason that it logged")})
		}
	case e.Action == "fail" && (p.running != "" || failures(p.results) == nil):
		p.end(result{name: shortName(p.running), failure: ended(p.lines)})
	}
}

// print takes output, of which an event may have a part of a line.
func (p *parser) print(output string) {
	line, whole := strings.CutSuffix(p.begun+output, "\n")
	if !whole {
		p.begun = line
		return
	}
	p.begun = ""
	if r, ok := parseResult(line); ok {
		p.end(r)
	} else {
		p.lines = append(p.lines, line)
	}
}

func (p *parser) end(r result) {
	p.results = append(p.results, r)
	p.running, p.lines = "", nil
}

// failedBelow is whether a benchmark failed because one of its sub-benchmarks did.
func (p *parser) failedBelow(name string) bool {
	return slices.ContainsFunc(p.results, func(r result) bool {
		return r.failure != "" && strings.HasPrefix(r.name, shortName(name)+"/")
	})
}

func shortName(benchmark string) string { return strings.TrimPrefix(benchmark, "Benchmark") }

var (
	logLine      = regexp.MustCompile(`^    \S+\.go:\d+: `)
	compileError = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)
)

// logged is what a benchmark logged last, such as the text of b.Fatal, on one line.
func logged(lines []string) string {
	for i, line := range slices.Backward(lines) {
		if !logLine.MatchString(line) {
			continue
		}
		words := []string{strings.TrimSpace(line)}
		for _, more := range lines[i+1:] {
			if !strings.HasPrefix(more, "        ") {
				break
			}
			words = append(words, strings.TrimSpace(more))
		}
		return strings.Join(words, " ")
	}
	return ""
}

// ended is why a test binary did not run to its end, or was not built.
func ended(lines []string) string {
	for _, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || compileError.MatchString(line) {
			return line
		}
	}
	for _, line := range slices.Backward(lines) {
		if line != "" && !strings.HasPrefix(line, "FAIL") {
			return line
		}
	}
	return strings.Join(lines, " ")
}

// parseResult reads a line such as "BenchmarkReady-2  5  2510000000 ns/op  331.0 MiB-resident".
func parseResult(line string) (result, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
		return result{}, false
	}
	if _, err := strconv.Atoi(fields[1]); err != nil {
		return result{}, false
	}
	r := result{name: withoutProcs(shortName(fields[0]))}
	for pair := range slices.Chunk(fields[2:], 2) {
		value, err := strconv.ParseFloat(pair[0], 64)
		if err != nil {
			return result{}, false
		}
		r.figures = append(r.figures, parseFigure(value, pair[1]))
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

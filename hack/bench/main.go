// Command bench runs the module's benchmarks, one package after the other, and prints what they measured as one table.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	pattern := flag.String("bench", ".", "which benchmarks, as in go test -bench")
	flag.Parse()
	if err := run(context.Background(), *pattern, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run writes the table to out and, as they end, the benchmarks' own lines to log.
func run(ctx context.Context, pattern string, out, log io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	packages, err := benchmarked(".")
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return errors.New("no package has a benchmark")
	}
	// Only packages with benchmarks: building and linking the other tests would take most of the time.
	args := []string{"test", "-run=^$", "-bench=" + pattern, "-benchmem", "-timeout=1h"}
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	var output bytes.Buffer
	cmd.Stdout = io.MultiWriter(&output, log)
	cmd.Stderr = log
	ran := cmd.Run()
	results, err := parse(&output)
	if err != nil {
		return err
	}
	if err := printTable(out, results); err != nil {
		return err
	}
	if ran != nil {
		return fmt.Errorf("go test: %w", ran)
	}
	return nil
}

var benchmark = regexp.MustCompile(`(?m)^func Benchmark`)

// benchmarked lists the folders below root whose tests have benchmarks, as go names packages.
func benchmarked(root string) ([]string, error) {
	var packages []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if folder := "./" + filepath.ToSlash(filepath.Dir(path)); benchmark.Match(source) && !slices.Contains(packages, folder) {
			packages = append(packages, folder)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for benchmarks: %w", err)
	}
	return packages, nil
}

// parse reads the lines that `go test -bench` prints.
func parse(output io.Reader) ([]result, error) {
	var results []result
	folder := ""
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if path, ok := strings.CutPrefix(lines.Text(), "pkg: "); ok {
			_, folder, _ = strings.Cut(path, "/naosu/")
		}
		if r, ok := parseResult(lines.Text()); ok {
			r.folder = folder
			results = append(results, r)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the output of go test: %w", err)
	}
	return results, nil
}

// Command bench runs the module's benchmarks, one package after the other, and prints what they measured as one table.
// Arguments after "--" go to go test, as in "-- -benchtime=1x".
package main

import (
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
	if err := run(context.Background(), *pattern, flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run writes the table to out and, as they end, the benchmarks' own lines to log.
func run(ctx context.Context, pattern string, args []string, out, log io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	packages, err := benchmarked(".", pattern)
	if err != nil {
		return err
	}
	var results []result
	for _, p := range packages {
		if ctx.Err() != nil {
			break
		}
		measured, err := measure(ctx, p, append([]string{"-bench=" + pattern}, args...), log)
		if err != nil {
			return fmt.Errorf("benchmarks of %s: %w", p, err)
		}
		results = append(results, measured...)
	}
	if len(results) == 0 {
		return errors.New("no such benchmark")
	}
	fmt.Fprint(out, table(results))
	return errors.Join(ctx.Err(), failures(results))
}

// measure runs the benchmarks of one package. Go builds all packages that it is given before it runs any benchmark, so that
// with one call for all of them none would run if one did not build.
func measure(ctx context.Context, folder string, args []string, log io.Writer) ([]result, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-run=^$", "-benchmem", "-timeout=1h", folder}, args...)...)
	cmd.Stderr = log
	events, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	results, err := read(events, log)
	var failed *exec.ExitError
	switch ran := cmd.Wait(); {
	case err != nil:
		return nil, err
	case errors.As(ran, &failed) && failures(results) == nil:
		results = append(results, result{failure: "go test: " + ran.Error()})
	case ran != nil && failed == nil:
		return nil, ran
	}
	for i := range results {
		results[i].folder = strings.TrimPrefix(folder, "./")
	}
	return results, nil
}

// failures says how many benchmarks failed, if any did.
func failures(results []result) error {
	failed := 0
	for _, r := range results {
		if r.failure != "" {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d failed", failed)
}

var function = regexp.MustCompile(`(?m)^func (Benchmark\w*)`)

// benchmarked lists the folders below root whose tests have benchmarks that may match a pattern, as go names packages. Only
// these are run: building and linking the other tests would take most of the time.
func benchmarked(root, pattern string) ([]string, error) {
	asked, err := regexp.Compile(topLevel(pattern))
	if err != nil {
		return nil, fmt.Errorf("the pattern of -bench: %w", err)
	}
	var packages []string
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		matches := func(found [][]byte) bool { return asked.Match(found[1]) }
		folder := "./" + filepath.ToSlash(filepath.Dir(path))
		if slices.ContainsFunc(function.FindAllSubmatch(source, -1), matches) && !slices.Contains(packages, folder) {
			packages = append(packages, folder)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for benchmarks: %w", err)
	}
	return packages, nil
}

var brackets = regexp.MustCompile(`\([^()]*\)|\[[^\]]*\]`)

// topLevel is the part of a pattern that is about functions and not about their sub-benchmarks. Where that is not plain, as
// when alternatives each have such parts, it is a pattern that all functions match.
func topLevel(pattern string) string {
	name, _, nested := strings.Cut(pattern, "/")
	bare := brackets.ReplaceAllString(pattern, "")
	if nested && (strings.Contains(bare, "|") || !strings.Contains(bare, "/")) {
		return "."
	}
	return name
}

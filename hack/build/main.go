// Command build runs `go build` and reports progress. The first build of the lab compiles Kubernetes itself, which takes
// minutes, and go is silent all the while. When little is left to compile, nothing is printed.
//
// It uses the standard library only, so that it compiles in a second or two.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// worthTelling is how many packages must be left to compile before progress is shown.
const worthTelling = 60

// notDebuggable leaves debug information out of the binaries: linking takes a third of the time. Flags of the compiler
// stay at their defaults, so that every other go command shares the cache.
const notDebuggable = "-ldflags=-w"

func main() {
	o := options{}
	flag.StringVar(&o.out, "o", "bin/", "folder for the binaries")
	flag.BoolVar(&o.forTests, "for-tests", false, "leave out the revision, and leave the times of unchanged binaries alone")
	flag.Parse()
	if err := run(context.Background(), newScreen(os.Stderr), o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// options say what is built, and how.
type options struct {
	out string
	// forTests builds binaries that go test can depend on: the same sources give the same file with the same time, whatever
	// has been committed meanwhile.
	forTests bool
}

func (o options) buildArgs(packages []string) []string {
	args := []string{"build", "-v", notDebuggable, "-o", o.out}
	if o.forTests {
		args = append(args, "-buildvcs=false")
	}
	return append(args, packages...)
}

func run(ctx context.Context, show *screen, o options, packages []string) (err error) {
	if o.forTests {
		before := filesIn(o.out)
		defer func() { err = errors.Join(err, before.keepTimes()) }()
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer show.clear()

	stale, err := stalePackages(ctx, packages, show)
	if err != nil {
		return err
	}
	args := o.buildArgs(packages)
	if len(stale) < worthTelling {
		return goCommand(ctx, args, nil, func(line string) { compiles(stale, line, show) })
	}

	p := newProgress(len(stale), time.Now())
	show.announce(p.opening())
	told := show.every(p.line)
	err = goCommand(ctx, args, nil, func(line string) {
		if compiles(stale, line, show) {
			p.compiling()
		}
	})
	told()
	if err != nil {
		return err
	}
	show.announce(fmt.Sprintf("Built in %s.", roughly(time.Since(p.start))))
	return nil
}

// stalePackages lists the packages that go would have to compile. As a side effect go fetches the modules they are in,
// which is shown as well: on a fresh machine it is the first minute.
func stalePackages(ctx context.Context, packages []string, show *screen) (map[string]bool, error) {
	var list bytes.Buffer
	fetched, latest := 0, ""
	args := append([]string{"list", "-deps", "-f", `{{if and .Stale (ne .Name "main")}}{{.ImportPath}}{{end}}`}, packages...)
	err := goCommand(ctx, args, &list, func(line string) {
		module, ok := strings.CutPrefix(line, "go: downloading ")
		if !ok {
			show.announce(line)
			return
		}
		fetched, latest = fetched+1, module
		show.update(fmt.Sprintf("Fetching modules: %d so far, %s", fetched, latest))
	})
	if err != nil {
		return nil, err
	}
	stale := map[string]bool{}
	for path := range strings.FieldsSeq(list.String()) {
		stale[path] = true
	}
	return stale, nil
}

// compiles reports whether a line of `go build -v` names a package to be compiled. Anything else it says is passed on,
// but for the names of main packages, which are linked.
func compiles(stale map[string]bool, line string, show *screen) bool {
	if stale[line] {
		return true
	}
	if strings.ContainsAny(line, ": ") { // an error: paths of packages hold neither
		show.announce(line)
	}
	return false
}

// goCommand runs go, calling line for every line of its standard error.
func goCommand(ctx context.Context, args []string, stdout io.Writer, line func(string)) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // let go remove its temporary files
	cmd.Stdout = stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		line(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	return nil
}

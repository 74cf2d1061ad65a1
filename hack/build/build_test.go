package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGuess(t *testing.T) {
	tests := []struct {
		name            string
		packages, cores int
		want            string
	}{
		{"the lab on two cores", 2500, 2, "8 min"},
		{"the lab on eight cores", 2500, 8, "2 min"},
		{"more cores do not help past the longest chain", 2500, 64, "60 s"},
		{"a few packages", 100, 2, "35 s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := &progress{total: test.packages, cores: test.cores}
			if got := roughly(p.guess()); got != test.want {
				t.Errorf("guess() = %s (%v), want %s", got, p.guess(), test.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		started int
		elapsed time.Duration
		want    string
	}{
		{"at first a guess from the cores", 0, 0, "[........................]   0% 0 of 1000 packages, about 3 min left"},
		{"then what was measured", 500, 10 * time.Minute, "[############............]  50% 500 of 1000 packages, about 14 min left"},
		{"never less than the linking", 10, time.Hour, "[........................]   1% 10 of 1000 packages, about 15 s left"},
		{"the end", 1000, time.Hour, "[########################] 100% 1000 of 1000 packages, linking"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := &progress{total: 1000, cores: 2, start: start}
			for range test.started {
				p.compiling()
			}
			if diff := cmp.Diff(test.want, p.line(start.Add(test.elapsed))); diff != "" {
				t.Errorf("line() (-want +got):\n%s", diff)
			}
		})
	}
}

// The program itself, on a small package that builds and on one that does not: what go says about it must arrive.
func TestRun(t *testing.T) {
	tests := []struct{ name, source, wantErr, wantSaid string }{
		{"builds in silence", "package main\n\nfunc main() {}\n", "", ""},
		{"passes on errors", "package main\n\nfunc main() { undefinedName() }\n", "go build: exit status 1", "main.go:3:15: undefined: undefinedName"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "main.go"), test.source)
			t.Chdir(dir)
			log, err := os.Create(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}

			gotErr := run(t.Context(), newScreen(log), options{out: "bin/"}, []string{"."})

			said, err := os.ReadFile(log.Name())
			if err != nil {
				t.Fatal(err)
			}
			if test.wantErr == "" && gotErr != nil || test.wantErr != "" && (gotErr == nil || gotErr.Error() != test.wantErr) {
				t.Errorf("run() = %v, want %q", gotErr, test.wantErr)
			}
			if !strings.Contains(string(said), test.wantSaid) || test.wantSaid == "" && len(said) > 0 {
				t.Errorf("said %q, want %q", said, test.wantSaid)
			}
			if _, err := os.Stat("bin/m"); (err == nil) != (test.wantErr == "") {
				t.Errorf("the binary: %v", err)
			}
		})
	}
}

// A binary for tests keeps its time until it is another, although go build sets the time of one that it leaves alone.
func TestForTests(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/m\n\ngo 1.26\n")
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	built := func(source string) time.Time {
		t.Helper()
		write(t, "main.go", source)
		if err := run(t.Context(), newScreen(os.Stderr), options{out: "bin/", forTests: true}, []string{"."}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat("bin/m")
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	built("package main\n\nfunc main() {}\n")
	if err := os.Chtimes("bin/m", long, long); err != nil {
		t.Fatal(err)
	}
	if got := built("package main\n\nfunc main() {}\n"); !got.Equal(long) {
		t.Errorf("the same program's time went from %v to %v", long, got)
	}
	if got := built("package main\n\nfunc main() { println() }\n"); !got.After(long) {
		t.Errorf("another program's time is %v, as that of the one before", got)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Package hack tests the shell scripts beside it.
package hack

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// need-go.sh with go commands of other ages, each in place of the real one.
func TestNeedGo(t *testing.T) {
	const fetches = `[ "$GOTOOLCHAIN" = local ] && echo go version go1.22.1 linux/amd64 || echo go version go1.26.0 linux/amd64`
	tests := []struct {
		name, goCommand string
		wantOK          bool
		want            string
	}{
		{"new enough", `echo go version go1.26.8 linux/amd64`, true, ""},
		{"newer", `echo go version go1.30rc1 darwin/arm64`, true, ""},
		{"of a later major version", `echo go version go2.0 linux/amd64`, true, ""},
		{"able to fetch a newer one", fetches, true, ""},
		{"too old", `echo go version go1.19.8 linux/amd64`, false, "this is Go 1.19.8: see https://go.dev/dl"},
		{"broken", `exit 2`, false, "this is Go of an unknown version: see https://go.dev/dl"},
		{"missing", "", false, "there is no go command: see https://go.dev/dl"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.goCommand != "" {
				fake(t, dir, "go", test.goCommand)
			}
			for _, tool := range []string{"sed", "dirname"} {
				path, err := exec.LookPath(tool)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, filepath.Join(dir, tool)); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("/bin/sh", "need-go.sh")
			cmd.Env = []string{"PATH=" + dir}

			said, err := cmd.CombinedOutput()

			if (err == nil) != test.wantOK || !strings.Contains(string(said), test.want) {
				t.Errorf("need-go.sh: %v, said %q, want %q", err, said, test.want)
			}
			if lines := strings.Count(string(said), "\n"); (lines == 0) != test.wantOK || lines > 1 {
				t.Errorf("%d lines, want one if Go cannot be used, else none:\n%s", lines, said)
			}
		})
	}
}

func fake(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// flaky.sh with a go command that makes a test of its own: each second run fails, the last with another test.
func TestFlaky(t *testing.T) {
	dir := t.TempDir()
	fake(t, dir, "go", `case $1 in list) echo `+dir+`; exit;; esac
echo "$@" >`+dir+`/built
while [ "$1" != -o ]; do shift; done
cp `+dir+`/tests "$2"`)
	fake(t, dir, "tests", `pwd >ran; echo "$@" >>ran
tr " " "\n" </proc/$PPID/task/$PPID/children | grep -v "^$$\$" >>loops
echo >>runs
case $(wc -l <runs) in
2) echo "--- FAIL: TestOne (0.00s)"; echo "    --- FAIL: TestOne/part (0.00s)"; exit 1 ;;
4) echo "--- FAIL: TestOne (0.00s)"; exit 1 ;;
6) echo "panic: never mind"; exit 2 ;;
esac`)
	cmd := exec.Command("/bin/sh", "flaky.sh", "./some/package", "6", "--", "-run=One", "--race", "-rapid.checks=7")
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TMPDIR="+dir)

	said, err := cmd.CombinedOutput()

	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	for _, want := range []string{
		"run 1, idle: ok, ", "run 2, busy: FAILED, ", "idle: 3 runs, 0 failed; they took ", "busy: 3 runs, 3 failed; they took ",
		"      2 TestOne\n", "      1 TestOne/part\n", "      1 (the run itself", "what failed runs printed: " + dir + "/naosu-flaky.",
	} {
		if !strings.Contains(string(said), want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if kept, _ := filepath.Glob(dir + "/naosu-flaky.*/*"); len(kept) != 3 {
		t.Errorf("it keeps %q", kept)
	}
	for file, want := range map[string]string{
		"built": " -run=One --race -rapid.checks=7 ./some/package\n", "ran": dir + "\n-test.paniconexit0 -test.timeout=60m -test.run=One -rapid.checks=7\n",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.HasSuffix(string(text), want) {
			t.Errorf("%s: %q (%v), not %q", file, text, err, want)
		}
	}
	loopsEnded(t, filepath.Join(dir, "loops"))
}

// loopsEnded holds that there were busy loops, and that they are no more.
func loopsEnded(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || strings.TrimSpace(string(text)) == "" {
		t.Errorf("no busy loops: %v", err)
	}
	for pid := range strings.FieldsSeq(string(text)) {
		if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.Contains(string(line), "while kill -0") {
			t.Errorf("the loop %s runs on", pid)
		}
	}
}

// flaky.sh is interrupted by its own test, as by Ctrl-C.
func TestFlakyInterrupted(t *testing.T) {
	dir := t.TempDir()
	fake(t, dir, "go", `case $1 in list) echo `+dir+`; exit;; esac
while [ "$1" != -o ]; do shift; done
cp `+dir+`/tests "$2"`)
	fake(t, dir, "tests", `echo >>runs; [ $(wc -l <runs) = 2 ] || exit 0
tr " " "\n" </proc/$PPID/task/$PPID/children | grep -v "^$$\$" >>loops
kill -TERM $PPID; exec sleep 600`)
	cmd := exec.Command("/bin/sh", "flaky.sh", "./some/package", "9")
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TMPDIR="+dir)

	said, err := cmd.CombinedOutput()

	if cmd.ProcessState.ExitCode() != 143 {
		t.Errorf("it ended with %v:\n%s", err, said)
	}
	loopsEnded(t, filepath.Join(dir, "loops"))
}

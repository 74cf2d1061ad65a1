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

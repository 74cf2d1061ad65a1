//go:build unix

package snapshot

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReplacesFilesOnly: a link stays one, and a pipe, as a device, is written into.
func TestReplacesFilesOnly(t *testing.T) {
	host, folder := serve(t), t.TempDir()
	link, target := filepath.Join(folder, "link"), filepath.Join(folder, "target")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(t, host, "", "-o", link, "--force"); err != nil {
		t.Fatal(err)
	}
	check(t, target)
	pipe, copied := filepath.Join(folder, "pipe"), filepath.Join(folder, "copied")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // For both, so that nobody waits for the other to open it.
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, _, err := run(t, host, "", "-o", pipe, "--force"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Fatalf("err = %v, the pipe is %v", err, info.Mode())
	}
	held := make([]byte, 64<<10) // As much as a pipe holds.
	n, err := reader.Read(held)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, held[:n], 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, copied)
}

package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestResolve(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"a/b", "c"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "a/b/file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"c/absolute": "/a/b", "c/relative": "../a/./b/", "c/out": "../../../../a", "c/chain": "absolute/file", "c/top": "/",
		"c/self": "self", "c/deep": "deep/deep", "c/etc": "/etc/passwd",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/a/b/file": "/a/b/file", "a//b/./file": "/a/b/file", "/../../a": "/a", "/c/absolute/file": "/a/b/file", "/c/relative/../b": "/a/b",
		"/c/out/b": "/a/b", "/c/chain": "/a/b/file", "/c/top/c/top/a": "/a", "": "",
	} {
		if got, err := Resolve(root, path); err != nil || got != filepath.Join(root, want) {
			t.Errorf("%q leads to %s, %v, want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]error{
		"/c/self": syscall.ELOOP, "/c/deep/x": syscall.ELOOP, "/c/etc": syscall.ENOENT, "/none": syscall.ENOENT, "/a/b/file/x": syscall.ENOTDIR,
	} {
		if got, err := Resolve(root, path); !errors.Is(err, want) || strings.Contains(got, "passwd") {
			t.Errorf("%q leads to %q, %v, want %v", path, got, err, want)
		}
	}
}

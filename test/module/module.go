// Package module makes the result of a test depend on the whole module.
//
// go test keeps a result until the test's own code, or a file that it looked at, changes. A test that runs programs built
// from the module, or asks go about it, depends on more than that.
package module

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Visit looks at every folder of the module that a test belongs to, so that go test runs the test again when any file in
// them has changed.
func Visit(t testing.TB) {
	t.Helper()
	root := "."
	for _, err := os.Stat("go.mod"); err != nil; _, err = os.Stat(filepath.Join(root, "go.mod")) {
		if root = filepath.Join("..", root); len(root) > 100 {
			t.Fatal("no folder above the test's has a go.mod")
		}
	}
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatalf("look at the module: %v", err)
	}
}

// Package module makes the result of a test depend on the whole module.
//
// go test keeps a result until the test's own code, or a file that it looked at, changes. A test that runs go list on the
// module, or looks at all of its files, depends on more than that.
package module

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Root is the folder with go.mod that the current one lies in, as a relative path.
func Root() (string, error) {
	root := "."
	for range 100 {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root, nil
		}
		root = filepath.Join("..", root)
	}
	return "", errors.New("no folder above has a go.mod")
}

// Visit looks at every folder of the module that a test belongs to, so that go test runs the test again when any file in
// them has changed.
func Visit(t testing.TB) {
	t.Helper()
	root, err := Root()
	if err == nil {
		err = Look(root)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Look is Visit for what is no test itself.
func Look(root string) error {
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("look at the module: %w", err)
	}
	return nil
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const config, files = "../../config", "../../charts/naosu/files"

// The chart's copies of config/ are up to date.
func TestFilesAreGenerated(t *testing.T) {
	made, err := generate(config)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for name, data := range made {
		want[name] = string(data)
	}
	got := map[string]string{}
	err = filepath.WalkDir(files, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(files, path)
		got[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("make generate makes other files (-made +here):\n%s", diff)
	}
}

// Running it twice leaves what running it once does, and nothing of what is not made any more.
func TestRun(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	for range 2 {
		if err := run(config, folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "old.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(config, folder); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(built)+1 {
		t.Errorf("%d entries, want those of %v and crd", len(entries), built)
	}
}

func TestGenerateSaysWhatIsMissing(t *testing.T) {
	if _, err := generate(t.TempDir()); err == nil {
		t.Error("an empty folder was taken")
	}
}

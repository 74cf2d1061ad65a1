package agenttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ofTests is how the names of tests' cgroups begin.
const ofTests = "naosu-"

// left is how old a cgroup without processes is that nobody uses any more: tests end within ten minutes.
const left = time.Hour

// Cgroup makes a cgroup of one name in some hierarchies, by the folders that these are mounted at, and removes it with all below
// it when the test ends. The name is no other test's. Cgroups that earlier tests left, which were killed, are removed first.
func Cgroup(t testing.TB, suffix string, hierarchies ...string) (name string) {
	t.Helper()
	name = Own(ofTests) + suffix
	for _, top := range hierarchies {
		removeStaleCgroups(top)
		group := filepath.Join(top, name)
		if err := os.Mkdir(group, 0o755); err != nil {
			t.Skipf("not run: it needs a cgroup of its own: %v", err)
		}
		t.Cleanup(func() {
			if err := removeGroup(group); err != nil {
				t.Errorf("remove a cgroup: %v", err)
			}
		})
	}
	return name
}

func removeStaleCgroups(top string) {
	groups, _ := filepath.Glob(filepath.Join(top, ofTests+"*")) // The pattern is well-formed.
	for _, group := range groups {
		if info, err := os.Stat(group); err == nil && time.Since(info.ModTime()) > left {
			for _, path := range deepestFirst(group) {
				_ = os.Remove(path) // The kernel keeps those that have processes.
			}
		}
	}
}

// removeGroup removes a cgroup and those below it, as soon as the last process has left.
func removeGroup(group string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for {
		var busy error
		for _, path := range deepestFirst(group) {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				busy = err
			}
		}
		if busy == nil || !errors.Is(busy, unix.EBUSY) && !errors.Is(busy, unix.ENOTEMPTY) {
			return busy
		}
		select {
		case <-tick.C:
		case <-end:
			return fmt.Errorf("waited %v for its processes: %w", patience, busy)
		}
	}
}

func deepestFirst(group string) (all []string) {
	_ = filepath.WalkDir(group, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			all = append(all, path)
		}
		return nil
	})
	slices.Reverse(all)
	return all
}

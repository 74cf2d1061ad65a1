// Package program gives tests the module's programs, built once for a whole run.
//
// `make test` builds them and says so in the environment. Then the result of a test that needs a program depends on that
// program's file, and go test runs the test again when the file has changed. Without make each test binary has the programs
// that it needs built, which takes a second or two when nothing has changed; its result depends on the whole module.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/naosu-dev/naosu/test/module"
)

// Built in the environment says that the programs in Folder are of the present sources.
const Built = "NAOSU_PROGRAMS_BUILT"

// packages are the programs that tests run. The Makefile's programs target has the same.
var packages = map[string]string{
	"naosu":       "./cmd/naosu",
	"naosu-agent": "./cmd/naosu-agent",
	"naosu-lab":   "./cmd/naosu-lab",
	"kubectl":     "k8s.io/kubernetes/cmd/kubectl",
}

// Folder is where the programs are: bin/test of the module.
func Folder() (string, error) {
	root, err := module.Root()
	if err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(root, "bin", "test"))
}

// Path is the file of a program, built from the present sources.
func Path(name string) (string, error) {
	folder, err := Folder()
	if err != nil {
		return "", err
	}
	if os.Getenv(Built) == "" {
		if err := build(name, folder); err != nil {
			return "", err
		}
	}
	file := filepath.Join(folder, name)
	if _, err := os.Stat(file); err != nil { // also notes for go test that the result depends on the file
		return "", fmt.Errorf("%s is said to be built (%s): %w", name, Built, err)
	}
	return file, nil
}

var (
	mu    sync.Mutex
	built = map[string]bool{}
)

// build builds a program, once in this process, and one at a time on the machine: two would compile the same packages.
func build(name, folder string) error {
	mu.Lock()
	defer mu.Unlock()
	if built[name] {
		return nil
	}
	path, known := packages[name]
	if !known {
		return fmt.Errorf("%s is no program that tests run", name)
	}
	root, err := module.Root()
	if err != nil {
		return err
	}
	if err := module.Look(root); err != nil {
		return err
	}
	unlock, err := lock(folder)
	if err != nil {
		return err
	}
	defer unlock()
	command := exec.CommandContext(context.Background(), "go", "run", "./hack/build", "-for-tests", "-o", folder+string(filepath.Separator), path)
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	built[name] = true
	return nil
}

func lock(folder string) (unlock func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the programs: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of the programs: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock the folder of the programs: %w", err)
	}
	return func() { _ = file.Close() }, nil
}

// Need is Path for a test, which fails without the program, and is left out of a quick run (go test -short).
func Need(t testing.TB, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("left out of a quick run: it needs the program %s", name)
	}
	file, err := Path(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

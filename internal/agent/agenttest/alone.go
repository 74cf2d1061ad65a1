package agenttest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// alone tells a test binary, by the environment, which test it runs alone.
const alone = "NAOSU_TEST_ALONE"

// Alone runs a test in a process with network, mount and PID namespaces of its own, with /proc and /sys that show them and
// the loopback up, and an empty /mnt, beside other such tests: what it breaks there the machine never sees, and it goes with the process. A test begins with
//
//	if !agenttest.Alone(t) {
//		return
//	}
func Alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(alone) == t.Name() {
		if err := settle(t.Context()); err != nil {
			t.Fatalf("settle in namespaces of one's own: %v", err)
		}
		return true
	}
	Need(t, Root, "ip")
	t.Parallel() // They cannot meet, and mostly wait.
	var output bytes.Buffer
	itself := "-test.run=^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	child := exec.CommandContext(t.Context(), "/proc/self/exe", itself, "-test.v", "-test.count=1")
	child.Env = append(os.Environ(), alone+"="+t.Name())
	child.Stdout, child.Stderr = &output, &output
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL,
	}
	runtime.LockOSThread() // The child is killed with the thread that started it.
	err := child.Run()
	runtime.UnlockOSThread()
	switch {
	case err != nil:
		t.Fatalf("alone: %v\n%s", err, output.Bytes())
	case bytes.Contains(output.Bytes(), []byte("--- SKIP")):
		t.Skipf("not run: %s", output.Bytes())
	case !bytes.Contains(output.Bytes(), []byte("--- PASS: "+t.Name())):
		t.Fatalf("alone: nothing was run\n%s", output.Bytes())
	}
	t.Logf("alone:\n%s", output.Bytes())
	return false
}

// settle makes /proc and /sys show the new namespaces, and nothing mounted from now on show outside. /mnt is empty.
func settle(ctx context.Context) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return err
	}
	if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", "/mnt", "tmpfs", 0, ""); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return exec.CommandContext(ctx, "ip", "link", "set", "lo", "up").Run()
}

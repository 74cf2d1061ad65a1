package agenttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const fiFreeze, fiThaw = 0xc0045877, 0xc0045878 // include/uapi/linux/fs.h

// Freeze freezes a filesystem on a loop device until thaw is called, or the test ends: whoever writes to it waits. What a test
// that was killed left frozen, with its device and those who wait, the next thaws that freezes one.
func Freeze(t testing.TB, at string) (thaw func()) {
	t.Helper()
	thaw, err := theMachine.freeze(t.Context(), at)
	if err != nil {
		t.Fatalf("freeze %s: %v", at, err)
	}
	t.Cleanup(thaw)
	return thaw
}

// OwnTmp gives a test that is Alone a /tmp of its own, in which it still finds what all tests of the machine share.
func OwnTmp(t testing.TB) {
	t.Helper()
	shared, err := theMachine.openFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	for _, err := range []error{
		unix.Mount("tmpfs", "/tmp", "tmpfs", 0, ""), os.Mkdir(theMachine.folder, 0o700),
		unix.Mount(fmt.Sprintf("/proc/self/fd/%d", shared.Fd()), theMachine.folder, "", unix.MS_BIND, ""),
	} {
		if err != nil {
			t.Fatalf("mount a /tmp: %v", err)
		}
	}
}

func (m machine) freeze(ctx context.Context, at string) (thaw func(), err error) {
	folder, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	forget, err := m.noteFrozen(ctx, folder)
	if err != nil {
		_ = folder.Close()
		return nil, err
	}
	thaw = sync.OnceFunc(func() {
		_ = unix.IoctlSetInt(int(folder.Fd()), fiThaw, 0)
		forget()
		_ = folder.Close()
	})
	if err := unix.IoctlSetInt(int(folder.Fd()), fiFreeze, 0); err != nil {
		thaw()
		return nil, err
	}
	return thaw, nil
}

// noteFrozen notes that the filesystem of a folder is frozen, until the note is forgotten. What is noted by a test that was killed
// is thawed.
func (m machine) noteFrozen(ctx context.Context, at *os.File) (forget func(), err error) {
	device, err := loopDevice(at)
	if err != nil {
		return nil, fmt.Errorf("find its loop device: %w", err)
	}
	notes, err := m.openFolder()
	if err != nil {
		return nil, err
	}
	defer notes.Close()
	if err := flock(notes); err != nil { // Nobody else writes or removes notes meanwhile.
		return nil, err
	}
	left, _ := filepath.Glob(filepath.Join(m.folder, "frozen-*")) // The pattern is well-formed.
	for _, path := range left {
		if err := thawLeft(ctx, path); err != nil {
			return nil, fmt.Errorf("thaw what a test that was killed left frozen (%s): %w", path, err)
		}
	}
	note, err := os.OpenFile(filepath.Join(m.folder, "frozen-"+device), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer note.Close()
	if _, err := note.WriteString(imageOf(device)); err != nil {
		return nil, err
	}
	end, err := lockWhileAlive(note)
	return func() { _ = os.Remove(note.Name()); end() }, err
}

// lockWhileAlive locks a file until this process is killed, or end is called. A process of its own does, because this one keeps its
// files open as long as one of its threads waits for what is frozen.
func lockWhileAlive(file *os.File) (end func(), err error) {
	if err := flock(file); err != nil {
		return nil, err
	}
	started, over, ended := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // The locker ends with this thread, which must not be one of those that wait.
		defer runtime.UnlockOSThread()
		locker := exec.Command("sleep", "infinity") //nolint:noctx // It may be ended in a cleanup, after the test's context.
		locker.ExtraFiles = []*os.File{file}
		locker.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		err := locker.Start()
		started <- err
		if err == nil {
			<-over
			_, _ = locker.Process.Kill(), locker.Wait()
		}
	}()
	return func() { close(over); <-ended }, <-started
}

// loopDevice is the kernel's name of the device of a filesystem: loop0.
func loopDevice(at *os.File) (string, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(at.Fd()), &stat); err != nil {
		return "", err
	}
	link, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev)))
	if err == nil && imageOf(filepath.Base(link)) == "" {
		err = fmt.Errorf("%s has no image", filepath.Base(link))
	}
	return filepath.Base(link), err
}

// imageOf is the file of a loop device, empty if there is none.
func imageOf(device string) string {
	image, _ := os.ReadFile("/sys/block/" + device + "/loop/backing_file")
	return strings.TrimSpace(string(image))
}

var noteOfLoop = regexp.MustCompile(`^frozen-(loop[0-9]+)$`)

// thawLeft thaws what a test has noted and left, and removes the note. Its mounts may be nobody's any more: it is mounted anew.
func thawLeft(ctx context.Context, path string) error {
	name := noteOfLoop.FindStringSubmatch(filepath.Base(path))
	if name == nil {
		return nil
	}
	note, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer note.Close()
	if err := unix.Flock(int(note.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return nil // Its test lives.
	} else if err != nil {
		return err
	}
	image, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if string(image) == imageOf(name[1]) && len(image) > 0 {
		at, err := os.MkdirTemp("", "frozen")
		if err != nil {
			return err
		}
		defer func() { _ = os.Remove(at) }()
		// It is not frozen if the test was killed just before or after.
		mounted := exec.CommandContext(ctx, "unshare", "--mount", "sh", "-c", `mount "/dev/$0" "$1" && { fsfreeze --unfreeze "$1"; umount "$1"; }`, name[1], at)
		if out, err := mounted.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return os.Remove(path)
}

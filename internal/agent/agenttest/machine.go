package agenttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Setting is a value of the whole machine's, by its file in /proc or /sys.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// machine is what tests change of the whole machine: one test at a time, of whatever process, package and checkout. What was
// there before is in a record, from which the next test restores it if one is killed.
type machine struct {
	// root is below which the settings are, empty for the machine's own.
	root string
	// folder has the lock, the record and notes on what is frozen.
	folder string
	// patience is for how long a test waits for those before it.
	patience time.Duration
}

// theMachine does not heed TMPDIR: whoever tests has the same lock.
var theMachine = machine{folder: "/tmp/naosu-test-machine", patience: 5 * time.Minute}

// SetMachine sets settings of the whole machine until the test ends. A test calls it once: the second call would wait for the
// first.
func SetMachine(t testing.TB, settings ...Setting) {
	t.Helper()
	for _, s := range settings {
		file, err := os.OpenFile(s.Path, os.O_WRONLY, 0)
		if err != nil {
			t.Skipf("not run: it needs to set %s: %v", s.Path, err)
		}
		_ = file.Close()
	}
	h := hold(t)
	if err := h.set(settings); err != nil {
		t.Fatal(err)
	}
}

// NewZram makes a device of compressed memory, zram0 or another, and removes it when the test ends.
func NewZram(t testing.TB) (name string) {
	t.Helper()
	if _, err := os.Stat(zramControl); err != nil {
		t.Skipf("not run: the kernel has no zram: %v", err)
	}
	name, err := hold(t).zram()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func hold(t testing.TB) *held {
	t.Helper()
	program, _ := os.Readlink("/proc/self/exe")
	h, err := theMachine.hold(fmt.Sprintf("%s of %s, process %d", t.Name(), program, os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.release(); err != nil {
			t.Errorf("give the machine back: %v", err)
		}
	})
	return h
}

// held is a machine that nobody else changes.
type held struct {
	machine
	lock *os.File
	who  string
}

// hold waits until nobody else holds the machine, and restores what a holder that was killed has changed.
func (m machine) hold(who string) (*held, error) {
	lock, err := m.open()
	if err != nil {
		return nil, fmt.Errorf("open the lock of the machine: %w", err)
	}
	got := make(chan error, 1)
	go func() { got <- flock(lock) }()
	select {
	case err = <-got:
	case <-time.After(m.patience):
		go func() { _, _ = <-got, lock.Close() }()
		holder, _ := os.ReadFile(lock.Name())
		return nil, fmt.Errorf("waited %v for the machine, which is held by %s", m.patience, holder)
	}
	h := &held{machine: m, lock: lock, who: who + ", since " + time.Now().Format(time.RFC3339)}
	if err == nil {
		err = h.sign()
	}
	if err == nil {
		err = h.restore()
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return h, nil
}

// open opens the lock.
func (m machine) open() (*os.File, error) {
	folder, err := m.openFolder()
	if err != nil {
		return nil, err
	}
	_ = folder.Close()
	return os.OpenFile(filepath.Join(m.folder, "lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
}

// openFolder opens the folder, which nobody else could have prepared.
func (m machine) openFolder() (*os.File, error) {
	if err := os.Mkdir(m.folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	folder, err := os.OpenFile(m.folder, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s is not a folder: %w", m.folder, err)
	}
	var stat unix.Stat_t
	err = unix.Fstat(int(folder.Fd()), &stat)
	if err == nil && (int(stat.Uid) != os.Geteuid() || stat.Mode&0o077 != 0) {
		err = fmt.Errorf("%s is not a folder of this user alone", m.folder)
	}
	if err != nil {
		_ = folder.Close()
		return nil, err
	}
	return folder, nil
}

func flock(file *os.File) error {
	for {
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("flock", err)
		}
	}
}

// sign writes into the lock who holds it, for those who wait.
func (h *held) sign() error {
	if err := h.lock.Truncate(0); err != nil {
		return err
	}
	_, err := h.lock.WriteAt([]byte(h.who), 0)
	return err
}

// release restores what was set and lets the next test have the machine.
func (h *held) release() error {
	return errors.Join(h.restore(), h.lock.Truncate(0), h.lock.Close())
}

// set sets settings, after it has noted what they were.
func (h *held) set(settings []Setting) error {
	var before []Setting
	for _, s := range settings {
		value, err := os.ReadFile(h.path(s.Path))
		if err != nil {
			return err
		}
		before = append(before, Setting{s.Path, strings.TrimSpace(string(value))})
	}
	if err := h.note(before); err != nil {
		return err
	}
	for _, s := range settings {
		if err := h.write(s); err != nil {
			return err
		}
	}
	return nil
}

const (
	zramControl = "/sys/class/zram-control"
	zramRemove  = zramControl + "/hot_remove"
)

// zram makes a device. The kernel takes the first number that is free, so that it can be noted before.
func (h *held) zram() (name string, err error) {
	number := 0
	for ; ; number++ {
		name = fmt.Sprint("zram", number)
		if _, err := os.Stat(h.path("/sys/block/" + name)); err != nil {
			break
		}
	}
	if err := h.note([]Setting{{"/sys/block/" + name + "/reset", "1"}, {zramRemove, fmt.Sprint(number)}}); err != nil {
		return "", err
	}
	made, err := os.ReadFile(h.path(zramControl + "/hot_add")) // Reading it makes a device.
	if err != nil {
		return "", err
	}
	if got := strings.TrimSpace(string(made)); got != fmt.Sprint(number) {
		return "", errors.Join(fmt.Errorf("another made %s at the same moment", name), h.forget(), h.write(Setting{zramRemove, got}))
	}
	return name, nil
}

func (m machine) path(path string) string { return m.root + path }

// write gives a setting its value.
func (m machine) write(s Setting) error {
	file, err := os.OpenFile(m.path(s.Path), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(s.Value)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("set %s to %q: %w", s.Path, s.Value, err)
	}
	return nil
}

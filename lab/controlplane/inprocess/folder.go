package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// folder is where a plane keeps its files. A process that dies leaves its locks open for the next one.
type folder struct {
	data string // etcd's data, pki, kubeconfig
	run  string // a private temporary folder: sockets, whose paths must be short, and the data if they are not to be kept
	held []*os.File
}

const (
	runPrefix = "naosu-controlplane-"
	// runLock marks a folder as one of these, beyond its name, before removeStaleRuns removes it.
	runLock  = "naosu-controlplane.lock"
	dataLock = "controlplane.lock"
	// lockPatience is how long the plane of a process that has just been killed may still hold the folder.
	lockPatience = 3 * time.Second
)

// openFolder locks the data folder, making it if need be. With none named, the data are temporary.
func openFolder(data string) (*folder, error) {
	f := &folder{}
	err := f.openRun()
	if err == nil && data == "" {
		f.data = f.run
	} else if err == nil {
		err = f.openData(data)
	}
	if err == nil {
		err = os.MkdirAll(f.pki(""), 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *folder) openData(data string) error {
	var err error
	if f.data, err = filepath.Abs(data); err != nil {
		return fmt.Errorf("data folder %s: %w", data, err)
	}
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	lock, err := acquire(filepath.Join(f.data, dataLock), lockPatience)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("data folder %s is in use by another control plane", f.data)
	}
	if err != nil {
		return fmt.Errorf("lock data folder: %w", err)
	}
	f.held = append(f.held, lock)
	return nil
}

// openRun makes the temporary folder, and removes those of killed processes. One lock over all of them keeps removeStaleRuns
// from taking a folder that is made but not locked yet.
func (f *folder) openRun() error {
	all, err := acquire(filepath.Join(os.TempDir(), runPrefix+strconv.Itoa(os.Getuid())+".lock"), time.Minute)
	if err != nil {
		return fmt.Errorf("lock temporary folders: %w", err)
	}
	defer all.Close()
	removeStaleRuns()
	if f.run, err = os.MkdirTemp("", runPrefix); err != nil {
		return fmt.Errorf("temporary folder: %w", err)
	}
	lock, err := acquire(filepath.Join(f.run, runLock), 0)
	if err != nil {
		return fmt.Errorf("lock temporary folder: %w", err)
	}
	f.held = append(f.held, lock)
	return nil
}

// removeStaleRuns removes the temporary folders that are not locked. Those it may not read belong to other users.
func removeStaleRuns() {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), runPrefix+"*", runLock))
	for _, name := range locks {
		if lock, err := acquire(name, 0); err == nil {
			_ = os.RemoveAll(filepath.Dir(name))
			_ = lock.Close()
		}
	}
}

// close removes temporary files and releases the locks.
func (f *folder) close() error {
	var errs []error
	if f.run != "" {
		errs = append(errs, os.RemoveAll(f.run))
	}
	for _, lock := range f.held {
		errs = append(errs, lock.Close())
	}
	return errors.Join(errs...)
}

// acquire opens and locks a file, retrying for as long as patience lasts; a deadline exceeded means another has it.
func acquire(name string, patience time.Duration) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func (f *folder) pki(name string) string { return filepath.Join(f.data, "pki", name) }
func (f *folder) etcd() string           { return filepath.Join(f.data, "etcd") }
func (f *folder) kubeconfig() string     { return filepath.Join(f.data, "kubeconfig") }
func (f *folder) log() string            { return filepath.Join(f.data, "controlplane.log") }
func (f *folder) conf(c controlplane.Component) string {
	return filepath.Join(f.run, string(c)+".conf")
}
func (f *folder) socket() string { return filepath.Join(f.run, "etcd.sock") }
func (f *folder) port() string   { return filepath.Join(f.data, "port") }

// rememberedPort is the port of the folder's last plane, zero if there was none: a kubeconfig handed out then stays good.
func (f *folder) rememberedPort() (int, error) {
	content, err := os.ReadFile(f.port())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read last port: %w", err)
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("read last port from %s: %w", f.port(), err)
	}
	return port, nil
}

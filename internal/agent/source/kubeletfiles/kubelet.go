// Package kubeletfiles finds a host's kubelet and reads the files that it was started with, as the kubelet itself sees them: through the
// root folder of its process, since a pod has few of the host's folders, and a kubelet in a container has others. It reads regular
// files of a bounded size, and runs nothing.
package kubeletfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// groups are the cgroups in which a node's own kubelet is. A pod may name a process as it likes, and is in none of these.
var groups = []string{
	"*.slice/kubelet.service", "*.slice/rke2-*.service", "*.slice/snap.kubelet*.service", "podruntime/kubelet", "*.slice/k3s*.service",
}

// names are those of its process, as comm has them. K3s runs it within its own.
var names = []string{"kubelet", "k3s-agent", "k3s-server", "k3s"}

// ErrNone says that a host runs no kubelet, nor did at an earlier look.
var ErrNone = errors.New("no kubelet runs here")

// Finder finds a host's kubelet.
type Finder struct {
	Host host.Host

	pid, name string
	args      []string
}

// Kubelet is one that runs, or ran when it was looked for before.
type Kubelet struct {
	root string
	// rootErr is why the root folder of its process cannot be read.
	rootErr error
	args    []string
}

// Find is the kubelet that runs or, if there is none now, what is known of the one before: a kubelet whose certificate is over does not
// run for long. The error is ErrNone if there was none, or says why it cannot be looked for.
func (f *Finder) Find() (Kubelet, error) {
	if f.pid == "" || !f.is(f.pid) {
		pids, err := f.pids()
		if err != nil {
			return Kubelet{}, err
		}
		f.pid = ""
		if i := slices.IndexFunc(pids, f.is); i >= 0 {
			f.pid = pids[i]
		}
	}
	line, err := f.cmdline()
	if err != nil {
		return Kubelet{}, err
	}
	if len(line) == 0 {
		if f.args == nil {
			return Kubelet{}, ErrNone
		}
		return f.kubelet("1"), nil
	}
	f.args = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	if f.name != "kubelet" {
		f.args = ofK3s(f.args)
	}
	return f.kubelet(f.pid), nil
}

// cmdline is the arguments of the kubelet, each ended by a zero byte. Empty if none runs, or it is ending.
func (f *Finder) cmdline() ([]byte, error) {
	if f.pid == "" {
		return nil, nil
	}
	line, err := os.ReadFile(f.Host.Path("/proc/" + f.pid + "/cmdline"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH) {
		return nil, fmt.Errorf("read the kubelet's arguments: %w", err)
	}
	return line, nil
}

func (f *Finder) pids() ([]string, error) {
	dir, err := os.Open(f.Host.Path("/proc"))
	if err != nil {
		return nil, fmt.Errorf("look for the kubelet: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("look for the kubelet: %w", err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name[0] < '1' || name[0] > '9' }), nil
}

// is says whether a process is the kubelet.
func (f *Finder) is(pid string) bool {
	name, err := os.ReadFile(f.Host.Path("/proc/" + pid + "/comm"))
	if err != nil {
		return false
	}
	f.name = strings.TrimSpace(string(name))
	return slices.Contains(names, f.name) && f.Host.InCgroup(pid, groups)
}

// ofK3s are the arguments that K3s gives the kubelet within it, as far as they are used here
// (https://docs.k3s.io/installation/configuration#kubelet-configuration). Its own --config is another's file.
func ofK3s(args []string) []string {
	own := Kubelet{args: args}
	folder, is := own.Flag("data-dir")
	if !is {
		folder = "/var/lib/rancher/k3s"
	}
	given := []string{args[0], "--kubeconfig=" + folder + "/agent/kubelet.kubeconfig", "--config-dir=" + folder + "/agent/etc/kubelet.conf.d"}
	for _, name := range []string{"cluster-dns", "cluster-domain"} {
		if value, is := own.Flag(name); is {
			given = append(given, "--"+name+"="+value)
		}
	}
	return given
}

// kubelet sees the root folder of a process, or where that may not be looked into (ptrace(2)) what is mounted of the host's.
func (f *Finder) kubelet(pid string) Kubelet {
	root := f.Host.Path("/proc/" + pid + "/root")
	if _, err := os.Stat(root + "/"); err != nil {
		return Kubelet{root: f.Host.Path("/"), rootErr: bare(err), args: f.args}
	}
	return Kubelet{root: root, args: f.args}
}

// Flag is the last value of a flag; ok is false if it is not given.
func (k Kubelet) Flag(name string) (value string, ok bool) {
	for i, arg := range k.args {
		given, with, whole := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		switch {
		case given != "-"+name && given != name || !strings.HasPrefix(arg, "-"):
		case whole:
			value, ok = with, true
		case i+1 < len(k.args):
			value, ok = k.args[i+1], true
		}
	}
	return value, ok
}

// maxFileSize bounds a file that is read: the kubelet's configuration is a few KiB.
const maxFileSize = 1 << 20

// Read reads a file of the kubelet's. Its symbolic links are followed below the kubelet's root.
func (k Kubelet) Read(path string) ([]byte, error) {
	at, err := k.resolve(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	file, err := os.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0) // O_NONBLOCK: a FIFO is not waited for.
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, bare(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, bare(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: it is no regular file", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err == nil && len(text) > maxFileSize {
		err = fmt.Errorf("it has more than %d bytes", maxFileSize)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, bare(err))
	}
	return text, nil
}

// List is the names of the files in a folder of the kubelet's, sorted.
func (k Kubelet) List(folder string) ([]string, error) {
	at, err := k.resolve(folder)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, bare(err))
	}
	var paths []string
	for _, entry := range entries {
		paths = append(paths, filepath.Join(folder, entry.Name()))
	}
	return paths, nil
}

// resolve is where the agent finds a path of the kubelet's.
func (k Kubelet) resolve(path string) (string, error) {
	at, err := host.Resolve(k.root, path)
	if err != nil && k.rootErr != nil {
		return "", fmt.Errorf("%w, and the kubelet's own root folder may not be looked into (SYS_PTRACE): %w", bare(err), k.rootErr)
	}
	if err != nil {
		return "", bare(err)
	}
	return at, nil
}

// bare is an error without the path at which the agent finds the file.
func bare(err error) error {
	if of, is := errors.AsType[*os.PathError](err); is {
		return of.Err
	}
	return err
}

package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/monitor/storage"
)

// disk is a loop device with a filesystem, mounted in the namespace of a test that runs alone.
type disk struct {
	t         *testing.T
	image, at string
}

// newDisk makes a filesystem on a sparse image. make is the command that does, without the image.
func newDisk(t *testing.T, megabytes int64, at string, mkfs ...string) disk {
	t.Helper()
	d := disk{t: t, image: filepath.Join(t.TempDir(), "image"), at: at}
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image, megabytes<<20); err != nil {
		t.Fatal(err)
	}
	run(t, append(mkfs, d.image)...)
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	return d
}

// mount mounts it until the test ends, at the latest.
func (d disk) mount(options ...string) {
	d.t.Helper()
	run(d.t, "mount", "-o", strings.Join(append([]string{"loop"}, options...), ","), d.image, d.at)
	d.t.Cleanup(func() { _ = unix.Unmount(d.at, unix.MNT_DETACH) })
}

func (d disk) unmount() {
	d.t.Helper()
	run(d.t, "umount", d.at)
}

// device is the kernel's name of what is mounted: loop0.
func (d disk) device() string {
	d.t.Helper()
	return strings.TrimPrefix(strings.Fields(run(d.t, "losetup", "--noheadings", "--output", "NAME", "-j", d.image))[0], "/dev/")
}

// run runs a command and returns what it prints.
func run(t *testing.T, command ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// quick are the options of storage for a test: it looks all the time, at what the test has made only.
func quick(folders ...storage.Path) storage.Options {
	o := storage.DefaultOptions()
	for _, period := range []*time.Duration{&o.Filesystems, &o.XFS.Period, &o.Probe.Period, &o.IODelays.Period, &o.EBS.Period} {
		*period = 200 * time.Millisecond
	}
	o.Probe.Period, o.Probe.Patience = time.Second, 500*time.Millisecond
	o.Folders = folders
	o.IODelays.Most = 10 * time.Millisecond
	return o
}

// watching is the monitor of storage with some title.
func watching(t *testing.T, o storage.Options, title string) []monitor.Monitor {
	t.Helper()
	return watchingAt(t, host.Host{}, o, title)
}

func watchingAt(t *testing.T, h host.Host, o storage.Options, title string) []monitor.Monitor {
	t.Helper()
	for _, m := range storage.Monitors(h, o) {
		if m.Name() == title {
			return []monitor.Monitor{m}
		}
	}
	t.Fatalf("no monitor %q", title)
	return nil
}

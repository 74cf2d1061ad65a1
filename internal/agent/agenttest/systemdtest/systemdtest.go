// Package systemdtest gives tests a systemd of their own: the real one as PID 1 of private namespaces, with its D-Bus and
// its journal. Nothing of the machine's own services is in it, and nothing is left when the test ends.
package systemdtest

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
)

//go:embed start.sh
var start string

// units are those of the distribution that are in it.
var units = []string{
	"basic.target", "dbus.service", "dbus.socket", "final.target", "shutdown.target", "sockets.target", "sysinit.target",
	"systemd-journald-dev-log.socket", "systemd-journald.service", "systemd-journald.socket", "umount.target",
}

const (
	// patience bounds the start. It is only met when a test fails.
	patience = 2 * time.Minute
	// callTimeout bounds one question to a systemd that starts: one that is asked while its sockets move may never answer.
	callTimeout = 5 * time.Second
)

var errEnded = errors.New("systemd ended when it was started")

// Machine is a systemd at work.
type Machine struct {
	// Host has its /run: the D-Bus socket, and the journal in /run/log/journal.
	Host host.Host
	t    testing.TB
	root string
	pid  int
}

// Start starts one, and waits until it has reached its default target. The test is not run where that is not possible.
func Start(t testing.TB) *Machine {
	t.Helper()
	agenttest.Need(t, agenttest.Root, "/lib/systemd/systemd", "dbus-daemon", "nsenter", "systemctl")
	root, err := os.MkdirTemp("/tmp", "systemd") //nolint:usetesting // A socket's path may have 107 bytes.
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{Host: host.Host{Root: root}, t: t, root: root}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	for _, folder := range []string{"run", "log/journal", "units", "generators", "proc"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, unit := range units {
		if err := os.Symlink("/lib/systemd/system/"+unit, filepath.Join(root, "units", unit)); err != nil {
			t.Fatal(err)
		}
	}
	m.Write("default.target", "[Unit]\nRequires=dbus.socket systemd-journald.service\nAfter=dbus.socket systemd-journald.service\n")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for m.boot(ctx, t) != nil {
		// It ended. One that gets no inotify instance does, as long as others have them all.
		select {
		case <-ctx.Done():
			t.Fatalf("systemd ends whenever it is started; there may be %s inotify instances at a time", m.inotifyInstances())
		case <-time.After(time.Second):
		}
	}
	return m
}

// inotifyInstances is how many a user may have.
func (m *Machine) inotifyInstances() string {
	most, err := os.ReadFile("/proc/sys/fs/inotify/max_user_instances")
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(most))
}

// boot starts systemd, and waits until it has reached its default target. It fails if systemd ends before.
func (m *Machine) boot(ctx context.Context, t testing.TB) error {
	t.Helper()
	group := cgroup(t)
	console, err := os.Create(filepath.Join(m.root, "console"))
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close()
	command := exec.Command("/bin/sh", "-c", start, "systemd", m.root, group) //nolint:noctx // It ends in a cleanup, after t's context.
	command.Stdout, command.Stderr = console, console
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL,
	}
	if err := command.Start(); err != nil {
		t.Fatalf("start systemd in namespaces: %v", err)
	}
	m.pid = command.Process.Pid
	ended := make(chan struct{})
	var how error
	go func() {
		how = command.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill() // All of its namespace goes with PID 1.
		<-ended
	})
	for {
		state := m.state(ctx)
		if state == "running" || state == "degraded" {
			return nil
		}
		// Nothing tells when PID 1 first listens.
		select {
		case <-ended:
			t.Logf("%v: %v", errEnded, how)
			return errEnded
		case <-ctx.Done():
			said, _ := os.ReadFile(console.Name())
			t.Fatalf("systemd does not start: %v: state %q\n%s\n%s", ctx.Err(), state, said, m.processes())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// state gives what systemd says of itself, "" if it does not answer in time.
func (m *Machine) state(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, _ := m.inside(ctx, "systemctl", "is-system-running").CombinedOutput() // "starting" is exit code 1.
	return strings.TrimSpace(string(out))
}

// processes tells what PID 1 and its children wait for, and which jobs are queued, for the message of a failed start.
func (m *Machine) processes() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.t.Context()), callTimeout)
	defer cancel()
	jobs, _ := m.inside(ctx, "systemctl", "list-jobs", "--no-pager").CombinedOutput()
	stack, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(m.pid), "stack"))
	all, _ := exec.CommandContext(ctx, "ps", "-eo", "pid,ppid,stat,wchan:24,args").CombinedOutput()
	return string(jobs) + string(stack) + string(all)
}

// cgroup makes a group of the unified hierarchy for the machine.
func cgroup(t testing.TB) string {
	t.Helper()
	top := "/sys/fs/cgroup"
	if _, err := os.Stat(top + "/cgroup.procs"); err != nil {
		top += "/unified"
	}
	return filepath.Join(top, agenttest.Cgroup(t, "", top))
}

// Unit writes a unit, "sick.service", and has systemd read it.
func (m *Machine) Unit(name, content string) {
	m.t.Helper()
	m.Write(name, content)
	m.Systemctl("daemon-reload")
}

// Write writes a unit that systemd has yet to read.
func (m *Machine) Write(name, content string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.root, "units", name), []byte(content), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// Systemctl runs systemctl in the machine. That a unit fails to start is no failure of the test.
func (m *Machine) Systemctl(arguments ...string) {
	m.t.Helper()
	if out, err := m.inside(m.t.Context(), "systemctl", arguments...).CombinedOutput(); err != nil {
		m.t.Logf("systemctl %s: %v: %s", strings.Join(arguments, " "), err, out)
	}
}

// Run runs a program in the machine and gives what it says.
func (m *Machine) Run(program string, arguments ...string) string {
	m.t.Helper()
	out, err := m.inside(m.t.Context(), program, arguments...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s %s: %v: %s", program, strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

func (m *Machine) inside(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	enter := []string{"--target", strconv.Itoa(m.pid), "--pid", "--mount", "--uts", "--ipc", "--cgroup", program}
	command := exec.CommandContext(ctx, "nsenter", append(enter, arguments...)...)
	command.WaitDelay = time.Second // The program is a child of nsenter, and has its output open.
	return command
}

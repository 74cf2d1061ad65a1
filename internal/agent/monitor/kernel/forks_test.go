package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A daemon's cgroup is at its limit, a real fork in it is refused, and the limit is lifted.
func TestForkFails(t *testing.T) {
	g := newGroup(t)
	w := watch(t, "forks", DefaultOptions())
	g.set("pids", "max", "pids.max", "3")
	for range 3 {
		g.take(sleeper(t).Process.Pid)
	}
	w.Stands(reason.ForkFailedOutOfPIDs, g.entity())

	shell := exec.CommandContext(t.Context(), "sh", "-c", "read go; sleep 1000 & wait")
	to, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said := &strings.Builder{}
	shell.Stderr = said
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(shell) })
	g.take(shell.Process.Pid)
	fmt.Fprintln(to)
	if err := shell.Wait(); err == nil || !strings.Contains(strings.ToLower(said.String()), "fork") {
		t.Errorf("the shell could fork: %v, %s", err, said)
	}
	p, err := readPids(g.dirs["pids"])
	if err != nil || p.refused == 0 {
		t.Errorf("the kernel counted no refusal: %+v, %v", p, err)
	}

	g.set("pids", "max", "pids.max", "max")
	w.Goes(reason.ForkFailedOutOfPIDs, g.entity())
}

// alone gives a test a PID namespace and a /proc of its own, in which it runs again.
func alone(t *testing.T) (inside bool) {
	t.Helper()
	agenttest.Need(t, agenttest.Root)
	const mark = "NAOSU_KERNEL_ALONE"
	if os.Getenv(mark) != "" {
		if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"=1")
	// With mounts of its own, none of which reach the host.
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	t.Logf("in a PID namespace of its own:\n%s", out)
	switch {
	case err != nil:
		t.Error(err)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skip("not run: see above")
	}
	return false
}

// pidMax sets kernel.pid_max of a PID namespace. Before Linux 6.14 it would be the whole host's.
func pidMax(t *testing.T, most int) {
	t.Helper()
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		t.Fatal(err)
	}
	release := unix.ByteSliceToString(name.Release[:])
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil || major < 6 || major == 6 && minor < 14 {
		t.Skipf("not run: Linux %s has one kernel.pid_max for all PID namespaces", release)
	}
	if err := os.WriteFile("/proc/sys/kernel/pid_max", fmt.Append(nil, most), 0o644); err != nil {
		t.Fatal(err)
	}
}

// All PIDs of a PID namespace are taken: no fork works, the agent's own included.
func TestForkFailsOnTheWholeNode(t *testing.T) {
	if !alone(t) {
		return
	}
	pidMax(t, 340)
	w := watch(t, "forks", DefaultOptions())
	w.Goes(reason.ForkFailedOutOfPIDs, "/")

	spread() // From here on Go's runtime could start no thread either.
	children := fill(t, func() { w.Stands(reason.ForkFailedOutOfPIDs, "/") })
	for _, child := range children[len(children)-20:] { // The kernel gives small PIDs once only.
		end(child)
	}
	w.Goes(reason.ForkFailedOutOfPIDs, "/")
}

// fill starts processes as long as something is done: whenever one is refused it tries again soon, because what was refused may have
// been short of what the monitor itself forks at that moment.
func fill(t *testing.T, done func()) (children []*os.Process) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var filling sync.WaitGroup
	t.Cleanup(func() {
		cancel() // It may have failed.
		filling.Wait()
		for _, child := range children {
			end(child)
		}
	})
	filling.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			child, err := os.StartProcess("/bin/sleep", []string{"sleep", "1000"}, &os.ProcAttr{})
			switch {
			case err == nil:
				children = append(children, child)
			case errors.Is(err, syscall.EAGAIN):
				<-tick.C
			default:
				t.Errorf("%d processes: %v", len(children), err)
				return
			}
		}
	})
	done()
	cancel()
	filling.Wait()
	t.Logf("%d processes", len(children))
	return children
}

func end(child *os.Process) {
	_ = child.Kill()
	_, _ = child.Wait()
}

// spread has the runtime start threads, which it keeps for later: all are there before the first is given back.
func spread() {
	var here, back sync.WaitGroup
	all := make(chan struct{})
	for range 16 {
		here.Add(1)
		back.Go(func() {
			runtime.LockOSThread() // Its thread is no other goroutine's.
			defer runtime.UnlockOSThread()
			here.Done()
			<-all
		})
	}
	here.Wait()
	close(all)
	back.Wait()
}

func TestExhausted(t *testing.T) {
	for name, tc := range map[string]struct {
		current, limit, events string
		before                 int64
		want                   bool
	}{
		"no limit":                              {"4242\n", "max\n", "max 0\n", 0, false},
		"room":                                  {"90\n", "100\n", "max 7\n", 7, false},
		"at the limit, though nobody has tried": {"100\n", "100\n", "max 0\n", 0, true},
		"above it: the limit was lowered":       {"120\n", "100\n", "max 0\n", 0, true},
		"below it at this moment, but refused since": {"99\n", "100\n", "max 9\n", 7, true},
		"refused by a cgroup above it":               {"12\n", "max\n", "max 3\n", 2, true},
		"counted anew: the cgroup was made again":    {"1\n", "100\n", "max 0\n", 7, false},
		"no events at all":                           {"1\n", "100\n", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parsePids(tc.current, tc.limit, tc.events)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.exhausted(tc.before); (got != "") != tc.want {
				t.Errorf("says %q", got)
			}
		})
	}
}

// A host whose cgroups are files, as a busy healthy node has them: a pod at its own limit, kubelet well below its own.
func TestForksOfAHealthyNode(t *testing.T) {
	root := t.TempDir()
	cgroup := func(path, current, limit, events, local string) {
		dir := filepath.Join(root, "sys/fs/cgroup", path)
		write(t, filepath.Join(dir, "pids.current"), current)
		write(t, filepath.Join(dir, "pids.max"), limit)
		write(t, filepath.Join(dir, "pids.events"), "max "+events)
		if local != "" {
			write(t, filepath.Join(dir, "pids.events.local"), "max "+local)
		}
	}
	write(t, filepath.Join(root, "sys/fs/cgroup/cgroup.controllers"), "cpu io memory pids")
	cgroup("system.slice", "300", "max", "0", "0")
	cgroup("runtime.slice/kubelet.service", "30", "19660", "5", "5") // long ago
	f := forks{cgroups: cgroups{host: host.Host{Root: root}, patterns: append(DefaultOptions().Daemons, DefaultOptions().Pods...)}, fork: func() error { return syscall.ENOENT }}
	look := func() []evidence.Evidence {
		found, err := f.find(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	cgroup("kubepods.slice", "1500", "30000", "10", "0")
	cgroup("kubepods.slice/kubepods-pod1.slice", "1024", "1024", "10", "10")
	if found := look(); len(found) > 0 {
		t.Errorf("first look: %v", found)
	}
	cgroup("kubepods.slice", "1500", "30000", "99", "0")
	cgroup("kubepods.slice/kubepods-pod1.slice", "1024", "1024", "99", "99")
	if found := look(); len(found) > 0 {
		t.Errorf("a pod's own limit is not the node's: %v", found)
	}
	cgroup("kubepods.slice", "29990", "30000", "120", "4")
	want := []evidence.Evidence{{
		Reason: reason.ForkFailedOutOfPIDs, Entity: "/kubepods.slice", State: evidence.Fault, Source: "pids.current, pids.max, pids.events",
		Raw: "pids.current 29990, pids.max 30000, pids.events max 4 (0 at the look before)",
	}}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("all pods together (-want +got):\n%s", diff)
	}
	f.fork = func() error { return syscall.EPERM }
	cgroup("kubepods.slice", "29990", "30000", "120", "4")
	if found := look(); len(found) > 0 {
		t.Errorf("an agent that may not fork says nothing of the node: %v", found)
	}
}

func FuzzPids(f *testing.F) {
	f.Add("3\n", "max\n", "max 0\n")
	f.Add("100", "100", "max 12")
	f.Fuzz(func(t *testing.T, current, limit, events string) {
		p, err := parsePids(current, limit, events)
		if err == nil && p.limit < -1 && !strings.HasPrefix(strings.TrimSpace(limit), "-") {
			t.Errorf("%q is limit %d", limit, p.limit)
		}
	})
}

// write makes a file and its folders.
func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

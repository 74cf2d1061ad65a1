package kernel

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func init() {
	actors["parent"] = func(say, next func()) {
		var children []*os.Process
		for range 25 {
			child, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
			if err != nil {
				panic(err)
			}
			children = append(children, child)
		}
		say()
		next()
		for _, child := range children {
			_, _ = child.Wait()
		}
		say()
		next()
	}
	if os.Getenv(actor) == "leader" {
		runtime.LockOSThread() // main is on the process's first thread
	}
	actors["leader"] = func(say, next func()) {
		// The first thread ends and others go on: the process is in state Z, but no zombie.
		go func() {
			for tick := time.Tick(10 * time.Millisecond); ; <-tick {
				text, err := os.ReadFile("/proc/self/stat")
				if err != nil {
					panic(err)
				}
				if p, err := parseStat(text); err == nil && p.state == 'Z' {
					break
				}
			}
			say()
			next()
		}()
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	}
}

// A parent does not reap its children, and then does.
func TestZombies(t *testing.T) {
	w := watch(t, "processes", DefaultOptions())
	p := play(t, "parent")
	p.ready()
	entity := fmt.Sprintf("%s[%d]", p.name, p.Process.Pid)
	w.Stands(reason.ExcessiveZombieProcesses, entity)
	p.next()
	p.ready()
	w.Goes(reason.ExcessiveZombieProcesses, entity)
}

// A process whose first thread has ended is none.
func TestLeadersThatEnded(t *testing.T) {
	leader := play(t, "leader")
	leader.ready()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", leader.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	p, err := parseStat(text)
	if err != nil || p.state != 'Z' || p.zombie() {
		t.Errorf("the kernel has it as %s, which reads as %+v: %v", text, p, err)
	}
}

// A process has far more variables than others, and ends.
func TestLargeEnvironment(t *testing.T) {
	w := watch(t, "processes", DefaultOptions())
	var services []string
	for i := range 1200 {
		services = append(services, fmt.Sprintf("SERVICE_%d_PORT=tcp://10.96.0.1:443", i))
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	name := agenttest.Own("naosu-")
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(sleep, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link, "1000")
	cmd.Env = services
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	if found := w.Stands(reason.LargeEnvironment, name); strings.Contains(found.Raw, "SERVICE") {
		t.Errorf("what the variables are is nobody's business: %s", found.Raw)
	}
	kill(cmd)
	w.Goes(reason.LargeEnvironment, name)
}

// stat is a stat file as the kernel writes it.
func stat(pid, parent int, name string, state byte, threads int, memory, code, env, envEnd uint64) string {
	return fmt.Sprintf("%d (%s) %c %d 1 1 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 %d 0 5555 %d 300 18446744073709551615 %d %d 140730000000000 0 0 0 0 4096 16384 0 0 0 17 1 0 0 0 0 0 1 1 1 1 1 %d %d 0\n",
		pid, name, state, parent, threads, memory, code, code, env, envEnd)
}

func TestProcesses(t *testing.T) {
	ordinary := func(pid int, name string) string {
		return stat(pid, 1, name, 'S', 4, 1<<30, 0x400000, 0x7fff0000, 0x7fff0400)
	}
	zombies := func(files map[string]string, parent, from, n int) {
		for i := range n {
			files[fmt.Sprintf("%d/stat", from+i)] = stat(from+i, parent, "sh", 'Z', 1, 0, 0, 0, 0)
		}
	}
	for name, tc := range map[string]struct {
		files func(map[string]string)
		want  []string
	}{
		"an idle host": {func(map[string]string) {}, nil},
		"nineteen of one, and nineteen of another": {func(f map[string]string) {
			f["100/stat"], f["200/stat"] = ordinary(100, "a"), ordinary(200, "b")
			zombies(f, 100, 1000, 19)
			zombies(f, 200, 2000, 19)
		}, nil},
		"twenty of one, whose name holds brackets": {func(f map[string]string) {
			f["100/stat"] = ordinary(100, "my) Z 7 (job")
			zombies(f, 100, 1000, 20)
		}, []string{"ExcessiveZombieProcesses Fault my) Z 7 (job[100]"}},
		"the parent has ended": {func(f map[string]string) { zombies(f, 100, 1000, 20) }, nil},
		"a large environment in few variables": {func(f map[string]string) {
			f["100/stat"] = stat(100, 1, "java", 'S', 90, 1<<30, 0x400000, 0x7fff0000, 0x7fff0000+100_000)
			f["100/environ"] = "OPTS=" + strings.Repeat("x", 99_000) + "\x00A=1\x00"
		}, nil},
		"many variables, of two processes of a name": {func(f map[string]string) {
			environ := strings.Repeat("SERVICE_PORT=1\x00", 1001)
			for _, pid := range []int{100, 101} {
				f[fmt.Sprintf("%d/stat", pid)] = stat(pid, 1, "nginx", 'S', 1, 1<<30, 0x400000, 0x7fff0000, 0x7fff0000+uint64(len(environ)))
				f[fmt.Sprintf("%d/environ", pid)] = environ
			}
		}, []string{"LargeEnvironment Fault nginx"}},
		"an agent that may not see processes' addresses": {func(f map[string]string) {
			for pid := range 3 {
				f[fmt.Sprintf("%d/stat", 100+pid)] = stat(100+pid, 1, "app", 'S', 1, 1<<30, 1, 0, 0)
			}
		}, []string{"LargeEnvironment Unreadable "}},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			files := map[string]string{"1/stat": ordinary(1, "systemd"), "2/stat": stat(2, 0, "kthreadd", 'S', 1, 0, 0, 0, 0), "self/stat": "none", "uptime": "1"}
			tc.files(files)
			for path, text := range files {
				write(t, filepath.Join(h.Root, "proc", path), text)
			}
			found, err := processes{h, 20, 1000}.find(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			compare(t, tc.want, found)
		})
	}
}

// Periodic process of this machine can be read.
func TestWalkHere(t *testing.T) {
	own := false
	if err := walk("/proc", func(p process) {
		own = own || p.pid == os.Getpid() && p.parent == os.Getppid() && p.threads > 1 && p.environ > 0 && !p.hidden && !p.kernel
	}); err != nil || !own {
		t.Errorf("own process found: %v, %v", own, err)
	}
}

func FuzzStat(f *testing.F) {
	f.Add([]byte(stat(1, 0, "systemd", 'S', 1, 1<<30, 1, 0, 0)))
	f.Add([]byte("4 (a) b) Z 1 2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := parseStat(text); err == nil && !bytes.Contains(text, append(append([]byte("("), p.name...), ')')) {
			t.Errorf("the name %q is not in %q", p.name, text)
		}
	})
}

package kernel

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
)

// actor, set in the environment, makes the test's binary play a part in a fault.
const actor = "NAOSU_KERNEL_ACTOR"

// actors are the parts. Each says "ready" and goes on at the next line that it is given.
var actors = map[string]func(say func(), next func()){}

func TestMain(m *testing.M) {
	act, is := actors[os.Getenv(actor)]
	if !is {
		os.Exit(m.Run())
	}
	lines := bufio.NewReader(os.Stdin)
	act(func() { fmt.Println("ready") }, func() {
		if _, err := lines.ReadString('\n'); err != nil {
			os.Exit(0) // The test is over.
		}
	})
}

// played is an actor at work.
type played struct {
	*exec.Cmd
	t     *testing.T
	name  string
	to    io.WriteCloser
	lines *bufio.Reader
}

// play starts an actor, which ends with the test at the latest. Its name tells other tests that it is one.
func play(t *testing.T, part string, change ...func(*exec.Cmd)) *played {
	t.Helper()
	itself, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := agenttest.Own("naosu-")
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(itself, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link)
	cmd.Env, cmd.Stderr = append(os.Environ(), actor+"="+part), os.Stderr
	for _, c := range change {
		c(cmd)
	}
	to, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &played{Cmd: cmd, t: t, name: name, to: to, lines: bufio.NewReader(from)}
	t.Cleanup(p.end)
	return p
}

// ready waits until it says so.
func (p *played) ready() {
	p.t.Helper()
	if line, err := p.lines.ReadString('\n'); err != nil {
		p.t.Fatalf("%s said %q: %v", p.Env[len(p.Env)-1], line, err)
	}
}

// next lets it go on.
func (p *played) next() {
	p.t.Helper()
	if _, err := io.WriteString(p.to, "\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *played) end() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// watch has one of the Monitors at work, twice a second.
func watch(t *testing.T, part string, o Options) *agenttest.Watched {
	t.Helper()
	for _, m := range Monitors(host.Host{}, o) {
		if periodic := m.(monitor.Periodic); periodic.Name() == "kernel/"+part {
			periodic.Period = 500 * time.Millisecond
			return agenttest.Watch(t, []monitor.Monitor{periodic}, agenttest.Sooner(periodic.IDs...))
		}
	}
	t.Fatalf("no monitor kernel/%s", part)
	return nil
}

// group is a cgroup in each hierarchy that there is, by the name of version 1's controller; the one without is PSI's.
type group struct {
	t    *testing.T
	dirs map[string]string
	v2   bool
}

// newGroup makes one, two levels below the root, where the default options look for kubelet.
func newGroup(t *testing.T) group {
	t.Helper()
	agenttest.Need(t, agenttest.Root)
	g := group{t: t, dirs: map[string]string{}}
	var roots []string
	_, err := os.Stat("/sys/fs/cgroup/cgroup.controllers")
	g.v2 = err == nil
	for _, controller := range []string{"", "pids", "memory", "blkio"} {
		root := "/sys/fs/cgroup/" + controller
		switch {
		case g.v2:
			root = "/sys/fs/cgroup"
		case controller == "":
			root = "/sys/fs/cgroup/unified"
		}
		if _, err := os.Stat(root + "/cgroup.procs"); err != nil {
			continue
		}
		g.dirs[controller] = root
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	name := agenttest.Cgroup(t, ".slice", roots...)
	for controller, root := range g.dirs {
		slice := filepath.Join(root, name)
		g.dirs[controller] = filepath.Join(slice, "kubelet.service")
		if err := os.MkdirAll(g.dirs[controller], 0o755); err != nil {
			t.Fatal(err)
		}
		if g.v2 {
			for _, parent := range []string{root, slice} { // Of the root systemd has it set.
				_ = os.WriteFile(parent+"/cgroup.subtree_control", []byte("+pids +memory +io"), 0o644)
			}
		}
	}
	return g
}

// set writes a file of a controller, of whichever version is here.
func (g group) set(controller, v1, v2, value string) {
	g.t.Helper()
	file := controller + "." + v1
	if g.v2 {
		file = v2
	}
	dir, is := g.dirs[controller]
	if !is {
		g.t.Skipf("not run: no cgroup controller %s", controller)
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// take moves a process in.
func (g group) take(pid int) {
	g.t.Helper()
	for _, dir := range g.dirs {
		if err := os.WriteFile(dir+"/cgroup.procs", []byte(strconv.Itoa(pid)), 0o644); err != nil {
			g.t.Fatal(err)
		}
	}
}

// entity is what a monitor calls it.
func (g group) entity() string {
	dir := g.dirs["pids"]
	return dir[strings.LastIndex(filepath.Dir(dir), "/"):]
}

// sleeper is a process that does nothing until the test ends, or it is killed.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

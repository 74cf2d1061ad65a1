package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/test/program"
)

// TestSoakWithFaults has the whole agent watch a host on which faults of every kind come and go, for NAOSU_FAULTS=20m: links, disks,
// rules of the packet filter, fatal records and a flood of others in the kernel's log, and an API server that fails. Each time the
// conditions go False and come back, and after them the agent is no larger than after the first ones. hack/soak.sh runs it.
func TestSoakWithFaults(t *testing.T) {
	text := os.Getenv("NAOSU_FAULTS")
	if text == "" {
		t.Skip("not run: NAOSU_FAULTS says for how long, as in hack/soak.sh 20m")
	}
	lasting, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	agenttest.Need(t, agenttest.Root, "ip", "nft", "mkfs.ext4")
	if !agenttest.Alone(t) {
		return
	}
	s := newSoaked(t)
	s.await(s.well)
	var sizes []size
	began := time.Now()
	const settled, more = 3, 2048 // KiB: the collector's pace, not growth
	for cycle := 0; time.Since(began) < lasting || cycle <= settled; cycle++ {
		s.breaks(cycle)
		s.await(s.broken)
		s.mends()
		s.await(s.well)
		sizes = append(sizes, s.size())
		fmt.Printf("%8s cycle %d: %v\n", time.Since(began).Round(time.Second), cycle+1, sizes[cycle])
	}
	first, last := sizes[0], sizes[len(sizes)-1]
	for _, s := range sizes[:settled] {
		first = first.most(s)
	}
	for _, s := range sizes[len(sizes)-settled:] { // One that it has open just now, to read it, is not one more.
		last.files = min(last.files, s.files)
	}
	if last.anonymous > first.anonymous+more || last.resident > first.resident+more || last.files > first.files || last.threads > first.threads+2 {
		t.Errorf("it has grown from %v to %v", first, last)
	}
}

// soaked is a host with an agent, and the API server that it reports to.
type soaked struct {
	t      *testing.T
	agent  *exec.Cmd
	kernel *os.File
	disk   disk
	lines  int

	mu         sync.Mutex
	conditions map[string]string
	fallen     map[string]bool // conditions that were False since the faults came
	failing    bool
	changed    chan struct{}
}

// newSoaked makes a host with a link, a way out, a disk and a kernel's log of its own, and starts an agent there.
func newSoaked(t *testing.T) *soaked {
	t.Helper()
	s := &soaked{t: t, conditions: map[string]string{}, fallen: map[string]bool{}, changed: make(chan struct{}, 1)}
	run(t, "sh", "-c", "ip link add eth0 type veth peer name peer && ip addr add 192.0.2.2/24 dev eth0 && ip link set peer up && ip link set eth0 up && "+wayOut)
	s.disk = newDisk(t, 64, "/mnt/data", "mkfs.ext4", "-q")
	s.disk.mount()
	root := t.TempDir()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_DIRECT|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	out := os.NewFile(uintptr(ends[0]), "out")
	s.kernel = os.NewFile(uintptr(ends[1]), "in")
	t.Cleanup(func() { _ = out.Close(); _ = s.kernel.Close() })
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	for _, link := range [][2]string{{"/proc", "proc"}, {"/sys", "sys"}, {"/mnt", "mnt"}, {fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), ends[0]), "dev/kmsg"}} {
		at := filepath.Join(root, link[1])
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link[0], at); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"kubeconfig": fmt.Sprintf("current-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\n", server.URL),
		"agent.yaml": "storage: {folders: [/mnt/data]}\nreasons: {CperHardwareErrorFatal: {clears: {quiet: 1m}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A test's context ends before what is cleaned up, and the agent is to end by itself.
	s.agent = exec.CommandContext(context.WithoutCancel(t.Context()), program.Need(t, "naosu-agent"), "--node-name", "n", "--kubeconfig", filepath.Join(root, "kubeconfig"),
		"--config", filepath.Join(root, "agent.yaml"), "--host-root", root, "--state", filepath.Join(root, "state"))
	var said strings.Builder
	s.agent.Stdout, s.agent.Stderr = &said, &said
	if err := s.agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.agent.Process.Signal(unix.SIGTERM)
		if err := s.agent.Wait(); err != nil {
			t.Errorf("the agent ended with %v, having said\n%s", err, &said)
		}
	})
	return s
}

const wayOut = "ip route add default via 192.0.2.1"

// breaks has a fault of each kind come. In each second cycle the API server fails at first.
func (s *soaked) breaks(cycle int) {
	s.mu.Lock()
	s.fallen = map[string]bool{}
	s.mu.Unlock()
	s.fail(cycle%2 == 1)
	run(s.t, "ip", "link", "set", "eth0", "down")
	s.remountReadOnly()
	run(s.t, "nft", "add table inet own; add chain inet own in { type filter hook input priority 0; policy accept; }; add rule inet own in tcp dport vmap { 7 : drop, 9 : drop }")
	for range 2 {
		s.log("[Hardware Error]: event severity: fatal")
	}
	for i := range 5000 {
		s.log(fmt.Sprintf("p%d[%d]: segfault at 0 ip 000000000040007a sp 00007ffe850b71a0 error 6 in p[7a,400000+1000]", cycle*5000+i, i))
	}
	if cycle%2 == 1 {
		<-time.After(15 * time.Second)
		s.fail(false)
	}
}

// remountReadOnly remounts the disk. It is busy while the agent tries whether it can be written.
func (s *soaked) remountReadOnly() {
	for tries := 0; ; tries++ {
		out, err := exec.CommandContext(s.t.Context(), "mount", "-o", "remount,ro", s.disk.at).CombinedOutput()
		switch {
		case err == nil:
			return
		case tries == 100 || !strings.Contains(string(out), "busy"):
			s.t.Fatalf("remounting %s: %v\n%s", s.disk.at, err, out)
		}
		<-time.After(100 * time.Millisecond)
	}
}

// mends removes all of them.
func (s *soaked) mends() {
	run(s.t, "sh", "-c", "ip link set eth0 up && "+wayOut)
	run(s.t, "mount", "-o", "remount,rw", s.disk.at)
	run(s.t, "nft", "delete table inet own")
}

// log has the kernel log a line.
func (s *soaked) log(text string) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		s.t.Fatal(err)
	}
	s.lines++
	if _, err := fmt.Fprintf(s.kernel, "3,%d,%d,-;%s\n", s.lines, now.Nano()/1000, text); err != nil {
		s.t.Fatal(err)
	}
}

// fail has the API server fail, or answer.
func (s *soaked) fail(failing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = failing
}

// await waits until the conditions are so.
func (s *soaked) await(is func() bool) {
	s.t.Helper()
	end := time.After(5 * time.Minute)
	for {
		s.mu.Lock()
		done, now := is(), fmt.Sprint(s.conditions)
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-s.changed:
		case <-end:
			s.t.Fatalf("the conditions are %s", now)
		}
	}
}

// well says that every condition is True.
func (s *soaked) well() bool {
	for _, status := range s.conditions {
		if status != "True" {
			return false
		}
	}
	return len(s.conditions) >= 4
}

// broken says that every condition with a fault was False.
func (s *soaked) broken() bool {
	return s.fallen["KernelReady"] && s.fallen["NetworkingReady"] && s.fallen["StorageReady"]
}

// ServeHTTP answers as an API server with one Node.
func (s *soaked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	failing := s.failing
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/livez":
	case failing:
		http.Error(w, `{"message": "away"}`, http.StatusServiceUnavailable)
	case r.URL.Path == "/api/v1/nodes":
		_, _ = fmt.Fprint(w, `{"type": "ADDED", "object": `)
		s.node(w)
		_, _ = fmt.Fprint(w, "}\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status"):
		s.patch(r)
		s.node(w)
	case r.Method == http.MethodPatch:
		_, _ = fmt.Fprint(w, "{}")
	default:
		http.NotFound(w, r)
	}
}

func (s *soaked) patch(r *http.Request) {
	var body struct {
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Query().Has("dryRun") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range body.Status.Conditions {
		s.conditions[c.Type] = c.Status
		s.fallen[c.Type] = s.fallen[c.Type] || c.Status == "False"
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *soaked) node(w http.ResponseWriter) {
	_, _ = fmt.Fprint(w, `{"metadata": {"name": "n", "uid": "u", "resourceVersion": "1"}, "status": {}}`)
}

// size is what an agent takes of a host: memory in KiB.
type size struct {
	resident, anonymous, threads, files int
	cpu                                 time.Duration
}

func (s size) String() string {
	return fmt.Sprintf("%d KiB resident, %d KiB anonymous, %d threads, %d files, %v CPU", s.resident, s.anonymous, s.threads, s.files, s.cpu)
}

// most is the larger of each.
func (s size) most(o size) size {
	return size{max(s.resident, o.resident), max(s.anonymous, o.anonymous), max(s.threads, o.threads), max(s.files, o.files), max(s.cpu, o.cpu)}
}

func (s *soaked) size() (is size) {
	folder := fmt.Sprintf("/proc/%d", s.agent.Process.Pid)
	status, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		s.t.Fatal(err)
	}
	for field, value := range map[string]*int{"VmRSS": &is.resident, "RssAnon": &is.anonymous, "Threads": &is.threads} {
		_, rest, _ := strings.Cut(string(status), field+":")
		if _, err := fmt.Sscan(rest, value); err != nil {
			s.t.Fatalf("%s: %v", field, err)
		}
	}
	files, err := os.ReadDir(filepath.Join(folder, "fd"))
	if err != nil {
		s.t.Fatal(err)
	}
	is.files = len(files)
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		s.t.Fatal(err)
	}
	var user, system int
	words := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if _, err := fmt.Sscan(words[11]+" "+words[12], &user, &system); err != nil {
		s.t.Fatal(err)
	}
	is.cpu = time.Duration(user+system) * 10 * time.Millisecond
	return is
}

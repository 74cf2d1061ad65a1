package failover

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program in the namespace of a machine.
type process struct {
	*exec.Cmd
	log   *log
	ended chan struct{}
}

// log is what a program prints.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// lines are those after a number of them.
func (l *log) lines(after int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.Split(l.text.String(), "\n")
	return all[min(after, len(all)-1) : len(all)-1]
}

// start runs a program, until the test ends.
func (b *fixture) start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, log: &log{}, ended: make(chan struct{})}
	p.Stdout, p.Stderr = p.log, p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.Wait()
	}()
	b.processes = append(b.processes, p)
	return p
}

// kill ends the process at once, also one that is paused.
func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.ended
}

// hasEnded says whether the process has.
func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatalf("signal %v: %v", s, err)
	}
}

// suspend stops the process, and waits until all of its threads have stopped: the signal wakes up one, and the others run on until that one is
// scheduled.
func (p *process) suspend(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGSTOP)
	eventually(t, "the process has stopped", func() error {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Process.Pid))
		if err != nil || len(threads) == 0 {
			return fmt.Errorf("no threads of %d: %w", p.Process.Pid, err)
		}
		for _, thread := range threads {
			stat, err := os.ReadFile(thread)
			if err != nil {
				return err
			}
			if _, state, _ := bytes.Cut(stat, []byte(") ")); !bytes.HasPrefix(state, []byte("T")) {
				return fmt.Errorf("%s: %s", thread, stat)
			}
		}
		return nil
	})
}

// end ends the process as a kubelet does, and waits for it.
func (p *process) end(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	<-p.ended
	if code := p.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it ended with %d\n%s", code, strings.Join(p.log.lines(0), "\n"))
	}
}

// portKeeper in the environment makes the test's binary play the kubelet's ports.
const portKeeper = "NAOSU_TEST_KUBELET_PORT"

// healthz is the address of the kubelet's health endpoint.
const healthz = "127.0.0.1:10248"

// keepPort accepts connections at the address and closes them, and answers at the health endpoint.
func keepPort(address string) error {
	healthy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	ended := make(chan error, 2)
	go func() {
		ended <- (&http.Server{Addr: healthz, Handler: healthy, ReadHeaderTimeout: time.Minute}).ListenAndServe()
	}()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString("listens\n"); err != nil {
		return errors.Join(err, listener.Close())
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				ended <- err
				return
			}
			_ = connection.Close()
		}
	}()
	return <-ended
}

//go:build linux

package heartbeat_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authentication "k8s.io/api/authentication/v1"

	agent "github.com/naosu-dev/naosu/internal/agent/heartbeat"
	"github.com/naosu-dev/naosu/internal/benchmark"
	server "github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat/heartbeattest"
)

const (
	benchAgents = 5000
	// The environment of the process that has the agents: where the server is, and the folder with the files.
	benchAddress = "NAOSU_BENCH_HEARTBEAT_ADDRESS"
	benchFolder  = "NAOSU_BENCH_HEARTBEAT_FOLDER"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(benchAddress); address != "" {
		runAgents(address, os.Getenv(benchFolder))
	}
	os.Exit(m.Run())
}

// runAgents runs the agents of the benchmark until the process is killed.
func runAgents(address, folder string) {
	for i := range benchAgents {
		name := fmt.Sprint("n", i)
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 1, byte(i/250), byte(i%250+1))}}
		client := agent.New(agent.Options{
			Addresses: []string{address}, TokenFile: filepath.Join(folder, name), CAFile: filepath.Join(folder, "ca.crt"), BootID: name,
			Log: slog.New(slog.DiscardHandler),
			Dial: func(ctx context.Context, to string) (net.Conn, error) {
				return dialer.DialContext(ctx, "tcp", to)
			},
		})
		go client.Run(context.Background())
	}
	select {}
}

// counted counts what a listener's connections read and write.
type counted struct {
	net.Listener
	in, out *atomic.Int64
}

type countedConn struct {
	net.Conn
	counted
}

func (l counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{Conn: c, counted: l}, nil
}

// The rest of a net.Conn that is also a net.Listener is the former's.

func (c countedConn) Close() error { return c.Conn.Close() }

func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.in.Add(int64(n))
	return n, err
}

func (c countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.out.Add(int64(n))
	return n, err
}

// BenchmarkStreams is what the agents of 5,000 nodes cost a replica of the controller: memory, CPU and bytes (of TLS, without the headers of TCP)
// while they send heartbeats, and then how long it takes until they are back after a restart. The agents are in a process of their own, on the
// same cores.
func BenchmarkStreams(b *testing.B) {
	certificate, authority := heartbeattest.Certificate(b)
	folder := b.TempDir()
	r := &reviewer{statuses: map[string]authentication.TokenReviewStatus{}}
	files := map[string][]byte{"ca.crt": authority}
	for i := range benchAgents {
		name := fmt.Sprint("n", i)
		token := fmt.Sprintf("a.%s.%s", strings.Repeat("x", 1200), name) // As long as a real one.
		r.statuses[token] = reviewed(name)
		files[name] = []byte(token)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		run := benchRun{reviewer: r, certificate: certificate, address: "127.0.0.1:0"}
		run.start(b)
		run.clients(b, folder)
		run.await(b, time.Now().Add(5*time.Minute))
		run.rest(b)
		run.stop(b)
		asked := r.asked
		began, cpu := time.Now(), benchmark.CPU(b)
		run.start(b)
		run.await(b, began.Add(5*time.Minute))
		b.ReportMetric(time.Since(began).Seconds(), "s-to-return")
		b.ReportMetric((benchmark.CPU(b) - cpu).Seconds(), "CPU-s-to-return")
		b.ReportMetric(float64(r.asked-asked), "reviews-to-return")
		run.kill(b)
		run.stop(b)
	}
}

type benchRun struct {
	reviewer    *reviewer
	certificate tls.Certificate
	address     string
	before      float64 // The memory without streams.

	*server.Server
	in, out atomic.Int64
	end     context.CancelFunc
	ended   chan error
	agents  *exec.Cmd
}

func (r *benchRun) start(b *testing.B) {
	b.Helper()
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", r.address)
	if err != nil {
		b.Fatal(err)
	}
	r.address = listener.Addr().String()
	r.Server = server.New(server.Options{
		Tokens: r.reviewer, User: user, Log: logr.Discard(),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &r.certificate, nil },
	})
	r.before = anonymous(b)
	ctx, cancel := context.WithCancel(b.Context())
	r.end, r.ended = cancel, make(chan error, 1)
	go func() { r.ended <- r.Serve(ctx, counted{Listener: listener, in: &r.in, out: &r.out}) }()
}

func (r *benchRun) stop(b *testing.B) {
	b.Helper()
	r.end()
	if err := <-r.ended; err != nil {
		b.Fatal(err)
	}
}

// clients starts the process that has the agents.
func (r *benchRun) clients(b *testing.B, folder string) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	r.agents = exec.Command(self)
	r.agents.Env = append(os.Environ(), benchAddress+"="+r.address, benchFolder+"="+folder)
	r.agents.Stderr = os.Stderr
	r.agents.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := r.agents.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.kill(b) })
}

func (r *benchRun) kill(b *testing.B) {
	b.Helper()
	if r.agents.ProcessState == nil {
		_ = r.agents.Process.Kill()
		_ = r.agents.Wait()
	}
}

// await waits until all agents are heard.
func (r *benchRun) await(b *testing.B, until time.Time) {
	b.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for now := range tick.C {
		open := 0
		for _, s := range r.Streams() {
			if s.Ended == "" {
				open++
			}
		}
		switch {
		case open == benchAgents:
			return
		case now.After(until):
			b.Fatalf("%d streams", open)
		}
	}
}

// rest measures a minute in which the agents only send heartbeats, and what the reconciler asks for four times a second.
func (r *benchRun) rest(b *testing.B) {
	b.Helper()
	const duration = 60 * time.Second
	settle := time.NewTimer(40 * time.Second) // The agents then take the streams as stable, and what opening them took is collected.
	<-settle.C
	cpu, in, out := benchmark.CPU(b), r.in.Load(), r.out.Load()
	var oldest time.Duration
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for range duration / (250 * time.Millisecond) {
		<-tick.C
		for _, s := range r.Streams() {
			oldest = max(oldest, time.Since(s.LastBeat))
		}
	}
	b.ReportMetric((benchmark.CPU(b)-cpu).Seconds()*1000/duration.Seconds(), "CPU-ms/s")
	b.ReportMetric(float64(r.in.Load()-in)/duration.Seconds()/benchAgents, "B-in/s-per-stream")
	b.ReportMetric(float64(r.out.Load()-out)/duration.Seconds()/benchAgents, "B-out/s-per-stream")
	b.ReportMetric((anonymous(b)-r.before)/benchAgents, "KiB-per-stream")
	b.ReportMetric(oldest.Seconds()*1000, "ms-oldest-beat")
}

// anonymous is this process's anonymous memory in KiB.
func anonymous(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib
}

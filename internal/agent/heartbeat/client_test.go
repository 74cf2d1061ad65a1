package heartbeat_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	agent "github.com/naosu-dev/naosu/internal/agent/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat/heartbeattest"
)

// replica is a controller that does with a stream what a test wants.
type replica struct {
	network *heartbeattest.Network
	server  *http.Server
	accept  func(w http.ResponseWriter, r *http.Request) // Nil receives frames until the end.

	mu     sync.Mutex
	frames []heartbeat.Frame
	times  []time.Time
	tokens []string // Of each request.
	writer http.ResponseWriter
}

func (r *replica) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	r.tokens = append(r.tokens, strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")+" "+request.Header.Get(heartbeat.BootIDHeader))
	r.writer = w
	accept := r.accept
	r.mu.Unlock()
	if accept != nil {
		accept(w, request)
		return
	}
	_ = http.NewResponseController(w).Flush()
	for in := heartbeat.NewReader(request.Body); ; {
		f, err := in.Next()
		if err != nil {
			return
		}
		r.mu.Lock()
		r.frames, r.times = append(r.frames, f), append(r.times, time.Now())
		r.mu.Unlock()
	}
}

func (r *replica) requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tokens)
}

// received are the frames so far, without heartbeats.
func (r *replica) received() []heartbeat.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.frames), func(f heartbeat.Frame) bool { return f.Type == heartbeat.Heartbeat })
}

// probe sends probes on the latest stream.
func (r *replica) probe(addresses ...string) {
	for i, address := range addresses {
		_, _ = r.writer.Write(heartbeat.Frame{Type: heartbeat.Probe, ID: uint64(i) + 1, Address: address}.Encode())
		_ = http.NewResponseController(r.writer).Flush()
	}
}

// fixture is an agent and the replicas that it may connect to.
type fixture struct {
	replicas map[string]*replica // By IP.
	options  agent.Options
	client   *agent.Client
	stop     context.CancelFunc
	stopped  chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
	// resolve and dial are what the agent's network does; dial is about addresses that are no replica's.
	resolve func(string) ([]string, error)
	dial    func(context.Context, string) (net.Conn, error)
}

func (f *fixture) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.Write(b)
}

func (f *fixture) logged(text string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Count(f.log.String(), text)
}

// setup makes replicas at IPs, and an agent to which the host "controller" has these addresses.
func setup(t *testing.T, ips ...string) *fixture {
	t.Helper()
	certificate, authority := heartbeattest.Certificate(t)
	folder := t.TempDir()
	f := &fixture{replicas: map[string]*replica{}, stopped: make(chan struct{})}
	for _, ip := range ips {
		r := &replica{network: heartbeattest.NewNetwork()}
		var protocols http.Protocols
		protocols.SetHTTP2(true)
		r.server = &http.Server{
			Handler: r, Protocols: &protocols, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute,
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		}
		go func() { _ = r.server.ServeTLS(r.network, "", "") }()
		f.replicas[ip] = r
	}
	f.resolve = func(string) ([]string, error) { return slices.Collect(maps.Keys(f.replicas)), nil }
	f.options = agent.Options{
		Addresses: []string{"controller:9443"}, TokenFile: filepath.Join(folder, "token"), CAFile: filepath.Join(folder, "ca.crt"), BootID: "boot",
		Log:     slog.New(slog.NewTextHandler(f, nil)),
		Resolve: func(_ context.Context, host string) ([]string, error) { return f.resolve(host) },
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			host, port, _ := net.SplitHostPort(address)
			if r := f.replicas[host]; r != nil && port == "9443" {
				return r.network.Dial(ctx, "10.0.0.1:40000")
			}
			return f.dial(ctx, address)
		},
	}
	write(t, f.options.TokenFile, "first\n")
	write(t, f.options.CAFile, string(authority))
	return f
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f.stop = cancel
	f.client = agent.New(f.options)
	go func() {
		f.client.Run(ctx)
		close(f.stopped)
	}()
	synctest.Wait()
}

// end ends the agent and the replicas, and returns how long the agent took.
func (f *fixture) end() time.Duration {
	began := time.Now()
	f.stop()
	<-f.stopped
	took := time.Since(began)
	for _, r := range f.replicas {
		_ = r.server.Close()
	}
	return took
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// An agent has one stream to each address, sends a heartbeat a second on each, and says goodbye.
func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1", "10.1.0.2")
		f.run(t)
		pass(time.Hour + time.Millisecond)
		if got := f.client.Streams(); got != 2 {
			t.Errorf("%d streams", got)
		}
		if took := f.end(); took != 0 {
			t.Errorf("it ended after %s", took)
		}
		for ip, r := range f.replicas {
			if len(r.tokens) != 1 || r.tokens[0] != "first boot" {
				t.Errorf("%s: requests with %q", ip, r.tokens)
			}
			if got := len(r.frames) - len(r.received()); got != 3601 {
				t.Errorf("%s: %d heartbeats", ip, got)
			}
			for i := range 3600 {
				if pause := r.times[i+1].Sub(r.times[i]); pause != time.Second {
					t.Fatalf("%s: a pause of %s", ip, pause)
				}
			}
			if diff := cmp.Diff([]heartbeat.Frame{{Type: heartbeat.Goodbye}}, r.received()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", ip, diff)
			}
		}
	})
}

// A replica that does not read the goodbye delays the agent's end by a second.
func TestEndsWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1")
		f.run(t)
		f.replicas["10.1.0.1"].network.Links()[0].Drop()
		if took := f.end(); took != time.Second {
			t.Errorf("it ended after %s", took)
		}
	})
}

// A replica whose machine died is noticed within 15 s, and one that is back is found within a minute.
func TestReplicaDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1", "10.1.0.2")
		f.run(t)
		pass(time.Minute)
		r := f.replicas["10.1.0.1"]
		r.network.Links()[0].Drop()
		r.network.Away(&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH})
		pass(16 * time.Second)
		if got := f.client.Streams(); got != 1 {
			t.Errorf("%d streams after one replica died", got)
		}
		pass(10 * time.Minute)
		if got := f.logged("There is no heartbeat stream"); got != 1 {
			t.Errorf("logged %d times:\n%s", got, &f.log)
		}
		r.network.Away(nil)
		pass(time.Minute)
		if got := f.client.Streams(); got != 2 || r.requests() != 2 {
			t.Errorf("%d streams, %d requests after it is back", got, r.requests())
		}
		if got := len(f.replicas["10.1.0.2"].tokens); got != 1 {
			t.Errorf("%d requests to the other", got)
		}
		f.end()
	})
}

// Refusals are retried at increasing intervals, with the token as it then is. Each reason is logged once.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1")
		r := f.replicas["10.1.0.1"]
		r.accept = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such account", http.StatusForbidden) }
		f.run(t)
		pass(time.Hour)
		if got := r.requests(); got < 60 || got > 130 {
			t.Errorf("%d requests in an hour", got)
		}
		if got := f.logged("403: no such account"); got != 1 {
			t.Errorf("logged %d times:\n%s", got, &f.log)
		}
		r.mu.Lock()
		r.accept = nil
		r.mu.Unlock()
		write(t, f.options.TokenFile, "second")
		pass(time.Minute)
		if got := r.tokens[len(r.tokens)-1]; f.client.Streams() != 1 || got != "second boot" {
			t.Errorf("%d streams, the last with %q", f.client.Streams(), got)
		}
		f.end()
	})
}

// What is no controller gets no token, and neither does the agent's log fill nor its end wait.
func TestNotTheController(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *fixture){
		"another CA": func(t *testing.T, f *fixture) {
			_, authority := heartbeattest.Certificate(t)
			write(t, f.options.CAFile, string(authority))
		},
		"no CA":    func(t *testing.T, f *fixture) { write(t, f.options.CAFile, "") },
		"no file":  func(_ *testing.T, f *fixture) { f.options.CAFile += "x" },
		"no token": func(_ *testing.T, f *fixture) { f.options.TokenFile += "x" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t, "10.1.0.1")
				change(t, f)
				f.run(t)
				pass(time.Hour)
				if r := f.replicas["10.1.0.1"]; r.requests() != 0 || f.logged("There is no heartbeat stream") != 1 {
					t.Errorf("%d requests, logged\n%s", r.requests(), &f.log)
				}
				if took := f.end(); took != 0 {
					t.Errorf("it ended after %s", took)
				}
			})
		})
	}
}

// A controller that accepts the connection and does not answer is given up after 15 s, and does not delay the agent's end.
func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1")
		f.replicas["10.1.0.1"].accept = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		f.run(t)
		pass(14 * time.Second)
		if f.logged("no stream within") != 0 {
			t.Errorf("given up early:\n%s", &f.log)
		}
		pass(time.Second)
		if f.logged("no stream within 15s") != 1 {
			t.Errorf("not given up:\n%s", &f.log)
		}
		pass(5 * time.Second)
		if took := f.end(); took != 0 {
			t.Errorf("it ended after %s", took)
		}
	})
}

// The streams of many agents to a replica that ended are not opened again at once.
func TestReopening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1")
		r := f.replicas["10.1.0.1"]
		ended := make(chan struct{})
		r.accept = func(w http.ResponseWriter, _ *http.Request) { _ = http.NewResponseController(w).Flush(); <-ended }
		f.run(t)
		pass(time.Minute)
		var pauses []time.Duration
		for range 100 {
			requests, began := r.requests(), time.Now()
			ended <- struct{}{}
			for r.requests() == requests {
				pass(10 * time.Millisecond)
			}
			pauses = append(pauses, time.Since(began))
			pass(time.Minute)
		}
		slices.Sort(pauses)
		// Each decile has some of 100, but once in 3,000 runs.
		if pauses[0] > time.Second || pauses[99] < 9*time.Second || pauses[99] > 10*time.Second+50*time.Millisecond {
			t.Errorf("opened again after %s to %s", pauses[0], pauses[99])
		}
		close(ended)
		f.end()
	})
}

// Addresses come and go. A failed resolution changes nothing.
func TestResolution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1", "10.1.0.2")
		var mu sync.Mutex
		at, failure := []string{"10.1.0.1", "10.1.0.1"}, error(nil)
		f.resolve = func(string) ([]string, error) {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(at), failure
		}
		resolve := func(to []string, err error) {
			mu.Lock()
			defer mu.Unlock()
			at, failure = to, err
		}
		f.run(t)
		one, two := f.replicas["10.1.0.1"], f.replicas["10.1.0.2"]
		step := func(name string, wantOne, wantTwo, wantStreams int) {
			t.Helper()
			pass(2 * time.Minute)
			if one.requests() != wantOne || two.requests() != wantTwo || f.client.Streams() != wantStreams {
				t.Errorf("%s: %d and %d requests, %d streams; want %d, %d, %d", name, one.requests(), two.requests(), f.client.Streams(), wantOne, wantTwo, wantStreams)
			}
		}
		step("one replica", 1, 0, 1)
		resolve([]string{"10.1.0.2"}, nil)
		step("another one, and the former is still open", 1, 1, 2)
		one.network.Links()[0].Fail(syscall.ECONNRESET)
		step("the former ended", 1, 1, 1)
		resolve(nil, errors.New("no such host"))
		two.network.Links()[0].Fail(syscall.ECONNRESET)
		step("no resolution", 1, 2, 1)
		if got := f.logged("not resolved"); got != 1 {
			t.Errorf("logged %d times:\n%s", got, &f.log)
		}
		resolve([]string{"10.1.0.1"}, nil)
		step("back", 2, 2, 2)
		f.end()
	})
}

// A name server that names very many addresses does not make the agent connect to all.
func TestManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t)
		dialed := map[string]bool{}
		f.dial = func(_ context.Context, address string) (net.Conn, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			dialed[address] = true
			return nil, syscall.ECONNREFUSED
		}
		f.resolve = func(string) (found []string, _ error) {
			for i := range 250 {
				found = append(found, fmt.Sprintf("10.9.0.%d", i))
			}
			return found, nil
		}
		f.run(t)
		pass(10 * time.Minute)
		if len(dialed) != 16 {
			t.Errorf("%d addresses", len(dialed))
		}
		f.end()
	})
}

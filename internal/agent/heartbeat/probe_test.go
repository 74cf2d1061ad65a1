package heartbeat_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

// An agent is a witness only of what it saw: what this machine lacks says nothing of the other one.
func TestProbes(t *testing.T) {
	failed := func(number syscall.Errno) func(context.Context) (net.Conn, error) {
		return func(context.Context) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", number)}
		}
	}
	const address = "10.0.0.9:10250"
	tests := []struct {
		name, address string
		dial          func(context.Context) (net.Conn, error)
		after         time.Duration
		want          heartbeat.Result
	}{
		{"connected", address, func(context.Context) (net.Conn, error) { one, _ := net.Pipe(); return one, nil }, 0, heartbeat.Reached},
		{"IPv6", "[2001:db8::9]:10250", func(context.Context) (net.Conn, error) { one, _ := net.Pipe(); return one, nil }, 0, heartbeat.Reached},
		{"refused", address, failed(syscall.ECONNREFUSED), 0, heartbeat.Reached},
		{"reset", address, failed(syscall.ECONNRESET), 0, heartbeat.Reached},
		{"no answer", address, func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }, heartbeat.ProbeTimeout, heartbeat.Unreached},
		{"the kernel's time-out", address, failed(syscall.ETIMEDOUT), 0, heartbeat.Unreached},
		{"no neighbour", address, failed(syscall.EHOSTUNREACH), 0, heartbeat.Unreached},
		{"no route", address, failed(syscall.ENETUNREACH), 0, heartbeat.Failed},
		{"own link down", address, failed(syscall.ENETDOWN), 0, heartbeat.Failed},
		{"own files", address, failed(syscall.EMFILE), 0, heartbeat.Failed},
		{"own ports", address, failed(syscall.EADDRNOTAVAIL), 0, heartbeat.Failed},
		{"own routes", address, failed(syscall.EAGAIN), 0, heartbeat.Failed},
		{"own packet filter", address, failed(syscall.EPERM), 0, heartbeat.Failed},
		{"own memory", address, failed(syscall.ENOBUFS), 0, heartbeat.Failed},
		{"paused", address, func(context.Context) (net.Conn, error) {
			<-time.After(time.Minute)
			return nil, context.DeadlineExceeded
		}, time.Minute, heartbeat.Failed},
		{"paused, and connected", address, func(context.Context) (net.Conn, error) {
			<-time.After(time.Minute)
			one, _ := net.Pipe()
			return one, nil
		}, time.Minute, heartbeat.Reached},
		{"another port", "10.0.0.9:22", nil, 0, heartbeat.Failed},
		{"a name", "localhost:10250", nil, 0, heartbeat.Failed},
		{"nothing", "", nil, 0, heartbeat.Failed},
		{"this machine", "0.0.0.0:10250", nil, 0, heartbeat.Failed},
		{"many machines", "224.0.0.1:10250", nil, 0, heartbeat.Failed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := setup(t, "10.1.0.1")
				f.dial = func(ctx context.Context, to string) (net.Conn, error) {
					if test.dial == nil || to != test.address {
						t.Errorf("it connected to %s", to)
						return nil, syscall.EMFILE
					}
					return test.dial(ctx)
				}
				f.run(t)
				defer f.end()
				r := f.replicas["10.1.0.1"]
				r.probe(test.address)
				pass(test.after)
				want := []heartbeat.Frame{{Type: heartbeat.Answer, ID: 1, Result: test.want}}
				if diff := cmp.Diff(want, r.received(), cmpopts.IgnoreFields(heartbeat.Frame{}, "Message")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Few probes run at the same time, however many are asked for, and heartbeats go on. The probes of a stream that has ended end, too, without an answer.
func TestManyProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1")
		var running, most atomic.Int64
		f.dial = func(ctx context.Context, _ string) (net.Conn, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		f.run(t)
		r := f.replicas["10.1.0.1"]
		var addresses []string
		for range 100 {
			addresses = append(addresses, "10.0.0.9:10250")
		}
		r.probe(addresses...)
		pass(10*time.Second + time.Millisecond)
		counts := map[heartbeat.Result]int{}
		for _, f := range r.received() {
			counts[f.Result]++
		}
		if diff := cmp.Diff(map[heartbeat.Result]int{heartbeat.Unreached: 8, heartbeat.Failed: 92}, counts); diff != "" || most.Load() != 8 {
			t.Errorf("%d at the same time (-want +got):\n%s", most.Load(), diff)
		}
		if got := len(r.frames) - 100; got != 11 {
			t.Errorf("%d heartbeats in 10 s", got)
		}
		r.probe(addresses[0])
		synctest.Wait()
		if took := f.end(); took != 0 || running.Load() != 0 {
			t.Errorf("it ended after %s, with %d probes", took, running.Load())
		}
	})
}

// A stream that ends while answers wait to be written is noticed, and another one opened.
func TestStreamEndsDuringAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := setup(t, "10.1.0.1")
		f.dial = func(ctx context.Context, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
		r := f.replicas["10.1.0.1"]
		r.accept = func(w http.ResponseWriter, _ *http.Request) {
			for id := range uint64(100) {
				_, _ = w.Write(heartbeat.Frame{Type: heartbeat.Probe, ID: id, Address: "10.0.0.9:10250"}.Encode())
			}
			_ = http.NewResponseController(w).Flush()
		}
		f.run(t)
		pass(time.Hour)
		if r.requests() < 60 {
			t.Errorf("%d streams in an hour", r.requests())
		}
		f.end()
	})
}

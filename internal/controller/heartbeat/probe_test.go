package heartbeat_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	server "github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat"
)

const probed = "10.0.0.9:10250"

// answer answers the next probe.
func (c *client) answer(t *testing.T, result heartbeat.Result, change func(*heartbeat.Frame)) {
	t.Helper()
	f, err := c.frames.Next()
	if err != nil || f.Type != heartbeat.Probe || f.Address != probed {
		t.Errorf("the agent received %v, %v", f, err)
	}
	f = heartbeat.Frame{Type: heartbeat.Answer, ID: f.ID, Result: result, Message: "why"}
	change(&f)
	c.send(t, f)
}

func TestProbe(t *testing.T) {
	same := func(*heartbeat.Frame) {}
	tests := []struct {
		name string
		do   func(*testing.T, *fixture, *client)
		want server.Probed
		err  string
	}{
		{"reached", func(t *testing.T, _ *fixture, c *client) { c.answer(t, heartbeat.Reached, same) }, server.Reached, ""},
		{"unreached", func(t *testing.T, _ *fixture, c *client) { c.answer(t, heartbeat.Unreached, same) }, server.Unreached, ""},
		{"the agent could not try", func(t *testing.T, _ *fixture, c *client) { c.answer(t, heartbeat.Failed, same) }, "", "could not try: why"},
		{"a result that is none", func(t *testing.T, _ *fixture, c *client) { c.answer(t, "maybe", same) }, "", "could not try"},
		{"no answer", func(*testing.T, *fixture, *client) {}, "", context.DeadlineExceeded.Error()},
		{"an answer to another probe", func(t *testing.T, _ *fixture, c *client) {
			c.answer(t, heartbeat.Unreached, func(f *heartbeat.Frame) { f.ID += 1 << 40 })
		}, "", context.DeadlineExceeded.Error()},
		{"an answer of another node", func(t *testing.T, f *fixture, c *client) {
			other := f.dial(t, from(2), tokenOf("other"))
			received, err := c.frames.Next()
			if err != nil {
				t.Error(err)
			}
			other.send(t, heartbeat.Frame{Type: heartbeat.Answer, ID: received.ID, Result: heartbeat.Unreached})
		}, "", context.DeadlineExceeded.Error()},
		{"two answers", func(t *testing.T, _ *fixture, c *client) {
			c.answer(t, heartbeat.Reached, func(f *heartbeat.Frame) {
				again := *f
				again.Result = heartbeat.Unreached
				defer c.send(t, again)
			})
		}, server.Unreached, ""},
		{"the stream ends", func(_ *testing.T, _ *fixture, c *client) { c.close() }, "", server.ErrNoStream.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := serve(t, "n", "other")
				defer f.end(t)
				c := f.dial(t, from(1), tokenOf("n"))
				defer c.close()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				var answering sync.WaitGroup
				answering.Go(func() { test.do(t, f, c) })
				got, err := f.Probe(ctx, "uid-n", probed)
				answering.Wait()
				if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Errorf("%q, %v; want %q, %s", got, err, test.want, test.err)
				}
				synctest.Wait()
				if want := map[bool]server.Ended{true: server.Closed}[test.name == "the stream ends"]; f.stream(t, "n").Ended != want {
					t.Errorf("the stream: %q", f.stream(t, "n").Ended)
				}
			})
		})
	}
}

func TestProbeWithoutAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		defer f.end(t)
		if _, err := f.Probe(t.Context(), "uid-n", probed); !errors.Is(err, server.ErrNoStream) {
			t.Errorf("before: %v", err)
		}
		c := f.dial(t, from(1), tokenOf("n"))
		c.send(t, heartbeat.Frame{Type: heartbeat.Goodbye})
		if _, err := f.Probe(t.Context(), "uid-n", probed); !errors.Is(err, server.ErrNoStream) {
			t.Errorf("after a goodbye: %v", err)
		}
		c.close()
		if _, err := f.Probe(t.Context(), "uid-n", probed); !errors.Is(err, server.ErrNoStream) {
			t.Errorf("after: %v", err)
		}
	})
}

// A witness whose machine died, or that does not read, blocks nobody: a probe ends with its context, more than a few are refused at once, and
// nothing is held for longer than the connection.
func TestProbeOfADeadWitness(t *testing.T) {
	for name, test := range map[string]struct {
		die  func(*fixture)
		most int // Probes that wait.
	}{
		"its machine died": {die: func(f *fixture) { f.link().Drop() }, most: 64},
		"it does not read": {die: func(*fixture) {}, most: 1 + 16},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := serve(t, "n", "other")
				transport := f.transport(from(1))
				transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 1}
				if test.most == 64 {
					transport.HTTP2 = nil
				}
				c := f.dialBy(t, transport, tokenOf("n"))
				test.die(f)
				late, refused := f.probeOften("uid-n")
				if late == 0 || late > test.most || late+refused != 1000 {
					t.Errorf("%d were late, %d refused", late, refused)
				}
				other := f.dial(t, from(2), tokenOf("other"))
				defer other.close()
				var answering sync.WaitGroup
				answering.Go(func() { other.answer(t, heartbeat.Reached, func(*heartbeat.Frame) {}) })
				if got, err := f.Probe(t.Context(), "uid-other", probed); got != server.Reached {
					t.Errorf("of another witness: %s, %v", got, err)
				}
				answering.Wait()
				_, _ = c.body.Write([]byte("garbage\n"))
				synctest.Wait()
				if _, err := c.body.Write(beat.Encode()); test.most < 64 && (err == nil || f.stream(t, "n").Ended != server.Closed) {
					t.Errorf("after garbage its stream is still read: %v", f.Streams())
				}
				c.close()
				f.end(t)
			})
		})
	}
}

// probeOften asks a witness a thousand times at once, and counts the probes that had no answer in time, and the refused ones.
func (f *fixture) probeOften(witness types.UID) (late, refused int) {
	var probing sync.WaitGroup
	var mu sync.Mutex
	for range 1000 {
		probing.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			_, err := f.Probe(ctx, witness, probed)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				late++
			case err != nil:
				refused++
			}
		})
	}
	probing.Wait()
	return late, refused
}

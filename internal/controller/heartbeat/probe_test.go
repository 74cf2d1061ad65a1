package heartbeat_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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

// A witness whose machine died blocks nobody: a probe ends with its context, more than a few are refused at once, and nothing is held for longer
// than the connection.
func TestProbeOfADeadWitness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n", "other")
		c := f.dial(t, from(1), tokenOf("n"))
		f.link().Drop()
		var probing sync.WaitGroup
		var late, refused int
		var mu sync.Mutex
		for range 1000 {
			probing.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				_, err := f.Probe(ctx, "uid-n", probed)
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
		if late > 64 || late+refused != 1000 {
			t.Errorf("%d were late, %d refused", late, refused)
		}
		other := f.dial(t, from(2), tokenOf("other"))
		defer other.close()
		go other.answer(t, heartbeat.Reached, func(*heartbeat.Frame) {})
		if got, err := f.Probe(t.Context(), "uid-other", probed); got != server.Reached {
			t.Errorf("of another witness: %s, %v", got, err)
		}
		c.close()
		f.end(t)
	})
}

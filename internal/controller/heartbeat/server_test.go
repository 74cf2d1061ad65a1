package heartbeat_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	"k8s.io/apimachinery/pkg/types"

	server "github.com/naosu-dev/naosu/internal/controller/heartbeat"
	"github.com/naosu-dev/naosu/internal/heartbeat"
)

var beat = heartbeat.Frame{Type: heartbeat.Heartbeat}

// What a stream's end says: only what the agent's machine sent counts, and what is not heard is silence.
func TestHowStreamsEnd(t *testing.T) {
	timeout := &net.OpError{Op: "read", Err: syscall.ETIMEDOUT}
	tests := []struct {
		name string
		end  func(t *testing.T, f *fixture, c *client)
		want server.Ended
	}{
		{"nothing happens for an hour", func(*testing.T, *fixture, *client) { <-time.After(time.Hour) }, ""},
		{"all is lost", func(_ *testing.T, f *fixture, _ *client) { f.link().Drop(); <-time.After(time.Hour) }, ""},
		{"all is lost, FIN too", func(_ *testing.T, f *fixture, c *client) { f.link().Drop(); c.close(); <-time.After(time.Hour) }, ""},
		{"all is lost, and keepalive times out", func(_ *testing.T, f *fixture, _ *client) { f.link().Drop(); f.link().Fail(timeout) }, ""},
		{"a router has no way", func(_ *testing.T, f *fixture, _ *client) { f.link().Fail(syscall.EHOSTUNREACH) }, ""},
		{"a router knows no such network", func(_ *testing.T, f *fixture, _ *client) { f.link().Fail(syscall.ENETUNREACH) }, ""},
		{"FIN", func(_ *testing.T, _ *fixture, c *client) { c.close() }, server.Closed},
		{"FIN after the network is back", func(_ *testing.T, f *fixture, c *client) { f.link().Drop(); c.close(); f.link().Mend() }, server.Closed},
		{"RST", func(_ *testing.T, f *fixture, _ *client) { f.link().Fail(syscall.ECONNRESET) }, server.Closed},
		{"the end of the body", func(_ *testing.T, _ *fixture, c *client) { _ = c.body.Close() }, server.Closed},
		{"goodbye", func(t *testing.T, _ *fixture, c *client) { c.send(t, heartbeat.Frame{Type: heartbeat.Goodbye}) }, server.Goodbye},
		{"goodbye, FIN", func(t *testing.T, _ *fixture, c *client) {
			c.send(t, heartbeat.Frame{Type: heartbeat.Goodbye})
			c.close()
		}, server.Goodbye},
		{"goodbye, silence", func(t *testing.T, f *fixture, c *client) {
			c.send(t, heartbeat.Frame{Type: heartbeat.Goodbye})
			f.link().Drop()
			f.link().Fail(timeout)
		}, server.Goodbye},
		{"garbage", func(_ *testing.T, _ *fixture, c *client) { _, _ = io.WriteString(c.body, "GET / HTTP/1.1\n") }, server.Closed},
		{"a huge line", func(_ *testing.T, _ *fixture, c *client) { _, _ = io.Copy(c.body, endless{}) }, server.Closed},
		{"10,000 heartbeats", func(_ *testing.T, _ *fixture, c *client) {
			for range 10_000 {
				if _, err := c.body.Write(beat.Encode()); err != nil {
					return
				}
			}
		}, server.Closed},
		{"types that only newer agents know", func(t *testing.T, _ *fixture, c *client) { c.send(t, heartbeat.Frame{Type: "load"}, beat) }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := serve(t, "n")
				defer f.end(t)
				c := f.dial(t, from(1), tokenOf("n"))
				defer c.close()
				c.send(t, beat)
				test.end(t, f, c)
				synctest.Wait()
				if got := f.stream(t, "n").Ended; got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
			})
		})
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return copy(b, strings.Repeat("x", len(b))), nil }

// A heartbeat's time is when it was received. What the network held back counts from when it came.
func TestLastBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		defer f.end(t)
		began := time.Now()
		c := f.dial(t, from(1), tokenOf("n"))
		defer c.close()
		last := func() time.Duration { return f.stream(t, "n").LastBeat.Sub(began) }
		if got := last(); got != 0 {
			t.Errorf("before the first: %s", got)
		}
		<-time.After(3 * time.Second)
		c.send(t, beat)
		if got := last(); got != 3*time.Second {
			t.Errorf("after the first: %s", got)
		}
		f.link().Drop()
		<-time.After(time.Second)
		c.send(t, beat)
		if got := last(); got != 3*time.Second {
			t.Errorf("after one that was lost: %s", got)
		}
		<-time.After(time.Second)
		f.link().Mend()
		synctest.Wait()
		if got := last(); got != 5*time.Second {
			t.Errorf("after it came: %s", got)
		}
	})
}

// A newer stream of a node replaces the older one, whose end then says nothing. Another node of the same name is another node.
func TestNewerStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		defer f.end(t)
		older := f.dial(t, from(1), tokenOf("n"))
		older.send(t, heartbeat.Frame{Type: heartbeat.Goodbye})
		<-time.After(time.Minute)
		newer := f.dial(t, from(1), tokenOf("n"), func(r *http.Request) { r.Header.Set(heartbeat.BootIDHeader, "second") })
		defer newer.close()
		synctest.Wait()
		if _, err := older.frames.Next(); err == nil {
			t.Error("the older stream is still open")
		}
		if got := f.stream(t, "n"); got.Ended != "" || got.BootID != "second" || len(f.Streams()) != 1 {
			t.Errorf("%v", f.Streams())
		}
		same := reviewed("n")
		same.User.Extra["authentication.kubernetes.io/node-uid"] = []string{"another"}
		f.reviewer.statuses["an.other.n"] = same
		defer f.dial(t, from(2), "an.other.n").close()
		if got := f.Streams(); len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}

// Streams of nodes that are gone are dropped and closed, unless they are so new that the caller may not know the node yet.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "gone", "ended", "kept", "new")
		defer f.end(t)
		gone, ended, kept := f.dial(t, from(1), tokenOf("gone")), f.dial(t, from(2), tokenOf("ended")), f.dial(t, from(3), tokenOf("kept"))
		ended.close()
		<-time.After(time.Minute)
		newest := f.dial(t, from(4), tokenOf("new"))
		defer newest.close()
		defer kept.close()
		f.Forget(func(uid types.UID) bool { return uid == "uid-kept" })
		if _, err := gone.frames.Next(); err == nil {
			t.Error("the stream of a node that is gone is still open")
		}
		got := map[string]server.Ended{}
		for _, s := range f.Streams() {
			got[s.Node] = s.Ended
		}
		if diff := cmp.Diff(map[string]server.Ended{"kept": "", "new": ""}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A server that ends closes its streams cleanly: an agent reads the end of the body, and no error.
func TestServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		c := f.dial(t, from(1), tokenOf("n"))
		c.send(t, beat)
		f.end(t)
		if _, err := c.frames.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("the agent reads %v", err)
		}
		c.close()
	})
}

// Who connects and says nothing is disconnected, and there are not many such at the same time. Agents get their streams all the same.
func TestSilentStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		defer f.end(t)
		var open []net.Conn
		closed := 0
		for range 100 {
			c, err := f.network.Dial(t.Context(), "10.0.0.66:1")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			open = append(open, c)
		}
		count := func() int {
			synctest.Wait()
			closed = 0
			for _, c := range open {
				_ = c.SetReadDeadline(time.Now().Add(time.Nanosecond))
				if _, err := c.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
					closed++
				}
			}
			return closed
		}
		if got := count(); got != 100-32 {
			t.Errorf("%d of 100 were disconnected at once", got)
		}
		c := f.dial(t, from(1), tokenOf("n"))
		defer c.close()
		if c.code != http.StatusOK {
			t.Errorf("an agent: %d %s", c.code, c.text)
		}
		<-time.After(time.Minute)
		if got := count(); got != 100 {
			t.Errorf("%d of 100 were disconnected after a minute", got)
		}
		if got := f.stream(t, "n").Ended; got != "" {
			t.Errorf("the agent's stream is %s", got)
		}
	})
}

// Also one that speaks HTTP/2, and then asks for nothing.
func TestStrangersWithoutRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t)
		defer f.end(t)
		raw, err := f.network.Dial(t.Context(), "10.0.0.66:1")
		if err != nil {
			t.Fatal(err)
		}
		c := tls.Client(raw, &tls.Config{RootCAs: f.roots, ServerName: heartbeat.ServerName, NextProtos: []string{"h2"}})
		defer c.Close()
		if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
			t.Fatal(err)
		}
		framer := http2.NewFramer(c, c)
		if err := framer.WriteSettings(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for err == nil {
			_, err = framer.ReadFrame()
		}
		if took := time.Since(began); took < 10*time.Second || took > 12*time.Second {
			t.Errorf("it was disconnected after %s: %v", took, err)
		}
	})
}

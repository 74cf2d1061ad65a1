package heartbeat_test

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/naosu-dev/naosu/internal/agent/heartbeat"
	server "github.com/naosu-dev/naosu/internal/controller/heartbeat"
)

// runAgent runs the agent of a node. The function that it returns ends it and waits.
func (f *fixture) runAgent(t *testing.T, node, from string, probe func(context.Context) (net.Conn, error)) (end func()) {
	t.Helper()
	folder := t.TempDir()
	files := map[string][]byte{"token": []byte(tokenOf(node)), "ca.crt": f.authority}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client := agent.New(agent.Options{
		Addresses: []string{"controller:9443"}, TokenFile: filepath.Join(folder, "token"), CAFile: filepath.Join(folder, "ca.crt"), BootID: "boot-" + node,
		Log:     slog.New(slog.DiscardHandler),
		Resolve: func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil },
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			if address == "192.0.2.1:9443" {
				return f.network.Dial(ctx, from)
			}
			return probe(ctx)
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { client.Run(ctx); close(ended) }()
	synctest.Wait()
	return func() { cancel(); <-ended; synctest.Wait() }
}

// The server hears real agents, sees which end and which fall silent, and asks them about each other.
func TestAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "ends", "dies", "stays")
		defer f.end(t)
		refused := func(context.Context) (net.Conn, error) { return nil, syscall.ECONNREFUSED }
		unanswered := func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
		ends := f.runAgent(t, "ends", from(1), refused)
		dies := f.runAgent(t, "dies", from(2), refused)
		died := f.link()
		stays := f.runAgent(t, "stays", from(3), unanswered)
		defer stays()
		<-time.After(time.Hour)
		synctest.Wait()
		for _, s := range f.Streams() {
			if time.Since(s.Opened) != time.Hour || time.Since(s.LastBeat) != 0 || s.Ended != "" || s.BootID != "boot-"+s.Node {
				t.Errorf("after an hour: %+v", s)
			}
		}
		died.Drop()
		<-time.After(4 * time.Second)
		ends()
		if s := f.stream(t, "dies"); s.Ended != "" || time.Since(s.LastBeat) != 4*time.Second {
			t.Errorf("silent for %s, %+v", time.Since(s.LastBeat), s)
		}
		if s := f.stream(t, "ends"); s.Ended != server.Goodbye {
			t.Errorf("%+v", s)
		}
		if got, err := f.Probe(t.Context(), "uid-stays", probed); got != server.Unreached {
			t.Errorf("%q, %v", got, err)
		}
		// The network is back: the agent, which gave up the stream, opens another one.
		<-time.After(time.Minute)
		died.Mend()
		<-time.After(time.Minute)
		synctest.Wait()
		if s := f.stream(t, "dies"); s.Ended != "" || time.Since(s.LastBeat) > time.Second {
			t.Errorf("silent for %s, %+v", time.Since(s.LastBeat), s)
		}
		if got, err := f.Probe(t.Context(), "uid-dies", probed); got != server.Reached {
			t.Errorf("%q, %v", got, err)
		}
		dies()
	})
}

// An agent of a replica that is restarted is back within ten seconds.
func TestReplicaRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		end := f.runAgent(t, "n", from(1), nil)
		<-time.After(time.Minute)
		f.end(t)
		f.network.Reopen()
		f.start(t)
		<-time.After(10 * time.Second)
		synctest.Wait()
		if s := f.stream(t, "n"); s.Ended != "" {
			t.Errorf("%+v", s)
		}
		end()
		f.end(t)
	})
}

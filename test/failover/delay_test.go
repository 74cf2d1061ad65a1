package failover

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// delay is a relay to the controller that passes everything on later: the kernels on which tests run lack netem.
type delay struct {
	address string // where it listens
	d       atomic.Int64
}

// newDelay listens at the bridge's address, until the test ends.
func newDelay(t *testing.T, to string) *delay {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(hub, "0"))
	if err != nil {
		t.Fatal(err)
	}
	r := &delay{address: listener.Addr().String()}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go r.relay(context.WithoutCancel(t.Context()), from, to)
		}
	}()
	return r
}

// by sets by how much later things are passed on.
func (r *delay) by(d time.Duration) { r.d.Store(int64(d)) }

// relay joins two connections until one of them ends.
func (r *delay) relay(ctx context.Context, from net.Conn, to string) {
	other, err := (&net.Dialer{}).DialContext(ctx, "tcp", to)
	if err != nil {
		_ = from.Close()
		return
	}
	closeBoth := func() { _, _ = from.Close(), other.Close() }
	go func() { defer closeBoth(); r.pass(from, other) }()
	defer closeBoth()
	r.pass(other, from)
}

// chunk is what was read at one time.
type chunk struct {
	at   time.Time
	data []byte
}

// pass writes what it reads, each piece when its time has come.
func (r *delay) pass(to io.Writer, from io.Reader) {
	chunks := make(chan chunk, 1024)
	go func() {
		defer close(chunks)
		for {
			data := make([]byte, 4096)
			n, err := from.Read(data)
			if n > 0 {
				chunks <- chunk{time.Now().Add(time.Duration(r.d.Load())), data[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for c := range chunks {
		<-time.After(time.Until(c.at))
		if _, err := to.Write(c.data); err != nil {
			return
		}
	}
}

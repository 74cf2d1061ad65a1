// Package heartbeattest gives tests of heartbeat streams a network in memory, which works in a bubble of testing/synctest, and a serving certificate.
package heartbeattest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
)

// Network connects dialers with one listener. It is the net.Listener itself.
type Network struct {
	accept chan net.Conn

	mu     sync.Mutex
	closed chan struct{} // Closed with the listener.
	links  []*Link
	away   error
}

// NewNetwork returns a Network without connections.
func NewNetwork() *Network {
	return &Network{accept: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept is that of net.Listener.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.accept:
		return c, nil
	case <-n.isClosed():
		return nil, net.ErrClosed
	}
}

func (n *Network) isClosed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed
}

// Close is that of net.Listener.
func (n *Network) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.closed:
	default:
		close(n.closed)
	}
	return nil
}

// Reopen lets another listener accept, after Close.
func (n *Network) Reopen() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = make(chan struct{})
}

// Addr is that of net.Listener.
func (n *Network) Addr() net.Addr { return addressOf("192.0.2.1:9443") }

// Away makes Dial fail with an error, or work again with nil.
func (n *Network) Away(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.away = err
}

// Dial connects from an address, IP:port. It returns the dialer's end.
func (n *Network) Dial(ctx context.Context, from string) (net.Conn, error) {
	n.mu.Lock()
	away := n.away
	n.mu.Unlock()
	if away != nil {
		return nil, away
	}
	link := newLink(addressOf(from), n.Addr())
	select {
	case n.accept <- link.server:
	case <-n.isClosed():
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.links = append(n.links, link)
	return link.client, nil
}

// Links are the connections so far, in the order in which they were made.
func (n *Network) Links() []*Link {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]*Link(nil), n.links...)
}

func addressOf(address string) net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
}

// Link is one connection.
type Link struct {
	client, server *end
}

func newLink(client, server net.Addr) *Link {
	up, down := newPipe(), newPipe()
	return &Link{
		client: &end{in: down, out: up, local: client, remote: server},
		server: &end{in: up, out: down, local: server, remote: client},
	}
}

// Drop loses all that is sent from now on, in both directions, FINs included, until Mend.
func (l *Link) Drop() { l.lose(true) }

// Mend delivers what was sent since Drop, as TCP does when it retransmits, and what is sent from now on.
func (l *Link) Mend() { l.lose(false) }

func (l *Link) lose(lost bool) {
	l.client.out.lose(lost)
	l.server.out.lose(lost)
}

// Fail makes reads and writes of the server fail with an error, such as syscall.ECONNRESET for a RST of the client.
func (l *Link) Fail(err error) {
	l.server.in.fail(err)
	l.server.out.fail(err)
}

// end is a net.Conn.
type end struct {
	in, out       *pipe
	local, remote net.Addr
}

func (e *end) Read(b []byte) (int, error)  { return e.in.read(b) }
func (e *end) Write(b []byte) (int, error) { return e.out.write(b) }
func (e *end) LocalAddr() net.Addr         { return e.local }
func (e *end) RemoteAddr() net.Addr        { return e.remote }

func (e *end) Close() error {
	e.out.finish()
	e.in.fail(net.ErrClosed)
	return nil
}

func (e *end) SetDeadline(t time.Time) error {
	e.in.reading.set(t)
	e.out.writing.set(t)
	return nil
}
func (e *end) SetReadDeadline(t time.Time) error  { e.in.reading.set(t); return nil }
func (e *end) SetWriteDeadline(t time.Time) error { e.out.writing.set(t); return nil }

// pipe is one direction.
type pipe struct {
	mu               sync.Mutex
	changed          *sync.Cond
	sent             []byte // Not read yet.
	finished         bool   // The writer has closed its end.
	lost             bool
	err              error
	reading, writing deadline
}

func newPipe() *pipe {
	p := &pipe{}
	p.changed = sync.NewCond(&p.mu)
	p.reading.pipe, p.writing.pipe = p, p
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.err != nil:
			return 0, p.err
		case p.reading.passed:
			return 0, os.ErrDeadlineExceeded
		case !p.lost && len(p.sent) > 0:
			n := copy(b, p.sent)
			p.sent = p.sent[n:]
			return n, nil
		case !p.lost && p.finished:
			return 0, io.EOF
		}
		p.changed.Wait()
	}
}

// write takes all, as a socket does whose buffer is large.
func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.finished:
		return 0, net.ErrClosed
	case p.writing.passed:
		return 0, os.ErrDeadlineExceeded
	case p.lost:
	case errors.Is(p.err, net.ErrClosed): // The reader has closed its end.
		return 0, syscall.EPIPE
	case p.err != nil:
		return 0, p.err
	}
	p.sent = append(p.sent, b...)
	p.changed.Broadcast()
	return len(b), nil
}

func (p *pipe) finish() { p.change(func() { p.finished = true }) }

func (p *pipe) lose(lost bool) { p.change(func() { p.lost = lost }) }

func (p *pipe) fail(err error) {
	p.change(func() {
		if p.err == nil {
			p.err = err
		}
	})
}

func (p *pipe) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	p.changed.Broadcast()
}

// deadline is that of reading or writing.
type deadline struct {
	pipe   *pipe
	timer  *time.Timer
	passed bool
}

func (d *deadline) set(t time.Time) {
	d.pipe.change(func() {
		if d.timer != nil {
			d.timer.Stop()
		}
		if d.passed = !t.IsZero() && !t.After(time.Now()); t.IsZero() || d.passed {
			return
		}
		d.timer = time.AfterFunc(time.Until(t), func() { d.pipe.change(func() { d.passed = true }) })
	})
}

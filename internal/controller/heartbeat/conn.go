package heartbeat

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

const (
	// maxStrangers bounds the connections on which no agent has been authenticated. After a restart of a replica with 5,000 nodes, some 500
	// agents connect each second.
	maxStrangers = 1000
	// maxStrangersOfAddress bounds those from one address.
	maxStrangersOfAddress = 32
)

// strangers counts the connections on which no agent has been authenticated. It is safe for concurrent use.
type strangers struct {
	mu        sync.Mutex
	all       int
	byAddress map[string]int
}

// enter counts a connection, or returns false if there are too many.
func (s *strangers) enter(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStrangers || s.byAddress[address] >= maxStrangersOfAddress {
		return false
	}
	s.all++
	s.byAddress[address]++
	return true
}

func (s *strangers) leave(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.byAddress[address]--; s.byAddress[address] == 0 {
		delete(s.byAddress, address)
	}
}

// listener accepts connections unless there are too many strangers; those over the limit are closed.
type listener struct {
	net.Listener
	strangers *strangers
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := sourceOf(accepted.RemoteAddr())
		if l.strangers.enter(address) {
			return &conn{Conn: accepted, address: address, leave: sync.OnceFunc(func() { l.strangers.leave(address) })}, nil
		}
		_ = accepted.Close()
	}
}

// sourceOf is what limits for strangers are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, all of which one machine may have.
func sourceOf(address net.Addr) string {
	at, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return address.String()
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return ip.String()
	}
	return prefix.String()
}

// conn is a connection that remembers how it ended: net/http passes on neither a FIN nor a time-out as what it is.
type conn struct {
	net.Conn
	address string
	// leave says that the connection is no stranger's any more.
	leave func()

	mu    sync.Mutex
	cause error // The first error of reading or writing, except that this side closed the connection.
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.note(err)
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.note(err)
	return n, err
}

func (c *conn) Close() error {
	c.leave()
	return c.Conn.Close()
}

func (c *conn) note(err error) {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = err
	}
}

// silent says that the connection ended because nothing was heard from the other side: it sent neither a FIN nor a RST.
func (c *conn) silent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var timeout net.Error
	if errors.As(c.cause, &timeout) && timeout.Timeout() {
		return true
	}
	for _, number := range []syscall.Errno{syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.EHOSTDOWN, syscall.ENETDOWN} {
		if errors.Is(c.cause, number) {
			return true
		}
	}
	return false
}

type connKey struct{}

// withConn is an http.Server.ConnContext.
func withConn(ctx context.Context, accepted net.Conn) context.Context {
	if secure, ok := accepted.(*tls.Conn); ok {
		accepted = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, accepted)
}

// connOf is the connection of a request.
func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

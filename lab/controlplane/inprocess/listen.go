package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const loopback = "127.0.0.1"

// Ports are taken from below the range that systems give to outgoing connections (Linux 32768, others 49152). A client
// that retries while the API server is away could otherwise be given the server's own port.
const (
	lowestPort  = 20000
	highestPort = 30000
)

// takeAny takes a port that is free, for as long as claim is open, and listens at it.
func takeAny(ctx context.Context, extra string) (l net.Listener, claim io.Closer, err error) {
	for range 100 {
		l, claim, err = take(ctx, extra, lowestPort+rand.IntN(highestPort-lowestPort))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, claim, err
		}
	}
	return nil, nil, fmt.Errorf("no free port found: %w", err)
}

// take takes a port. While the API server is stopped, nothing listens at it, and in this range it is other planes that would take
// it. They do not, for each first takes the UDP port of the number, which is for nothing else and is kept.
func take(ctx context.Context, extra string, port int) (net.Listener, io.Closer, error) {
	claim, err := new(net.ListenConfig).ListenPacket(ctx, "udp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return nil, nil, err
	}
	l, err := listenAt(ctx, extra, port)
	if err != nil {
		return nil, nil, errors.Join(err, claim.Close())
	}
	return l, claim, nil
}

// listenAt opens the loopback address, and the extra one if there is one, at the same port.
func listenAt(ctx context.Context, extra string, port int) (net.Listener, error) {
	addresses := []string{loopback}
	switch ip := net.ParseIP(extra); {
	case ip == nil || ip.Equal(net.ParseIP(loopback)):
	case ip.IsUnspecified():
		addresses = []string{extra} // holds the loopback address too
	default:
		addresses = append(addresses, extra)
	}
	all := &listeners{conns: make(chan net.Conn), closed: make(chan struct{})}
	for _, address := range addresses {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all.each = append(all.each, l)
	}
	all.start()
	return all, nil
}

// listeners is several listeners in the place of one.
type listeners struct {
	each   []net.Listener
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listeners) start() {
	for _, one := range l.each {
		go l.accept(one)
	}
}

func (l *listeners) accept(one net.Listener) {
	for {
		conn, err := one.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors, usually: the connection waits in the queue
			select {
			case <-l.closed:
				return
			case <-time.After(10 * time.Millisecond):
				continue
			}
		}
		select {
		case l.conns <- conn:
		case <-l.closed:
			_ = conn.Close()
		}
	}
}

func (l *listeners) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listeners) Close() error {
	var errs []error
	l.once.Do(func() {
		close(l.closed)
		for _, one := range l.each {
			errs = append(errs, one.Close())
		}
	})
	return errors.Join(errs...)
}

func (l *listeners) Addr() net.Addr { return l.each[0].Addr() }

package inprocess

import (
	"context"
	"errors"
	"fmt"
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

// listen opens the loopback address, and the extra one if there is one, at the same port. A wanted port of zero means any.
func listen(ctx context.Context, extra string, wanted int) (net.Listener, error) {
	if wanted != 0 {
		return listenAt(ctx, extra, wanted)
	}
	var err error
	for range 100 {
		var l net.Listener
		if l, err = listenAt(ctx, extra, lowestPort+rand.IntN(highestPort-lowestPort)); err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
	return nil, fmt.Errorf("no free port found: %w", err)
}

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

// Package netlink makes requests to the kernel and subscribes to its notifications over netlink (netlink(7)). Answers are parsed as they are
// received, in one buffer, because a node has thousands of links, routes and rules.
package netlink

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrChanged says that a list changed while it was read, so that something may be in it twice, or missing.
var ErrChanged = errors.New("it changed while it was read")

const (
	// maxDatagram bounds a datagram; the kernel makes those of lists no larger than 32 KiB.
	maxDatagram = 64 << 10
	// receiveTimeout bounds, in seconds, the wait for a datagram of an answer.
	receiveTimeout = 10
	// attempts bounds how often a list is requested again because it changed.
	attempts = 5
)

// List requests a list (NLM_F_DUMP) with a message of a kind, and calls each with the body of every answer, which is valid until it returns. If
// the list changed meanwhile, it calls again and starts anew.
func List(protocol int, kind uint16, body []byte, again func(), each func(body []byte)) error {
	var err error
	for i := range attempts {
		if i > 0 {
			again()
		}
		if err = ask(protocol, request(kind, unix.NLM_F_DUMP, body), each); !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return err
}

// Get requests one object with a message of a kind, and calls each with the body of the answer, which is valid until it returns.
func Get(protocol int, kind uint16, body []byte, each func(body []byte)) error {
	return ask(protocol, request(kind, unix.NLM_F_ACK, body), each)
}

// Change requests a change with a message of a kind, and flags such as NLM_F_CREATE. The error is the kernel's.
func Change(protocol int, kind, flags uint16, body []byte) error {
	return ask(protocol, request(kind, unix.NLM_F_ACK|flags, body), func([]byte) {})
}

// buffers are for answers: a rule of nftables may look in a set of its own, which is asked for apart.
var buffers = sync.Pool{New: func() any { b := make([]byte, maxDatagram); return &b }}

func ask(protocol int, message []byte, each func(body []byte)) error {
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return fmt.Errorf("open a netlink socket: %w", err)
	}
	defer func() { _ = unix.Close(socket) }()
	if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: receiveTimeout}); err != nil {
		return fmt.Errorf("open a netlink socket: %w", err)
	}
	if err := unix.Sendto(socket, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("ask over netlink: %w", err)
	}
	a := answer{each: each}
	whole, _ := buffers.Get().(*[]byte)
	defer buffers.Put(whole)
	buffer := *whole
	for !a.done {
		n, from, err := unix.Recvfrom(socket, buffer, unix.MSG_TRUNC)
		switch sender, ok := from.(*unix.SockaddrNetlink); {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("read a netlink answer: %w", err)
		case !ok || sender.Pid != 0:
			continue // not from the kernel
		case n > len(buffer):
			return fmt.Errorf("read a netlink answer: %d bytes at once", n)
		}
		if err := a.read(buffer[:n]); err != nil {
			return err
		}
	}
	if a.changed {
		return ErrChanged
	}
	return nil
}

// request is one message, linux/netlink.h's struct nlmsghdr before its body.
func request(kind, flags uint16, body []byte) []byte {
	length := unix.SizeofNlMsghdr + len(body)
	m := binary.NativeEndian.AppendUint32(make([]byte, 0, length), uint32(length))
	m = binary.NativeEndian.AppendUint16(m, kind)
	m = binary.NativeEndian.AppendUint16(m, unix.NLM_F_REQUEST|flags)
	m = binary.NativeEndian.AppendUint64(m, 1) // The sequence, and no port.
	return append(m, body...)
}

// answer reads the messages of a list.
type answer struct {
	each          func(body []byte)
	changed, done bool
}

func (a *answer) read(datagram []byte) error {
	return messages(datagram, func(kind, flags uint16, body []byte) error {
		a.changed = a.changed || flags&unix.NLM_F_DUMP_INTR != 0
		if kind != unix.NLMSG_DONE && kind != unix.NLMSG_ERROR {
			a.each(body)
			return nil
		}
		a.done = true
		if len(body) < 4 {
			return nil
		}
		switch errno := -int32(binary.NativeEndian.Uint32(body)); unix.Errno(errno) { // It is a signed number.
		case 0:
		case unix.EINTR: // How some lists say that they changed.
			a.changed = true
		default:
			return fmt.Errorf("the kernel's netlink answer: %w", unix.Errno(errno))
		}
		return nil
	})
}

// messages calls each with all messages of a datagram.
func messages(datagram []byte, each func(kind, flags uint16, body []byte) error) error {
	for len(datagram) >= unix.SizeofNlMsghdr {
		length := int(binary.NativeEndian.Uint32(datagram))
		if length < unix.SizeofNlMsghdr || length > len(datagram) {
			return errors.New("read a netlink answer: a message of a strange length")
		}
		kind, flags := binary.NativeEndian.Uint16(datagram[4:]), binary.NativeEndian.Uint16(datagram[6:])
		if err := each(kind, flags, datagram[unix.SizeofNlMsghdr:length]); err != nil {
			return err
		}
		datagram = datagram[min(aligned(length), len(datagram)):]
	}
	return nil
}

// Subscribe calls each with the body of every notification of a multicast group, and lost when the kernel has dropped some, and once at first,
// because there are none of earlier changes. It returns when ctx ends, or with an error when it can receive no more.
func Subscribe(ctx context.Context, protocol int, group uint32, lost func(), each func(body []byte)) error {
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err != nil {
		return fmt.Errorf("open a netlink socket: %w", err)
	}
	file := os.NewFile(uintptr(socket), "netlink")
	defer func() { _ = file.Close() }()
	if err := unix.Bind(socket, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 1 << (group - 1)}); err != nil {
		return fmt.Errorf("subscribe to a netlink group: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = file.Close() })()
	lost()
	buffer := make([]byte, maxDatagram)
	for {
		n, err := file.Read(buffer)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, unix.ENOBUFS):
			lost()
			continue
		case err != nil:
			return fmt.Errorf("receive netlink notifications: %w", err)
		}
		if err := messages(buffer[:n], func(_, _ uint16, body []byte) error { each(body); return nil }); err != nil {
			return err
		}
	}
}

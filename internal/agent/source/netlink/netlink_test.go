package netlink

import (
	"context"
	"encoding/binary"
	"errors"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
)

// message is one of an answer.
func message(kind, flags uint16, body ...byte) []byte {
	m := binary.NativeEndian.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(body)))
	m = binary.NativeEndian.AppendUint16(m, kind)
	m = binary.NativeEndian.AppendUint16(m, flags)
	return append(append(m, 0, 0, 0, 0, 0, 0, 0, 0), body...)
}

func status(errno unix.Errno) []byte {
	return binary.NativeEndian.AppendUint32(nil, uint32(-int32(errno)))
}

func TestAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		datagram      []byte
		read          int
		changed, done bool
		err           error
	}{
		"a part":             {datagram: append(message(16, 0, 1, 2, 3, 4), message(16, 0)...), read: 2},
		"the end":            {datagram: append(message(16, 0), message(unix.NLMSG_DONE, 0, status(0)...)...), read: 1, done: true},
		"changed, by a flag": {datagram: message(16, unix.NLM_F_DUMP_INTR), read: 1, changed: true},
		"changed, by a code": {datagram: message(unix.NLMSG_DONE, 0, status(unix.EINTR)...), changed: true, done: true},
		"refused":            {datagram: message(unix.NLMSG_ERROR, 0, status(unix.EPERM)...), done: true, err: unix.EPERM},
	} {
		t.Run(name, func(t *testing.T) {
			read := 0
			a := answer{each: func([]byte) { read++ }}
			err := a.read(tc.datagram)
			if read != tc.read || a.changed != tc.changed || a.done != tc.done || !errors.Is(err, tc.err) {
				t.Errorf("read %d, %+v, %v", read, a, err)
			}
		})
	}
	a := answer{}
	if err := a.read([]byte{200, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err == nil {
		t.Error("a message that is longer than its datagram is read")
	}
}

// The list of links, as every namespace has it.
func TestList(t *testing.T) {
	links := 0
	count := func([]byte) { links++ }
	if err := List(unix.NETLINK_ROUTE, unix.RTM_GETLINK, make([]byte, unix.SizeofIfInfomsg), func() { links = 0 }, count); err != nil || links == 0 {
		t.Errorf("%d links, %v", links, err)
	}
	if err := List(unix.NETLINK_ROUTE, 0xfff0, nil, func() {}, count); err == nil {
		t.Error("a question that the kernel does not know has an answer")
	}
}

// A subscriber that is too slow for the kernel's notifications learns that some were lost, and receives the next.
func TestHearTooLate(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run := func(command string) {
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, slow, lost := make(chan bool, 2), make(chan bool), make(chan bool, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- Subscribe(ctx, unix.NETLINK_ROUTE, unix.RTNLGRP_LINK, func() { lost <- true }, func([]byte) {
			select {
			case begun <- true:
			default:
			}
			<-slow
		})
	}()
	<-lost // It listens.
	run("ip link add eth1 type veth peer name eth1p")
	<-begun
	run("for i in $(seq 2000); do echo link set eth1 up; echo link set eth1 down; done | ip -batch -")
	close(slow)
	<-lost
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func FuzzMessages(f *testing.F) {
	f.Add(append(message(16, 0, 8, 0, 1, 0, 1, 2, 3, 4), message(unix.NLMSG_DONE, 0)...))
	f.Fuzz(func(_ *testing.T, datagram []byte) {
		a := answer{each: func(body []byte) { _ = Attribute(body, 1) }}
		_ = a.read(datagram)
	})
}

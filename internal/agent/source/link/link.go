// Package link reads the links, rules and routes of the network namespace that the agent runs in, over route netlink
// (rtnetlink(7)).
package link

import (
	"context"
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/source/netlink"
)

// Link is a network interface.
type Link struct {
	Name string
	// Index is its number, which no other link has after it.
	Index int
	// Up is whether it is set up (IFF_UP), Running whether it could carry traffic: set up, and with a carrier (IFF_RUNNING).
	Up, Running bool
	// Loopback is the kernel's own link to itself, by whatever name.
	Loopback bool
	// Carriers is how often it has found a carrier since it appeared: none is a port that nothing was ever connected to. -1
	// from kernels that do not tell (before 4.16).
	Carriers int
}

// skipStatistics leaves a link's counters out of the answer (RTEXT_FILTER_SKIP_STATS in linux/rtnetlink.h).
const skipStatistics = 1 << 3

// List is all links.
func List() ([]Link, error) {
	body := binary.NativeEndian.AppendUint16(make([]byte, unix.SizeofIfInfomsg), unix.SizeofNlAttr+4)
	body = binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint16(body, unix.IFLA_EXT_MASK), skipStatistics)
	var links []Link
	err := netlink.List(unix.NETLINK_ROUTE, unix.RTM_GETLINK, body, func() { links = nil }, func(message []byte) {
		if l, ok := parse(message); ok {
			links = append(links, l)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list the network's links: %w", err)
	}
	return links, nil
}

// Watch calls changed at once, whenever a link with a wanted name is added, changed or removed, and when the kernel has dropped notifications. It
// returns when ctx ends, or with an error when it can receive no more.
func Watch(ctx context.Context, wanted func(name string) bool, changed func()) error {
	return netlink.Subscribe(ctx, unix.NETLINK_ROUTE, unix.RTNLGRP_LINK, changed, func(message []byte) {
		if l, ok := parse(message); ok && wanted(l.Name) {
			changed()
		}
	})
}

// parse reads the body of an RTM_NEWLINK or RTM_DELLINK: struct ifinfomsg, and attributes.
func parse(message []byte) (Link, bool) {
	if len(message) < unix.SizeofIfInfomsg {
		return Link{}, false
	}
	const index, flagged = 4, 8
	flags := binary.NativeEndian.Uint32(message[flagged:])
	l := Link{
		Index: int(binary.NativeEndian.Uint32(message[index:])),
		Up:    flags&unix.IFF_UP != 0, Running: flags&unix.IFF_UP != 0 && flags&unix.IFF_RUNNING != 0,
		Loopback: flags&unix.IFF_LOOPBACK != 0, Carriers: -1,
	}
	err := netlink.Attributes(message[unix.SizeofIfInfomsg:], func(kind uint16, value []byte) {
		switch kind {
		case unix.IFLA_IFNAME:
			l.Name = unix.ByteSliceToString(value)
		case unix.IFLA_CARRIER_UP_COUNT:
			if len(value) >= 4 {
				l.Carriers = int(binary.NativeEndian.Uint32(value))
			}
		}
	})
	return l, err == nil && l.Name != ""
}

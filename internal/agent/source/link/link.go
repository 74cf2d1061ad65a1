// Package link reads the links, rules and routes of the network namespace that the agent runs in, over route netlink
// (rtnetlink(7)).
package link

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Link is a network interface.
type Link struct {
	Name string
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

// attempts bounds how often a list is asked for again that changed while it was read.
const attempts = 5

// List is all links.
func List() ([]Link, error) {
	var links []Link
	err := whole(func() error {
		links = links[:0]
		request := nl.NewNetlinkRequest(unix.RTM_GETLINK, unix.NLM_F_DUMP)
		request.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
		request.AddData(nl.NewRtAttr(unix.IFLA_EXT_MASK, nl.Uint32Attr(skipStatistics)))
		return request.ExecuteIter(unix.NETLINK_ROUTE, unix.RTM_NEWLINK, func(message []byte) bool {
			if l, ok := parse(message); ok {
				links = append(links, l)
			}
			return true
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the network's links: %w", err)
	}
	return links, nil
}

// whole reads a list again while it changes under the reading.
func whole(read func() error) (err error) {
	for range attempts {
		if err = read(); !errors.Is(err, netlink.ErrDumpInterrupted) {
			return err
		}
	}
	return err
}

// parse reads the body of an RTM_NEWLINK or RTM_DELLINK.
func parse(message []byte) (Link, bool) {
	if len(message) < unix.SizeofIfInfomsg {
		return Link{}, false
	}
	flags := nl.DeserializeIfInfomsg(message).Flags
	attributes, err := syscall.ParseNetlinkRouteAttr(&syscall.NetlinkMessage{
		Header: syscall.NlMsghdr{Type: unix.RTM_NEWLINK}, Data: message,
	})
	if err != nil {
		return Link{}, false
	}
	l := Link{
		Up: flags&unix.IFF_UP != 0, Running: flags&unix.IFF_UP != 0 && flags&unix.IFF_RUNNING != 0,
		Loopback: flags&unix.IFF_LOOPBACK != 0, Carriers: -1,
	}
	for _, a := range attributes {
		switch a.Attr.Type {
		case unix.IFLA_IFNAME:
			l.Name = unix.ByteSliceToString(a.Value)
		case unix.IFLA_CARRIER_UP_COUNT:
			if len(a.Value) >= 4 {
				l.Carriers = int(nl.NativeEndian().Uint32(a.Value))
			}
		}
	}
	return l, l.Name != ""
}

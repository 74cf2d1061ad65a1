package fault

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/netlink"
)

const (
	loopback = "lo"
	// peer is the other end of the link, whose name no detector watches.
	peer = "drillpeer"
	// renamedLoopback is the name that the loopback is given for MissingLoopbackInterface: it cannot be removed from a namespace.
	renamedLoopback = "drilllost"
	// vethPeer is VETH_INFO_PEER (linux/veth.h).
	vethPeer = 1
)

// addHealthyLink makes a link that has a carrier, and sets the loopback up.
func addHealthyLink(name string) error {
	about := netlink.AppendAttribute(nil, unix.IFLA_INFO_KIND, []byte("veth"))
	other := netlink.AppendAttribute(nil, vethPeer, header(0, 0), named(peer))
	about = netlink.AppendAttribute(about, unix.IFLA_INFO_DATA, other)
	body := append(header(0, 0), named(name)...)
	body = netlink.AppendAttribute(body, unix.IFLA_LINKINFO, about)
	if err := netlink.Change(unix.NETLINK_ROUTE, unix.RTM_NEWLINK, unix.NLM_F_CREATE|unix.NLM_F_EXCL, body); err != nil {
		return withNeededPrivileges(fmt.Errorf("make a veth pair: %w", err), "CAP_NET_ADMIN")
	}
	for _, link := range []string{loopback, peer, name} {
		if err := set(link, true); err != nil {
			return err
		}
	}
	return nil
}

// breakLink makes the fault of a reason.
func breakLink(id reason.ID, name string) error {
	switch id {
	case reason.InterfaceNotUp:
		return set(name, false)
	case reason.InterfaceNotRunning:
		return set(peer, false)
	case reason.MissingLoopbackInterface:
		if err := set(loopback, false); err != nil {
			return err
		}
		const first = 1 // The loopback is the first link of any namespace.
		body := append(header(first, 0), named(renamedLoopback)...)
		if err := netlink.Change(unix.NETLINK_ROUTE, unix.RTM_NEWLINK, 0, body); err != nil {
			return fmt.Errorf("rename the loopback: %w", err)
		}
		return nil
	}
	return fmt.Errorf("no link has a fault for %s", id)
}

// set sets a link up or down.
func set(name string, up bool) error {
	flags := uint32(0)
	if up {
		flags = unix.IFF_UP
	}
	if err := netlink.Change(unix.NETLINK_ROUTE, unix.RTM_NEWLINK, 0, append(header(0, flags), named(name)...)); err != nil {
		return fmt.Errorf("set link %s up (%t): %w", name, up, err)
	}
	return nil
}

// header is struct ifinfomsg (rtnetlink(7)) with a link's index, 0 for one that is given by name, and flags.
func header(index, flags uint32) []byte {
	h := binary.NativeEndian.AppendUint32(make([]byte, 4, unix.SizeofIfInfomsg), index)
	h = binary.NativeEndian.AppendUint32(h, flags)
	return binary.NativeEndian.AppendUint32(h, unix.IFF_UP) // The mask of the flags to change.
}

func named(name string) []byte {
	return netlink.AppendAttribute(nil, unix.IFLA_IFNAME, []byte(name), []byte{0})
}

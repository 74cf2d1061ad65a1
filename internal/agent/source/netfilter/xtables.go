package netfilter

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// match reads an iptables match, which has the same format in nftables and in the older interface (linux/netfilter/xt_*.h). Numbers are in
// host byte order.
func (r *Rule) match(name string, info []byte) {
	switch name {
	case "comment":
		r.Comment = unix.ByteSliceToString(info)
	case "tcp":
		const inverted = 11
		r.ports(info, inverted)
	case "udp":
		const inverted = 8
		r.ports(info, inverted)
	case "multiport":
		r.multiport(info)
	case "conntrack":
		const flags, inverted, states = 146, 148, 150
		const byState = 1
		if len(info) >= states+2 && binary.NativeEndian.Uint16(info[flags:]) == byState && binary.NativeEndian.Uint16(info[inverted:]) == 0 {
			r.xtState(uint32(binary.NativeEndian.Uint16(info[states:])))
		}
	case "state":
		if len(info) >= 4 {
			r.xtState(binary.NativeEndian.Uint32(info))
		}
	case "icmp", "icmp6":
		r.Aside = true
	}
}

// xtState reads connection states as in matches: the bits of conntrack, and above them those of untracked packets and of packets with
// translated addresses, which may also open connections.
func (r *Rule) xtState(states uint32) {
	const others = 1 << 6 // XT_STATE_UNTRACKED, XT_CONNTRACK_STATE_SNAT and so on
	if states >= others {
		states |= stateNew
	}
	r.takeState(states)
}

// ports reads a range of destination ports, which follows that of source ports. A flag inverts it.
func (r *Rule) ports(info []byte, inverted int) {
	const from, butThese = 4, 2
	if len(info) <= inverted {
		return
	}
	these := portsOf([]Range{{First: binary.NativeEndian.Uint16(info[from:]), Last: binary.NativeEndian.Uint16(info[from+2:])}})
	if info[inverted]&butThese != 0 {
		these = but(these)
	}
	r.Ports = r.Ports.and(these)
}

// multiport reads up to 15 ports (struct xt_multiport_v1). A flagged port is the start of a range that ends with the next port.
func (r *Rule) multiport(info []byte) {
	const head, most, flags, inverted, source = 2, 15, 32, 47, 0
	if len(info) <= inverted || info[0] == source {
		return
	}
	var ranges []Range
	count := min(int(info[1]), most)
	for i := 0; i < count; i++ {
		r := Range{First: binary.NativeEndian.Uint16(info[head+2*i:])}
		if r.Last = r.First; info[flags+i] != 0 && i+1 < count {
			i++
			r.Last = binary.NativeEndian.Uint16(info[head+2*i:])
		}
		ranges = append(ranges, r)
	}
	these := portsOf(ranges)
	if info[inverted] != 0 {
		these = but(these)
	}
	r.Ports = r.Ports.and(these)
}

// target reads an iptables target.
func (r *Rule) target(name string) {
	switch name {
	case "DROP", "REJECT", "TARPIT":
		r.Drops = true
	case "DNAT", "REDIRECT", "TPROXY":
		r.Redirects = true
	}
}

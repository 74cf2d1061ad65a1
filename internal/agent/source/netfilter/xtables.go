package netfilter

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// match reads one of iptables' matches, which nftables and the older interface hold alike (linux/netfilter/xt_*.h). Numbers
// in them are the host's.
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
		const byState, invalid = 1, 1
		if len(info) >= states+2 && binary.NativeEndian.Uint16(info[flags:]) == byState && binary.NativeEndian.Uint16(info[inverted:]) == 0 {
			r.Invalid = binary.NativeEndian.Uint16(info[states:]) == invalid
		}
	case "state":
		const invalid = 1
		r.Invalid = len(info) >= 4 && binary.NativeEndian.Uint32(info) == invalid
	}
}

// ports notes a range of destination ports, which follows that of source ports, if it is of few enough to be meant one by
// one. A flag says that all but these are meant.
func (r *Rule) ports(info []byte, inverted int) {
	const few, from, butThese = 64, 4, 2
	if len(info) <= inverted || info[inverted]&butThese != 0 {
		return
	}
	first, last := int(binary.NativeEndian.Uint16(info[from:])), int(binary.NativeEndian.Uint16(info[from+2:]))
	for p := first; p <= last && last-first < few; p++ {
		r.Ports = append(r.Ports, uint16(p)) //nolint:gosec // G115: it is at most last.
	}
}

func (r *Rule) multiport(info []byte) {
	const head, most, source = 2, 15, 0
	if len(info) < head+2*most || info[0] == source {
		return
	}
	for i := range min(int(info[1]), most) {
		r.Ports = append(r.Ports, binary.NativeEndian.Uint16(info[head+2*i:]))
	}
}

// target reads one of iptables' targets.
func (r *Rule) target(name string) {
	switch name {
	case "DROP", "REJECT", "TARPIT":
		r.Drops = true
	case "DNAT", "REDIRECT", "TPROXY":
		r.Redirects = true
	}
}

package netfilter

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/source/netlink"
)

// matcher evaluates the expressions of a rule that match packets: one expression loads a part of the packet into a register, and the next
// compares it or looks it up.
type matcher struct {
	// rules are the result so far: one Rule, or one for each element of the sets that the rule looks up.
	rules []Rule
	// fields are the contents of the registers.
	fields []field
	// set reads the elements of a set of the rule's table; each receives the Rules that result from verdict maps.
	set     func(name []byte, each func(element)) error
	lookups int
	each    func(Rule)
	err     error
}

// field is a part of a packet in the registers.
type field struct {
	kind kind
	// at and length are its position in the registers and its size, in bytes.
	at, length int
	// mask are the bits that are used; nil: all.
	mask []byte
}

type kind int

const (
	port kind = iota
	destination4
	destination6
	state
	protocol
	inputName
	inputIndex
)

func (m *matcher) next(name, data []byte) {
	switch string(name) {
	case "payload":
		m.load(netlink.Attribute(data, unix.NFTA_PAYLOAD_DREG), int(number(netlink.Attribute(data, unix.NFTA_PAYLOAD_LEN))), payload(data)...)
	case "ct":
		m.load(netlink.Attribute(data, unix.NFTA_CT_DREG), wordSize, conntrack(data)...)
	case "meta":
		m.meta(data)
	case "bitwise":
		m.bitwise(data)
	case "immediate":
		m.load(netlink.Attribute(data, unix.NFTA_IMMEDIATE_DREG), wordSize)
	case "cmp":
		m.compare(data)
	case "range":
		m.between(data)
	case "lookup":
		m.lookup(data)
	case "match":
		for i := range m.rules {
			m.rules[i].match(text(netlink.Attribute(data, unix.NFTA_MATCH_NAME)), netlink.Attribute(data, unix.NFTA_MATCH_INFO))
		}
	}
}

// wordSize is the size of the smallest register.
const wordSize = 4

// register returns the position of a register in bytes: NFT_REG_1 to 4 have 16 bytes, and NFT_REG32_00 and so on are parts of them.
func register(attribute []byte) int {
	switch n := int(number(attribute)); {
	case n >= unix.NFT_REG32_00:
		return (n - unix.NFT_REG32_00) * wordSize
	case n >= unix.NFT_REG_1:
		return (n - unix.NFT_REG_1) * 4 * wordSize
	}
	return -1 // the verdict register
}

// load stores the fields that a register contains from now on, with positions relative to its beginning.
func (m *matcher) load(attribute []byte, length int, fields ...field) {
	at := register(attribute)
	if attribute == nil || at < 0 {
		return
	}
	var kept []field
	for _, f := range m.fields {
		if f.at+f.length <= at || at+length <= f.at {
			kept = append(kept, f)
		}
	}
	for _, f := range fields {
		f.at += at
		kept = append(kept, f)
	}
	m.fields = kept
}

// Positions in packet headers (RFC 791, 8200, 793 and 768). nft(8) loads adjacent fields at once, and only the prefix of an address.
func payload(data []byte) []field {
	offset, length := int(number(netlink.Attribute(data, unix.NFTA_PAYLOAD_OFFSET))), int(number(netlink.Attribute(data, unix.NFTA_PAYLOAD_LEN)))
	end := offset + length
	switch number(netlink.Attribute(data, unix.NFTA_PAYLOAD_BASE)) {
	case unix.NFT_PAYLOAD_TRANSPORT_HEADER:
		const from, to = 2, 4
		if offset <= from && end >= to {
			return []field{{kind: port, at: from - offset, length: to - from}}
		}
	case unix.NFT_PAYLOAD_NETWORK_HEADER:
		const protocol4, source4, from4, to4, source6, from6, to6 = 9, 12, 16, 20, 8, 24, 40
		switch {
		case offset == protocol4 && length == 1:
			return []field{{kind: protocol, length: 1}}
		case (offset == source4 || offset == from4) && from4 < end && end <= to4:
			return []field{{kind: destination4, at: from4 - offset, length: end - from4}}
		case (offset == source6 || offset == from6) && from6 < end && end <= to6:
			return []field{{kind: destination6, at: from6 - offset, length: end - from6}}
		}
	}
	return nil
}

func conntrack(data []byte) []field {
	if number(netlink.Attribute(data, unix.NFTA_CT_KEY)) != unix.NFT_CT_STATE {
		return nil
	}
	return []field{{kind: state, length: wordSize}}
}

func (m *matcher) meta(data []byte) {
	to := netlink.Attribute(data, unix.NFTA_META_DREG)
	switch number(netlink.Attribute(data, unix.NFTA_META_KEY)) {
	case unix.NFT_META_L4PROTO:
		m.load(to, wordSize, field{kind: protocol, length: 1})
	case unix.NFT_META_IIF:
		m.load(to, wordSize, field{kind: inputIndex, length: wordSize})
	case unix.NFT_META_IIFNAME:
		m.load(to, unix.IFNAMSIZ, field{kind: inputName, length: unix.IFNAMSIZ})
	default:
		m.load(to, unix.IFNAMSIZ)
	}
}

// bitwise masks a register: a connection state to the requested bits, an address to its prefix.
func (m *matcher) bitwise(data []byte) {
	from, length := register(netlink.Attribute(data, unix.NFTA_BITWISE_SREG)), int(number(netlink.Attribute(data, unix.NFTA_BITWISE_LEN)))
	mask := netlink.Attribute(netlink.Attribute(data, unix.NFTA_BITWISE_MASK), unix.NFTA_DATA_VALUE)
	var left []field
	for _, f := range m.fields {
		if at := f.at - from; at >= 0 && at+f.length <= len(mask) && (f.kind == state || f.kind == destination4 || f.kind == destination6) {
			left = append(left, field{kind: f.kind, at: at, length: f.length, mask: mask[at : at+f.length]})
		}
	}
	m.load(netlink.Attribute(data, unix.NFTA_BITWISE_DREG), length, left...)
}

// value returns the value in an attribute.
func value(data []byte, kind uint16) []byte {
	return netlink.Attribute(netlink.Attribute(data, kind), unix.NFTA_DATA_VALUE)
}

// within calls each with the fields that begin in length bytes of a register, with positions relative to its beginning.
func (m *matcher) within(attribute []byte, length int, each func(field)) {
	from := register(attribute)
	for _, f := range m.fields {
		f.at -= from
		if f.at >= 0 && f.at < length {
			f.length = min(f.length, length-f.at)
			each(f)
		}
	}
}

func (m *matcher) compare(data []byte) {
	how, with := number(netlink.Attribute(data, unix.NFTA_CMP_OP)), value(data, unix.NFTA_CMP_DATA)
	m.within(netlink.Attribute(data, unix.NFTA_CMP_SREG), len(with), func(f field) {
		part := with[f.at : f.at+f.length]
		switch {
		case f.kind == state:
			if how == unix.NFT_CMP_NEQ && f.mask != nil && stateBits(part) == 0 {
				m.all(func(r *Rule) { r.takeState(stateBits(f.mask)) })
			}
		case f.kind == port && len(part) == portSize:
			m.all(func(r *Rule) { r.Ports = r.Ports.and(compared(how, binary.BigEndian.Uint16(part))) })
		case how == unix.NFT_CMP_EQ:
			m.all(func(r *Rule) { r.take(f, part, part) })
		}
	})
}

// all applies a change to all results so far.
func (m *matcher) all(change func(*Rule)) {
	for i := range m.rules {
		change(&m.rules[i])
	}
}

const portSize = 2

// compared returns the ports of a comparison (enum nft_cmp_ops).
func compared(how uint32, with uint16) Ports {
	these := Ports{{First: with, Last: with}}
	switch how {
	case unix.NFT_CMP_NEQ:
		return but(these)
	case unix.NFT_CMP_LT:
		return but(Ports{{First: with, Last: lastPort}})
	case unix.NFT_CMP_LTE:
		return Ports{{Last: with}}
	case unix.NFT_CMP_GT:
		return but(Ports{{Last: with}})
	case unix.NFT_CMP_GTE:
		return Ports{{First: with, Last: lastPort}}
	}
	return these
}

func (m *matcher) between(data []byte) {
	first, last := value(data, unix.NFTA_RANGE_FROM_DATA), value(data, unix.NFTA_RANGE_TO_DATA)
	outside := number(netlink.Attribute(data, unix.NFTA_RANGE_OP)) == unix.NFT_RANGE_NEQ
	m.within(netlink.Attribute(data, unix.NFTA_RANGE_SREG), min(len(first), len(last)), func(f field) {
		switch from, to := first[f.at:f.at+f.length], last[f.at:f.at+f.length]; {
		case f.kind == port && outside:
			m.all(func(r *Rule) { r.Ports = r.Ports.and(but(portsOf([]Range{between(from, to)}))) })
		case !outside:
			m.all(func(r *Rule) { r.take(f, from, to) })
		}
	})
}

func between(first, last []byte) Range {
	return Range{First: binary.BigEndian.Uint16(first), Last: binary.BigEndian.Uint16(last)}
}

// take restricts the results to packets with a field in a range.
func (r *Rule) take(f field, first, last []byte) {
	switch {
	case f.kind == port && len(first) == portSize:
		r.Ports = r.Ports.and(portsOf([]Range{between(first, last)}))
	case f.kind == destination4, f.kind == destination6:
		r.To = prefixAround(f, first, last)
	case f.kind == state && bytes.Equal(first, last):
		r.takeState(stateBits(first))
	default:
		r.Aside = r.Aside || f.aside(first, last)
	}
}

// aside reports whether packets with the field in a range are only packets on the loopback, or no TCP packets.
func (f field) aside(first, last []byte) bool {
	switch f.kind {
	case protocol:
		return len(first) > 0 && (first[0] > unix.IPPROTO_TCP || last[0] < unix.IPPROTO_TCP)
	case inputName:
		return bytes.HasPrefix(first, loopbackName) && bytes.Equal(first, last)
	case inputIndex:
		return len(first) == wordSize && binary.NativeEndian.Uint32(first) == loopbackIndex && bytes.Equal(first, last)
	}
	return false
}

// The loopback is the first link of every network namespace.
const loopbackIndex = 1

var loopbackName = []byte("lo\x00")

// Bits of connection states (NF_CT_STATE_BIT).
const (
	stateInvalid   = 1 << 0
	stateNew       = 1 << 3
	stateUntracked = 1 << 6
)

// stateBits returns the bits that are set in a connection state.
func stateBits(data []byte) uint32 {
	if len(data) != wordSize {
		return 0
	}
	return binary.NativeEndian.Uint32(data)
}

// takeState restricts the results to packets with one of these connection states.
func (r *Rule) takeState(states uint32) {
	r.Invalid = r.Invalid || states == stateInvalid
	r.Aside = r.Aside || states&(stateNew|stateUntracked) == 0
}

// prefixAround returns the smallest prefix that contains a range of addresses, given by their leading bytes. It is invalid if the prefix is empty.
func prefixAround(f field, first, last []byte) netip.Prefix {
	length := 8 * len(first)
	if f.mask != nil {
		length = leadingOnes(f.mask)
	}
	alike := make([]byte, len(first))
	for i := range alike {
		alike[i] = ^(first[i] ^ last[i])
	}
	length = min(length, leadingOnes(alike))
	if length == 0 {
		return netip.Prefix{}
	}
	whole := make([]byte, net.IPv4len)
	if f.kind == destination6 {
		whole = make([]byte, net.IPv6len)
	}
	copy(whole, first)
	address, _ := netip.AddrFromSlice(whole)
	return netip.PrefixFrom(address, length).Masked()
}

// leadingOnes returns the number of leading bits that are set.
func leadingOnes(data []byte) int {
	for i, b := range data {
		if b != 0xff {
			return 8*i + bits.LeadingZeros8(^b)
		}
	}
	return 8 * len(data)
}

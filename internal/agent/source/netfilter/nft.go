package netfilter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/source/netlink"
)

// sizeofNfgenmsg is the size of struct nfgenmsg, which begins each message.
const sizeofNfgenmsg = 4

// families are the names that nft(8) gives to protocol families.
var families = map[uint8]string{
	unix.NFPROTO_INET: "inet", unix.NFPROTO_IPV4: "ip", unix.NFPROTO_ARP: "arp",
	unix.NFPROTO_NETDEV: "netdev", unix.NFPROTO_BRIDGE: "bridge", unix.NFPROTO_IPV6: "ip6",
}

// readTables asks for all rules in one answer, which is read as it comes: kube-proxy alone may have 50,000.
func readTables(again func(), each func(Rule)) error {
	anyFamily := []byte{unix.AF_UNSPEC, unix.NFNETLINK_V0, 0, 0} // struct nfgenmsg
	err := netlink.List(unix.NETLINK_NETFILTER, unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_GETRULE, anyFamily, again, func(message []byte) {
		if r, ok := parseRule(message); ok {
			each(r)
		}
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil // A kernel without nftables.
	}
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("list the rules of nftables, which takes CAP_NET_ADMIN: %w", err)
	}
	if err != nil {
		return fmt.Errorf("list the rules of nftables: %w", err)
	}
	return nil
}

// parseRule reads the body of an NFT_MSG_NEWRULE (linux/netfilter/nf_tables.h), if the rule drops or redirects.
func parseRule(message []byte) (Rule, bool) {
	if len(message) < sizeofNfgenmsg {
		return Rule{}, false
	}
	attributes := message[sizeofNfgenmsg:]
	expressions := netlink.Attribute(attributes, unix.NFTA_RULE_EXPRESSIONS)
	r := Rule{Family: families[message[0]]}
	if err := eachExpression(expressions, r.decides); err != nil || !r.Drops && !r.Redirects {
		return Rule{}, false // Most only say where to go on.
	}
	r.Table = text(netlink.Attribute(attributes, unix.NFTA_RULE_TABLE))
	r.Chain = text(netlink.Attribute(attributes, unix.NFTA_RULE_CHAIN))
	r.Comment = userComment(netlink.Attribute(attributes, unix.NFTA_RULE_USERDATA))
	m := matcher{rule: &r}
	_ = eachExpression(expressions, m.next)
	return r, true
}

// eachExpression calls each with a rule's expressions. Names stay bytes: of 50,000 rules each has ten.
func eachExpression(expressions []byte, each func(name, data []byte)) error {
	return netlink.Attributes(expressions, func(_ uint16, element []byte) {
		name := bytes.TrimRight(netlink.Attribute(element, unix.NFTA_EXPR_NAME), "\x00")
		each(name, netlink.Attribute(element, unix.NFTA_EXPR_DATA))
	})
}

// text is an attribute's, which ends with a zero.
func text(value []byte) string { return unix.ByteSliceToString(value) }

// decides reads the expressions that say what becomes of packets.
func (r *Rule) decides(name, data []byte) {
	switch string(name) {
	case "immediate":
		r.Drops = r.Drops || verdictOf(data) == verdictDrop
	case "reject":
		r.Drops = true
	case "redir", "tproxy":
		r.Redirects = true
	case "nat":
		r.Redirects = r.Redirects || number(netlink.Attribute(data, unix.NFTA_NAT_TYPE)) == unix.NFT_NAT_DNAT
	case "target":
		r.target(text(netlink.Attribute(data, unix.NFTA_TARGET_NAME)))
	}
}

// matcher reads those that say which packets are meant, one by one: a value is loaded by one and compared by the next.
type matcher struct {
	rule *Rule
	// loaded is what the last one loaded.
	loaded loaded
}

type loaded int

const (
	nothing loaded = iota
	port
	destination4
	destination6
	state
)

func (m *matcher) next(name, data []byte) {
	was := m.loaded
	m.loaded = nothing
	switch string(name) {
	case "payload":
		m.loaded = payload(data)
	case "ct":
		if number(netlink.Attribute(data, unix.NFTA_CT_KEY)) == unix.NFT_CT_STATE {
			m.loaded = state
		}
	case "bitwise":
		m.bitwise(was, data)
	case "cmp":
		m.compare(was, data)
	case "match":
		m.rule.match(text(netlink.Attribute(data, unix.NFTA_MATCH_NAME)), netlink.Attribute(data, unix.NFTA_MATCH_INFO))
	}
}

// The bytes of headers that matter: RFC 791, 8200, 793 and 768.
func payload(data []byte) loaded {
	type place struct{ base, offset, length uint32 }
	switch (place{
		number(netlink.Attribute(data, unix.NFTA_PAYLOAD_BASE)), number(netlink.Attribute(data, unix.NFTA_PAYLOAD_OFFSET)), number(netlink.Attribute(data, unix.NFTA_PAYLOAD_LEN)),
	}) {
	case place{unix.NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2}:
		return port
	case place{unix.NFT_PAYLOAD_NETWORK_HEADER, 16, 4}:
		return destination4
	case place{unix.NFT_PAYLOAD_NETWORK_HEADER, 24, 16}:
		return destination6
	}
	return nothing
}

// bitwise takes a part of what was loaded: of a state, the bits that are asked for; of an address, a prefix of it.
func (m *matcher) bitwise(was loaded, data []byte) {
	const invalid = 1 // NF_CT_STATE_INVALID_BIT
	mask := netlink.Attribute(netlink.Attribute(data, unix.NFTA_BITWISE_MASK), unix.NFTA_DATA_VALUE)
	if was == state && len(mask) == 4 && binary.NativeEndian.Uint32(mask) == invalid {
		m.rule.Invalid = true
	}
}

func (m *matcher) compare(was loaded, data []byte) {
	if number(netlink.Attribute(data, unix.NFTA_CMP_OP)) != unix.NFT_CMP_EQ {
		return
	}
	value := netlink.Attribute(netlink.Attribute(data, unix.NFTA_CMP_DATA), unix.NFTA_DATA_VALUE)
	switch {
	case was == port && len(value) == 2:
		m.rule.Ports = append(m.rule.Ports, binary.BigEndian.Uint16(value))
	case was == destination4, was == destination6:
		if address, ok := netip.AddrFromSlice(value); ok {
			m.rule.To = netip.PrefixFrom(address, address.BitLen())
		}
	}
}

// verdictDrop is NF_DROP; there are negative ones, too (linux/netfilter.h).
const verdictDrop = 0

// verdictOf is the verdict that an immediate gives, and none if it loads a value.
func verdictOf(data []byte) int32 {
	const none = -1 << 31
	code := netlink.Attribute(netlink.Attribute(netlink.Attribute(data, unix.NFTA_IMMEDIATE_DATA), unix.NFTA_DATA_VERDICT), unix.NFTA_VERDICT_CODE)
	if len(code) != 4 {
		return none
	}
	return int32(binary.BigEndian.Uint32(code)) //nolint:gosec // G115: it is a signed number.
}

// userComment is the comment that nft(8) keeps beside a rule (libnftnl's NFTNL_UDATA_RULE_COMMENT).
func userComment(data []byte) string {
	for len(data) >= 2 && len(data) >= 2+int(data[1]) {
		kind, value := data[0], data[2:2+int(data[1])]
		if kind == 0 {
			return unix.ByteSliceToString(value)
		}
		data = data[2+len(value):]
	}
	return ""
}

// number is an attribute's number, which nftables has in network order.
func number(value []byte) uint32 {
	if len(value) != 4 {
		return 0
	}
	return binary.BigEndian.Uint32(value)
}

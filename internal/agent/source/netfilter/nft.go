package netfilter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// families are the names that nft(8) gives to protocol families.
var families = map[uint8]string{
	unix.NFPROTO_INET: "inet", unix.NFPROTO_IPV4: "ip", unix.NFPROTO_ARP: "arp",
	unix.NFPROTO_NETDEV: "netdev", unix.NFPROTO_BRIDGE: "bridge", unix.NFPROTO_IPV6: "ip6",
}

// attempts bounds how often the rules are asked for again that changed while they were read.
const attempts = 5

// readTables asks for all rules in one answer, which is read as it comes: kube-proxy alone may have 50,000.
func readTables(each func(Rule)) error {
	var err error
	for range attempts {
		request := nl.NewNetlinkRequest(unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_GETRULE, unix.NLM_F_DUMP)
		request.AddData(&nl.Nfgenmsg{NfgenFamily: unix.AF_UNSPEC, Version: unix.NFNETLINK_V0})
		err = request.ExecuteIter(unix.NETLINK_NETFILTER, unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_NEWRULE, func(message []byte) bool {
			if r, ok := parseRule(message); ok && (r.Drops || r.Redirects) {
				each(r)
			}
			return true
		})
		if !errors.Is(err, netlink.ErrDumpInterrupted) && !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil // A kernel without nftables.
	}
	if err != nil {
		return fmt.Errorf("list the rules of nftables: %w", err)
	}
	return nil
}

// parseRule reads the body of an NFT_MSG_NEWRULE (linux/netfilter/nf_tables.h).
func parseRule(message []byte) (Rule, bool) {
	if len(message) < nl.SizeofNfgenmsg {
		return Rule{}, false
	}
	r := Rule{Family: families[message[0]]}
	var expressions []byte
	err := attributes(message[nl.SizeofNfgenmsg:], func(kind uint16, value []byte) {
		switch kind {
		case unix.NFTA_RULE_TABLE:
			r.Table = unix.ByteSliceToString(value)
		case unix.NFTA_RULE_CHAIN:
			r.Chain = unix.ByteSliceToString(value)
		case unix.NFTA_RULE_EXPRESSIONS:
			expressions = value
		case unix.NFTA_RULE_USERDATA:
			r.Comment = userComment(value)
		}
	})
	if err != nil {
		return Rule{}, false
	}
	e := expression{rule: &r}
	err = attributes(expressions, func(_ uint16, element []byte) {
		var name string
		var data []byte
		_ = attributes(element, func(kind uint16, value []byte) {
			switch kind {
			case unix.NFTA_EXPR_NAME:
				name = unix.ByteSliceToString(value)
			case unix.NFTA_EXPR_DATA:
				data = value
			}
		})
		e.next(name, data)
	})
	return r, err == nil
}

// expression reads a rule's expressions one by one. A value is loaded by one and compared by the next.
type expression struct {
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

func (e *expression) next(name string, data []byte) {
	was := e.loaded
	e.loaded = nothing
	switch name {
	case "immediate":
		e.rule.Drops = e.rule.Drops || verdictOf(data) == verdictDrop
	case "reject":
		e.rule.Drops = true
	case "redir", "tproxy":
		e.rule.Redirects = true
	case "nat":
		e.rule.Redirects = e.rule.Redirects || number(attribute(data, unix.NFTA_NAT_TYPE)) == unix.NFT_NAT_DNAT
	case "payload":
		e.loaded = payload(data)
	case "ct":
		if number(attribute(data, unix.NFTA_CT_KEY)) == unix.NFT_CT_STATE {
			e.loaded = state
		}
	case "bitwise":
		e.bitwise(was, data)
	case "cmp":
		e.compare(was, data)
	case "match":
		e.rule.match(unix.ByteSliceToString(attribute(data, unix.NFTA_MATCH_NAME)), attribute(data, unix.NFTA_MATCH_INFO))
	case "target":
		e.rule.target(unix.ByteSliceToString(attribute(data, unix.NFTA_TARGET_NAME)))
	}
}

// The bytes of headers that matter: RFC 791, 8200, 793 and 768.
func payload(data []byte) loaded {
	type place struct{ base, offset, length uint32 }
	switch (place{
		number(attribute(data, unix.NFTA_PAYLOAD_BASE)), number(attribute(data, unix.NFTA_PAYLOAD_OFFSET)), number(attribute(data, unix.NFTA_PAYLOAD_LEN)),
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
func (e *expression) bitwise(was loaded, data []byte) {
	const invalid = 1 // NF_CT_STATE_INVALID_BIT
	mask := attribute(attribute(data, unix.NFTA_BITWISE_MASK), unix.NFTA_DATA_VALUE)
	if was == state && len(mask) == 4 && nl.NativeEndian().Uint32(mask) == invalid {
		e.rule.Invalid = true
	}
}

func (e *expression) compare(was loaded, data []byte) {
	if number(attribute(data, unix.NFTA_CMP_OP)) != unix.NFT_CMP_EQ {
		return
	}
	value := attribute(attribute(data, unix.NFTA_CMP_DATA), unix.NFTA_DATA_VALUE)
	switch {
	case was == port && len(value) == 2:
		e.rule.Ports = append(e.rule.Ports, binary.BigEndian.Uint16(value))
	case was == destination4, was == destination6:
		if address, ok := netip.AddrFromSlice(value); ok {
			e.rule.To = netip.PrefixFrom(address, address.BitLen())
		}
	}
}

// verdictDrop is NF_DROP; there are negative ones, too (linux/netfilter.h).
const verdictDrop = 0

// verdictOf is the verdict that an immediate gives, and none if it loads a value.
func verdictOf(data []byte) int32 {
	const none = -1 << 31
	code := attribute(attribute(attribute(data, unix.NFTA_IMMEDIATE_DATA), unix.NFTA_DATA_VERDICT), unix.NFTA_VERDICT_CODE)
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

// attributes calls each with all netlink attributes in data.
func attributes(data []byte, each func(kind uint16, value []byte)) error {
	for len(data) >= unix.SizeofNlAttr {
		length, kind := int(nl.NativeEndian().Uint16(data)), nl.NativeEndian().Uint16(data[2:])
		if length < unix.SizeofNlAttr || length > len(data) {
			return syscall.EINVAL
		}
		each(kind&^(unix.NLA_F_NESTED|unix.NLA_F_NET_BYTEORDER), data[unix.SizeofNlAttr:length])
		data = data[min((length+unix.NLA_ALIGNTO-1)&^(unix.NLA_ALIGNTO-1), len(data)):]
	}
	return nil
}

// attribute is the value of one; nil if there is none.
func attribute(data []byte, kind uint16) (found []byte) {
	_ = attributes(data, func(k uint16, value []byte) {
		if k == kind {
			found = value
		}
	})
	return found
}

// number is an attribute's number, which nftables has in network order.
func number(value []byte) uint32 {
	if len(value) != 4 {
		return 0
	}
	return binary.BigEndian.Uint32(value)
}

package link

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/source/netlink"
)

// Main is the number of the main routing table.
const Main = unix.RT_TABLE_MAIN

// Rule is a rule that says which routing table a packet looks in (ip-rule(8)).
type Rule struct {
	Table int
	// From and To are what packets' addresses are in; invalid if any may be.
	From, To netip.Prefix
}

// Rules calls each with all rules, of both families. If they changed meanwhile, it calls again and begins anew.
func Rules(again func(), each func(Rule)) error {
	err := netlink.List(unix.NETLINK_ROUTE, unix.RTM_GETRULE, make([]byte, unix.SizeofRtMsg), again, func(message []byte) {
		if r, ok := parseRule(message); ok {
			each(r)
		}
	})
	if err != nil {
		return fmt.Errorf("list the routing rules: %w", err)
	}
	return nil
}

// Route is a way to addresses.
type Route struct {
	Table int
	// To is where it leads, of no bits for a default route.
	To netip.Prefix
}

// Default says whether it takes all that no other does.
func (r Route) Default() bool { return r.To.Bits() == 0 }

// Routes calls each with all unicast routes, of all tables and both families. If they changed meanwhile, it calls again and
// begins anew.
func Routes(again func(), each func(Route)) error {
	err := netlink.List(unix.NETLINK_ROUTE, unix.RTM_GETROUTE, make([]byte, unix.SizeofRtMsg), again, func(message []byte) {
		if r, ok := parseRoute(message); ok {
			each(r)
		}
	})
	if err != nil {
		return fmt.Errorf("list the routes: %w", err)
	}
	return nil
}

// Where struct rtmsg and struct fib_rule_hdr have what matters; the flag is a route's, that it was looked up once and kept.
const (
	toBits, fromBits, table, kind, flags = 1, 2, 4, 7, 8
	cloned                               = 0x200
)

// parseRule reads the body of an RTM_NEWRULE (linux/fib_rules.h).
func parseRule(message []byte) (Rule, bool) {
	if !routed(message) {
		return Rule{}, false
	}
	r := Rule{Table: int(message[table])}
	err := netlink.Attributes(message[unix.SizeofRtMsg:], func(attribute uint16, value []byte) {
		switch attribute {
		case unix.FRA_TABLE:
			r.Table = number(value)
		case unix.FRA_DST:
			r.To = prefix(value, message[toBits])
		case unix.FRA_SRC:
			r.From = prefix(value, message[fromBits])
		}
	})
	return r, err == nil
}

// parseRoute reads the body of an RTM_NEWROUTE (linux/rtnetlink.h).
func parseRoute(message []byte) (Route, bool) {
	if !routed(message) || message[kind] != unix.RTN_UNICAST || binary.NativeEndian.Uint32(message[flags:])&cloned != 0 {
		return Route{}, false
	}
	r := Route{Table: int(message[table]), To: netip.PrefixFrom(netip.IPv4Unspecified(), 0)}
	if message[0] == unix.AF_INET6 {
		r.To = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	err := netlink.Attributes(message[unix.SizeofRtMsg:], func(attribute uint16, value []byte) {
		switch attribute {
		case unix.RTA_TABLE:
			r.Table = number(value)
		case unix.RTA_DST:
			r.To = prefix(value, message[toBits])
		}
	})
	return r, err == nil && r.To.IsValid()
}

// routed says whether a message is of a family whose packets are routed here.
func routed(message []byte) bool {
	return len(message) >= unix.SizeofRtMsg && (message[0] == unix.AF_INET || message[0] == unix.AF_INET6)
}

func prefix(address []byte, bits byte) netip.Prefix {
	a, _ := netip.AddrFromSlice(address)
	return netip.PrefixFrom(a, int(bits))
}

func number(value []byte) int {
	if len(value) < 4 {
		return 0
	}
	return int(binary.NativeEndian.Uint32(value))
}

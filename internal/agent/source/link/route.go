package link

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Main is the number of the main routing table.
const Main = unix.RT_TABLE_MAIN

// Rule is a rule that says which routing table a packet looks in (ip-rule(8)).
type Rule struct {
	Priority, Table int
	// From and To are what packets' addresses are in; invalid if any may be.
	From, To netip.Prefix
}

// Rules is all rules, of both families.
func Rules() ([]Rule, error) {
	var found []netlink.Rule
	err := whole(func() (err error) {
		found, err = netlink.RuleList(netlink.FAMILY_ALL)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the routing rules: %w", err)
	}
	rules := make([]Rule, len(found))
	for i, r := range found {
		rules[i] = Rule{Priority: r.Priority, Table: r.Table, From: prefix(r.Src), To: prefix(r.Dst)}
	}
	return rules, nil
}

// Route is a way to addresses.
type Route struct {
	Table int
	// To is where it leads, of no bits for a default route.
	To netip.Prefix
}

// Default says whether it takes all that no other does.
func (r Route) Default() bool { return r.To.Bits() == 0 }

// Routes calls each with all unicast routes of all tables and both families, until it returns false.
func Routes(each func(Route) bool) error {
	// Of all tables: Table itself unspecified. Of 10,000 routes not one need be kept.
	filter, mask := &netlink.Route{Type: unix.RTN_UNICAST}, netlink.RT_FILTER_TABLE|netlink.RT_FILTER_TYPE
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		err := netlink.RouteListFilteredIter(family, filter, mask, func(r netlink.Route) bool {
			return each(Route{Table: r.Table, To: destination(r, family)})
		})
		if err != nil {
			return fmt.Errorf("list the routes: %w", err)
		}
	}
	return nil
}

func destination(r netlink.Route, family int) netip.Prefix {
	switch {
	case r.Dst != nil:
		return prefix(r.Dst)
	case family == netlink.FAMILY_V6:
		return netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	default:
		return netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	}
}

func prefix(n *net.IPNet) netip.Prefix {
	if n == nil {
		return netip.Prefix{}
	}
	address, ok := netip.AddrFromSlice(n.IP)
	if !ok {
		return netip.Prefix{}
	}
	bits, _ := n.Mask.Size()
	return netip.PrefixFrom(address.Unmap(), bits)
}

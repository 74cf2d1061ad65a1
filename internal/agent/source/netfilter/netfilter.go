// Package netfilter reads the packet filter's rules that may affect a node: those that drop, reject or redirect packets, and the jumps to them.
// Rules of nftables, iptables-nft's among them, are read over netlink, those of iptables-legacy by its socket options.
package netfilter

import (
	"fmt"
	"net/netip"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// Rule is a packet filter rule or the policy of a chain. A rule with a verdict map is returned as one Rule for each element of the map, and
// a rule that looks up anything but ports in a set as one Rule for each element of the set.
type Rule struct {
	// Family is the address family, such as ip, ip6 or inet. Legacy is true for the older kernel interface (iptables-legacy).
	Family, Table, Chain string
	Legacy               bool
	// Hook is the kernel hook of the chain if this is its policy, such as Input. Empty for a rule.
	Hook string
	// Drops is true if it drops or rejects packets, Redirects if it changes their destination.
	Drops, Redirects bool
	// Accepts is true if it accepts packets. Jumps is the chain of the same table that it jumps to.
	Accepts bool
	Jumps   string
	// Ports are the destination ports that it matches. Nil: all.
	Ports Ports
	// To is the destination that it matches: for a range of addresses, the smallest prefix that contains it. Invalid: all.
	To netip.Prefix
	// Invalid is true if it matches only packets that belong to no connection (conntrack state INVALID).
	Invalid bool
	// Aside is true if it matches no packets that open a TCP connection from another host, but only packets of established connections, on
	// the loopback, or of other protocols.
	Aside bool
	// Comment is the rule's comment.
	Comment string
}

// Chained returns the table and chain of the rule, such as "filter/FORWARD".
func (r Rule) Chained() string { return r.Table + "/" + r.Chain }

func (r Rule) String() string {
	what, family, does := "a rule", r.Family, "redirects"
	if r.Hook != "" {
		what = "the policy"
	}
	if r.Legacy {
		family = "legacy " + family
	}
	if r.Drops {
		does = "drops"
	}
	text := fmt.Sprintf("%s of %s %s %s packets", what, family, r.Chained(), does)
	if r.To.IsValid() {
		text += " to " + r.To.String()
	}
	if r.Ports != nil {
		text += " port " + r.Ports.String()
	}
	if r.Comment != "" {
		text += fmt.Sprintf(" (%s)", r.Comment)
	}
	return text
}

// Scope determines which rules are read.
type Scope int

const (
	// Terminal is rules that drop or redirect packets, rules that jump to another chain for certain ports, and policies that drop packets or
	// belong to the hook Output.
	Terminal Scope = iota
	// All also includes rules that accept packets or jump to another chain for all ports. A node may have 50,000 of them.
	All
)

// wanted reports whether the scope includes a rule.
func (w Scope) wanted(r Rule) bool {
	return r.Drops || r.Redirects || r.Jumps != "" && (w == All || r.Ports != nil) || r.Accepts && w == All
}

// Read calls each with rules of both kernel interfaces, those of a chain in their order, policies first. If they
// changed meanwhile, it calls again and begins anew.
func Read(h host.Host, what Scope, again func(), each func(Rule)) error {
	if err := readTables(what, again, each); err != nil {
		return err
	}
	return readLegacy(h, what, each)
}

// Package netfilter reads the packet filter's rules that may affect a node: those that drop, reject or redirect packets, and the jumps to them.
// Rules of nftables, iptables-nft's among them, are read over netlink, those of iptables-legacy by its socket options.
package netfilter

import (
	"fmt"
	"net/netip"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// Rule is what a rule does to packets. One that looks in a map of verdicts is a Rule for each element of the map, one that looks
// for other things than ports in a set a Rule for each element of the set. A chain's policy is a Rule as well.
type Rule struct {
	// Family is ip, ip6, inet and so on. Legacy says that it is of the older kernel interface (iptables-legacy).
	Family, Table, Chain string
	Legacy               bool
	// Hook is where the kernel filters packets by the chain whose policy this is (Input). Empty for a rule.
	Hook string
	// Drops is whether it drops or rejects packets, Redirects whether it gives them another destination.
	Drops, Redirects bool
	// Accepts is whether it lets them pass, Jumps the chain of its table that it sends them to.
	Accepts bool
	Jumps   string
	// Ports are the destination ports it is about, as far as it names them. Nil are all.
	Ports Ports
	// To is the destination that it is about: invalid if it names none. Of a range of addresses it is the smallest prefix around it.
	To netip.Prefix
	// Invalid is whether it takes packets that belong to no connection only (conntrack's state INVALID).
	Invalid bool
	// Aside is whether it matches no packets that open a TCP connection from elsewhere, but only those of established connections, of the
	// loopback, or of other protocols.
	Aside bool
	// Comment is the rule's comment.
	Comment string
}

// Chained is where the rule is, "filter/FORWARD".
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

// Scope says which rules are read.
type Scope int

const (
	// Terminal are rules that drop or redirect, those that jump to another chain for some ports, policies that drop, and those at Output.
	Terminal Scope = iota
	// All are also the rules that accept or jump to another chain for all ports: a node may have 50,000.
	All
)

// wanted says whether a rule is among them.
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

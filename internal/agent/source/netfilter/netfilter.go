// Package netfilter reads the packet filter's rules as far as it matters to a node: which drop, reject or redirect packets,
// and the way there. Rules of nftables, iptables' among them, come over netlink; those of the older kernel interface from it.
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
	// Aside is whether it takes no packets that open a TCP connection from elsewhere: those of connections that are, those over
	// the loopback, or those of other protocols only.
	Aside bool
	// Comment is what whoever made it wrote beside it.
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

// What of the rules is read.
type What int

const (
	// Ends are rules that drop or redirect, those that send packets of some ports to another chain, policies that drop, and those at Output.
	Ends What = iota
	// Ways are the others that accept or send to another chain as well: a node may have 50,000.
	Ways
)

// wanted says whether a rule is among them.
func (w What) wanted(r Rule) bool {
	return r.Drops || r.Redirects || r.Jumps != "" && (w == Ways || r.Ports != nil) || r.Accepts && w == Ways
}

// Read calls each with rules of both kernel interfaces, those of a chain in their order, policies first. If they
// changed meanwhile, it calls again and begins anew.
func Read(h host.Host, what What, again func(), each func(Rule)) error {
	if err := readTables(what, again, each); err != nil {
		return err
	}
	return readLegacy(h, what, each)
}

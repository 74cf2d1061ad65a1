// Package netfilter reads the packet filter's rules as far as it matters to a node: which drop, reject or redirect packets.
// Rules of nftables, iptables' among them, come over netlink; those of the older kernel interface from it.
package netfilter

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// Rule is a rule that does something to packets for good.
type Rule struct {
	// Family is ip, ip6, inet and so on. Legacy says that it is of the older kernel interface (iptables-legacy).
	Family, Table, Chain string
	Legacy               bool
	// Drops is whether it drops or rejects packets, Redirects whether it gives them another destination.
	Drops, Redirects bool
	// Ports are the destination ports it is about, if it names them one by one.
	Ports []uint16
	// To is the destination that it is about: invalid if it names none, or by a set.
	To netip.Prefix
	// Invalid is whether it takes packets that belong to no connection only (conntrack's state INVALID).
	Invalid bool
	// Comment is what whoever made it wrote beside it.
	Comment string
}

// Chained is where the rule is, "filter/FORWARD".
func (r Rule) Chained() string { return r.Table + "/" + r.Chain }

func (r Rule) String() string {
	does := "redirects"
	if r.Drops {
		does = "drops"
	}
	text := fmt.Sprintf("a rule of %s %s %s packets", r.Family, r.Chained(), does)
	if r.Legacy {
		text = fmt.Sprintf("a rule of legacy %s %s %s packets", r.Family, r.Chained(), does)
	}
	if r.To.IsValid() {
		text += " to " + r.To.String()
	}
	for i, port := range r.Ports {
		if i == 0 {
			text += " port"
		}
		text += fmt.Sprintf(" %d", port)
	}
	if r.Comment != "" {
		text += fmt.Sprintf(" (%s)", r.Comment)
	}
	return text
}

// Has says whether the rule is about a port.
func (r Rule) Has(port uint16) bool { return slices.Contains(r.Ports, port) }

// Read calls each with all rules that drop or redirect, of both kernel interfaces and in no order. If they changed
// meanwhile, it calls again and begins anew.
func Read(h host.Host, again func(), each func(Rule)) error {
	if err := readTables(again, each); err != nil {
		return err
	}
	return readLegacy(h, each)
}

package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/netfilter"
)

const packetFilter = "packet filter"

// knownRules are the tables and chains, as "table/chain", of software whose rules drop or reject packets in normal operation.
var knownRules = []*regexp.Regexp{
	// Kubernetes: kube-proxy in each of its modes, the kubelet, kube-router, the portmap plugin, and the IP masquerade agents.
	regexp.MustCompile(`/(KUBE|CNI|IP-MASQ)-`),
	regexp.MustCompile(`^(kube-proxy|kube-network-policies|cni_hostport)/`),
	// CNIs: Calico, Cilium, Antrea, Weave, Flannel, Amazon VPC CNI, Azure.
	regexp.MustCompile(`/(cali-|CILIUM|OLD_CILIUM|ANTREA|WEAVE|FLANNEL-|AWS-|AZURE-)`),
	regexp.MustCompile(`^(calico|cilium|antrea)[^/]*/`),
	// Container engines and meshes.
	regexp.MustCompile(`/(DOCKER|NETAVARK|ISTIO|LINKERD|PROXY_)`),
	regexp.MustCompile(`^(docker|netavark|istio)[^/]*/`),
}

// metadata are the addresses of clouds' metadata services and agents, which are often blocked for pods on purpose: link-local, Amazon's over
// IPv6, and Azure's WireServer, which AKS blocks.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fd00:ec2::/32"), netip.MustParsePrefix("168.63.129.16/32"),
}

// filters finds rules of the packet filter that may cut a node off: drops that no known software makes, and redirects of a port of the node's
// own.
func filters(h host.Host, o Options) monitor.Periodic {
	return periodic("filter", longestPeriod, packetFilter, func(context.Context) ([]evidence.Evidence, error) {
		checker := ruleChecker{known: slices.Concat(knownRules, o.ExpectedRules), ports: o.NodePorts, addresses: addressesHere()}
		err := checker.look(func(what netfilter.Scope) error { return netfilter.Read(h, what, checker.again, checker.rule) })
		// What was found before an error is reported; the rest is unknown.
		return checker.found, err
	}, reason.PortConflict, reason.UnexpectedRejectRule)
}

// addressesHere are the node's addresses; nil if they are unknown.
func addressesHere() []netip.Addr {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var all []netip.Addr
	for _, a := range own {
		if network, ok := a.(*net.IPNet); ok {
			if address, ok := netip.AddrFromSlice(network.IP); ok {
				all = append(all, address.Unmap())
			}
		}
	}
	return all
}

type ruleChecker struct {
	known []*regexp.Regexp
	ports []uint16
	// addresses are the node's; nil if they are unknown.
	addresses []netip.Addr
	found     []evidence.Evidence
	seen      map[string]bool
	// portChains are chains that packets to a port of the node jump to; policies are chains that drop what no rule accepts.
	portChains map[portChain]bool
	policies   map[chainRef]*policy
	// outgoing are chains of packets that leave the node.
	outgoing map[chainRef]bool
}

// chainRef is a chain of a table; portChain is one that packets to a port jump to.
type (
	chainRef struct {
		table table
		chain string
	}
	portChain struct {
		chainRef
		port uint16
	}
)

// maxPasses bounds how often the rules are read: the kernel follows at most 16 jumps (NFT_JUMP_STACK_SIZE).
const maxPasses = 20

// look reads the rules until no rule jumps to a chain that was read before it.
func (j *ruleChecker) look(read func(netfilter.Scope) error) error {
	j.again()
	what := netfilter.Terminal
	for range maxPasses {
		before := j.reached()
		if err := read(what); err != nil {
			return err
		}
		if j.reached() == before || len(j.portChains) == 0 && j.accepted() {
			break
		}
		what = netfilter.All
	}
	for _, p := range j.policies {
		if left := p.dropped(); left != "" && !j.expected(p.rule) {
			j.add(reason.UnexpectedRejectRule, p.rule.Chained(), fmt.Sprintf("%s%s, and no rule accepts them", p.rule, left))
		}
	}
	return nil
}

// reached counts the chains that packets are known to reach.
func (j *ruleChecker) reached() int {
	n := len(j.portChains)
	for _, p := range j.policies {
		n += len(p.chains)
	}
	return n
}

// accepted says whether no policy drops packets that matter.
func (j *ruleChecker) accepted() bool {
	for _, p := range j.policies {
		if p.dropped() != "" {
			return false
		}
	}
	return true
}

// again drops what was found, because the rules have changed since.
func (j *ruleChecker) again() {
	j.found, j.seen, j.portChains, j.policies, j.outgoing = nil, map[string]bool{}, map[portChain]bool{}, map[chainRef]*policy{}, map[chainRef]bool{}
}

func (j *ruleChecker) rule(r netfilter.Rule) {
	if r.Hook != "" {
		j.policy(r)
		return
	}
	for _, p := range j.policies {
		p.take(r)
	}
	if r.Drops && !j.expected(r) {
		j.add(reason.UnexpectedRejectRule, r.Chained(), r.String())
	}
	here := chainRef{tableOf(r), r.Chain}
	if j.outgoing[here] {
		return
	}
	for _, port := range j.ports {
		// A jump without a port may be about any packets. Only a port says that they are to the node.
		sent := r.Ports != nil || j.portChains[portChain{here, port}]
		if !sent || !r.Ports.Has(port) || !j.isHere(r.To) {
			continue
		}
		if r.Jumps != "" {
			j.portChains[portChain{chainRef{here.table, r.Jumps}, port}] = true
		}
		if r.Redirects {
			j.add(reason.PortConflict, fmt.Sprint(port), r.String())
		}
	}
}

// table tells tables of one name apart.
type table struct {
	legacy       bool
	family, name string
}

func tableOf(r netfilter.Rule) table { return table{legacy: r.Legacy, family: r.Family, name: r.Table} }

// isHere says whether a destination may be one of the node's addresses.
func (j *ruleChecker) isHere(to netip.Prefix) bool {
	return !to.IsValid() || j.addresses == nil || slices.ContainsFunc(j.addresses, to.Contains)
}

// add adds evidence, unless there is some about the entity: a chain may have hundreds of rules.
func (j *ruleChecker) add(id reason.ID, entity, raw string) {
	if key := string(id) + entity; !j.seen[key] {
		j.seen[key] = true
		j.found = append(j.found, fault(id, entity, packetFilter, "%s", raw))
	}
}

// policy records a chain of packets that leave the node, and a policy that drops. Those for IPv6 alone are left out: blocking IPv6 is common
// where a cluster does not use it.
func (j *ruleChecker) policy(r netfilter.Rule) {
	key := chainRef{tableOf(r), r.Chain}
	if r.Hook == netfilter.Output {
		j.outgoing[key] = true
	}
	if !r.Drops || r.Family == "ip6" || j.policies[key] != nil {
		return
	}
	p := policy{rule: r, table: tableOf(r), chains: map[string]bool{r.Chain: true}}
	if p.ports = j.ports; r.Hook != netfilter.Input {
		p.ports = []uint16{anyPort}
	}
	j.policies[key] = &p
}

// policy is a chain's policy that drops what no rule accepts.
type policy struct {
	rule  netfilter.Rule
	table table
	ports []uint16
	// chains are those of its table that packets reach, accepted the ports that a rule in one of them may accept.
	chains   map[string]bool
	accepted []uint16
}

// anyPort stands for packets that pass through the node or leave it.
const anyPort = 0

// take records the ports to which a rule may accept new connections.
func (p *policy) take(r netfilter.Rule) {
	if r.Aside || tableOf(r) != p.table || !p.chains[r.Chain] {
		return
	}
	for _, port := range p.ports {
		if port != anyPort && !r.Ports.Has(port) {
			continue
		}
		if r.Accepts && !slices.Contains(p.accepted, port) {
			p.accepted = append(p.accepted, port)
		}
		if r.Jumps != "" {
			p.chains[r.Jumps] = true
		}
	}
}

// dropped describes the packets that the policy drops; empty if all of its ports are accepted.
func (p *policy) dropped() string {
	for _, port := range p.ports {
		if !slices.Contains(p.accepted, port) {
			if port == anyPort {
				return " at the hook " + p.rule.Hook
			}
			return fmt.Sprintf(" to port %d", port)
		}
	}
	return ""
}

// expected says whether a drop is normal: it is made by known software, blocks metadata, or is about packets that belong to no connection.
func (j *ruleChecker) expected(r netfilter.Rule) bool {
	at := r.Chained()
	if r.Invalid || slices.ContainsFunc(j.known, func(known *regexp.Regexp) bool { return known.MatchString(at) }) {
		return true
	}
	return r.To.IsValid() && slices.ContainsFunc(metadata, func(p netip.Prefix) bool {
		return p.Contains(r.To.Addr()) && r.To.Bits() >= p.Bits()
	}) || strings.HasPrefix(r.Comment, nodeLocal)
}

// nodeLocal begins the comment of a rule of the Amazon VPC CNI's in FORWARD itself, which keeps pods from the node's own
// addresses of another family (pkg/networkutils/network.go).
const nodeLocal = "Block Node Local Pod access via IP"

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

// knownRules are tables and chains whose drops and rejects are their makers' daily business, as "table/chain".
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

// metadata is where clouds serve it, and their agents, which pods are kept from on purpose: link-local, Amazon's over IPv6,
// and Azure's WireServer, from which AKS keeps pods.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fd00:ec2::/32"), netip.MustParsePrefix("168.63.129.16/32"),
}

// filters finds rules of the packet filter that cut a node off: those that nobody known makes, and those that take a port
// of the node's own.
func filters(h host.Host, o Options) monitor.Periodic {
	return looking("filter", seldom, packetFilter, func(context.Context) ([]evidence.Evidence, error) {
		judge := filterJudge{known: slices.Concat(knownRules, o.ExpectedRules), ports: o.NodePorts, addresses: addressesHere()}
		err := judge.look(func(what netfilter.What) error { return netfilter.Read(h, what, judge.again, judge.rule) })
		// What was found before an error stands; the rest is not known.
		return judge.found, err
	}, reason.PortConflict, reason.UnexpectedRejectRule)
}

// addressesHere are those that the node has. Nil is not known.
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

type filterJudge struct {
	known []*regexp.Regexp
	ports []uint16
	// addresses are the node's; nil is not known.
	addresses []netip.Addr
	found     []evidence.Evidence
	seen      map[string]bool
	// led are chains to which packets to a port of the node's are sent, and policies those that drop what no rule accepts.
	led      map[led]bool
	policies map[place]*policy
	// outgoing are chains of packets that leave the node.
	outgoing map[place]bool
}

// place is a chain of a table, led one that packets to a port are sent to.
type (
	place struct {
		table table
		chain string
	}
	led struct {
		place
		port uint16
	}
)

// deepest bounds how often the rules are read: the kernel follows 16 jumps (NFT_JUMP_STACK_SIZE).
const deepest = 20

// look reads the rules: once, and again as long as there are chains that a rule read before them sends packets to.
func (j *filterJudge) look(read func(netfilter.What) error) error {
	j.again()
	what := netfilter.Ends
	for range deepest {
		before := j.reached()
		if err := read(what); err != nil {
			return err
		}
		if j.reached() == before || len(j.led) == 0 && j.accepted() {
			break
		}
		what = netfilter.Ways
	}
	for _, p := range j.policies {
		if left := p.dropped(); left != "" && !j.expected(p.rule) {
			j.add(reason.UnexpectedRejectRule, p.rule.Chained(), fmt.Sprintf("%s%s, and no rule accepts them", p.rule, left))
		}
	}
	return nil
}

// reached is how far packets were followed.
func (j *filterJudge) reached() int {
	n := len(j.led)
	for _, p := range j.policies {
		n += len(p.chains)
	}
	return n
}

// accepted says that no policy drops anything that matters.
func (j *filterJudge) accepted() bool {
	for _, p := range j.policies {
		if p.dropped() != "" {
			return false
		}
	}
	return true
}

// again forgets what was found of rules that have changed since.
func (j *filterJudge) again() {
	j.found, j.seen, j.led, j.policies, j.outgoing = nil, map[string]bool{}, map[led]bool{}, map[place]*policy{}, map[place]bool{}
}

func (j *filterJudge) rule(r netfilter.Rule) {
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
	here := place{tableOf(r), r.Chain}
	if j.outgoing[here] {
		return
	}
	for _, port := range j.ports {
		// Which packets are sent to a chain that is named for none is not known. Only ports say that they are to the node.
		sent := r.Ports != nil || j.led[led{here, port}]
		if !sent || !r.Ports.Has(port) || !j.isHere(r.To) {
			continue
		}
		if r.Jumps != "" {
			j.led[led{place{here.table, r.Jumps}, port}] = true
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
func (j *filterJudge) isHere(to netip.Prefix) bool {
	return !to.IsValid() || j.addresses == nil || slices.ContainsFunc(j.addresses, to.Contains)
}

// add notes the first of an entity: a chain may have hundreds of rules.
func (j *filterJudge) add(id reason.ID, entity, raw string) {
	if key := string(id) + entity; !j.seen[key] {
		j.seen[key] = true
		j.found = append(j.found, fault(id, entity, packetFilter, "%s", raw))
	}
}

// policy notes a chain of packets that leave the node, and a policy that drops. Those for IPv6 alone are left out: where a cluster does not use it, to close it is good custom.
func (j *filterJudge) policy(r netfilter.Rule) {
	key := place{tableOf(r), r.Chain}
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

// policy is one that drops what no rule accepts: packets to the node's ports, where it is about those to the node.
type policy struct {
	rule  netfilter.Rule
	table table
	ports []uint16
	// chains are those of its table that packets are sent to, accepted the ports that a rule in one of them may accept.
	chains   map[string]bool
	accepted []uint16
}

// anyPort stands for packets that pass through the node or leave it.
const anyPort = 0

// take notes what a rule may accept of new connections.
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

// dropped says which packets it drops; nothing if all of its ports are accepted.
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

// expected says whether a drop is somebody's daily business, keeps from metadata, or takes nothing that belongs to a
// connection.
func (j *filterJudge) expected(r netfilter.Rule) bool {
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

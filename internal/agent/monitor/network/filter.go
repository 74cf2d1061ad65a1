package network

import (
	"context"
	"fmt"
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
func filters(h host.Host, o Options) monitor.Every {
	return looking("filter", seldom, packetFilter, func(context.Context) ([]evidence.Evidence, error) {
		judge := filterJudge{known: slices.Concat(knownRules, o.ExpectedRules), ports: o.NodePorts}
		if err := netfilter.Read(h, judge.again, judge.rule); err != nil {
			// What was found before stands; the rest is not known.
			return judge.found, err
		}
		return judge.found, nil
	}, reason.PortConflict, reason.UnexpectedRejectRule)
}

type filterJudge struct {
	known []*regexp.Regexp
	ports []uint16
	found []evidence.Evidence
	seen  map[string]bool
}

// again forgets what was found of rules that have changed since.
func (j *filterJudge) again() { j.found, j.seen = nil, nil }

func (j *filterJudge) rule(r netfilter.Rule) {
	if r.Drops && !j.expected(r) {
		j.tell(reason.UnexpectedRejectRule, r.Chained(), r)
	}
	if !r.Redirects {
		return
	}
	for _, port := range j.ports {
		if r.Has(port) {
			j.tell(reason.PortConflict, fmt.Sprint(port), r)
		}
	}
}

// tell notes the first of an entity: a chain may have hundreds of rules.
func (j *filterJudge) tell(id reason.ID, entity string, r netfilter.Rule) {
	if key := string(id) + entity; !j.seen[key] {
		if j.seen == nil {
			j.seen = map[string]bool{}
		}
		j.seen[key] = true
		j.found = append(j.found, fault(id, entity, packetFilter, "%s", r))
	}
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

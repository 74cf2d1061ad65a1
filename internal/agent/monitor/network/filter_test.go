package network

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func TestUnexpectedRejectRule(t *testing.T) {
	for kind, commands := range map[string][2]string{
		"nft": {
			"nft add table inet guard; nft add chain inet guard in '{ type filter hook input priority 0; }'; nft add rule inet guard in tcp dport 10250 reject",
			"nft delete table inet guard",
		},
		"iptables":        {"iptables-nft -N GUARD; iptables-nft -A INPUT -j GUARD; iptables-nft -A GUARD -s 10.0.0.0/8 -j REJECT", "iptables-nft -F"},
		"iptables-legacy": {"iptables-legacy -N GUARD; iptables-legacy -A INPUT -j GUARD; iptables-legacy -A GUARD -s 10.0.0.0/8 -j DROP", "iptables-legacy -F"},
	} {
		t.Run(kind, func(t *testing.T) {
			if !agenttest.Alone(t) {
				return
			}
			agenttest.Need(t, "nft", "iptables-nft", "iptables-legacy")
			entity := "filter/GUARD"
			if kind == "nft" {
				entity = "guard/in"
			}
			w := watch(t, []reason.ID{reason.UnexpectedRejectRule}, briefly(filters(hostWith(t, nil), DefaultOptions())))
			w.Goes(reason.UnexpectedRejectRule, entity)
			run(t, commands[0])
			w.Stands(reason.UnexpectedRejectRule, entity)
			run(t, commands[1])
			w.Goes(reason.UnexpectedRejectRule, entity)
		})
	}
}

func TestPortConflict(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "iptables-nft")
	const rule = "PREROUTING -t nat -p tcp --dport 10250 -j DNAT --to-destination 10.0.0.7:8080" // a pod with hostPort 10250
	w := watch(t, []reason.ID{reason.PortConflict}, briefly(filters(hostWith(t, nil), DefaultOptions())))
	w.Goes(reason.PortConflict, "10250")
	run(t, "iptables-nft -A "+rule)
	w.Stands(reason.PortConflict, "10250")
	run(t, "iptables-nft -D "+rule)
	w.Goes(reason.PortConflict, "10250")
}

// expectedRules are drops that healthy nodes have, by the threads in which their false alarms were reported.
var expectedRules = map[string][]string{
	"eks-node-monitoring-agent#150, #156: kube-proxy with IPVS": {
		"-N KUBE-IPVS-FILTER", "-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -j REJECT --reject-with icmp-port-unreachable",
		"-N KUBE-IPVS-OUT-FILTER", "-A KUBE-IPVS-OUT-FILTER -j DROP", "-N KUBE-SOURCE-RANGES-FIREWALL", "-A KUBE-SOURCE-RANGES-FIREWALL -j DROP",
	},
	"eks-node-monitoring-agent#80, containers-roadmap#2537: Calico": {
		"-N cali-tw-cali1a2b3c4d5e6", "-A cali-tw-cali1a2b3c4d5e6 -m comment --comment 'cali:abcdefgh12345678' -m conntrack --ctstate INVALID -j DROP",
		"-N cali-pi-default.deny", "-A cali-pi-default.deny -m comment --comment 'Drop if no policies passed packet' -j DROP",
		"-N cali-cidr-block", "-A cali-cidr-block -d 10.0.0.0/8 -j DROP",
	},
	"kube-proxy and the kubelet": {
		"-N KUBE-FORWARD", "-A KUBE-FORWARD -m conntrack --ctstate INVALID -m nfacct --nfacct-name ct_state_invalid_dropped_pkts -j DROP",
		"-N KUBE-FIREWALL", "-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment 'block incoming localnet connections' -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP",
		"-N KUBE-SERVICES", "-A KUBE-SERVICES -d 10.96.0.9 -p tcp -m comment --comment 'default/web has no endpoints' -m tcp --dport 80 -j REJECT",
	},
	"Amazon VPC CNI, and pods kept from the metadata of their node": {
		"-A FORWARD -m conntrack --ctstate NEW -m comment --comment 'Block Node Local Pod access via IPv4' -j REJECT",
		"-I FORWARD -i eni+ -d 169.254.169.254/32 -j DROP",
	},
	"AKS": {"-A FORWARD -d 168.63.129.16/32 -p tcp -m tcp --dport 80 -j DROP", "-A FORWARD -d 168.63.129.16/32 -p tcp -m tcp --dport 32526 -j DROP"},
	"Docker, Cilium": {
		"-N DOCKER-ISOLATION-STAGE-2", "-A DOCKER-ISOLATION-STAGE-2 -o docker0 -j DROP", "-N CILIUM_FORWARD", "-A CILIUM_FORWARD -o cilium_host -j DROP",
	},
	"whoever drops what belongs to no connection": {"-A INPUT -m conntrack --ctstate INVALID -j DROP"},
	"Docker's policy, and what accepts": {
		"-P FORWARD DROP", "-N DOCKER-FORWARD", "-A FORWARD -j DOCKER-FORWARD", "-A DOCKER-FORWARD -i docker0 -j ACCEPT", "-A INPUT -p tcp --dport 10250 -j ACCEPT",
	},
	"Amazon VPC CNI": {
		"-t nat -N AWS-SNAT-CHAIN-0", "-t nat -A POSTROUTING -j AWS-SNAT-CHAIN-0",
		"-t nat -A AWS-SNAT-CHAIN-0 ! -d 192.168.0.0/16 -m addrtype ! --dst-type LOCAL -j SNAT --to-source 192.168.1.2 --random-fully",
		"-t mangle -A PREROUTING -i eth0 -m addrtype --dst-type LOCAL --limit-iface-in -j CONNMARK --set-xmark 0x80/0x80",
	},
	"Cilium": {
		"-N CILIUM_INPUT", "-A INPUT -j CILIUM_INPUT", "-A CILIUM_INPUT -m mark --mark 0x200/0xf00 -j ACCEPT",
		"-t mangle -N CILIUM_PRE_mangle", "-t mangle -A PREROUTING -j CILIUM_PRE_mangle",
		"-t mangle -A CILIUM_PRE_mangle -p tcp -m mark --mark 0x3d850200 -j TPROXY --on-port 34109 --on-ip 127.0.0.1 --tproxy-mark 0x200/0xffffffff",
	},
	"a pod with a hostPort of its own": {
		"-t nat -N CNI-HOSTPORT-DNAT", "-t nat -N CNI-DN-1a2b", "-t nat -A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT",
		"-t nat -A CNI-HOSTPORT-DNAT -p tcp -m multiport --destination-ports 8080 -j CNI-DN-1a2b", "-t nat -A CNI-DN-1a2b -p tcp --dport 8080 -j DNAT --to-destination 10.1.0.5:80",
	},
}

func TestQuietAboutRulesOfOthers(t *testing.T) {
	for _, kind := range []string{"nft", "legacy"} {
		t.Run(kind, func(t *testing.T) {
			if !agenttest.Alone(t) {
				return
			}
			agenttest.Need(t, "iptables-"+kind)
			for _, name := range slices.Sorted(maps.Keys(expectedRules)) {
				for _, rule := range expectedRules[name] {
					run(t, "iptables-"+kind+" "+strings.ReplaceAll(rule, "-m nfacct --nfacct-name ct_state_invalid_dropped_pkts ", ""))
				}
			}
			quiet(t, filters(hostWith(t, nil), DefaultOptions()))
		})
	}
}

// eks-node-monitoring-agent#89: one's own rules may be said to be expected.
func TestExpectedRules(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "iptables-nft")
	run(t, "iptables-nft -N OUR-SUBNETS", "iptables-nft -A OUR-SUBNETS -d 192.0.2.0/24 -j REJECT")
	o := DefaultOptions()
	if diff := cmp.Diff([]string{"Fault UnexpectedRejectRule filter/OUR-SUBNETS", "Well PortConflict", "Well UnexpectedRejectRule"}, states(t, filters(hostWith(t, nil), o))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	o.ExpectedRules = []*regexp.Regexp{regexp.MustCompile("^filter/OUR-")}
	quiet(t, filters(hostWith(t, nil), o))
}

// A port that a Service has inside the cluster is not the node's, whatever its number.
func TestQuietAboutPortsOfServices(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	agenttest.Need(t, "iptables-nft")
	run(
		t, "iptables-nft -t nat -N KUBE-SVC-X", "iptables-nft -t nat -N KUBE-SEP-X", "iptables-nft -t nat -N KUBE-SERVICES",
		"iptables-nft -t nat -A KUBE-SERVICES -d 10.96.0.9 -p tcp --dport 10250 -j KUBE-SVC-X", "iptables-nft -t nat -A KUBE-SVC-X -j KUBE-SEP-X",
		"iptables-nft -t nat -A KUBE-SEP-X -p tcp -j DNAT --to-destination 10.0.0.7:10250",
	)
	quiet(t, filters(hostWith(t, nil), DefaultOptions()))
}

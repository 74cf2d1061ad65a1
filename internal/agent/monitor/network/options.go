package network

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
)

// Percent is a share, from 1 to 100.
type Percent int

// UnmarshalText reads a configured one.
func (p *Percent) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > 100 {
		return fmt.Errorf("%q is no percentage from 1 to 100", text)
	}
	*p = Percent(n)
	return nil
}

// Options are what may be configured of the network's monitors.
type Options struct {
	// Links is a regular expression for the names of the links that must be up. Only the name counts: systemd or the kernel names the
	// links that carry the node's own traffic, and the CNI those of pods.
	Links *regexp.Regexp `yaml:"links"`
	// Sysctls are the required values of sysctls, by name, on hosts with a CNI configuration.
	Sysctls map[string]string `yaml:"sysctls"`
	// Conntrack is the percentage of the connection tracking table in use from which ConntrackFull is reported.
	Conntrack Percent `yaml:"conntrack"`
	// IPAMD is the address at which the Amazon VPC CNI's daemon (ipamd) reports its state (INTROSPECTION_BIND_ADDRESS).
	IPAMD string `yaml:"ipamd"`
	// ExpectedRules are regular expressions for "table/chain" in which packet filter rules may drop packets, in addition to the chains
	// of known software.
	ExpectedRules []*regexp.Regexp `yaml:"expectedRules"`
	// NodePorts are ports of the node itself, which no packet filter rule may redirect.
	NodePorts []uint16 `yaml:"nodePorts"`
	// AllowanceRise is the number of packets by which a counter of exceeded allowances of a network interface may increase per minute.
	// Even short bursts queue some packets.
	AllowanceRise uint64 `yaml:"allowanceRise"`
	// ResolveName is the name that the agent queries at each name server of the host. "." queries the root name servers.
	ResolveName string `yaml:"resolveName"`
	// ClusterDNS are the IP addresses of the cluster's DNS servers. Empty: those in the kubelet's configuration.
	ClusterDNS []netip.Addr `yaml:"clusterDNS"`
	// APIServer is the URL of the API server that must respond. Empty: the one that the agent reports to.
	APIServer string `yaml:"apiServer"`
	// KubeProxy is the address of kube-proxy's health endpoint (its healthzBindAddress).
	KubeProxy string `yaml:"kubeProxy"`
}

// DefaultOptions fit nodes of EKS, GKE, AKS and kubeadm.
func DefaultOptions() Options {
	return Options{
		// eth0 (the kernel's; Bottlerocket, AL2, COS, AKS), ens5, enp0s5, eno1 (systemd's: by slot, path, on board) and bond0.
		// Not ib0, ibp1s0 (InfiniBand, often unused), eni* and veth* and the like (pods'), docker0, cni0, cilium_host,
		// nodelocaldns, kube-ipvs0 (they carry none of a node's own traffic), enP1s2 (the hidden half of a card of Azure's).
		Links:         regexp.MustCompile(`^(eth[0-9]+|en[osp][0-9a-z]+|bond[0-9]+)$`),
		Sysctls:       map[string]string{"net.ipv4.ip_forward": "1"},
		Conntrack:     90,
		IPAMD:         "127.0.0.1:61679",
		NodePorts:     []uint16{10250}, // the kubelet's API
		AllowanceRise: 100,
		ResolveName:   root,
		KubeProxy:     "127.0.0.1:10256",
	}
}

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
	// Links is a regular expression of the names of the links that must be up. Neither kind, peer nor address counts: a
	// link that carries a node's traffic is named by systemd or the kernel, one of a pod by its CNI.
	Links *regexp.Regexp `yaml:"links"`
	// Sysctls are the values that sysctls must have on a host with a CNI, by name.
	Sysctls map[string]string `yaml:"sysctls"`
	// Conntrack is how full, in hundredths, the table of connections may be.
	Conntrack Percent `yaml:"conntrack"`
	// IPAMD is where the Amazon VPC CNI's daemon tells of itself (INTROSPECTION_BIND_ADDRESS).
	IPAMD string `yaml:"ipamd"`
	// ExpectedRules are regular expressions of "table/chain", beside those of known software, in which rules may drop packets.
	ExpectedRules []*regexp.Regexp `yaml:"expectedRules"`
	// NodePorts are ports of the node's own that no rule may redirect.
	NodePorts []uint16 `yaml:"nodePorts"`
	// AllowanceRise is by how many packets a minute a card's counter of what exceeded an allowance may rise: every burst that
	// is a little too short for the instance's type queues some.
	AllowanceRise uint64 `yaml:"allowanceRise"`
	// ResolveName is what each name server of the host is asked for. "." asks for the root's servers.
	ResolveName string `yaml:"resolveName"`
	// ClusterDNS are the addresses of the name servers that pods of this node ask. Empty is what the kubelet's configuration says.
	ClusterDNS []netip.Addr `yaml:"clusterDNS"`
	// APIServer is the URL of the API server that must be reached. Empty is the one that the agent reports to.
	APIServer string `yaml:"apiServer"`
	// KubeProxy is where kube-proxy says how it is (its healthzBindAddress).
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

package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kubeletfiles"
)

// nodeLocalDNS is the link on which NodeLocal DNSCache listens, at 169.254.20.10 as a rule
// (https://kubernetes.io/docs/tasks/administer-cluster/nodelocaldns/). Pods ask it where the kubelet does not name it, too: it takes
// the cluster DNS's address as well.
const nodeLocalDNS = "nodelocaldns"

// clusterDNS queries each name server that the kubelet gives to pods, and the cache on this node, for a name that every cluster has.
func clusterDNS(h host.Host, o Options) monitor.Periodic {
	finder := &kubeletfiles.Finder{Host: h}
	return periodic("clusterdns", mediumPeriod, "the kubelet's clusterDNS", func(ctx context.Context) ([]evidence.Evidence, error) {
		servers, domain, err := clusterServers(finder, o)
		if errors.Is(err, kubeletfiles.ErrNone) {
			return unavailable(evidence.Inapplicable, "", err.Error()+", and network.clusterDNS is empty", reason.ClusterDNSUnreachable), nil
		}
		if err != nil {
			return nil, err
		}
		if len(servers) == 0 {
			return unavailable(evidence.Inapplicable, "", "the kubelet gives pods no name server (clusterDNS)", reason.ClusterDNSUnreachable), nil
		}
		servers = append(servers, cacheAddresses(h)...)
		slices.Sort(servers)
		servers = slices.Compact(servers)
		name := "kubernetes.default.svc." + domain
		failed := make([]error, len(servers))
		var asked sync.WaitGroup
		for i, server := range servers {
			asked.Go(func() { failed[i] = resolveOverUDPAndTCP(ctx, server, name) })
		}
		asked.Wait()
		var found []evidence.Evidence
		for i, err := range failed {
			if err != nil {
				found = append(found, fault(reason.ClusterDNSUnreachable, servers[i], "", "ask %s for %s: %v", servers[i], name, err))
			}
		}
		return found, nil
	}, reason.ClusterDNSUnreachable)
}

// clusterServers are the name servers that pods of this node are given, and the cluster's domain.
func clusterServers(finder *kubeletfiles.Finder, o Options) (servers []string, domain string, err error) {
	const usual = "cluster.local" // kubeadm's default. A server answers NXDOMAIN for another domain, which is an answer.
	if len(o.ClusterDNS) > 0 {
		for _, address := range o.ClusterDNS {
			servers = append(servers, address.String())
		}
		return servers, usual, nil
	}
	k, err := finder.Find()
	if err != nil {
		return nil, "", err
	}
	c, err := k.Config()
	return c.ClusterDNS, cmp.Or(c.ClusterDomain, usual), err
}

// cacheAddresses are those of the node's own DNS cache. None if it has none.
func cacheAddresses(h host.Host) (addresses []string) {
	if _, err := os.Stat(h.Path("/sys/class/net/" + nodeLocalDNS)); err != nil {
		return nil
	}
	link, err := net.InterfaceByName(nodeLocalDNS)
	if err != nil {
		return nil // It was removed meanwhile.
	}
	all, _ := link.Addrs()
	for _, address := range all {
		if network, is := address.(*net.IPNet); is && !network.IP.IsLinkLocalUnicast() || is && network.IP.To4() != nil {
			addresses = append(addresses, network.IP.String())
		}
	}
	return addresses
}

// resolveOverUDPAndTCP queries over UDP, as pods do, and over TCP if the answer is truncated (RFC 7766). A server that does not answer over UDP
// is at fault even if it does over TCP, because no resolver starts with TCP; the error then says so, as it hints at a packet filter.
func resolveOverUDPAndTCP(ctx context.Context, server, name string) error {
	if _, err := netip.ParseAddr(server); err != nil {
		return err // A host name would be resolved by the host's own name servers.
	}
	header, err := resolve(ctx, server, name)
	if err == nil && !header.Truncated {
		return nil
	}
	_, overTCP := ask(ctx, "tcp", server, name)
	switch {
	case err == nil && overTCP == nil:
		return nil
	case err == nil:
		return fmt.Errorf("the answer is cut short, and over TCP: %w", overTCP)
	case overTCP == nil:
		return fmt.Errorf("%w (over TCP it answers)", err)
	}
	return err
}

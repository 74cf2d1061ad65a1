// Package network monitors a host's networking: links, routes and packet filters over netlink, limits of the network card and of the kernel,
// the CNI's daemons, and whether name servers and the API server can be reached. What a host does not have is no fault; what may have its
// cause outside of the node is a warning.
package network

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// The periods of looks: short for what is fatal, long for what takes the kernel much time to list.
const (
	shortPeriod   = 10 * time.Second
	mediumPeriod  = 30 * time.Second
	longPeriod    = time.Minute
	longestPeriod = 2 * time.Minute
)

// Monitors returns the monitors of the network. In the folder they keep, over a restart of the agent, what is valid until the next boot; empty
// keeps nothing.
func Monitors(h host.Host, o Options, folder string) []monitor.Monitor {
	bus := systemd.New(h)
	return []monitor.Monitor{
		Links(o), sysctl(h, o), conntrack(h, o), filters(h, o), allowance(o), efa(h),
		addresses(h, bus, o), allocations(h), macPolicy(h), policies(h, bus), routes(h, bus, o), kubeProxy(h, o), dns(h, o), clusterDNS(h, o), apiServer(o),
		instanceMetadata(h, folder),
	}
}

// fault is evidence of a fault.
func fault(id reason.ID, entity, source, format string, args ...any) evidence.Evidence {
	return evidence.Evidence{Reason: id, Entity: entity, State: evidence.Fault, Source: source, Raw: fmt.Sprintf(format, args...)}
}

// unavailable is evidence of a state, Inapplicable or Unreadable, for some reasons.
func unavailable(state evidence.State, source, why string, ids ...reason.ID) []evidence.Evidence {
	var all []evidence.Evidence
	for _, id := range ids {
		all = append(all, evidence.Evidence{Reason: id, State: state, Source: source, Raw: why})
	}
	return all
}

// hasCNI says whether a host has a CNI: there is a configuration where the container runtime reads it (containerd's conf_dir).
func hasCNI(h host.Host) bool {
	files, err := os.ReadDir(h.Path("/etc/cni/net.d"))
	return err == nil && len(files) > 0
}

// periodic makes a monitor of this package.
func periodic(title string, period time.Duration, source string, find func(context.Context) ([]evidence.Evidence, error), of ...reason.ID) monitor.Periodic {
	return monitor.Periodic{Title: "network/" + title, IDs: of, Period: period, Source: source, Find: find}
}

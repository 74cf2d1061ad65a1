// Package network watches a host's networking: links, routes and packet filters over netlink, limits of the network card
// and of the kernel, the CNI's daemons, and whether names and the API server can be reached. What a host does not have
// is no fault of it; what is nobody's fault on this node alone is a warning.
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

// Looks are this far apart: often for what is fatal or asked of few, seldom for what takes the kernel long to tell.
const (
	often  = 10 * time.Second
	rather = 30 * time.Second
	minute = time.Minute
	seldom = 2 * time.Minute
)

// Monitors are all that watch the network. In the folder they keep what holds until the host is booted anew, over a restart; empty keeps
// nothing.
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

// silent is why some reasons say nothing here.
func silent(state evidence.State, source, why string, ids ...reason.ID) []evidence.Evidence {
	var all []evidence.Evidence
	for _, id := range ids {
		all = append(all, evidence.Evidence{Reason: id, State: state, Source: source, Raw: why})
	}
	return all
}

// networked says whether pods get networks on a host: a CNI has left its configuration there, as the kubelet's runtime
// wants it (containerd's conf_dir).
func networked(h host.Host) bool {
	files, err := os.ReadDir(h.Path("/etc/cni/net.d"))
	return err == nil && len(files) > 0
}

// looking is a monitor that looks each period.
func looking(title string, period time.Duration, source string, find func(context.Context) ([]evidence.Evidence, error), of ...reason.ID) monitor.Periodic {
	return monitor.Periodic{Title: "network/" + title, IDs: of, Period: period, Source: source, Find: find}
}

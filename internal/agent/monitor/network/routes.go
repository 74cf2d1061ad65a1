package network

import (
	"context"
	"net/netip"
	"strconv"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

const (
	netlinkRules  = "netlink rules"
	netlinkRoutes = "netlink routes"
)

// routes compares the kernel's rules and routes with the addresses that the VPC CNI has assigned to pods, and looks for the default routes.
func routes(h host.Host, bus *systemd.Bus, o Options) monitor.Periodic {
	d := ipamd{daemon: newIPAMD(h, bus), address: o.IPAMD}
	ofPods := []reason.ID{reason.MissingIPRoutes, reason.MissingIPRules}
	return periodic("routes", shortPeriod, netlinkRoutes, func(ctx context.Context) ([]evidence.Evidence, error) {
		var found []evidence.Evidence
		var pods []assigned
		seen, err := d.look(ctx)
		if err == nil && seen.here {
			pods, err = d.assignments(ctx)
		}
		switch {
		case err != nil:
			found = unavailable(evidence.Unreadable, d.address, err.Error(), ofPods...)
		case !seen.here:
			found = unavailable(evidence.Inapplicable, podLogs, "the Amazon VPC CNI is not on this host", ofPods...)
		}
		routed, err := readPodRoutes(pods)
		if err != nil {
			return nil, err
		}
		return append(found, routed.missing(pods)...), nil
	}, append(ofPods, reason.MissingDefaultRoutes)...)
}

// podRoutes are the kernel's rules and routes that concern pods.
type podRoutes struct {
	// to are addresses with a rule of their own for packets to them, from the tables of those from them.
	to   map[netip.Addr]bool
	from map[netip.Addr]int
	// routed are those with a route of their own in the main table, defaults the tables with a default route.
	routed   map[netip.Addr]bool
	defaults map[int]bool
}

// readPodRoutes reads the rules and routes of pods' addresses, and all default routes.
func readPodRoutes(pods []assigned) (podRoutes, error) {
	wanted := map[netip.Addr]bool{}
	for _, p := range pods {
		wanted[p.address] = true
	}
	var w podRoutes
	rules := func() { w.to, w.from = map[netip.Addr]bool{}, map[netip.Addr]int{} }
	routes := func() { w.routed, w.defaults = map[netip.Addr]bool{}, map[int]bool{} }
	rules()
	routes()
	if len(pods) > 0 {
		if err := link.Rules(rules, func(r link.Rule) {
			if r.To.IsSingleIP() && wanted[r.To.Addr()] {
				w.to[r.To.Addr()] = true
			}
			if r.From.IsSingleIP() && wanted[r.From.Addr()] {
				w.from[r.From.Addr()] = r.Table
			}
		}); err != nil {
			return podRoutes{}, err
		}
	}
	err := link.Routes(routes, func(r link.Route) {
		if r.Default() {
			w.defaults[r.Table] = true
		} else if r.Table == link.Main && r.To.IsSingleIP() && wanted[r.To.Addr()] {
			w.routed[r.To.Addr()] = true
		}
	})
	return w, err
}

// missing is evidence of the rules and routes that pods' addresses lack. The VPC CNI makes a route and a rule to each address, and for one on a
// secondary card a rule from it, to a table with a default route through that card (cmd/routed-eni-cni-plugin/driver,
// setupIPBasedContainerRouteRules).
func (w podRoutes) missing(pods []assigned) []evidence.Evidence {
	var found []evidence.Evidence
	tables := map[int]bool{}
	for _, p := range pods {
		if !w.to[p.address] {
			found = append(found, fault(reason.MissingIPRules, p.address.String(), netlinkRules, "no rule for packets to the pod's address %s", p.address))
		} else if table, ok := w.from[p.address]; p.secondary && !ok {
			found = append(found, fault(reason.MissingIPRules, p.address.String(), netlinkRules, "no rule for packets from the pod's address %s, which is on a secondary card", p.address))
		} else if p.secondary {
			tables[table] = true
		}
		if !w.routed[p.address] {
			found = append(found, fault(reason.MissingIPRoutes, p.address.String(), netlinkRoutes, "no route to the pod's address %s", p.address))
		}
	}
	return append(found, w.missingDefaults(tables)...)
}

// missingDefaults is evidence of the tables without a default route, of the main one and those that are used for packets from pods.
func (w podRoutes) missingDefaults(tables map[int]bool) []evidence.Evidence {
	var found []evidence.Evidence
	if !w.defaults[link.Main] {
		found = append(found, fault(reason.MissingDefaultRoutes, "main", netlinkRoutes, "no default route in the main table"))
	}
	for table := range tables {
		if !w.defaults[table] && table != link.Main {
			found = append(found, fault(reason.MissingDefaultRoutes, strconv.Itoa(table), netlinkRoutes, "no default route in table %d, in which packets from pods look", table))
		}
	}
	return found
}

package guard

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/message"
)

// zoneState stops repair in a zone that Kubernetes' own node lifecycle controller would call disrupted: all of its nodes
// not Ready, or more than two and 55 in a hundred of them. Where a zone has one node, that node alone is no pattern.
//
// Source: ComputeZoneState in kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go, with the default of
// --unhealthy-zone-threshold.
func zoneState(p Proposal, f Facts) Verdict {
	if !f.Nodes.known() {
		return unknown("nodes")
	}
	total, down := 0, 0
	for _, node := range f.Nodes.Value {
		if node.Zone != p.Node.Zone {
			continue
		}
		total++
		if !node.Ready {
			down++
		}
	}
	full := down == total && total > 1
	if partial := down > 2 && down*100 >= total*55; full || partial {
		return delay(ZoneDisrupted, later, message.GuardZone, message.Args{"zone": "zone/" + p.Node.Zone, "n": down, "total": total})
	}
	return allow
}

// domain is something that nodes have in common and that may be what ails them.
type domain struct {
	name string
	of   func(Node) string
}

var domains = []domain{
	{"zone", func(n Node) string { return n.Zone }},
	{"image", func(n Node) string { return n.Image }},
	{"instance-type", func(n Node) string { return n.InstanceType }},
	{"agent", func(n Node) string { return n.AgentVersion }},
}

// failingTogether stops repair where many nodes that have something in common with the node are unhealthy together: what
// ails them all is not mended by mending one, and new nodes would have it too.
func failingTogether(p Proposal, f Facts) Verdict {
	if !f.Nodes.known() {
		return unknown("nodes")
	}
	var patterns []string
	most, total := 0, 0
	for _, domain := range domains {
		value := domain.of(p.Node)
		if value == "" {
			continue
		}
		alike := slices.DeleteFunc(slices.Clone(f.Nodes.Value), func(n Node) bool { return domain.of(n) != value })
		ill := 0
		for _, node := range alike {
			if node.Unhealthy {
				ill++
			}
		}
		if brake := p.Policy.Brake; ill >= int(brake.Nodes) && ill*100 >= len(alike)*int(brake.Percent) {
			patterns = append(patterns, domain.name+"/"+value)
			if ill > most {
				most, total = ill, len(alike)
			}
		}
	}
	if len(patterns) > 0 {
		return delay(FailingTogether, later, message.GuardPattern, message.Args{"patterns": patterns, "n": most, "total": total})
	}
	return allow
}

// apiServer tells ill nodes from an API server that is ill or that kubelets cannot reach: where more than half of them are
// silent at once, it is the way between that is broken.
func apiServer(_ Proposal, f Facts) Verdict {
	switch seen := f.APIServer.Value; {
	case !f.APIServer.known():
		return unknown("apiServer")
	case seen.Leases == 0:
		return unknown("leases")
	case !seen.Ready:
		return delay(APIServerIll, soon, message.GuardAPIServer, nil)
	case seen.Expired*2 > seen.Leases:
		return delay(APIServerIll, soon, message.GuardLeases, message.Args{"n": seen.Expired, "total": seen.Leases})
	}
	return allow
}

// zonalShift begins nothing anywhere while traffic is moved away from a zone, as EKS' own repair does not: the other zones
// carry its load.
func zonalShift(_ Proposal, f Facts) Verdict {
	switch {
	case !f.ShiftedZones.known():
		return unknown("shiftedZones")
	case len(f.ShiftedZones.Value) > 0:
		return delay(ZonalShift, later, message.GuardZonalShift, message.Args{"zones": f.ShiftedZones.Value})
	}
	return allow
}

package guard

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
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
		return delay(ZoneDisrupted, longRetry, sentence.GuardZone(down, total, "zone/"+p.Node.Zone))
	}
	return allow
}

// domain is a failure domain: something that nodes have in common and that may be the cause of their failure.
type domain struct {
	name  string
	value func(Node) string
}

var domains = []domain{
	{"zone", func(n Node) string { return n.Zone }},
	{"image", func(n Node) string { return n.Image }},
	{"instance-type", func(n Node) string { return n.InstanceType }},
	{"agent", func(n Node) string { return n.AgentVersion }},
}

// failingTogether stops repair where many nodes of one of the node's failure domains are unhealthy together: their common cause is not
// removed by the repair of one, and new nodes would have it too.
func failingTogether(p Proposal, f Facts) Verdict {
	if !f.Nodes.known() {
		return unknown("nodes")
	}
	var patterns []string
	most, total := 0, 0
	for _, domain := range domains {
		value := domain.value(p.Node)
		if value == "" {
			continue
		}
		alike := slices.DeleteFunc(slices.Clone(f.Nodes.Value), func(n Node) bool { return domain.value(n) != value })
		unhealthy := 0
		for _, node := range alike {
			if node.Unhealthy {
				unhealthy++
			}
		}
		if brake := p.Policy.Brake; unhealthy >= int(brake.Nodes) && unhealthy*100 >= len(alike)*int(brake.Percent) {
			patterns = append(patterns, domain.name+"/"+value)
			if unhealthy > most {
				most, total = unhealthy, len(alike)
			}
		}
	}
	if len(patterns) > 0 {
		return delay(FailingTogether, longRetry, sentence.GuardPattern(most, total, message.ListOf(patterns)))
	}
	return allow
}

// apiServer tells unhealthy nodes from an API server that is not ready or that kubelets cannot reach: where more than half of their
// leases have expired at once, the network between is the likelier cause.
func apiServer(_ Proposal, f Facts) Verdict {
	switch seen := f.APIServer.Value; {
	case !f.APIServer.known():
		return unknown("apiServer")
	case seen.Leases == 0:
		return unknown("leases")
	case !seen.Ready:
		return delay(APIServerUnhealthy, shortRetry, sentence.GuardAPIServer())
	case seen.Expired*2 > seen.Leases:
		return delay(APIServerUnhealthy, shortRetry, sentence.GuardLeases(seen.Expired, seen.Leases))
	}
	return allow
}

// zonalShift delays all repairs while traffic is shifted away from a zone, as EKS' own repair does: the other zones carry its load.
func zonalShift(_ Proposal, f Facts) Verdict {
	switch {
	case !f.ShiftedZones.known():
		return unknown("shiftedZones")
	case len(f.ShiftedZones.Value) > 0:
		return delay(ZonalShift, longRetry, sentence.GuardZonalShift(message.ListOf(f.ShiftedZones.Value)))
	}
	return allow
}

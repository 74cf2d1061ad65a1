package rules

import (
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// addressWait are pods of a node that is down whose replacements will wait for an address, for one reason.
type addressWait struct {
	// reason is the fate's, one of addressReasons, and nodes are where the replacements wait.
	reason message.ID
	nodes  []string
	pods   []change.Ref
}

// addressReasons are the reasons of fates that lack an address.
var addressReasons = []message.ID{message.FateAddressSubnets, message.FateAddressLimit, message.FateAddressOnceGone}

// addressWaitsKey is that of what forecastAddresses computes of a world.
type addressWaitsKey struct{}

// forecastAddresses adds to nodes that are down what of their pods' replacements will wait for an address. They are simulated as lost together, since
// their replacements compete for the same addresses. It is computed once of a world: it is asked about each of the pods.
func forecastAddresses(ctx context.Context, q query.Query, down []downNode) {
	if r := q.Addresses(); r == nil || !r.Counted() || !q.CanSimulate() {
		return
	}
	waits := query.Once(q, addressWaitsKey{}, func() map[string][]addressWait { return simulateReplacements(ctx, q, down) })
	for i := range down {
		down[i].addresses = waits[down[i].node.Name]
	}
}

// simulateReplacements simulates the loss of all nodes that are down and have pods.
func simulateReplacements(ctx context.Context, q query.Query, down []downNode) map[string][]addressWait {
	var lost []string
	for _, d := range down {
		if len(d.groups) > 0 {
			lost = append(lost, d.node.Name)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	result, err := simulation.Run(ctx, q.Judge, []change.Change{change.LoseNodes{Nodes: lost}}, simulation.Options{})
	if err != nil {
		return nil
	}
	return addressWaits(result.Fates)
}

// addressWaits are the fates that lack an address, by the node that the pods are on now, and in the order of addressReasons.
func addressWaits(fates []outcome.Fate) map[string][]addressWait {
	waits := map[string][]addressWait{}
	for _, reason := range addressReasons {
		for _, fate := range fates {
			if fate.Why.ID != reason || fate.From == "" {
				continue
			}
			those := waits[fate.From]
			if len(those) == 0 || those[len(those)-1].reason != reason {
				those = append(those, addressWait{reason: reason})
			}
			last := &those[len(those)-1]
			last.pods = append(last.pods, fate.Pod)
			if !slices.Contains(last.nodes, fate.To) {
				last.nodes = append(last.nodes, fate.To)
			}
			waits[fate.From] = those
		}
	}
	return waits
}

// addressLinks say which replacements will wait for an address, and why.
func (d downNode) addressLinks(q query.Query) []finding.Link {
	var links []finding.Link
	for _, w := range d.addresses {
		node, n, pods := facts.NodeRef(d.node.Name), len(w.pods), q.Enumerate(w.pods)
		var nodes []change.Ref
		for _, name := range w.nodes {
			nodes = append(nodes, facts.NodeRef(name))
		}
		subnets, evidence := w.describe(q.Addresses())
		link := finding.Link{Evidence: evidence}
		switch w.reason {
		case message.FateAddressLimit:
			link.Message = sentence.DownAddressLimit(node, n, q.Enumerate(nodes), pods)
		case message.FateAddressOnceGone:
			link.Message = sentence.DownAddressOnceGone(node, n, q.Enumerate(nodes), pods)
		default:
			link.Message = sentence.DownAddressSubnets(node, n, q.Enumerate(nodes), q.Enumerate(subnets), pods)
		}
		links = append(links, link)
	}
	return links
}

// describe are the subnets from which the nodes get addresses, and what the reason was read from.
func (w addressWait) describe(r *addresses.Report) (subnets []change.Ref, evidence []finding.Evidence) {
	for _, name := range w.nodes {
		n := r.Node(name)
		if n == nil { // It is a new one.
			continue
		}
		if w.reason == message.FateAddressLimit {
			evidence = append(evidence, limitEvidence(n)...)
			continue
		}
		for _, s := range r.Usable(n) {
			if ref := status.SubnetRef(s.ID); !slices.Contains(subnets, ref) {
				subnets, evidence = append(subnets, ref), append(evidence, status.FreeEvidence(s)...)
			}
		}
	}
	return subnets, evidence
}

// withoutAddress is how many replacements will wait for an address.
func (d downNode) withoutAddress() int {
	n := 0
	for _, w := range d.addresses {
		n += len(w.pods)
	}
	return n
}

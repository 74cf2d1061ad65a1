package guard

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// newNode leaves a node alone that is still starting: its agents have yet to look, and what brings new nodes up has times of
// its own in which it waits for them.
func newNode(p Proposal, f Facts) Verdict {
	grace := repairpolicy.NodeStartupGracePeriod(&p.Policy)
	switch {
	case grace <= 0:
		return allow
	case p.Node.Created.IsZero() || f.Now.IsZero():
		return unknown("nodes")
	}
	if left := p.Node.Created.Add(grace).Sub(f.Now); left > 0 {
		return delay(NewNode, left, message.GuardNewNode, message.Args{"node": "node/" + p.Node.Name, "left": left.Round(time.Second).String()})
	}
	return allow
}

// oneMachine stops what would act on a machine that several nodes say they are: which of them it is nobody knows, and what is
// healthy may run on it. Restarting a service is asked of the node itself.
func oneMachine(p Proposal, f Facts) Verdict {
	switch {
	case p.Action == v1alpha1.ActionRestartService || p.Node.MachineKey == "":
		return allow
	case !f.Nodes.known():
		return unknown("nodes")
	}
	claimed := []string{"node/" + p.Node.Name}
	for _, node := range f.Nodes.Value {
		if node.MachineKey == p.Node.MachineKey && node.Name != p.Node.Name {
			claimed = append(claimed, "node/"+node.Name)
		}
	}
	if len(claimed) > 1 {
		return deny(MachineClaimedTwice, message.GuardMachineClaimed, message.Args{"nodes": few(claimed), "machine": p.Node.MachineKey})
	}
	return allow
}

// controlPlane takes out no second node of a control plane: two of three that are out at once are the end of etcd's quorum, and
// with it of the API. A node that is gone, but whose repair goes on, may have been one of them.
//
// Where the node and another are not Ready, and nobody repairs the other, each would wait for the other for ever. etcd may yet
// run on either, or on none: a person must bring one back.
func controlPlane(p Proposal, f Facts) Verdict {
	switch {
	case !p.Node.ControlPlane:
		return allow
	case !f.Ledger.known():
		return unknown("ledger")
	case !f.Nodes.known():
		return unknown("nodes")
	}
	var out, underRepair []string
	workers := map[string]bool{}
	for _, node := range f.Nodes.Value {
		workers[node.Name] = !node.ControlPlane
		if node.ControlPlane && node.Name != p.Node.Name && !node.Ready {
			out = append(out, "node/"+node.Name)
		}
	}
	for _, e := range f.Ledger.Value.OngoingExcept(p.holder()) {
		if e.Node != p.Node.Name && !workers[e.Node] {
			underRepair = append(underRepair, "node/"+e.Node)
		}
	}
	if len(out) > 0 && len(underRepair) == 0 && !p.Node.Ready {
		return deny(ControlPlaneDegraded, message.GuardControlPlaneStuck, message.Args{"nodes": few(append(out, "node/"+p.Node.Name))})
	}
	if out = append(out, underRepair...); len(out) > 0 {
		return delay(ControlPlaneDegraded, soon, message.GuardControlPlane, message.Args{"nodes": few(out)})
	}
	return allow
}

// few are the first five names, in order, each once: more make no sentence.
func few(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), 5)]
}

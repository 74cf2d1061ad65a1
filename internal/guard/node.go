package guard

import (
	"slices"
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// newNode delays for a node that is still starting: its agents have not reported yet, and provisioners have their own timeouts for new
// nodes.
func newNode(p Proposal, f Facts) Verdict {
	grace := repairpolicy.NodeStartupGracePeriod(&p.Policy)
	switch {
	case grace <= 0:
		return allow
	case p.Node.Created.IsZero() || f.Now.IsZero():
		return unknown("nodes")
	}
	if left := p.Node.Created.Add(grace).Sub(f.Now); left > 0 {
		return delay(NewNode, left, sentence.GuardNewNode("node/"+p.Node.Name, left.Round(time.Second).String()))
	}
	return allow
}

// oneMachine denies an action on a machine that several nodes claim: it is not known which one it is, and a healthy node may run on it.
// A service is restarted by the node's own agent.
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
		return deny(MachineClaimedTwice, sentence.GuardMachineClaimed(message.ListOf(firstFive(claimed)), p.Node.MachineKey))
	}
	return allow
}

// controlPlane disrupts no second node of a control plane: with two of three unavailable at once etcd loses its quorum, and the API with
// it. A node that is gone, but whose repair is ongoing, may have been a member.
//
// Where the node and another are not Ready, and the other is not under repair, each would wait for the other for ever. etcd may still
// run on either, or on none: a person must restore one.
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
		return deny(ControlPlaneDegraded, sentence.GuardControlPlaneStuck(message.ListOf(firstFive(append(out, "node/"+p.Node.Name)))))
	}
	if out = append(out, underRepair...); len(out) > 0 {
		return delay(ControlPlaneDegraded, shortRetry, sentence.GuardControlPlane(message.ListOf(firstFive(out))))
	}
	return allow
}

// firstFive are the first five names, sorted and without duplicates: a message has room for no more.
func firstFive(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), 5)]
}

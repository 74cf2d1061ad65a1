package guard

import (
	"time"

	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// RebalanceChecks are all checks that must allow before naosu evicts the first pod for a RebalancePolicy. Where pods may run, and what
// PodDisruptionBudgets allow, is decided by the simulation and by the API server.
func RebalanceChecks() []Check {
	return []Check{
		{"paused", paused},
		{"lease", leading},
		{"fresh", fresh},
		{"mode", mode},
		{"in-hand", nothingInHand},
		{"dwell", dwell},
		{"api-server", apiServer},
		{"zonal-shift", zonalShift},
		{"window", window},
	}
}

// nothingInHand delays while any node is disrupted by naosu: its pods move, and its room is about to come back.
func nothingInHand(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	for _, e := range f.Ledger.Value.OngoingExcept(p.holder()) {
		return delay(InHand, shortRetry, sentence.GuardInHand("remediation/"+e.Remediation, "node/"+e.Node))
	}
	return allow
}

// dwell delays until no node has changed for the dwell time.
func dwell(p Proposal, f Facts) Verdict {
	if !f.LastNodeChange.known() || f.Now.IsZero() {
		return unknown("lastNodeChange")
	}
	last := f.LastNodeChange.Value
	if left := p.Dwell - f.Now.Sub(last.At); left > 0 {
		return delay(NodesChanging, left, sentence.GuardDwell("node/"+last.Node, f.Now.Sub(last.At).Round(time.Second).String(), p.Dwell.String()))
	}
	return allow
}

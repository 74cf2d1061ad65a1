package guard

import (
	"time"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

const (
	// minRefusalDelay is the first delay after a refusal where a policy's coolDown is shorter: the API's default of that.
	minRefusalDelay = 10 * time.Minute
	// maxDoublings keeps a duration from overflowing.
	maxDoublings = 10
)

// refused delays an action that was refused for this node, so that its pods are not moved for it again: while the actuator says
// beforehand that the action is still not permitted, and for the policy's coolDown, which doubles with each consecutive refusal.
func refused(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	memory := repairpolicy.RememberFailure(&p.Policy)
	last, n := f.Ledger.Value.ConsecutiveRefusals(p.Node.Machine(), p.Action, f.Now.Add(-memory))
	if n == 0 {
		return allow
	}
	action, node := string(p.Action), "node/"+p.Node.Name
	if p.May == v1alpha1.MayNo {
		return deny(ActionRefused, sentence.GuardRefused(action, node, last.Refusal))
	}
	backoff := min(max(repairpolicy.CoolDown(&p.Policy), minRefusalDelay)<<min(n-1, maxDoublings), memory)
	if left := last.Ended.Add(backoff).Sub(f.Now); left > 0 {
		return delay(ActionRefused, left, sentence.GuardRefused(action, node, last.Refusal))
	}
	return allow
}

package reason

import "testing"

// An agent that writes as late as it may is not taken for silent, nor what it says for old. What is too old to act on is so
// before the agent counts as silent.
func TestAgesOfHeartbeats(t *testing.T) {
	const slowest = Heartbeat + Heartbeat/10
	if EvidenceAge < 2*slowest {
		t.Errorf("evidence counts as old after %s, and two heartbeats take up to %s", EvidenceAge, 2*slowest)
	}
	if SilentAfter <= EvidenceAge || SilentAfter < 2*slowest+Heartbeat {
		t.Errorf("an agent counts as silent after %s, evidence as old after %s", SilentAfter, EvidenceAge)
	}
}

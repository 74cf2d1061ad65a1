package reason

import "time"

// Heartbeat is how often the agent writes a condition that does not change, randomly a tenth more or less. The EKS node
// monitoring agent and node-problem-detector write theirs as often.
const Heartbeat = 5 * time.Minute

// How old the last heartbeat of a condition may be. Whoever judges by that age takes it from here, so that a change of
// Heartbeat changes all of them. Each allows, beyond its heartbeats, for the tenth by which they may be late and for the way
// to the API server.
const (
	// EvidenceAge is how old evidence may be for a repair to rest on it: one heartbeat may be missing.
	EvidenceAge = 2*Heartbeat + late
	// SilentAfter is the age at which an agent counts as silent: two heartbeats may be missing.
	SilentAfter = 3*Heartbeat + late

	late = Heartbeat / 5
)

package simulation

import (
	"time"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// Outcome is a future.
type Outcome struct {
	// World is the cluster when nothing moves any more; of several futures, the first one's.
	World *cluster.Snapshot
	// Fates are those of the pods that do not stay as they are, by namespace, name and kind: what any of the futures brings. One
	// that the first future has is told as it comes there.
	Fates []Fate
	// Violations are PodDisruptionBudgets that were not kept to, each at its worst in any of the futures.
	Violations []Violation
	// NotModelled is what bears on the future and was not played.
	NotModelled []Gap
	// Seeds is how many futures were played; what differs between them says so in Fate.Chance.
	Seeds int
	// Compared is how the futures differ from those without the changes, of all that were played; nil but from Compare.
	Compared *Comparison
}

// Kind is what becomes of a pod.
type Kind string

// What becomes of a pod.
const (
	Moved     Kind = "moved"     // runs on another node, as itself or as its replacement
	Waiting   Kind = "waiting"   // fits nowhere
	Delayed   Kind = "delayed"   // will run, but something must happen first, such as a volume that detaches
	Preempted Kind = "preempted" // gave way to a pod of higher priority; what replaces it has a fate of its own
	Lost      Kind = "lost"      // nobody recreates it
	Ended     Kind = "ended"     // a DaemonSet's pod, which ends with its node; a pod that was scaled away
	Created   Kind = "created"   // new in this future, and runs
)

// Fate is what becomes of one pod.
type Fate struct {
	Kind Kind
	// Pod is the one that was there, or, if Created or of a workload that grew, the new one.
	Pod change.Ref
	// From is the node it ran on, empty if none. To is the one it, or its replacement, runs on.
	From, To string
	// By is whom a preempted pod gave way to.
	By change.Ref
	// Why is the reason, in the scheduler's words where they are its.
	Why message.Sentence
	// Until is how long the fate takes to come true or a delay lasts, as far as it is known; zero otherwise.
	Until time.Duration
	// Chance is the share of the futures played in which the pod had this kind of fate, over 0 up to 1.
	Chance float64
	// NodeChance is the share of the futures played in which it had this kind of fate and To is the same: at most Chance.
	NodeChance float64
}

// Violation is a PodDisruptionBudget that was not kept to.
type Violation struct {
	Budget change.Ref
	// Allowed is how many disruptions it allowed, Disrupted how many pods it covers were disrupted at once.
	Allowed, Disrupted int
	// Chance is the share of the futures played in which it was not kept to, over 0 up to 1; zero in a Comparison.
	Chance float64
}

// Gap is something the simulation knows it leaves out.
type Gap struct {
	About string
	Why   message.Sentence
}

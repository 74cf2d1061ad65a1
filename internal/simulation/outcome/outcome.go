package outcome

import (
	"time"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// Outcome is the result of a simulation.
type Outcome struct {
	// World is the cluster at the end; of several futures, of the first one.
	World *cluster.Snapshot
	// Fates are those of the pods that do not stay as they are, in any of the futures, by namespace, name and kind. A fate that
	// the first future has is told as it is there.
	Fates []Fate
	// Violations are the PodDisruptionBudgets that were violated in any of the futures, each with its worst violation.
	Violations []Violation
	// NotModelled is what bears on the result and was not simulated.
	NotModelled []Gap
	// Addresses is what becomes of the addresses of subnets; of several futures, in the first one.
	Addresses Addresses
	// Seeds is the number of futures simulated; Fate.Chance says what differs between them.
	Seeds int
	// Compared is how the futures differ from those without the changes, over all futures; nil except from Compare.
	Compared *Comparison
}

// Kind is the kind of a pod's fate.
type Kind string

// Kinds of fates.
const (
	Moved     Kind = "moved"     // runs on another node, as itself or as its replacement
	Waiting   Kind = "waiting"   // cannot be scheduled or started, or cannot leave its node
	Delayed   Kind = "delayed"   // will run, but something must happen first, such as a volume's detachment
	Preempted Kind = "preempted" // preempted for a pod of higher priority; its replacement has a fate of its own
	Lost      Kind = "lost"      // removed, and not recreated
	Ended     Kind = "ended"     // a DaemonSet's pod that is removed with its node, or a pod that is scaled down
	Created   Kind = "created"   // created in the simulation, and runs
)

// Fate is what becomes of one pod.
type Fate struct {
	Kind Kind
	// Pod is the existing pod or, if Created or of a workload that grew, the new one.
	Pod change.Ref
	// From is the node it ran on, empty if none. To is the node that it, or its replacement, runs on.
	From, To string
	// By is the pod that a preempted pod was preempted for.
	By change.Ref
	// Why is the reason, in the scheduler's words where they are its.
	Why message.Sentence
	// Until is the time until the fate comes true or a delay ends, zero if it is not known.
	Until time.Duration
	// Chance is the share of futures in which the pod has this kind of fate, over 0 up to 1.
	Chance float64
	// NodeChance is the share of futures in which it has this kind of fate and the same To: at most Chance.
	NodeChance float64
}

// Violation is a PodDisruptionBudget that is violated.
type Violation struct {
	Budget change.Ref
	// Allowed is the number of disruptions it allowed, Disrupted the number of its pods disrupted at once.
	Allowed, Disrupted int
	// Chance is the share of futures in which it is violated, over 0 up to 1; zero in a Comparison.
	Chance float64
}

// Addresses is what becomes of the addresses of subnets. It is empty if they are not counted.
type Addresses struct {
	// Subnets are those of which another number of addresses is free at the end.
	Subnets []addresses.Change
	// Unlaunched is the number of instances that could not be launched, because no subnet had an address for them, by group.
	Unlaunched map[string]int
}

// Gap is something that the simulation does not model.
type Gap struct {
	About string
	Why   message.Sentence
}

// Comparison is how futures with the changes differ from the same futures without them.
type Comparison struct {
	// Futures is the number of simulated futures, Worse the number of those with a harm or a violation.
	Futures, Worse int
	// Harms are at most one of each kind: Lost, Waiting and Preempted, in this order.
	Harms []Harm
	// Violations are the PodDisruptionBudgets that the changes violate, each with its worst violation; Violating is the number of
	// futures with any.
	Violations []Violation
	Violating  int
	// Guessed are pods that the changes move and that a scheduler places which the Judge does not model: whether and where they
	// run is a guess.
	Guessed []change.Ref
}

// Harm is a kind of fate that pods have with the changes and do not have without them.
type Harm struct {
	Kind Kind
	// Pods are those that have it in any future, by namespace and name; Futures is the number of futures with any such pod.
	Pods    []change.Ref
	Futures int
}

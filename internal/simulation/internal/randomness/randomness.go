package randomness

import (
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Source decides what a cluster does not determine: the order in which controllers handle objects, and how long things take
// that nothing waits for. The first future has no randomness: everything happens at once, in order.
type Source struct {
	rng *rand.Rand
	// delaysPods says that in this future some pods reach the scheduler later than others.
	delaysPods bool
	// earlyEnds is the probability, in halves, that a terminating pod is gone before its replacement is scheduled.
	earlyEnds int
	// RetriesLate says that in this future pods that quotas have refused are created again later than others for the first time.
	RetriesLate bool
}

// New is the randomness of a future, by its seed. The Judge has its own for the scheduler.
func New(seed uint64) Source {
	if seed == 0 {
		return Source{}
	}
	r := Source{rng: rand.New(rand.NewPCG(seed, seed))}
	r.delaysPods = r.rng.IntN(2) == 0
	r.earlyEnds = r.rng.IntN(3)
	r.RetriesLate = r.rng.IntN(3) == 0
	return r
}

// Shuffle orders randomly what a controller handles in no order.
func Shuffle[T any](r Source, items []T) {
	if r.rng != nil {
		r.rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
}

// Shuffled are the items in random order.
func Shuffled[T any](r Source, items []T) []T {
	items = slices.Clone(items)
	Shuffle(r, items)
	return items
}

// Batches are items handled at once or, in some futures, some of them later than others.
func Batches[T any](r Source, items []T) [][]T {
	if r.rng == nil {
		return [][]T{items}
	}
	Shuffle(r, items)
	var parts [][]T
	for len(items) > 0 {
		n := 1 + r.rng.IntN(len(items))
		parts, items = append(parts, items[:n]), items[n:]
	}
	return parts
}

// Delayed reports whether a pod reaches the scheduler after those created at the same time: its controller was slower, or the pod is
// in its scheduling back-off.
func (r Source) Delayed() bool { return r.delaysPods && r.rng.IntN(2) == 0 }

// EndsBeforeReplacement reports whether a terminating pod is gone before its replacement reaches the scheduler. How long that takes
// is not known: from no time to the whole grace period.
func (r Source) EndsBeforeReplacement() bool { return r.rng != nil && r.rng.IntN(2) < r.earlyEnds }

// EndsBeforeNextPod is which of several terminating pods is gone before the next pod is scheduled: in some futures, at times one.
func (r Source) EndsBeforeNextPod(terminating int) (which int, ends bool) {
	if terminating == 0 || r.earlyEnds == 0 || r.rng.IntN(4) >= r.earlyEnds {
		return 0, false
	}
	return r.rng.IntN(terminating), true
}

// BindDelayed reports whether other pods are scheduled before the victims of a preemption are gone. Mostly they are: the scheduler
// goes on at once, and victims take time to end.
func (r Source) BindDelayed() bool { return r.rng != nil && r.rng.IntN(4) > 0 }

// Provisioning reports whether a driver has not provisioned the volumes of a pod yet, shortly after the scheduler has chosen its node.
func (r Source) Provisioning() bool { return r.rng != nil && r.rng.IntN(2) == 0 }

// CountsBudgetsLater reports whether the scheduler may see budgets without the victims of its last preemptions: the disruption
// controller counts them, beside the scheduler.
func (r Source) CountsBudgetsLater() bool { return r.rng != nil }

// BudgetsCounted reports whether the disruption controller has counted the victims of preemptions before the next pod is scheduled.
func (r Source) BudgetsCounted() bool { return r.rng == nil || r.rng.IntN(2) == 0 }

// GroupDrains reports whether a group drains the nodes that it terminates: mostly it does.
func (r Source) GroupDrains() bool { return r.rng == nil || r.rng.IntN(3) > 0 }

// SyncsDaemonSet reports whether the DaemonSet controller syncs a DaemonSet of which only a pending pod was for a removed node. It is
// not notified of removed nodes, but of whatever changes about the DaemonSet's pods, be it the message of a condition.
func (r Source) SyncsDaemonSet() bool { return r.rng == nil || r.rng.IntN(2) == 0 }

// QuotaDelayed reports whether the quota of a removed pod is released only after its owner has tried to create another: the quota
// controller runs beside the owner's.
func (r Source) QuotaDelayed() bool { return r.rng != nil && r.rng.IntN(2) == 0 }

// Observed is how many of the events that happen at about the same time a controller observes at once: all or, in some futures, only
// some.
func (r Source) Observed(all int) int {
	if r.rng == nil || all < 2 || r.rng.IntN(2) == 0 {
		return all
	}
	return 1 + r.rng.IntN(all)
}

// maxLag is the longest time between the snapshot and the change.
const maxLag = 10 * time.Second

// Lag is the time between the snapshot and the change: mostly none.
func (r Source) Lag() time.Duration {
	if r.rng == nil || r.rng.IntN(3) > 0 {
		return 0
	}
	return time.Duration(r.rng.Int64N(int64(maxLag)))
}

// StartDelay is how long after the snapshot an event happens.
func (r Source) StartDelay() time.Duration {
	if r.rng == nil {
		return 0
	}
	return time.Duration(r.rng.Int64N(int64(time.Minute)))
}

// Within is when a periodic event happens next, and whether that is before an unreachable node is removed, which takes no known
// time.
func (r Source) Within(period time.Duration) (wait time.Duration, before bool) {
	if r.rng == nil {
		return period, true
	}
	return time.Duration(r.rng.Int64N(int64(period))), r.rng.IntN(2) == 0
}

// Unobserved are new pods that the quota controller has not observed when it counts: mostly none.
func (r Source) Unobserved(pods []*corev1.Pod) []*corev1.Pod {
	if r.rng == nil || len(pods) == 0 || r.rng.IntN(8) > 0 {
		return nil
	}
	return Shuffled(r, pods)[:1+r.rng.IntN(len(pods))]
}

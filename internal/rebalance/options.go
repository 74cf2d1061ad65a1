package rebalance

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/change"
)

// DefaultMaxShare is a third: with three nodes or zones, an even distribution just meets it.
const DefaultMaxShare = 1.0 / 3

// DefaultSharePercent stands for DefaultMaxShare, exactly a third.
const DefaultSharePercent = 33

// Share is a MaxShare in percent.
func Share(percent int) float64 {
	if percent == DefaultSharePercent {
		return DefaultMaxShare
	}
	return float64(percent) / 100
}

// DefaultFutures is the number of futures in which a plan is played.
const DefaultFutures = 16

// SearchTime is for how long evictions that make room for others are looked for, where somebody waits for a plan.
const SearchTime = time.Minute

// Deadline is an Options.OutOfTime that says so once a time has passed from now on.
func Deadline(c clock.PassiveClock, after time.Duration) func() bool {
	end := c.Now().Add(after)
	return func() bool { return !c.Now().Before(end) }
}

// Options are what a plan is to reach, and what it may evict.
type Options struct {
	// MaxShare is the largest share of a workload's pods that one node, and one zone, may hold, over 0 up to 1, where an even distribution over
	// the nodes that may run them allows it. Zero is DefaultMaxShare.
	MaxShare float64
	// MaxUtilizationDeviation is by how many percentage points the share of a node's allocatable CPU, or memory, that its pods request may exceed that of all
	// open nodes with the same taints together, from 1 to 100. What a node's DaemonSets' pods and static pods request it may hold in any case. Zero does not
	// consider utilization.
	MaxUtilizationDeviation int
	// Asks says whether pods of a workload may be evicted; nil allows all.
	Asks func(change.Ref) bool
	// Evictable says whether a pod may be evicted as far as others than its own annotations, data and PodDisruptionBudget are concerned; nil
	// allows all.
	Evictable func(*corev1.Pod) bool
	// MaxEvictions is the largest number of evictions of the plan; zero is no limit.
	MaxEvictions int
	// Limits are further limits of the evictions of the plan.
	Limits EvictionLimits
	// OutOfTime says whether to search only for what is found soon: no more evictions that make room for others, where the first ones have not helped. nil
	// never says so.
	OutOfTime func() bool
	// Futures is the number of futures in which the plan is played; zero is DefaultFutures.
	Futures int
	// Progress is called with the number of workloads planned for, and of all that are out of balance; nil is not called.
	Progress func(done, total int)
}

func (o Options) withDefaults() Options {
	if o.MaxShare == 0 {
		o.MaxShare = DefaultMaxShare
	}
	if o.Futures == 0 {
		o.Futures = DefaultFutures
	}
	if o.Asks == nil {
		o.Asks = func(change.Ref) bool { return true }
	}
	if o.Evictable == nil {
		o.Evictable = func(*corev1.Pod) bool { return true }
	}
	if o.OutOfTime == nil {
		o.OutOfTime = func() bool { return false }
	}
	if o.MaxEvictions == 0 {
		o.MaxEvictions = math.MaxInt
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

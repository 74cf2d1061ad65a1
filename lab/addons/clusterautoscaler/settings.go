package clusterautoscaler

import (
	"time"

	"github.com/naosu-dev/naosu/lab/pace"
)

// settings are Cluster Autoscaler's flags. The durations are wall-clock time, the lab's pace taken into account.
// https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-release-1.36/cluster-autoscaler/config/flags/flags.go
type settings struct {
	scan time.Duration // --scan-interval

	expendable          int32         // --expendable-pods-priority-cutoff
	newPods             time.Duration // unschedulablePodTimeBuffer: more pods may follow the first
	provision           time.Duration // --max-node-provision-time, and MaxNodeStartupTime
	stable              time.Duration // stabilizationDelay: how long a node is ready before it serves as a template
	backoff, maxBackoff time.Duration // --initial-node-group-backoff-duration, --max-node-group-backoff-duration

	utilization       float64       // --scale-down-utilization-threshold
	unneeded, unready time.Duration // --scale-down-unneeded-time, --scale-down-unready-time
	afterAdd          time.Duration // --scale-down-delay-after-add
	afterFailure      time.Duration // --scale-down-delay-after-failure
	recheck           time.Duration // --unremovable-node-recheck-timeout
	removals, drains  int           // --max-scale-down-parallelism, --max-drain-parallelism
	softTaints        int           // --max-bulk-soft-taint-count
	afterTaint        time.Duration // --node-delete-delay-after-taint
	eviction          time.Duration // --max-pod-eviction-time
	grace             time.Duration // --max-graceful-termination-sec and DefaultPodEvictionHeadroom
	terminating       time.Duration // PodLongTerminatingExtraThreshold
	systemPods        time.Duration // --blocking-system-pod-distruption-timeout

	unreadyNodes int     // --ok-total-unready-count
	unreadyShare float64 // --max-total-unready-percentage

	eventEvery time.Duration // one event per object and reason, and as many more as these go by
}

func defaults(p *pace.Pace) settings {
	return settings{
		scan:       p.Real(10 * time.Second),
		expendable: -10,
		newPods:    p.Real(2 * time.Second),
		provision:  p.Real(15 * time.Minute),
		stable:     p.Real(time.Minute),
		backoff:    p.Real(5 * time.Minute), maxBackoff: p.Real(30 * time.Minute),
		utilization: 0.5,
		unneeded:    p.Real(10 * time.Minute), unready: p.Real(20 * time.Minute),
		afterAdd:     p.Real(10 * time.Minute),
		afterFailure: p.Real(3 * time.Minute),
		recheck:      p.Real(5 * time.Minute),
		removals:     10, drains: 1, softTaints: 10,
		afterTaint:   p.Real(5 * time.Second),
		eviction:     p.Real(2 * time.Minute),
		grace:        p.Real(10*time.Minute + 30*time.Second),
		terminating:  p.Real(30 * time.Second),
		systemPods:   p.Real(time.Hour),
		unreadyNodes: 3, unreadyShare: 45,
		eventEvery: p.Real(5 * time.Minute),
	}
}

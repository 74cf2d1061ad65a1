package eksnoderepair

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// waits are how long a condition must have been unhealthy before the repair, in scenario time.
var waits = map[corev1.NodeConditionType]time.Duration{
	"AcceleratedHardwareReady": 10 * time.Minute,
	"KernelReady":              30 * time.Minute, "NetworkingReady": 30 * time.Minute, "StorageReady": 30 * time.Minute,
	"ContainerRuntimeReady": 30 * time.Minute, corev1.NodeReady: 30 * time.Minute,
}

// unhealthyCondition is a node condition that calls for a repair, and how long it must have been unhealthy before.
type unhealthyCondition struct {
	reason cloud.UnhealthyReason
	since  time.Time
	wait   time.Duration
	action string
}

// unhealthyConditions returns a node's conditions that a repair is for.
func unhealthyConditions(n *corev1.Node, config cloud.NodeRepairConfig) []unhealthyCondition {
	var found []unhealthyCondition
	for _, c := range n.Status.Conditions {
		wait, known := waits[c.Type]
		if !known || c.Status == corev1.ConditionTrue || c.Status == corev1.ConditionUnknown && c.Type != corev1.NodeReady {
			continue
		}
		unhealthy := unhealthyCondition{
			reason: cloud.UnhealthyReason{Condition: string(c.Type), Reason: c.Reason},
			since:  c.LastTransitionTime.Time, wait: wait, action: cloud.RepairReplace,
		}
		for _, o := range config.NodeRepairConfigOverrides {
			if o.NodeMonitoringCondition == unhealthy.reason.Condition && o.NodeUnhealthyReason == unhealthy.reason.Reason {
				unhealthy.wait, unhealthy.action = time.Duration(o.MinRepairWaitTimeMins)*time.Minute, o.RepairAction
			}
		}
		found = append(found, unhealthy)
	}
	return found
}

// EKS's default threshold: in a group of more than five nodes, none is repaired while more than 20 % are unhealthy.
const (
	smallGroup       = 5
	unhealthyPercent = 20
)

// exceedsThreshold reports whether so many nodes are unhealthy that none is to be repaired.
func exceedsThreshold(config cloud.NodeRepairConfig, unhealthy, all int) bool {
	switch {
	case config.MaxUnhealthyNodeThresholdCount > 0:
		return unhealthy > config.MaxUnhealthyNodeThresholdCount
	case config.MaxUnhealthyNodeThresholdPercentage > 0:
		return unhealthy*100 > config.MaxUnhealthyNodeThresholdPercentage*all
	}
	return all > smallGroup && unhealthy*100 > unhealthyPercent*all
}

// maxParallel is how many nodes of a group may be under repair at the same time; a percentage is rounded up, so that it is never none.
func maxParallel(config cloud.NodeRepairConfig, all int) int {
	switch {
	case config.MaxParallelNodesRepairedCount > 0:
		return config.MaxParallelNodesRepairedCount
	case config.MaxParallelNodesRepairedPercentage > 0:
		return (config.MaxParallelNodesRepairedPercentage*all + 99) / 100
	}
	return all
}

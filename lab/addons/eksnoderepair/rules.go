package eksnoderepair

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// waits are how long a condition must have been ill, in scenario time.
var waits = map[corev1.NodeConditionType]time.Duration{
	"AcceleratedHardwareReady": 10 * time.Minute,
	"KernelReady":              30 * time.Minute, "NetworkingReady": 30 * time.Minute, "StorageReady": 30 * time.Minute,
	"ContainerRuntimeReady": 30 * time.Minute, corev1.NodeReady: 30 * time.Minute,
}

// illness is what is to be done about a condition of a node, and how long the condition must have been ill before.
type illness struct {
	reason cloud.UnhealthyReason
	since  time.Time
	wait   time.Duration
	action string
}

// illnesses are what is wrong with a node that a repair is for.
func illnesses(n *corev1.Node, config cloud.NodeRepairConfig) []illness {
	var found []illness
	for _, c := range n.Status.Conditions {
		wait, known := waits[c.Type]
		if !known || c.Status == corev1.ConditionTrue || c.Status == corev1.ConditionUnknown && c.Type != corev1.NodeReady {
			continue
		}
		ill := illness{
			reason: cloud.UnhealthyReason{Condition: string(c.Type), Reason: c.Reason},
			since:  c.LastTransitionTime.Time, wait: wait, action: cloud.RepairReplace,
		}
		for _, o := range config.NodeRepairConfigOverrides {
			if o.NodeMonitoringCondition == ill.reason.Condition && o.NodeUnhealthyReason == ill.reason.Reason {
				ill.wait, ill.action = time.Duration(o.MinRepairWaitTimeMins)*time.Minute, o.RepairAction
			}
		}
		found = append(found, ill)
	}
	return found
}

// EKS's own brake: in a group of more than five nodes, none is repaired while more than 20 % are unhealthy.
const (
	smallGroup       = 5
	unhealthyPercent = 20
)

// braked says whether so many nodes are unhealthy that none is to be repaired.
func braked(config cloud.NodeRepairConfig, unhealthy, all int) bool {
	switch {
	case config.MaxUnhealthyNodeThresholdCount > 0:
		return unhealthy > config.MaxUnhealthyNodeThresholdCount
	case config.MaxUnhealthyNodeThresholdPercentage > 0:
		return unhealthy*100 > config.MaxUnhealthyNodeThresholdPercentage*all
	}
	return all > smallGroup && unhealthy*100 > unhealthyPercent*all
}

// atOnce is how many nodes of a group may be under repair; a percentage is rounded up, so that it is never none.
func atOnce(config cloud.NodeRepairConfig, all int) int {
	switch {
	case config.MaxParallelNodesRepairedCount > 0:
		return config.MaxParallelNodesRepairedCount
	case config.MaxParallelNodesRepairedPercentage > 0:
		return (config.MaxParallelNodesRepairedPercentage*all + 99) / 100
	}
	return all
}

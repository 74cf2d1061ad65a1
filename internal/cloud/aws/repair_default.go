package aws

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
)

// What EKS does where a node group's configuration does not say otherwise.
// https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html
// https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
var (
	accelerated = corev1.NodeConditionType("AcceleratedHardwareReady")

	anyReason = []cloud.RepairerRule{
		ready(corev1.ConditionFalse), ready(corev1.ConditionUnknown),
		replace("ContainerRuntimeReady"), replace("KernelReady"), replace("NetworkingReady"), replace("StorageReady"),
	}

	// rebooted and replaced are the reasons of AcceleratedHardwareReady for which it does that; for any other it does nothing.
	rebooted = []string{
		"NvidiaXID13Error", "NvidiaXID31Error", "NvidiaXID48Error", "NvidiaXID63Error", "NvidiaXID64Error", "NvidiaXID94Error", "NvidiaXID95Error",
	}
	replaced = []string{
		"NeuronDMAError", "NeuronHBMUncorrectableError", "NeuronNCUncorrectableError", "NeuronSRAMUncorrectableError",
		"NvidiaDoubleBitError", "NvidiaNVLinkError",
		"NvidiaXID74Error", "NvidiaXID79Error", "NvidiaXID119Error", "NvidiaXID120Error", "NvidiaXID121Error", "NvidiaXID140Error",
	}

	// defaultRules are those of managed node groups.
	defaultRules = append(slices.Clone(anyReason), hardware(v1alpha1.ActionReboot, rebooted), hardware(v1alpha1.ActionReplace, replaced))
	// autoRules are those of Auto Mode, which reboots nothing.
	autoRules = append(slices.Clone(anyReason), hardware(v1alpha1.ActionReplace, slices.Concat(rebooted, replaced)))
)

func ready(status corev1.ConditionStatus) cloud.RepairerRule {
	return cloud.RepairerRule{Condition: corev1.NodeReady, Status: status, For: 30 * time.Minute, Action: v1alpha1.ActionReplace}
}

func replace(condition corev1.NodeConditionType) cloud.RepairerRule {
	return cloud.RepairerRule{Condition: condition, Status: corev1.ConditionFalse, For: 30 * time.Minute, Action: v1alpha1.ActionReplace}
}

func hardware(action v1alpha1.Action, reasons []string) cloud.RepairerRule {
	return cloud.RepairerRule{Condition: accelerated, Status: corev1.ConditionFalse, Reasons: reasons, For: 10 * time.Minute, Action: action}
}

package repaircheck

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const acceleratedHardware = "AcceleratedHardwareReady"

// eksReports are what the EKS node monitoring agent reports. Conditions: https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
// and pkg/reasons/reasons.yaml of github.com/aws/eks-node-monitoring-agent 51af549 (v1.7.0).
var eksReports = slices.Concat(
	eks("KernelReady", reason.Fatal, "ForkFailedOutOfPIDs"),
	eks("KernelReady", reason.Warning, "AppBlocked", "AppCrash", "ApproachingKernelPidMax", "ApproachingMaxOpenFiles", "ClockUnsynchronized", "ConntrackExceededKernel",
		"ExcessiveZombieProcesses", "KernelBug", "LargeEnvironment", "RapidCron", "SoftLockup", "ZramHighUsage"),
	// The line that it waits for, kubelet logs at verbosity 4; nodes have 2 (nodeadm, awslabs/amazon-eks-ami 81fec2e internal/kubelet/config.go).
	neverReported(sentence.ProofVerbosity(), eks("ContainerRuntimeReady", reason.Fatal, "PodStuckTerminating")),
	eks("ContainerRuntimeReady", reason.Warning, "ContainerRuntimeFailed", "DeprecatedContainerdConfiguration", "KubeletFailed", "LivenessProbeFailures",
		"ReadinessProbeFailures", "KubeletRepeatedRestart", "ContainerdRepeatedRestart", "ServiceFailedToStart"),
	eks("NetworkingReady", reason.Fatal, "InterfaceNotUp", "InterfaceNotRunning", "MissingLoopbackInterface", "IPAMDNotReady", "IPAMDNotRunning", "NPANotRunning"),
	eks("NetworkingReady", reason.Warning, "EFAErrorMetric", "IPAMDInconsistentState", "IPAMDNoIPs", "IPAMDRepeatedlyRestart", "KubeProxyNotReady",
		"MACAddressPolicyMisconfigured", "MissingDefaultRoutes", "MissingIPRoutes", "MissingIPRules", "NPABPFRecoveryError", "NPARepeatedlyRestart", "NetworkSysctl",
		"PortConflict", "UnexpectedRejectRule",
		"BandwidthInExceeded", "BandwidthOutExceeded", "ConntrackExceeded", "LinkLocalExceeded", "PPSExceeded"),
	// There is no fatal reason of StorageReady, though repairers wait for it.
	eks("StorageReady", reason.Warning, "BlockDeviceIOError", "EBSInstanceIOPSExceeded", "EBSInstanceThroughputExceeded", "EBSVolumeIOPSExceeded",
		"EBSVolumeThroughputExceeded", "EtcHostsMountFailed", "IODelays", "KubeletDiskUsageSlow", "XFSSmallAverageClusterSize"),
	eks(acceleratedHardware, reason.Fatal, "DCGMDiagnosticFailure", "DCGMError", "FabricManagerNotRunning", "NeuronDMAError", "NeuronHBMUncorrectableError",
		"NeuronNCUncorrectableError", "NeuronSRAMUncorrectableError", "NvidiaDeviceCountMismatch", "NvidiaDoubleBitError", "NvidiaFabricError", "NvidiaNVLinkError"),
	eks(acceleratedHardware, reason.Warning, "NvidiaNCCLError", "NvidiaPCIeError", "NvidiaPageRetirement", "NvidiaPowerError", "NvidiaThermalError"),
)

// npdReports are the conditions of node-problem-detector's own configurations (config/*.json of github.com/kubernetes/node-problem-detector), True when unhealthy.
// What it has as temporary problems are Events that belong to no condition.
var npdReports = slices.Concat(
	// The rule matches a hung process named docker, and no other.
	neverReported(sentence.ProofDockerOnly(), npd("KernelDeadlock", "DockerHung")),
	npd("ReadonlyFilesystem", "FilesystemIsReadOnly"),
	npd("XfsShutdown", "XfsHasShutdown"),
	npd("CperHardwareErrorFatal", "CperHardwareErrorFatal"),
	npd("CorruptDockerOverlay2", "CorruptDockerOverlay2"),
	npd("DiskBadBlock", "DiskBadBlock"),
	npd("FrequentKubeletRestart", "FrequentKubeletRestart"),
	npd("FrequentDockerRestart", "FrequentDockerRestart"),
	npd("FrequentContainerdRestart", "FrequentContainerdRestart"),
	npd("FrequentUnregisterNetDevice", "UnregisterNetDevice"),
	npd("KubeletUnhealthy", "KubeletUnhealthy"),
	npd("ContainerRuntimeUnhealthy", "ContainerdUnhealthy", "DockerUnhealthy"),
	npd("NTPProblem", "NTPIsDown"),
)

func eks(condition string, severity reason.Severity, reasons ...string) []Report {
	return reports(Report{Agent: EKS, Condition: condition, Status: metav1.ConditionFalse, Severity: severity}, reasons)
}

func npd(condition string, reasons ...string) []Report {
	return reports(Report{Agent: NPD, Condition: condition, Status: metav1.ConditionTrue, Severity: reason.Fatal}, reasons)
}

func reports(like Report, reasons []string) []Report {
	all := make([]Report, len(reasons))
	for i, r := range reasons {
		all[i] = like
		all[i].Reason = r
	}
	return all
}

func neverReported(why message.Sentence, reports []Report) []Report {
	for i := range reports {
		reports[i].NeverReported = why
	}
	return reports
}

// UnhealthyStatus is the status of a condition when something is wrong: False, but for node-problem-detector's.
func UnhealthyStatus(condition string) metav1.ConditionStatus {
	if slices.ContainsFunc(npdReports, func(r Report) bool { return r.Condition == condition }) {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

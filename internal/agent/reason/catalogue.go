// Code generated from catalogue.yaml and xid.yaml. DO NOT EDIT.

package reason

import "time"

const (
	// AppBlocked: A process waits in the kernel for longer than two minutes, in most cases for a disk or a network file system.
	AppBlocked ID = "AppBlocked"
	// AppCrash: A process was ended by the kernel for a memory or instruction fault of its own.
	AppCrash ID = "AppCrash"
	// ApproachingKernelPidMax: The host has nearly as many threads as its kernel allows; at the limit nothing can start any more.
	ApproachingKernelPidMax ID = "ApproachingKernelPidMax"
	// ApproachingMaxOpenFiles: One of the daemons that a node needs, or the whole host, has nearly as many open files as it may; at the limit no other can be opened.
	ApproachingMaxOpenFiles ID = "ApproachingMaxOpenFiles"
	// CPUPressureStalled: The node's own daemons (kubelet, container runtime, system services) spend much of the time waiting for a CPU.
	CPUPressureStalled ID = "CPUPressureStalled"
	// ClockSkew: The node's clock and the API server's differ; certificates, tokens and leases are judged by another time than they were made at.
	ClockSkew ID = "ClockSkew"
	// ClockUnsynchronized: Nothing keeps the host's clock right; certificates, tokens, leases and log times will be wrong sooner or later.
	ClockUnsynchronized ID = "ClockUnsynchronized"
	// ConntrackExceededKernel: The kernel dropped packets of new connections, as its connection tracking table is full.
	ConntrackExceededKernel ID = "ConntrackExceededKernel"
	// CperHardwareErrorCorrected: The firmware reports a hardware error that was corrected.
	CperHardwareErrorCorrected ID = "CperHardwareErrorCorrected"
	// CperHardwareErrorFatal: The firmware reports a fatal hardware error, of now or of the run before this boot.
	CperHardwareErrorFatal ID = "CperHardwareErrorFatal"
	// CperHardwareErrorRecoverable: The firmware reports a hardware error that was not corrected, and that the system lived through.
	CperHardwareErrorRecoverable ID = "CperHardwareErrorRecoverable"
	// ExcessiveZombieProcesses: A process does not reap its ended children, each of which keeps a PID.
	ExcessiveZombieProcesses ID = "ExcessiveZombieProcesses"
	// FileMaxReached: The whole host has as many open files as its kernel allows, and only root can open more.
	FileMaxReached ID = "FileMaxReached"
	// ForkFailedOutOfPIDs: The node, all its pods together, or one of the daemons it needs can start no process or thread, as a limit on PIDs is reached.
	ForkFailedOutOfPIDs ID = "ForkFailedOutOfPIDs"
	// HardLockup: A CPU took no interrupts for some ten seconds.
	HardLockup ID = "HardLockup"
	// IOPressureStalled: The node's own daemons (kubelet, container runtime, system services) spend most of the time waiting for disks.
	IOPressureStalled ID = "IOPressureStalled"
	// KernelBug: The kernel found a fault in itself.
	KernelBug ID = "KernelBug"
	// KernelDeadlock: A daemon without which no pod starts or ends waits in the kernel and cannot be killed.
	KernelDeadlock ID = "KernelDeadlock"
	// KernelOops: The kernel stopped what it was doing in the middle and went on without it.
	KernelOops ID = "KernelOops"
	// LargeEnvironment: A process has an environment of very many variables, as from thousands of Services; it starts slowly, and execve refuses what grows further.
	LargeEnvironment ID = "LargeEnvironment"
	// LogLinesLost: Lines of a log were lost before they could be read; reasons that lines tell may have been missed.
	LogLinesLost ID = "LogLinesLost"
	// MachineCheckError: A CPU reports a hardware error, corrected or not.
	MachineCheckError ID = "MachineCheckError"
	// MemoryPressureStalled: All processes of the host (/), or the node's own daemons, spend much of the time waiting for memory to be freed or read back.
	MemoryPressureStalled ID = "MemoryPressureStalled"
	// MemoryReadError: A memory controller corrects errors again and again.
	MemoryReadError ID = "MemoryReadError"
	// OOMKilling: The kernel killed a process, as a container had used up its memory limit or the node its memory.
	OOMKilling ID = "OOMKilling"
	// PCIeErrorCorrected: A PCIe device or its link corrects errors again and again.
	PCIeErrorCorrected ID = "PCIeErrorCorrected"
	// PCIeErrorFatal: A PCIe device or its link reports a fatal error, and is reset or lost.
	PCIeErrorFatal ID = "PCIeErrorFatal"
	// PCIeErrorNonFatal: A PCIe device lost a transaction to an error that its link lived through.
	PCIeErrorNonFatal ID = "PCIeErrorNonFatal"
	// PatternFileRefused: A file of own reasons is wrong, and the agent runs without the reasons in it.
	PatternFileRefused ID = "PatternFileRefused"
	// RCUStall: A CPU kept the kernel from cleaning up for some twenty seconds or longer.
	RCUStall ID = "RCUStall"
	// RapidCron: A cron job is set to run more often than every five minutes.
	RapidCron ID = "RapidCron"
	// SoftLockup: A CPU ran one piece of the kernel for twenty seconds and nothing else.
	SoftLockup ID = "SoftLockup"
	// ThermalThrottling: CPUs are too hot, and slowed down again and again.
	ThermalThrottling ID = "ThermalThrottling"
	// UncorrectedMemoryError: Memory lost data that could not be corrected.
	UncorrectedMemoryError ID = "UncorrectedMemoryError"
	// UnregisterNetDevice: The kernel cannot let go of a network interface, in most cases that of a pod that ended; later pods may hang.
	UnregisterNetDevice ID = "UnregisterNetDevice"
	// ZramHighUsage: A compressed memory device (zram) takes much of the host's memory.
	ZramHighUsage ID = "ZramHighUsage"
	// APIServerUnreachable: The API server does not answer this node.
	APIServerUnreachable ID = "APIServerUnreachable"
	// BandwidthInExceeded: Packets were queued or dropped because inbound traffic exceeded the bandwidth of the instance.
	BandwidthInExceeded ID = "BandwidthInExceeded"
	// BandwidthOutExceeded: Packets were queued or dropped because outbound traffic exceeded the bandwidth of the instance.
	BandwidthOutExceeded ID = "BandwidthOutExceeded"
	// ClusterDNSUnreachable: The cluster's DNS does not answer this node.
	ClusterDNSUnreachable ID = "ClusterDNSUnreachable"
	// ConntrackExceeded: New connections were dropped because the instance tracks no more of them.
	ConntrackExceeded ID = "ConntrackExceeded"
	// ConntrackFull: The kernel's table of connections is nearly full; packets of new connections are dropped once it is.
	ConntrackFull ID = "ConntrackFull"
	// DNSUnreachable: A name server of the host does not answer.
	DNSUnreachable ID = "DNSUnreachable"
	// EFAErrorMetric: The errors that an Elastic Fabric Adapter counts rise quickly.
	EFAErrorMetric ID = "EFAErrorMetric"
	// IPAMDInconsistentState: The Amazon VPC CNI's daemon notes another address for a pod than the pod has, or one for a pod that is gone.
	IPAMDInconsistentState ID = "IPAMDInconsistentState"
	// IPAMDNoIPs: The Amazon VPC CNI gets no more addresses, as the subnet has none left.
	IPAMDNoIPs ID = "IPAMDNoIPs"
	// IPAMDNotReady: The Amazon VPC CNI's daemon (ipamd) does not answer, so pods that start get no address.
	IPAMDNotReady ID = "IPAMDNotReady"
	// IPAMDNotRunning: A pod of the Amazon VPC CNI is on the node, but the process of its daemon (aws-k8s-agent) is not.
	IPAMDNotRunning ID = "IPAMDNotRunning"
	// IPAMDRepeatedlyRestart: The Amazon VPC CNI's daemon starts again and again.
	IPAMDRepeatedlyRestart ID = "IPAMDRepeatedlyRestart"
	// InstanceMetadataUnreachable: The cloud's instance metadata service answered this node before and no longer does; credentials and addresses from there cannot be renewed.
	InstanceMetadataUnreachable ID = "InstanceMetadataUnreachable"
	// InterfaceNotRunning: A network interface of the node is up but has lost its carrier.
	InterfaceNotRunning ID = "InterfaceNotRunning"
	// InterfaceNotUp: A network interface of the node is administratively down.
	InterfaceNotUp ID = "InterfaceNotUp"
	// KubeProxyNotReady: kube-proxy does not answer, or has not been able to update the rules of Services.
	KubeProxyNotReady ID = "KubeProxyNotReady"
	// LinkLocalExceeded: Packets to local services of the cloud (DNS, metadata, time) were dropped because there were too many a second.
	LinkLocalExceeded ID = "LinkLocalExceeded"
	// MACAddressPolicyMisconfigured: udev gives the links of pods other MAC addresses than the Amazon VPC CNI told the pods, which then reach nothing.
	MACAddressPolicyMisconfigured ID = "MACAddressPolicyMisconfigured"
	// MellanoxFirmwareNotResponding: The firmware of a ConnectX network card does not answer its driver.
	MellanoxFirmwareNotResponding ID = "MellanoxFirmwareNotResponding"
	// MellanoxHighTemperature: A ConnectX network card, or a module in it, is too hot.
	MellanoxHighTemperature ID = "MellanoxHighTemperature"
	// MellanoxInsufficientPower: A ConnectX network card, or a module in it, does not get the power that it needs.
	MellanoxInsufficientPower ID = "MellanoxInsufficientPower"
	// MissingDefaultRoutes: A routing table that needs one has no default route.
	MissingDefaultRoutes ID = "MissingDefaultRoutes"
	// MissingIPRoutes: A pod's address has no route on its node.
	MissingIPRoutes ID = "MissingIPRoutes"
	// MissingIPRules: A pod's address lacks a routing rule on its node.
	MissingIPRules ID = "MissingIPRules"
	// MissingLoopbackInterface: The host has no loopback interface named lo, so nothing on it can reach 127.0.0.1.
	MissingLoopbackInterface ID = "MissingLoopbackInterface"
	// NPABPFRecoveryError: The Amazon VPC CNI's network policy agent could not take over what it had loaded into the kernel before it restarted.
	NPABPFRecoveryError ID = "NPABPFRecoveryError"
	// NPANotRunning: The Amazon VPC CNI's network policy agent should run on the node, and does not.
	NPANotRunning ID = "NPANotRunning"
	// NPARepeatedlyRestart: The Amazon VPC CNI's network policy agent starts again and again.
	NPARepeatedlyRestart ID = "NPARepeatedlyRestart"
	// NeighborTableOverflow: The kernel knows more neighbors (ARP, IPv6 ND) than its table holds, and drops packets to others.
	NeighborTableOverflow ID = "NeighborTableOverflow"
	// NetworkSysctl: A sysctl has a value with which the node's pods cannot be reached.
	NetworkSysctl ID = "NetworkSysctl"
	// PPSExceeded: Packets were queued or dropped because there were more a second than the instance may have.
	PPSExceeded ID = "PPSExceeded"
	// PortConflict: A rule of the packet filter redirects a port of the node's own, so that what listens there is not reached.
	PortConflict ID = "PortConflict"
	// TCPOutOfMemory: TCP has used up the memory that the host grants it; connections stall or are ended.
	TCPOutOfMemory ID = "TCPOutOfMemory"
	// TransmitTimeout: A network interface did not send what it was given for seconds, and its driver resets it.
	TransmitTimeout ID = "TransmitTimeout"
	// UnexpectedRejectRule: A rule or a chain's policy of the packet filter that no known component makes drops or rejects packets.
	UnexpectedRejectRule ID = "UnexpectedRejectRule"
	// BlockDeviceAccessBeyondEnd: A block device is smaller than the filesystem or the partition on it, and the kernel refuses what lies beyond its end.
	BlockDeviceAccessBeyondEnd ID = "BlockDeviceAccessBeyondEnd"
	// BlockDeviceIOError: The kernel could not read from or write to a block device.
	BlockDeviceIOError ID = "BlockDeviceIOError"
	// BlockDeviceOffline: The kernel has given up a block device that no longer answered.
	BlockDeviceOffline ID = "BlockDeviceOffline"
	// BlockDeviceProtectionError: What a block device gave or took does not match its checksum.
	BlockDeviceProtectionError ID = "BlockDeviceProtectionError"
	// BlockDeviceSpaceExhausted: A block device took a write for which what lies behind it has no space.
	BlockDeviceSpaceExhausted ID = "BlockDeviceSpaceExhausted"
	// BlockDeviceTransportError: The path to a block device is broken (a cable, a fabric, or a target that is away).
	BlockDeviceTransportError ID = "BlockDeviceTransportError"
	// BtrfsError: A btrfs filesystem has found itself damaged, or could not reach its disk.
	BtrfsError ID = "BtrfsError"
	// DiskBadBlock: A disk has a sector that it cannot read or write.
	DiskBadBlock ID = "DiskBadBlock"
	// DiskProbeFailed: A disk of the node does not take a small write and give it back, or does not answer at all.
	DiskProbeFailed ID = "DiskProbeFailed"
	// EBSInstanceIOPSExceeded: The instance has wanted more EBS operations a second than its type allows.
	EBSInstanceIOPSExceeded ID = "EBSInstanceIOPSExceeded"
	// EBSInstanceThroughputExceeded: The instance has wanted more EBS throughput than its type allows.
	EBSInstanceThroughputExceeded ID = "EBSInstanceThroughputExceeded"
	// EBSVolumeIOPSExceeded: More operations a second have been wanted of an EBS volume than it may do.
	EBSVolumeIOPSExceeded ID = "EBSVolumeIOPSExceeded"
	// EBSVolumeThroughputExceeded: More throughput has been wanted of an EBS volume than it may have.
	EBSVolumeThroughputExceeded ID = "EBSVolumeThroughputExceeded"
	// EtcHostsMountFailed: A container could not start because the pod's /etc/hosts could not be mounted in it.
	EtcHostsMountFailed ID = "EtcHostsMountFailed"
	// Ext4Error: An ext4 filesystem has found itself damaged, or could not reach its disk.
	Ext4Error ID = "Ext4Error"
	// Ext4Warning: An ext4 filesystem warns, for example that it was damaged when it was mounted.
	Ext4Warning ID = "Ext4Warning"
	// FilesystemFillingUp: A filesystem of the node will be full, or out of inodes, within hours if it goes on filling up as it does.
	FilesystemFillingUp ID = "FilesystemFillingUp"
	// IODelays: A process has waited for disks for more than 10 s of ten minutes.
	IODelays ID = "IODelays"
	// KubeletDiskUsageSlow: Kubelet takes long to measure what containers use of the disk.
	KubeletDiskUsageSlow ID = "KubeletDiskUsageSlow"
	// MDDeviceFailed: An array of disks (md RAID) has lost a member, or can no longer work.
	MDDeviceFailed ID = "MDDeviceFailed"
	// NFSLocksLost: Locks on files of an NFS server were not given back after the server had restarted or the network had been away; who held one is not told.
	NFSLocksLost ID = "NFSLocksLost"
	// NFSServerNotResponding: An NFS server does not answer; who uses its files waits, or is given errors.
	NFSServerNotResponding ID = "NFSServerNotResponding"
	// NVMeError: An NVMe disk does not answer, and the kernel resets or gives up its controller.
	NVMeError ID = "NVMeError"
	// NVMeHealthCritical: An NVMe disk warns that it may fail, as it has too little spare, is too hot, or degrades.
	NVMeHealthCritical ID = "NVMeHealthCritical"
	// NVMeMediaErrors: An NVMe disk could not give back what was written.
	NVMeMediaErrors ID = "NVMeMediaErrors"
	// NVMeReadOnly: An NVMe disk takes no more writes.
	NVMeReadOnly ID = "NVMeReadOnly"
	// NVMeWornOut: An NVMe disk has been written as much as it was made for.
	NVMeWornOut ID = "NVMeWornOut"
	// ReadonlyFilesystem: A filesystem of the node takes no more writes.
	ReadonlyFilesystem ID = "ReadonlyFilesystem"
	// SMARTFailurePredicted: A SATA disk predicts its own failure (SMART).
	SMARTFailurePredicted ID = "SMARTFailurePredicted"
	// ThinPoolFull: A thin pool (device mapper) has no space left, or takes no more writes.
	ThinPoolFull ID = "ThinPoolFull"
	// VolumeReadonly: A filesystem that the node itself can do without, as a pod's volume, has become read-only.
	VolumeReadonly ID = "VolumeReadonly"
	// XFSSmallAverageClusterSize: The free space of an XFS filesystem of the node is cut up so small that new files may find no room in it.
	XFSSmallAverageClusterSize ID = "XFSSmallAverageClusterSize"
	// XfsError: An XFS filesystem has found itself damaged, could not reach its disk, or shuts itself down.
	XfsError ID = "XfsError"
	// XfsShutdown: An XFS filesystem of the node has shut itself down; everything in it is an I/O error.
	XfsShutdown ID = "XfsShutdown"
	// CRISandboxProbeFailed: The container runtime cannot make a pod's sandbox, and so no new pod can start on the node.
	CRISandboxProbeFailed ID = "CRISandboxProbeFailed"
	// ContainerRuntimeFailed: The low-level runtime (runc) could not make a pod's container, for a reason that lies with the node.
	ContainerRuntimeFailed ID = "ContainerRuntimeFailed"
	// ContainerRuntimeUnhealthy: The container runtime does not answer, or says of itself that it is not ready.
	ContainerRuntimeUnhealthy ID = "ContainerRuntimeUnhealthy"
	// ContainerdRepeatedRestart: containerd ends again and again, and systemd starts it again.
	ContainerdRepeatedRestart ID = "ContainerdRepeatedRestart"
	// CorruptDockerOverlay2: Docker's image store (overlay2) is damaged, and containers of some images cannot start.
	CorruptDockerOverlay2 ID = "CorruptDockerOverlay2"
	// DeprecatedContainerdConfiguration: containerd is configured or used in a way that a later version no longer supports.
	DeprecatedContainerdConfiguration ID = "DeprecatedContainerdConfiguration"
	// FailedKillPod: kubelet tries again and again to end a pod, and the container runtime does not get it done.
	FailedKillPod ID = "FailedKillPod"
	// KubeletClientCertificateExpiration: The certificate by which kubelet proves to the API server who it is ends soon and was not renewed, or has ended.
	KubeletClientCertificateExpiration ID = "KubeletClientCertificateExpiration"
	// KubeletFailed: kubelet ended with a failure, and systemd does not start it again.
	KubeletFailed ID = "KubeletFailed"
	// KubeletRepeatedRestart: kubelet ends again and again, and systemd starts it again.
	KubeletRepeatedRestart ID = "KubeletRepeatedRestart"
	// KubeletUnhealthy: kubelet does not answer at its health endpoint, or says there that it is not well.
	KubeletUnhealthy ID = "KubeletUnhealthy"
	// LivenessProbeFailures: A pod's liveness probe fails on and on, though its container has been restarted for it.
	LivenessProbeFailures ID = "LivenessProbeFailures"
	// NetworkPluginNotReady: The network plugin (CNI) behind the container runtime is not set up, and pods get no network.
	NetworkPluginNotReady ID = "NetworkPluginNotReady"
	// PodStuckTerminating: A pod was told to end and cannot, as something on the node holds it.
	PodStuckTerminating ID = "PodStuckTerminating"
	// ReadinessProbeFailures: A pod's readiness probe has failed for many minutes, and it gets no traffic.
	ReadinessProbeFailures ID = "ReadinessProbeFailures"
	// ServiceFailedToStart: A service of the node could not start, or ended with a failure and is not started again.
	ServiceFailedToStart ID = "ServiceFailedToStart"
	// ServiceRepeatedRestart: A service of the node ends again and again, and systemd starts it again.
	ServiceRepeatedRestart ID = "ServiceRepeatedRestart"
	// NeuronDMAError: The runtime of AWS Neuron reports an error of a DMA engine that it could not recover from.
	NeuronDMAError ID = "NeuronDMAError"
	// NeuronHBMUncorrectableError: The memory (HBM) of a Neuron device had an error that was not corrected and cannot be repaired.
	NeuronHBMUncorrectableError ID = "NeuronHBMUncorrectableError"
	// NeuronNCUncorrectableError: The runtime of AWS Neuron reports an error of a NeuronCore's memory that was not corrected.
	NeuronNCUncorrectableError ID = "NeuronNCUncorrectableError"
	// NeuronSRAMUncorrectableError: The on-chip memory (SRAM) of a Neuron device had an error that was not corrected.
	NeuronSRAMUncorrectableError ID = "NeuronSRAMUncorrectableError"
	// NvidiaSXIDError: An NVSwitch has an error that NVIDIA calls always fatal to the whole fabric. NVIDIA says: restart the host.
	NvidiaSXIDError ID = "NvidiaSXIDError"
	// NvidiaSXIDWarning: An NVSwitch reports an error of itself or of one of its links; one that takes a GPU out of work shows as an Xid of that GPU, too.
	NvidiaSXIDWarning ID = "NvidiaSXIDWarning"
	// NvidiaXID109Error: The GPU did not switch to another context in time. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID109Error ID = "NvidiaXID109Error"
	// NvidiaXID110Error: The GPU reports a security fault. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID110Error ID = "NvidiaXID110Error"
	// NvidiaXID119Error: The GPU's system processor (GSP) did not answer the driver in time. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID119Error ID = "NvidiaXID119Error"
	// NvidiaXID120Error: The GPU's system processor (GSP) reports an error of its own. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID120Error ID = "NvidiaXID120Error"
	// NvidiaXID136Error: An NVLink of the GPU could not be trained. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID136Error ID = "NvidiaXID136Error"
	// NvidiaXID140Error: The GPU reports an ECC error that nothing recovered. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID140Error ID = "NvidiaXID140Error"
	// NvidiaXID143Error: The GPU could not be initialised. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID143Error ID = "NvidiaXID143Error"
	// NvidiaXID144Error: An NVLink of the GPU has a fatal error (SAW). NVIDIA says: reset the GPU, where the record calls the error fatal.
	NvidiaXID144Error ID = "NvidiaXID144Error"
	// NvidiaXID145Error: An NVLink of the GPU has a fatal error (RLW). NVIDIA says: reset the GPU, where the record calls the error fatal.
	NvidiaXID145Error ID = "NvidiaXID145Error"
	// NvidiaXID146Error: An NVLink of the GPU has a fatal error (TLW). NVIDIA says: reset the GPU, where the record calls the error fatal.
	NvidiaXID146Error ID = "NvidiaXID146Error"
	// NvidiaXID147Error: An NVLink of the GPU has a fatal error (TREX). NVIDIA says: reset the GPU, where the record calls the error fatal.
	NvidiaXID147Error ID = "NvidiaXID147Error"
	// NvidiaXID148Error: An NVLink of the GPU has a fatal error (NVLPW_CTRL). NVIDIA says: reset the GPU, where the record calls the error fatal.
	NvidiaXID148Error ID = "NvidiaXID148Error"
	// NvidiaXID149Error: An NVLink of the GPU has a fatal error (NETIR). NVIDIA says: reset the GPU, where the record calls the error fatal.
	NvidiaXID149Error ID = "NvidiaXID149Error"
	// NvidiaXID150Error: An NVLink of the GPU has a fatal error (MSE). NVIDIA says: reset the GPU, where the record calls the error fatal.
	NvidiaXID150Error ID = "NvidiaXID150Error"
	// NvidiaXID151Error: The GPU could not rotate the keys of confidential computing. NVIDIA says: restart the virtual machine.
	NvidiaXID151Error ID = "NvidiaXID151Error"
	// NvidiaXID154Error: The driver says that the GPU needs a reset, or the node a reboot. NVIDIA says: do what the record names: reset the GPU, or reboot the node.
	NvidiaXID154Error ID = "NvidiaXID154Error"
	// NvidiaXID155Error: The driver reports an error of the GPU's NVLink. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID155Error ID = "NvidiaXID155Error"
	// NvidiaXID156Error: The GPU took a bad part of its memory out of use, which takes effect with a reset. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID156Error ID = "NvidiaXID156Error"
	// NvidiaXID158Error: The GPU did not answer in time, and works again after a reset. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID158Error ID = "NvidiaXID158Error"
	// NvidiaXID46Error: The GPU stopped processing, and works again after a reset. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID46Error ID = "NvidiaXID46Error"
	// NvidiaXID48Error: The GPU's memory has an error of two bits, which it could not correct. NVIDIA says: reset the GPU, and replace it if its count of errors then passes NVIDIA's threshold.
	NvidiaXID48Error ID = "NvidiaXID48Error"
	// NvidiaXID54Error: The GPU board has no auxiliary power. NVIDIA says: check how the board is connected (in a cloud: replace the node).
	NvidiaXID54Error ID = "NvidiaXID54Error"
	// NvidiaXID62Error: The GPU's internal microcontroller has halted. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID62Error ID = "NvidiaXID62Error"
	// NvidiaXID64Error: The GPU could not take a bad row of its memory out of use. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID64Error ID = "NvidiaXID64Error"
	// NvidiaXID74Error: The GPU reports an error of an NVLink. NVIDIA says: reset the GPU or reboot the node, and replace it if the error comes back.
	NvidiaXID74Error ID = "NvidiaXID74Error"
	// NvidiaXID79Error: The GPU has fallen off the bus: the host cannot reach it any more. NVIDIA says: power-cycle the machine (in a cloud: replace the node).
	NvidiaXID79Error ID = "NvidiaXID79Error"
	// NvidiaXID95Error: The GPU's memory has an error that was not contained: any process on it may have wrong data. NVIDIA says: end the processes on the GPU and reset it.
	NvidiaXID95Error ID = "NvidiaXID95Error"
	// NvidiaXIDApplicationError: NVIDIA's driver ended the work of an application on the GPU, for a fault of the application's in most cases; the GPU goes on working.
	NvidiaXIDApplicationError ID = "NvidiaXIDApplicationError"
	// NvidiaXIDWarning: NVIDIA's driver reports an Xid that takes no GPU out of work, or that this version does not know; the table of Xids says what NVIDIA says to do.
	NvidiaXIDWarning ID = "NvidiaXIDWarning"
)

// Catalogue is every reason, sorted by condition and name.
var Catalogue = []Reason{
	{
		ID: AppBlocked, Condition: KernelReady, Severity: Warning, Action: None,
		Aliases: []ID{"TaskHung"},
		Entity:  "process",
		Means: Words{
			EN: "A process waits in the kernel for longer than two minutes, in most cases for a disk or a network file system.",
			JA: "プロセスがカーネル内で 2 分を超えて待たされています。多くの場合、ディスクかネットワークファイルシステムを待っています。",
		},
		Reads:   "the kernel log: reports of hung tasks (khungtaskd). Where it reports none (kernel.hung_task_timeout_secs or kernel.hung_task_warnings is 0, or the kernel has no detector), /proc/PID/task/* each minute: threads in state D without a context switch for two minutes, and, by wchan, not in a wait that a signal can end",
		ReadsJA: "カーネルログのハングタスクの報告（khungtaskd）。報告がない場合（kernel.hung_task_timeout_secs か kernel.hung_task_warnings が 0、または検出機能のないカーネル）は、/proc/PID/task/* を毎分調べ、状態 D のまま 2 分間コンテキストスイッチがなく、wchan によればシグナルで終わる待ちではないスレッド",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^INFO: task (?P<entity>.+):\d+ blocked (?:in I/O wait )?for more than \d+ seconds\.`},
		},
	},
	{
		ID: AppCrash, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process was ended by the kernel for a memory or instruction fault of its own.",
			JA: "プロセスがメモリアクセス違反や不正命令を起こし、カーネルに終了させられました。",
		},
		Reads:   "the kernel log: `segfault at`, `traps:` (x86) and `unhandled exception:` (arm64, where debug.exception-trace is on)",
		ReadsJA: "カーネルログの `segfault at`、`traps:`（x86）、`unhandled exception:`（arm64 で debug.exception-trace が有効な場合）",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?P<entity>.+)\[\d+\]: segfault at [0-9a-f]+ ip `},
			{Log: "kernel", Pattern: `^traps: (?P<entity>.+)\[\d+\] .+ ip:[0-9a-f]+ sp:[0-9a-f]+ error:`},
			{Log: "kernel", Pattern: `^(?P<entity>.+)\[\d+\]: unhandled exception: `},
		},
	},
	{
		ID: ApproachingKernelPidMax, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The host has nearly as many threads as its kernel allows; at the limit nothing can start any more.",
			JA: "スレッド数がカーネルの上限に近づいています。上限に達すると、新しいプロセスもスレッドも作れません。",
		},
		Reads:   "/proc/loadavg (all threads there are), against the smaller of kernel.pid_max and kernel.threads-max: 70 %",
		ReadsJA: "/proc/loadavg（すべてのスレッド）を、kernel.pid_max と kernel.threads-max の小さいほうと比較。70 %",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{For: 1 * minute},
	},
	{
		ID: ApproachingMaxOpenFiles, Condition: KernelReady, Severity: Warning, Action: RestartService,
		Entity: "process",
		Means: Words{
			EN: "One of the daemons that a node needs, or the whole host, has nearly as many open files as it may; at the limit no other can be opened.",
			JA: "必須のデーモンのいずれか、またはホスト全体で、開いているファイルの数が上限に近づいています。上限に達すると、新しいファイルもソケットも開けません。",
		},
		Reads:   "/proc/PID/fd and the soft limit in /proc/PID/limits of each process in the daemons' cgroups, and /proc/sys/fs/file-nr: 70 %",
		ReadsJA: "デーモンの cgroup にある各プロセスの /proc/PID/fd と /proc/PID/limits のソフトリミット、および /proc/sys/fs/file-nr。70 %",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{For: 1 * minute},
	},
	{
		ID: CPUPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "The node's own daemons (kubelet, container runtime, system services) spend much of the time waiting for a CPU.",
			JA: "ノード自身のデーモン（kubelet、コンテナランタイム、システムサービス）が、かなりの時間を CPU 待ちで過ごしています。",
		},
		Reads:   "cpu.pressure of the daemons' cgroups, line full: avg60 of 40 % or more. The host's own figure says nothing: on a busy, healthy host some process always waits",
		ReadsJA: "デーモンの cgroup の cpu.pressure の full 行。avg60 が 40 % 以上。ホスト全体の値は読みません。正常でも忙しいホストでは、常にどれかのプロセスが待っているためです",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{For: 1 * minute},
	},
	{
		ID: ClockSkew, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The node's clock and the API server's differ; certificates, tokens and leases are judged by another time than they were made at.",
			JA: "ノードの時計が API サーバーの時計とずれています。証明書、トークン、リースの期限が、発行側と異なる時刻で判定されます。",
		},
		Reads:   "the Date of the answers that the agent gets from the API server anyhow, on connections on which that has proved who it is: no request is made for it. A date is whole seconds, and was written at some time between request and answer: the difference is told with half of the round trip and half a second as its bound, and stands only if all of that is more than 5 s (kernel.clockSkew). Which clock is wrong it does not say. naosu-agent check asks no API server",
		ReadsJA: "エージェントが API サーバーから受け取る応答の Date (正当なサーバーと確認できた接続のものだけ。そのためのリクエストはしません)。日付は秒単位で、リクエストから応答までのどこかで書かれたものなので、差は往復時間の半分と 0.5 秒を誤差として示し、そのすべてが 5 秒 (kernel.clockSkew) を超える場合にだけ成立します。どちらの時計がずれているかはわかりません。naosu-agent check は API サーバーに問い合わせません",
		Needs:   Needs{For: 15 * minute},
		Clears:  Clears{},
	},
	{
		ID: ClockUnsynchronized, Condition: KernelReady, Severity: Warning, Action: None,
		Aliases: []ID{"NTPProblem"},
		Means: Words{
			EN: "Nothing keeps the host's clock right; certificates, tokens, leases and log times will be wrong sooner or later.",
			JA: "時刻を同期するものがありません。いずれ証明書、トークン、リース、ログの時刻に支障が出ます。",
		},
		Reads:   "adjtimex(2), read only: a maximum error of 16 s, at which the kernel itself gives the clock up. The flag STA_UNSYNC is not read: chrony without rtcsync leaves it set on a clock it keeps (systemd#13245)",
		ReadsJA: "adjtimex(2)（読み取りのみ）。最大誤差が、カーネル自身が時計の同期を諦める 16 秒に達していること。STA_UNSYNC は読みません。rtcsync を使わない chrony は、同期している時計でも立てたままにするためです（systemd#13245）",
		Needs:   Needs{For: 15 * minute},
		Clears:  Clears{},
	},
	{
		ID: ConntrackExceededKernel, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The kernel dropped packets of new connections, as its connection tracking table is full.",
			JA: "コネクショントラッキングのテーブルが一杯になり、カーネルが新しい接続のパケットを破棄しました。",
		},
		Reads:   "the kernel log: `nf_conntrack: table full`, of the node's own network namespace",
		ReadsJA: "カーネルログの `nf_conntrack: table full`（ノード自身のネットワーク名前空間のもの）",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^nf_conntrack: (?:nf_conntrack: )?table full, dropping packet`},
		},
	},
	{
		ID: CperHardwareErrorCorrected, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The firmware reports a hardware error that was corrected.",
			JA: "ファームウェアが、訂正済みのハードウェアエラーを報告しています。",
		},
		Reads:   "the kernel log: CPER records of the firmware (APEI GHES and BERT)",
		ReadsJA: "カーネルログにあるファームウェアの CPER レコード（APEI GHES と BERT）",
		Needs:   Needs{Count: 3, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:\{\d+\})?\[Hardware Error\]: event severity: corrected$`},
		},
	},
	{
		ID: CperHardwareErrorFatal, Condition: KernelReady, Severity: Fatal, Action: Replace,
		Means: Words{
			EN: "The firmware reports a fatal hardware error, of now or of the run before this boot.",
			JA: "ファームウェアが、現在または今回の起動前に起きた致命的なハードウェアエラーを報告しています。",
		},
		Reads:   "the kernel log: CPER records of the firmware (APEI GHES and BERT)",
		ReadsJA: "カーネルログにあるファームウェアの CPER レコード（APEI GHES と BERT）",
		Needs:   Needs{Count: 2, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Record, Says: Words{
			EN: "Two records that the kernel itself wrote of what the firmware told it; no process writes one, and a process's name never begins one.",
			JA: "ファームウェアの通知についてカーネル自身が書いた 2 件の記録。プロセスはこの記録を書けず、プロセス名で始まることもありません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:\{\d+\})?\[Hardware Error\]: event severity: fatal$`},
		},
	},
	{
		ID: CperHardwareErrorRecoverable, Condition: KernelReady, Severity: Warning, Action: Replace,
		Means: Words{
			EN: "The firmware reports a hardware error that was not corrected, and that the system lived through.",
			JA: "ファームウェアが、訂正できなかったものの稼働を続けられたハードウェアエラーを報告しています。",
		},
		Reads:   "the kernel log: CPER records of the firmware (APEI GHES and BERT)",
		ReadsJA: "カーネルログにあるファームウェアの CPER レコード（APEI GHES と BERT）",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:\{\d+\})?\[Hardware Error\]: event severity: recoverable$`},
		},
	},
	{
		ID: ExcessiveZombieProcesses, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process does not reap its ended children, each of which keeps a PID.",
			JA: "終了した子プロセスを回収しないプロセスがあり、子プロセスごとに PID が占有され続けています。",
		},
		Reads:   "/proc/*/stat: 20 zombies or more of one parent (name[PID]). A process whose first thread alone has ended is none",
		ReadsJA: "/proc/*/stat。1 つの親（名前[PID]）に 20 個以上のゾンビ。最初のスレッドだけが終了したプロセスは数えません",
		Needs:   Needs{For: 10 * minute},
		Clears:  Clears{},
	},
	{
		ID: FileMaxReached, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The whole host has as many open files as its kernel allows, and only root can open more.",
			JA: "ホスト全体で開いているファイルの数がカーネルの上限に達し、root 以外は新しいファイルもソケットも開けません。",
		},
		Reads:   "the kernel log: `VFS: file-max limit … reached`, which the kernel writes each time that more are open than when it last did",
		ReadsJA: "カーネルログの `VFS: file-max limit … reached`。カーネルは、前回より多く開かれるたびに書きます",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^VFS: file-max limit \d+ reached$`},
		},
	},
	{
		ID: ForkFailedOutOfPIDs, Condition: KernelReady, Severity: Fatal, Action: Reboot,
		Aliases: []ID{"ForkFailedOutOfPID"},
		Entity:  "cgroup",
		Means: Words{
			EN: "The node, all its pods together, or one of the daemons it needs can start no process or thread, as a limit on PIDs is reached.",
			JA: "PID 数の上限に達したため、ノード全体、すべての Pod、または必須のデーモンのいずれかで、プロセスもスレッドも作れなくなっています。",
		},
		Reads:   "a fork by the agent itself, which executes nothing (/ stands for the whole node); pids.max, pids.current and the refusals in pids.events of the cgroups that hold all pods and of those of kubelet and container runtime. The limit of one pod is not the node's, and not read",
		ReadsJA: "エージェント自身による fork（何も実行しません。/ はノード全体）。すべての Pod を含む cgroup と、kubelet とコンテナランタイムの cgroup の pids.max、pids.current、pids.events の拒否回数。Pod 1 つの上限はノードのものではないので読みません",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{For: 1 * minute},
		Rests: Rests{On: State, Says: Words{
			EN: "A fork of the agent's own that the kernel refuses, and the counters of the cgroups of the daemons and of all pods together; one pod at its own limit changes neither.",
			JA: "カーネルに拒否されたエージェント自身の fork と、デーモンおよび全 Pod の cgroup のカウンター。1 つの Pod が自身の上限に達しても、いずれも変わりません。",
		}},
	},
	{
		ID: HardLockup, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Entity: "CPU",
		Means: Words{
			EN: "A CPU took no interrupts for some ten seconds.",
			JA: "CPU が約 10 秒間、割り込みを受け付けませんでした。",
		},
		Reads:   "the kernel log: the hard lockup detector's report, under its name before Linux 6.5 (`NMI watchdog:`) and since (`watchdog:`)",
		ReadsJA: "カーネルログにあるハードロックアップ検出の報告。Linux 6.5 より前の名前（`NMI watchdog:`）と以後の名前（`watchdog:`）",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:NMI )?watchdog: (?:CPU\d+: )?Watchdog detected hard LOCKUP on cpu (?P<entity>\d+)`},
		},
	},
	{
		ID: IOPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "The node's own daemons (kubelet, container runtime, system services) spend most of the time waiting for disks.",
			JA: "ノード自身のデーモン（kubelet、コンテナランタイム、システムサービス）が、ほとんどの時間をディスク待ちで過ごしています。",
		},
		Reads:   "io.pressure of the daemons' cgroups, line full: avg60 of 60 % or more. The host's own figure says nothing: one healthy backup on an idle host brings it near 100 %",
		ReadsJA: "デーモンの cgroup の io.pressure の full 行。avg60 が 60 % 以上。ホスト全体の値は読みません。空いているホストでは、正常なバックアップ 1 つで 100 % 近くになるためです",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{For: 1 * minute},
	},
	{
		ID: KernelBug, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The kernel found a fault in itself.",
			JA: "カーネルが自身の不具合を検出しました。",
		},
		Reads:   "the kernel log: `BUG: …` and `kernel BUG at …`; not a late workqueue, which a busy hypervisor brings about",
		ReadsJA: "カーネルログの `BUG: …` と `kernel BUG at …`。ハイパーバイザーが忙しいだけで起こる workqueue の遅れは除きます",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^BUG: (?:kernel NULL pointer|unable to handle|Bad page (?:state|map|cache) in process |Bad rss-counter state |K(?:ASAN|CSAN|MSAN|FENCE): [a-z -]{4,} in |scheduling while atomic: |sleeping function called |assuming (?:atomic|non migratable) context |non-zero (?:pgtables_bytes|nr_pmds|nr_ptes) on freeing mm|spinlock [A-Za-z ]+ on CPU|(?:[A-Z]+ )?stack guard page was hit |workqueue leaked)`},
			{Log: "kernel", Pattern: `^[kK]ernel BUG at (?:[\w./-]+:\d+!|[\w.]+\+0x[0-9a-f]+/0x[0-9a-f]+)(?: \[.*)?$`},
		},
	},
	{
		ID: KernelDeadlock, Condition: KernelReady, Severity: Fatal, Action: Reboot,
		Entity: "process",
		Means: Words{
			EN: "A daemon without which no pod starts or ends waits in the kernel and cannot be killed.",
			JA: "Pod の起動と終了に欠かせないデーモンがカーネル内で待たされたままになり、強制終了もできません。",
		},
		Reads:   "/proc/PID/task/*: each minute, the threads of kubelet, containerd, CRI-O, dockerd and systemd, by their own cgroups, that are in state D, with no context switch since the look before, and, by wchan, not in a wait that a signal can end (NFS, FUSE). Shims and helpers are left out: they wait for one pod's volume. What the kernel logs of hung tasks is AppBlocked",
		ReadsJA: "/proc/PID/task/*。毎分、kubelet、containerd、CRI-O、dockerd、systemd を cgroup で見分け、状態 D のまま前回からコンテキストスイッチがなく、wchan によればシグナルで終わる待ち（NFS、FUSE）ではないスレッド。shim と補助プロセスは 1 つの Pod のボリュームを待つものなので除きます。カーネルがログに書くハングタスクは AppBlocked です",
		Needs:   Needs{For: 3 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The state, the context switches and the wait (wchan) of the threads in the daemons' own cgroups, where no pod's process is.",
			JA: "Pod のプロセスが入らないデーモン自身の cgroup にあるスレッドの状態、コンテキストスイッチ数、待機箇所（wchan）。",
		}},
	},
	{
		ID: KernelOops, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The kernel stopped what it was doing in the middle and went on without it.",
			JA: "カーネルが処理を途中で打ち切り、そのまま稼働を続けています（oops）。",
		},
		Reads:   "the kernel log: the header of an oops, which numbers it (`[#1]`), in the words of x86 before and since Linux 6.11 and of arm64",
		ReadsJA: "カーネルログにある、番号の付いた oops の見出し（`[#1]`）。x86 の Linux 6.11 より前と以後、および arm64 の表記",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:Oops|Internal error|general protection fault|divide error|invalid opcode|double fault|stack segment|stack guard page|bounds|int3|[a-z #-]+ exception|[a-z ]+ fault|Bad pagetable)[^\[\]]*: [0-9a-f]{4,16} \[#\d+\](?: +[A-Z][\w(){},]*)*$`},
		},
	},
	{
		ID: LargeEnvironment, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process has an environment of very many variables, as from thousands of Services; it starts slowly, and execve refuses what grows further.",
			JA: "環境変数が極端に多いプロセスがあります（数千の Service がある場合など）。起動が遅くなり、さらに増えると execve が失敗します。",
		},
		Reads:   "/proc/*/stat for the size of the environment, and /proc/PID/environ of the largest of each name, where it may be large: more than 1000 variables",
		ReadsJA: "/proc/*/stat の環境変数領域のサイズ。大きい可能性があれば、名前ごとに最大のプロセスの /proc/PID/environ。1000 個を超える環境変数",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: LogLinesLost, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "log",
		Means: Words{
			EN: "Lines of a log were lost before they could be read; reasons that lines tell may have been missed.",
			JA: "ログの行が、読み取る前に失われました。ログから検出する問題を見落とした可能性があります。",
		},
		Reads:   "gaps in the sequence numbers of the kernel's records; what journald says it missed or suppressed; damaged entries of the journal",
		ReadsJA: "カーネルのレコードの連番の欠落、journald が取りこぼしたか抑制したと記録した行、ジャーナルの壊れたエントリ",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
	},
	{
		ID: MachineCheckError, Condition: KernelReady, Severity: Warning, Action: Replace,
		Means: Words{
			EN: "A CPU reports a hardware error, corrected or not.",
			JA: "CPU がハードウェアエラーを報告しています（訂正済みのものも含みます）。",
		},
		Reads:   "the kernel log: machine checks (mce)",
		ReadsJA: "カーネルログのマシンチェック（mce）",
		Needs:   Needs{Count: 3, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^mce: \[Hardware Error\]: CPU \d+: Machine Check`},
			{Log: "kernel", Pattern: `^mce: \[Hardware Error\]: Machine check events logged`},
		},
	},
	{
		ID: MemoryPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "All processes of the host (/), or the node's own daemons, spend much of the time waiting for memory to be freed or read back.",
			JA: "ホスト全体（/）またはノード自身のデーモンが、かなりの時間をメモリの回収や再読み込みの待ちで過ごしています。",
		},
		Reads:   "/proc/pressure/memory and memory.pressure of the daemons' cgroups, line full: avg60 of 20 % or more",
		ReadsJA: "/proc/pressure/memory と、デーモンの cgroup の memory.pressure の full 行。avg60 が 20 % 以上",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{For: 1 * minute},
	},
	{
		ID: MemoryReadError, Condition: KernelReady, Severity: Warning, Action: Replace,
		Entity: "memory controller",
		Means: Words{
			EN: "A memory controller corrects errors again and again.",
			JA: "メモリコントローラーが繰り返しエラーを訂正しています。",
		},
		Reads:   "the kernel log: corrected errors (CE) of the memory controllers' drivers (EDAC)",
		ReadsJA: "カーネルログにある、メモリコントローラーのドライバー（EDAC）の訂正済みエラー（CE）",
		Needs:   Needs{Count: 3, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^EDAC (?P<entity>MC\d+): \d+ CE [^\[]*\bon [^\[]+ \([^\[]*\bpage:0x[0-9a-f]+ offset:0x[0-9a-f]+ `},
		},
	},
	{
		ID: OOMKilling, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "container or process",
		Means: Words{
			EN: "The kernel killed a process, as a container had used up its memory limit or the node its memory.",
			JA: "コンテナのメモリ上限、またはノードのメモリを使い切ったため、カーネルがプロセスを強制終了しました。",
		},
		Reads:   "the kernel log: `Memory cgroup out of memory: Killed process` and `Out of memory: Killed process`; the `oom-kill:` line before it, or `Tasks in … are going to be killed`, for the cgroup of pod and container, and the names in /var/log/containers and /var/log/pods for theirs (namespace/pod/container; without such names UID and ID). What a process calls itself names none",
		ReadsJA: "カーネルログの `Memory cgroup out of memory: Killed process` と `Out of memory: Killed process`。コンテナの cgroup は、その前の `oom-kill:` または `Tasks in … are going to be killed` の行から読みます",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^Memory cgroup out of memory: Killed process \d+ \((?P<entity>.+)\) total-vm:`},
			{Log: "kernel", Pattern: `^Out of memory(?: \(oom_kill_allocating_task\))?: Killed process \d+ \((?P<entity>.+)\) total-vm:`},
		},
	},
	{
		ID: PCIeErrorCorrected, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A PCIe device or its link corrects errors again and again.",
			JA: "PCIe デバイスまたはそのリンクが、繰り返しエラーを訂正しています。",
		},
		Reads:   "the kernel log: PCIe's advanced error reporting (AER), in the words before and since Linux 6.9",
		ReadsJA: "カーネルログにある PCIe の AER (Advanced Error Reporting)。Linux 6.9 より前と以後の表記",
		Needs:   Needs{Count: 10, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^\S+ (?P<entity>[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Correct(?:ed|able), type=`},
		},
	},
	{
		ID: PCIeErrorFatal, Condition: KernelReady, Severity: Warning, Action: Replace,
		Entity: "device",
		Means: Words{
			EN: "A PCIe device or its link reports a fatal error, and is reset or lost.",
			JA: "PCIe デバイスまたはそのリンクが致命的なエラーを報告し、リセットされたか、使えなくなりました。",
		},
		Reads:   "the kernel log: PCIe's advanced error reporting (AER), in the words before and since Linux 6.9",
		ReadsJA: "カーネルログにある PCIe の AER (Advanced Error Reporting)。Linux 6.9 より前と以後の表記",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^\S+ (?P<entity>[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Fatal\), type=`},
		},
	},
	{
		ID: PCIeErrorNonFatal, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A PCIe device lost a transaction to an error that its link lived through.",
			JA: "PCIe デバイスでエラーによりトランザクションが失われましたが、リンクは維持されています。",
		},
		Reads:   "the kernel log: PCIe's advanced error reporting (AER), in the words before and since Linux 6.9",
		ReadsJA: "カーネルログにある PCIe の AER (Advanced Error Reporting)。Linux 6.9 より前と以後の表記",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^\S+ (?P<entity>[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Non-Fatal\), type=`},
		},
	},
	{
		ID: PatternFileRefused, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "file",
		Means: Words{
			EN: "A file of own reasons is wrong, and the agent runs without the reasons in it.",
			JA: "独自の理由のファイルに誤りがあり、エージェントはその理由なしで動作しています。",
		},
		Reads:   "the files named *.patterns.yaml beside the agent's configuration, when the agent starts; `naosu-agent check --config` says the same beforehand",
		ReadsJA: "エージェントの設定と同じディレクトリにある *.patterns.yaml (エージェントの起動時)。事前に `naosu-agent check --config` で同じことを確認できます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: RCUStall, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "A CPU kept the kernel from cleaning up for some twenty seconds or longer.",
			JA: "CPU の停滞により、カーネルの後処理（RCU）が 20 秒ほど、またはそれ以上進みませんでした。",
		},
		Reads:   "the kernel log: `rcu: INFO: … stall`",
		ReadsJA: "カーネルログの `rcu: INFO: … stall`",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^rcu: INFO: \S+ (?:self-)?detected (?:expedited )?stalls? on CPU`},
		},
	},
	{
		ID: RapidCron, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "file",
		Means: Words{
			EN: "A cron job is set to run more often than every five minutes.",
			JA: "5 分間隔より高い頻度で実行される cron ジョブがあります。",
		},
		Reads:   "/etc/crontab, /etc/cron.d and the crontabs of users: the minutes of each job, more than 12 in the hour",
		ReadsJA: "/etc/crontab、/etc/cron.d、ユーザーの crontab。ジョブの分の指定が 1 時間に 12 回を超えるもの",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: SoftLockup, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "CPU",
		Means: Words{
			EN: "A CPU ran one piece of the kernel for twenty seconds and nothing else.",
			JA: "CPU が 20 秒以上カーネル内の処理に占有され、ほかのタスクを実行できませんでした。",
		},
		Reads:   "the kernel log: `watchdog: BUG: soft lockup`",
		ReadsJA: "カーネルログの `watchdog: BUG: soft lockup`",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^watchdog: BUG: soft lockup - CPU#(?P<entity>\d+) stuck for \d+s!`},
		},
	},
	{
		ID: ThermalThrottling, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "CPUs are too hot, and slowed down again and again.",
			JA: "CPU の温度が高すぎるため、繰り返し動作速度が下げられています。",
		},
		Reads:   "core_throttle_count and package_throttle_count in /sys/devices/system/cpu/cpu*/thermal_throttle, every minute: whether any rose. Intel's CPUs have them, virtual ones do not; the kernel's lines (`temperature is above threshold`) say the same, and less often",
		ReadsJA: "/sys/devices/system/cpu/cpu*/thermal_throttle の core_throttle_count と package_throttle_count の増加 (毎分)。Intel の CPU にあり、仮想 CPU にはありません。カーネルログの行 (`temperature is above threshold`) も同じことを示しますが、頻度が低くなります",
		Needs:   Needs{For: 3 * minute},
		Clears:  Clears{For: 10 * minute},
	},
	{
		ID: UncorrectedMemoryError, Condition: KernelReady, Severity: Fatal, Action: Replace,
		Means: Words{
			EN: "Memory lost data that could not be corrected.",
			JA: "メモリで訂正不能なエラーが起き、データが失われました。",
		},
		Reads:   "the kernel log: uncorrected errors (UE) of the memory controllers' drivers (EDAC), and what became of each page that failed; ue_count below /sys/devices/system/edac/mc, and HardwareCorrupted in /proc/meminfo",
		ReadsJA: "カーネルログにある、メモリコントローラーのドライバー（EDAC）の訂正不能エラー（UE）と、障害のあったページの処理結果。/sys/devices/system/edac/mc の ue_count と /proc/meminfo の HardwareCorrupted",
		Needs:   Needs{Count: 3, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Witness, Says: Words{
			EN: "Three records of the kernel, each counted only while a counter says the same: an uncorrected error of a memory controller (ue_count), or memory that the kernel has given up (HardwareCorrupted in /proc/meminfo).",
			JA: "カーネルの 3 件の記録。メモリコントローラーの訂正不能エラー（ue_count）、またはカーネルが使用をやめたメモリ（/proc/meminfo の HardwareCorrupted）のカウンターが同じことを示している間だけ数えます。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^EDAC MC\d+: \d+ UE [^\[]*\bon [^\[]+ \([^\[]*\bpage:0x[0-9a-f]+ offset:0x[0-9a-f]+ `},
			{Log: "kernel", Pattern: `^Memory failure: 0x[0-9a-f]+: recovery action for `},
		},
	},
	{
		ID: UnregisterNetDevice, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Aliases: []ID{"FrequentUnregisterNetDevice"},
		Entity:  "interface",
		Means: Words{
			EN: "The kernel cannot let go of a network interface, in most cases that of a pod that ended; later pods may hang.",
			JA: "カーネルがネットワークインターフェイスを解放できません。多くは終了した Pod のもので、以後の Pod の起動が止まるおそれがあります。",
		},
		Reads:   "the kernel log: `unregister_netdevice: waiting for …`",
		ReadsJA: "カーネルログの `unregister_netdevice: waiting for …`",
		Needs:   Needs{Count: 3, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^unregister_netdevice: waiting for (?P<entity>\S+) to become free\. Usage count = -?\d+`},
		},
	},
	{
		ID: ZramHighUsage, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A compressed memory device (zram) takes much of the host's memory.",
			JA: "圧縮メモリデバイス（zram）がホストのメモリを大きく占有しています。",
		},
		Reads:   "mem_used_total in /sys/block/zram*/mm_stat, against MemTotal of /proc/meminfo: 10 %",
		ReadsJA: "/sys/block/zram*/mm_stat の mem_used_total を /proc/meminfo の MemTotal と比較。10 %",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{},
	},
	{
		ID: APIServerUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "url",
		Means: Words{
			EN: "The API server does not answer this node.",
			JA: "API サーバーがこのノードに応答しません。",
		},
		Reads:   "GET /livez of the API server that the agent reports to: any answer below 500 will do",
		ReadsJA: "エージェントの報告先の API サーバーへの GET /livez。500 未満の応答なら正常とします",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: BandwidthInExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets were queued or dropped because inbound traffic exceeded the bandwidth of the instance.",
			JA: "インスタンスの受信帯域の上限を超えたため、パケットが待機または破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter bw_in_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター bw_in_allowance_exceeded（毎分）",
		Needs:   Needs{Count: 3, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
	},
	{
		ID: BandwidthOutExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets were queued or dropped because outbound traffic exceeded the bandwidth of the instance.",
			JA: "インスタンスの送信帯域の上限を超えたため、パケットが待機または破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter bw_out_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター bw_out_allowance_exceeded（毎分）",
		Needs:   Needs{Count: 3, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
	},
	{
		ID: ClusterDNSUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "nameserver",
		Means: Words{
			EN: "The cluster's DNS does not answer this node.",
			JA: "クラスターの DNS がこのノードに応答しません。",
		},
		Reads:   "every 30 s, a question over UDP for kubernetes.default.svc.DOMAIN to each address of the running kubelet's clusterDNS (its configuration file, drop-in folder and flags; or network.clusterDNS), and to the addresses of the link nodelocaldns where NodeLocal DNSCache runs: any answer but SERVFAIL will do, that there is no such name too; one that is cut short is asked for over TCP. Not applicable where no kubelet runs, unless network.clusterDNS names one",
		ReadsJA: "30 秒ごとに、動作中の kubelet の clusterDNS (設定ファイル、ドロップイン、フラグ、または network.clusterDNS) の各アドレスと、NodeLocal DNSCache が動く場合は nodelocaldns リンクのアドレスへ、kubernetes.default.svc.DOMAIN を UDP で問い合わせます。SERVFAIL 以外の応答 (名前がないという応答も含む) なら正常とし、切り詰められた応答は TCP で再度問い合わせます。kubelet が動いておらず、network.clusterDNS の指定もない場合は対象外です",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{},
	},
	{
		ID: ConntrackExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "New connections were dropped because the instance tracks no more of them.",
			JA: "インスタンスが追跡できるコネクション数の上限を超えたため、新しい接続のパケットが破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter conntrack_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター conntrack_allowance_exceeded（毎分）",
		Needs:   Needs{Count: 3, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
	},
	{
		ID: ConntrackFull, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The kernel's table of connections is nearly full; packets of new connections are dropped once it is.",
			JA: "カーネルのコネクション追跡テーブルがほぼ満杯です。満杯になると新しい接続のパケットが破棄されます。",
		},
		Reads:   "/proc/sys/net/netfilter/nf_conntrack_count and nf_conntrack_max",
		ReadsJA: "/proc/sys/net/netfilter/nf_conntrack_count と nf_conntrack_max",
		Needs:   Needs{For: 30 * second},
		Clears:  Clears{For: 30 * second},
	},
	{
		ID: DNSUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "nameserver",
		Means: Words{
			EN: "A name server of the host does not answer.",
			JA: "ホストが使うネームサーバーが応答しません。",
		},
		Reads:   "a question over UDP to each nameserver of /etc/resolv.conf: any answer but SERVFAIL will do",
		ReadsJA: "/etc/resolv.conf の各 nameserver への UDP での問い合わせ。SERVFAIL 以外の応答なら正常とします",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: EFAErrorMetric, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "port",
		Means: Words{
			EN: "The errors that an Elastic Fabric Adapter counts rise quickly.",
			JA: "Elastic Fabric Adapter（EFA）のエラーカウンターが急増しています。",
		},
		Reads:   "/sys/class/infiniband/*/ports/*/hw_counters of Amazon's adapters, each minute",
		ReadsJA: "Amazon のアダプターの /sys/class/infiniband/*/ports/*/hw_counters（毎分）",
		Needs:   Needs{Count: 2, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
	},
	{
		ID: IPAMDInconsistentState, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "The Amazon VPC CNI's daemon notes another address for a pod than the pod has, or one for a pod that is gone.",
			JA: "Amazon VPC CNI のデーモンの記録が、Pod の実際の IP アドレスと一致しないか、すでに存在しない Pod のものです。",
		},
		Reads:   "ipamd's checkpoint (/var/run/aws-node/ipam.json) against the container runtime (CRI PodSandboxStatus)",
		ReadsJA: "ipamd のチェックポイント（/var/run/aws-node/ipam.json）とコンテナランタイム（CRI PodSandboxStatus）の比較",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{},
	},
	{
		ID: IPAMDNoIPs, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The Amazon VPC CNI gets no more addresses, as the subnet has none left.",
			JA: "サブネットに空きがなく、Amazon VPC CNI が IP アドレスを取得できません。",
		},
		Reads:   "/var/log/aws-routed-eni/ipamd.log",
		ReadsJA: "/var/log/aws-routed-eni/ipamd.log",
		Needs:   Needs{Count: 4, Within: 15 * minute},
		Clears:  Clears{Quiet: 15 * minute},
		Matches: []Match{
			{Log: "/var/log/aws-routed-eni/ipamd.log", Pattern: `^\{"level":"[a-z]+","ts":"[^"]*",(?:"logger":"[^"]*",)?"caller":"[^"]*","msg":"(?:[^"\\]|\\.)*(?:InsufficientFreeAddressesInSubnet|InsufficientCidrBlocks)`},
		},
	},
	{
		ID: IPAMDNotReady, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"IPAMNotReady"},
		Means: Words{
			EN: "The Amazon VPC CNI's daemon (ipamd) does not answer, so pods that start get no address.",
			JA: "Amazon VPC CNI のデーモン（ipamd）が応答しません。新しい Pod に IP アドレスが割り当てられません。",
		},
		Reads:   "http://127.0.0.1:61679/v1/enis and, where that is switched off, its gRPC socket; the last error of ipamd.log says why. Only where a pod of aws-node, or on EKS Auto Mode ipamd.service, is on the host",
		ReadsJA: "http://127.0.0.1:61679/v1/enis。無効な場合は gRPC のソケット。原因は ipamd.log の最後のエラーで示します。aws-node の Pod、または EKS Auto Mode の ipamd.service があるホストだけが対象です",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "What the daemon itself answers, where a pod of aws-node in kube-system, or systemd's service, is on the host.",
			JA: "kube-system の aws-node の Pod、または systemd のサービスがホストにある場合の、デーモン自身の応答。",
		}},
	},
	{
		ID: IPAMDNotRunning, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"IPAMNotRunning"},
		Means: Words{
			EN: "A pod of the Amazon VPC CNI is on the node, but the process of its daemon (aws-k8s-agent) is not.",
			JA: "Amazon VPC CNI の Pod がノードにありますが、デーモンのプロセス（aws-k8s-agent）が動作していません。",
		},
		Reads:   "/proc/*/stat, where a pod of aws-node is on the host (/var/log/pods); on EKS Auto Mode systemd's ipamd.service over D-Bus",
		ReadsJA: "/proc/*/stat（aws-node の Pod があるホスト。/var/log/pods で判断）。EKS Auto Mode では D-Bus 経由の systemd の ipamd.service",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The processes that the kernel lists, where a pod of aws-node in kube-system is on the host, or systemd's word about its service. A process of the same name can hide the fault, never make it.",
			JA: "kube-system の aws-node の Pod がホストにある場合はカーネルのプロセス一覧、それ以外は systemd によるサービスの状態。同名のプロセスは障害を隠せますが、作り出すことはできません。",
		}},
	},
	{
		ID: IPAMDRepeatedlyRestart, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The Amazon VPC CNI's daemon starts again and again.",
			JA: "Amazon VPC CNI のデーモンが再起動を繰り返しています。",
		},
		Reads:   "/proc/*/stat: the process aws-k8s-agent is another than at the look before; on EKS Auto Mode systemd's NRestarts",
		ReadsJA: "/proc/*/stat。aws-k8s-agent のプロセスが前回と異なること。EKS Auto Mode では systemd の NRestarts",
		Needs:   Needs{Count: 5, Within: 30 * minute},
		Clears:  Clears{Quiet: 30 * minute},
	},
	{
		ID: InstanceMetadataUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The cloud's instance metadata service answered this node before and no longer does; credentials and addresses from there cannot be renewed.",
			JA: "クラウドのインスタンスメタデータサービスが、以前は応答していましたが、応答しなくなりました。そこから取得する認証情報やアドレスを更新できません。",
		},
		Reads:   "http://169.254.169.254, every minute, on machines that are EC2's, Compute Engine's or Azure's by their DMI: for a session's token (IMDSv2), the instance's ID, the versions. Any answer below 500 will do, that it is switched off too. Unknown while it has not answered since the boot: it may be kept from the node by design",
		ReadsJA: "http://169.254.169.254 (毎分。DMI から EC2、Compute Engine、Azure と判断したマシン)。セッションのトークン (IMDSv2)、インスタンスの ID、バージョンを要求します。500 未満の応答 (無効化されているという応答も含む) なら正常とします。起動後に一度も応答していない間は、意図的に遮断されている可能性があるので不明です",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{},
	},
	{
		ID: InterfaceNotRunning, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Entity: "interface",
		Means: Words{
			EN: "A network interface of the node is up but has lost its carrier.",
			JA: "ノードのネットワークインターフェイスは有効ですが、リンク（キャリア）を失っています。",
		},
		Reads:   "netlink RTM_GETLINK: the flag IFF_RUNNING of each link whose name the configuration's pattern takes and that ever had a carrier; news of links at once",
		ReadsJA: "netlink RTM_GETLINK。設定のパターンに名前が一致し、キャリアを得たことのある各リンクの IFF_RUNNING フラグ。リンクの変化はただちに調べます",
		Needs:   Needs{For: 15 * second},
		Clears:  Clears{For: 10 * second},
		Rests: Rests{On: State, Says: Words{
			EN: "The kernel's own answer about links of the host's network namespace.",
			JA: "ホストのネットワーク名前空間のリンクについての、カーネル自身の応答。",
		}},
	},
	{
		ID: InterfaceNotUp, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Entity: "interface",
		Means: Words{
			EN: "A network interface of the node is administratively down.",
			JA: "ノードのネットワークインターフェイスが管理上ダウンしています。",
		},
		Reads:   "netlink RTM_GETLINK: the flag IFF_UP of the loopback and of each link whose name the configuration's pattern takes and that ever had a carrier; news of links at once",
		ReadsJA: "netlink RTM_GETLINK。ループバックと、設定のパターンに名前が一致し、キャリアを得たことのある各リンクの IFF_UP フラグ。リンクの変化はただちに調べます",
		Needs:   Needs{For: 10 * second},
		Clears:  Clears{For: 10 * second},
		Rests: Rests{On: State, Says: Words{
			EN: "The kernel's own answer about links of the host's network namespace.",
			JA: "ホストのネットワーク名前空間のリンクについての、カーネル自身の応答。",
		}},
	},
	{
		ID: KubeProxyNotReady, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "kube-proxy does not answer, or has not been able to update the rules of Services.",
			JA: "kube-proxy が応答しないか、Service のルールを更新できていません。",
		},
		Reads:   "http://127.0.0.1:10256/livez, where a process or a pod of kube-proxy is on the host",
		ReadsJA: "http://127.0.0.1:10256/livez（kube-proxy のプロセスまたは Pod があるホスト）",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{},
	},
	{
		ID: LinkLocalExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets to local services of the cloud (DNS, metadata, time) were dropped because there were too many a second.",
			JA: "クラウドのローカルサービス（DNS・メタデータ・時刻）宛のパケットが、毎秒の上限を超えたため破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter linklocal_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター linklocal_allowance_exceeded（毎分）",
		Needs:   Needs{Count: 3, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
	},
	{
		ID: MACAddressPolicyMisconfigured, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "file",
		Means: Words{
			EN: "udev gives the links of pods other MAC addresses than the Amazon VPC CNI told the pods, which then reach nothing.",
			JA: "udev が Pod のリンクの MAC アドレスを変更するため、Amazon VPC CNI が設定した値と食い違い、Pod が通信できません。",
		},
		Reads:   "the .link file, with drop-ins, by which udev set up the VPC CNI's links (/run/udev/data): MACAddressPolicy must be none",
		ReadsJA: "udev が VPC CNI のリンクの設定に使った .link ファイルとドロップイン（/run/udev/data）。MACAddressPolicy は none でなければなりません",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: MellanoxFirmwareNotResponding, Condition: NetworkingReady, Severity: Warning, Action: Replace,
		Entity: "PCI address",
		Means: Words{
			EN: "The firmware of a ConnectX network card does not answer its driver.",
			JA: "ConnectX のネットワークカードのファームウェアが、ドライバーに応答しません。",
		},
		Reads:   "the kernel log: mlx5_core's `timeout. Will cause a leak of a command resource` and `device's health compromised - reached miss count`. Commands that the firmware answers with an error (ACCESS_REG) are left out: on some systems it is enough to read the counters",
		ReadsJA: "カーネルログにある mlx5_core の `timeout. Will cause a leak of a command resource` と `device's health compromised - reached miss count`。ファームウェアがエラーを返したコマンド (ACCESS_REG) は、カウンターを読むだけで出力されるシステムがあるため除きます",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): \w+:\d+:\(pid \d+\): (?:cmd\[\d+\]: )?\w+\(0x[0-9a-f]+\) (?:Async, )?timeout\. Will cause a leak of a command resource$`},
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:poll_health:\d+:\(pid \d+\): )?device's health compromised - reached miss count$`},
		},
	},
	{
		ID: MellanoxHighTemperature, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "PCI address",
		Means: Words{
			EN: "A ConnectX network card, or a module in it, is too hot.",
			JA: "ConnectX のネットワークカード、または装着されたモジュールが高温になっています。",
		},
		Reads:   "the kernel log: what the driver mlx5_core says of its sensors and modules",
		ReadsJA: "カーネルログにある、センサーとモジュールについての mlx5_core ドライバーの行",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): temp_warn:\d+:\(pid \d+\): High temperature on sensors with bit set `},
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:\w+:\d+:\(pid \d+\): )?Port module event\[error\]: module \d+, Cable error, High Temperature`},
		},
	},
	{
		ID: MellanoxInsufficientPower, Condition: NetworkingReady, Severity: Warning, Action: Replace,
		Entity: "PCI address",
		Means: Words{
			EN: "A ConnectX network card, or a module in it, does not get the power that it needs.",
			JA: "ConnectX のネットワークカード、または装着されたモジュールに必要な電力が供給されていません。",
		},
		Reads:   "the kernel log: what the driver mlx5_core says of its slot and modules",
		ReadsJA: "カーネルログにある、スロットとモジュールについての mlx5_core ドライバーの行",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): mlx5_pcie_event:\d+:\(pid \d+\): Detected insufficient power on the PCIe slot \(\d+W\)`},
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:\w+:\d+:\(pid \d+\): )?Port module event\[error\]: module \d+, Cable error, Power budget exceeded`},
		},
	},
	{
		ID: MissingDefaultRoutes, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "table",
		Means: Words{
			EN: "A routing table that needs one has no default route.",
			JA: "必要なルーティングテーブルにデフォルトルートがありません。",
		},
		Reads:   "netlink RTM_GETROUTE: the main table, and the tables in which the rules of pods' addresses look",
		ReadsJA: "netlink RTM_GETROUTE。メインテーブルと、Pod の IP アドレスのルールが参照するテーブル",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: MissingIPRoutes, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "address",
		Means: Words{
			EN: "A pod's address has no route on its node.",
			JA: "Pod の IP アドレスへのルートがノードにありません。",
		},
		Reads:   "netlink RTM_GETROUTE: the main table, against the addresses that ipamd gave to pods (127.0.0.1:61679/v1/enis)",
		ReadsJA: "netlink RTM_GETROUTE。メインテーブルと、ipamd が Pod に割り当てた IP アドレス（127.0.0.1:61679/v1/enis）の比較",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: MissingIPRules, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "address",
		Means: Words{
			EN: "A pod's address lacks a routing rule on its node.",
			JA: "Pod の IP アドレスに必要なルーティングルールがノードにありません。",
		},
		Reads:   "netlink RTM_GETRULE, against the addresses that ipamd gave to pods (127.0.0.1:61679/v1/enis): one to each, and one from each on a secondary card",
		ReadsJA: "netlink RTM_GETRULE と、ipamd が Pod に割り当てた IP アドレス（127.0.0.1:61679/v1/enis）の比較。各アドレス宛てに 1 つ、セカンダリの ENI 上のアドレスからは 1 つずつ",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: MissingLoopbackInterface, Condition: NetworkingReady, Severity: Fatal, Action: Reboot,
		Means: Words{
			EN: "The host has no loopback interface named lo, so nothing on it can reach 127.0.0.1.",
			JA: "ホストに lo という名前のループバックインターフェイスがなく、127.0.0.1 への通信ができません。",
		},
		Reads:   "netlink RTM_GETLINK: a link with the flag IFF_LOOPBACK named lo",
		ReadsJA: "netlink RTM_GETLINK。IFF_LOOPBACK フラグを持つ lo という名前のリンク",
		Needs:   Needs{For: 10 * second},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The kernel's own answer about links of the host's network namespace.",
			JA: "ホストのネットワーク名前空間のリンクについての、カーネル自身の応答。",
		}},
	},
	{
		ID: NPABPFRecoveryError, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The Amazon VPC CNI's network policy agent could not take over what it had loaded into the kernel before it restarted.",
			JA: "Amazon VPC CNI のネットワークポリシーエージェントが、再起動前にカーネルへロードした BPF の状態を復元できませんでした。",
		},
		Reads:   "/var/log/aws-routed-eni/network-policy-agent.log",
		ReadsJA: "/var/log/aws-routed-eni/network-policy-agent.log",
		Needs:   Needs{Count: 2, Within: 30 * minute},
		Clears:  Clears{Quiet: 30 * minute},
		Matches: []Match{
			{Log: "/var/log/aws-routed-eni/network-policy-agent.log", Pattern: `^\{"level":"[a-z]+","ts":"[^"]*",(?:"logger":"[^"]*",)?"caller":"[^"]*","msg":"(?:Failed to recover the BPF state|BPF State Recovery failed|failed to recover global maps|got err for (?:cluster policy )?(?:ingress|egress) in-mem map)`},
		},
	},
	{
		ID: NPANotRunning, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Means: Words{
			EN: "The Amazon VPC CNI's network policy agent should run on the node, and does not.",
			JA: "Amazon VPC CNI のネットワークポリシーエージェントがノードで動作していません。",
		},
		Reads:   "/proc/*/stat and cmdline, where the container aws-eks-nodeagent is on the host (/var/log/pods); on EKS Auto Mode systemd's aws-network-policy-agent.service over D-Bus",
		ReadsJA: "/proc/*/stat と cmdline（aws-eks-nodeagent のコンテナがあるホスト。/var/log/pods で判断）。EKS Auto Mode では D-Bus 経由の systemd の aws-network-policy-agent.service",
		Needs:   Needs{For: 15 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The processes that the kernel lists, where a pod of aws-node in kube-system has the container, or systemd's word about its service. A process of the same name can hide the fault, never make it.",
			JA: "kube-system の aws-node の Pod にそのコンテナがある場合はカーネルのプロセス一覧、それ以外は systemd によるサービスの状態。同名のプロセスは障害を隠せますが、作り出すことはできません。",
		}},
	},
	{
		ID: NPARepeatedlyRestart, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The Amazon VPC CNI's network policy agent starts again and again.",
			JA: "Amazon VPC CNI のネットワークポリシーエージェントが再起動を繰り返しています。",
		},
		Reads:   "/proc/*/stat: its process is another than at the look before; on EKS Auto Mode systemd's NRestarts",
		ReadsJA: "/proc/*/stat。プロセスが前回と異なること。EKS Auto Mode では systemd の NRestarts",
		Needs:   Needs{Count: 5, Within: 30 * minute},
		Clears:  Clears{Quiet: 30 * minute},
	},
	{
		ID: NeighborTableOverflow, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "table",
		Means: Words{
			EN: "The kernel knows more neighbors (ARP, IPv6 ND) than its table holds, and drops packets to others.",
			JA: "カーネルの近隣テーブル（ARP、IPv6 ND）が満杯で、テーブルに載っていない宛先へのパケットが破棄されています。",
		},
		Reads:   "the kernel log: `neighbor table overflow!`; arp_cache is IPv4's table, ndisc_cache IPv6's, and each is the whole host's, pods' network namespaces included (net.ipv4.neigh.default.gc_thresh3)",
		ReadsJA: "カーネルログの `neighbor table overflow!`。arp_cache は IPv4、ndisc_cache は IPv6 のテーブルで、どちらも Pod のネットワーク名前空間を含むホスト全体のものです (net.ipv4.neigh.default.gc_thresh3)",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^neighbour: (?P<entity>\w+): neighbor table overflow!$`},
		},
	},
	{
		ID: NetworkSysctl, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "sysctl",
		Means: Words{
			EN: "A sysctl has a value with which the node's pods cannot be reached.",
			JA: "カーネルパラメーター（sysctl）の値が、Pod への通信を妨げるものになっています。",
		},
		Reads:   "/proc/sys: the configured sysctls (net.ipv4.ip_forward must be 1), on hosts where a CNI is configured",
		ReadsJA: "/proc/sys。CNI が設定されたホストで、設定された sysctl（net.ipv4.ip_forward は 1 でなければなりません）",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: PPSExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets were queued or dropped because there were more a second than the instance may have.",
			JA: "インスタンスの毎秒パケット数（PPS）の上限を超えたため、パケットが待機または破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter pps_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター pps_allowance_exceeded（毎分）",
		Needs:   Needs{Count: 3, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
	},
	{
		ID: PortConflict, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "port",
		Means: Words{
			EN: "A rule of the packet filter redirects a port of the node's own, so that what listens there is not reached.",
			JA: "パケットフィルターのルールがノード自身のポートを転送しており、そのポートで待ち受けるプロセスに届きません。",
		},
		Reads:   "nftables over netlink and the legacy iptables interface: DNAT, REDIRECT and TPROXY rules for the configured ports (10250, the kubelet's), named one by one, by ranges, sets, maps or what is excepted, and through chains that they are sent to; none for an address that is not the node's",
		ReadsJA: "netlink 経由の nftables と従来の iptables のインターフェイス。設定されたポート（kubelet の 10250）に対する DNAT、REDIRECT、TPROXY のルール。ポートが 1 つずつ、範囲、set、map、除外のどれで指定されていても、別のチェイン経由でも検出します。ノードのものではないアドレス宛てのルールは除きます",
		Needs:   Needs{For: 90 * second},
		Clears:  Clears{},
	},
	{
		ID: TCPOutOfMemory, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "TCP has used up the memory that the host grants it; connections stall or are ended.",
			JA: "TCP に割り当てられたメモリを使い切ったため、接続が滞るか切断されています。",
		},
		Reads:   "the kernel log: `TCP: out of memory`; the limit is the whole host's (net.ipv4.tcp_mem)",
		ReadsJA: "カーネルログの `TCP: out of memory`。上限はホスト全体のものです (net.ipv4.tcp_mem)",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^TCP: out of memory -- consider tuning tcp_mem$`},
		},
	},
	{
		ID: TransmitTimeout, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "A network interface did not send what it was given for seconds, and its driver resets it.",
			JA: "ネットワークインターフェイスが数秒間送信できず、ドライバーがリセットしました。",
		},
		Reads:   "the kernel log: `NETDEV WATCHDOG`, in the words before and since Linux 6.7, and the ENA driver's own for transmissions that were not completed. Before Linux 6.4 the kernel writes the former once a boot",
		ReadsJA: "カーネルログの `NETDEV WATCHDOG` (Linux 6.7 より前と以後の表記) と、完了しなかった送信についての ENA ドライバーの行。Linux 6.4 より前のカーネルは、前者を起動ごとに 1 回だけ書きます",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NETDEV WATCHDOG: (?P<entity>\S+) \([^)]*\): transmit queue \d+ timed out`},
			{Log: "kernel", Pattern: `^\S+ \S*[^\s:] (?P<entity>[^\s:]+)(?: \(\w+\))?: NETDEV WATCHDOG: CPU: \d+: transmit queue \d+ timed out`},
			{Log: "kernel", Pattern: `^ena \S+ (?P<entity>\S+): (?:Transmit time out|TX q -?\d+ is paused for too long |(?:The number of lost tx completions is|Lost TX completions are) above the threshold|Potential MSIX issue on Tx side )`},
		},
	},
	{
		ID: UnexpectedRejectRule, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "chain",
		Means: Words{
			EN: "A rule or a chain's policy of the packet filter that no known component makes drops or rejects packets.",
			JA: "既知のコンポーネントが作成したものではないパケットフィルターのルール、またはチェインのポリシーが、パケットを破棄または拒否しています。",
		},
		Reads:   "nftables over netlink and the legacy iptables interface: DROP and REJECT rules and verdict maps outside the chains of known software (kube-proxy, CNIs, container engines) and of the configuration; policies DROP, unless a rule may accept new TCP connections to the configured ports (hook input), or any (others); none of IPv6 alone, which nodes of IPv4 clusters close",
		ReadsJA: "netlink 経由の nftables と従来の iptables のインターフェイス。既知のソフトウェア（kube-proxy、CNI、コンテナエンジン）と設定で指定されたチェイン以外の DROP・REJECT のルールと verdict map。ポリシーの DROP は、設定されたポートへの新しい TCP 接続（input フック）またはどの接続（ほかのフック）も許可するルールがない場合だけ。IPv4 のクラスターのノードでは IPv6 を閉じることが多いので、IPv6 だけのポリシーは除きます",
		Needs:   Needs{For: 90 * second},
		Clears:  Clears{},
	},
	{
		ID: BlockDeviceAccessBeyondEnd, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A block device is smaller than the filesystem or the partition on it, and the kernel refuses what lies beyond its end.",
			JA: "ブロックデバイスがその上のファイルシステムやパーティションより小さく、終端を越える読み書きをカーネルが拒否しています。",
		},
		Reads:   "the kernel log: the block layer's `attempt to access beyond end of device`. Not of devices of size 0, which have just been removed",
		ReadsJA: "カーネルログにあるブロック層の `attempt to access beyond end of device`。取り外された直後でサイズが 0 のデバイスは除きます",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:(?s:.{1,15}): )?attempt to access beyond end of device\n(?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*): rw=\d+, (?:want=\d+, |sector=\d+, nr_sectors = \d+ )limit=[1-9]\d*$`},
		},
	},
	{
		ID: BlockDeviceIOError, Condition: StorageReady, Severity: Warning, Action: None,
		Aliases: []ID{"IOError"},
		Entity:  "device",
		Means: Words{
			EN: "The kernel could not read from or write to a block device.",
			JA: "カーネルがブロックデバイスの読み書きに失敗しました。",
		},
		Reads:   "the kernel log: the block layer's and the buffer cache's words for it, from Linux 3 to 6; not floppies and CD drives, which fail when empty",
		ReadsJA: "カーネルログにあるブロック層とバッファキャッシュのエラー（Linux 3 から 6 の表記）。空のときに失敗するフロッピーと CD ドライブは除きます",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:end_request: |print_req_error: |blk_update_request: )?(?:I/O|critical target|timeout) error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
			{Log: "kernel", Pattern: `^Buffer I/O error on dev(?:ice)? (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), logical block `},
		},
	},
	{
		ID: BlockDeviceOffline, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "The kernel has given up a block device that no longer answered.",
			JA: "応答しなくなったブロックデバイスを、カーネルがオフラインにしました。",
		},
		Reads:   "the kernel log: SCSI's words for it, and the block layer's `device offline error` (Linux 5.18 and newer)",
		ReadsJA: "カーネルログにある SCSI の行と、ブロック層の `device offline error` (Linux 5.18 以降)",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?device offline error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
			{Log: "kernel", Pattern: `^(?:sd|scsi) (?P<entity>\d+:\d+:\d+:\d+): (?:\[\w+\] )?(?:rejecting I/O to offline device|Device offlined - not ready after error recovery)`},
		},
	},
	{
		ID: BlockDeviceProtectionError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "What a block device gave or took does not match its checksum.",
			JA: "ブロックデバイスとの間で読み書きしたデータが、チェックサムと一致しません。",
		},
		Reads:   "the kernel log: the block layer's `protection error` (T10 DIF/DIX, NVMe end-to-end protection)",
		ReadsJA: "カーネルログにあるブロック層の `protection error` (T10 DIF/DIX、NVMe のエンドツーエンド保護)",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?protection error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
		},
	},
	{
		ID: BlockDeviceSpaceExhausted, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A block device took a write for which what lies behind it has no space.",
			JA: "ブロックデバイスの実体（シンプロビジョニング等）に空きがなく、書き込みに失敗しました。",
		},
		Reads:   "the kernel log: the block layer's `critical space allocation error`: a thin volume whose pool is full, or a loop device on a full filesystem",
		ReadsJA: "カーネルログにあるブロック層の `critical space allocation error`。プールが満杯のシンボリューム、または満杯のファイルシステム上のループデバイス",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?critical space allocation error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
		},
	},
	{
		ID: BlockDeviceTransportError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "The path to a block device is broken (a cable, a fabric, or a target that is away).",
			JA: "ブロックデバイスへの経路（ケーブル、ファブリック、ターゲット）が切れています。",
		},
		Reads:   "the kernel log: the block layer's `recoverable transport error`, and NVMe's `no available path`",
		ReadsJA: "カーネルログにあるブロック層の `recoverable transport error` と、NVMe の `no available path`",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?recoverable transport error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
			{Log: "kernel", Pattern: `^block (?P<entity>nvme\w+): no available path - failing I/O$`},
		},
	},
	{
		ID: BtrfsError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A btrfs filesystem has found itself damaged, or could not reach its disk.",
			JA: "btrfs ファイルシステムが自身の破損またはディスクへのアクセス失敗を検出しました。",
		},
		Reads:   "the kernel log: btrfs's words for it, and not what it tells of earlier errors at a mount",
		ReadsJA: "カーネルログにある btrfs のエラー。マウント時に示される過去のエラーは除きます",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^BTRFS: error \(device (?P<entity>[^ :)]+)(?::? state \w+)?\) in \w+:\d+: errno=`},
			{Log: "kernel", Pattern: `^BTRFS (?:critical|error|warning) \(device (?P<entity>[^ :)]+)(?::? state \w+)?\): (?:bdev .+ errs: wr |(?:\S+ )?checksum verify failed |csum failed |parent transid verify failed |bad tree block |corrupt (?:leaf|node): |block=\d+ (?:read|write) time tree block corruption detected|unable to fixup )`},
		},
	},
	{
		ID: DiskBadBlock, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A disk has a sector that it cannot read or write.",
			JA: "ディスクに読み書きできないセクターがあります。",
		},
		Reads:   "the kernel log: the block layer's `critical medium error`",
		ReadsJA: "カーネルログにあるブロック層の `critical medium error`",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:end_request: |print_req_error: |blk_update_request: )?critical medium error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
		},
	},
	{
		ID: DiskProbeFailed, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Entity: "mount point",
		Means: Words{
			EN: "A disk of the node does not take a small write and give it back, or does not answer at all.",
			JA: "ノードのディスクが小さな書き込みを受け付けないか、書いた内容を返さないか、まったく応答しません。",
		},
		Reads:   "a write, fsync and read of 4 KiB in one of the node's folders on each disk (kubelet's, containerd's, /var/lib, /var/log, /); the file has no name (O_TMPFILE), and no answer for 10 s is a failure",
		ReadsJA: "各ディスク上にあるノードのディレクトリ（kubelet、containerd、/var/lib、/var/log、/）の 1 つでの 4 KiB の書き込み、fsync、読み出し。ファイルに名前はなく（O_TMPFILE）、10 秒応答がなければ失敗とします",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{For: 1 * minute},
		Rests: Rests{On: State, Says: Words{
			EN: "A write and a read of the agent's own.",
			JA: "エージェント自身の書き込みと読み出し。",
		}},
	},
	{
		ID: EBSInstanceIOPSExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "The instance has wanted more EBS operations a second than its type allows.",
			JA: "インスタンスタイプの上限を超える EBS の IOPS が要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): for how long it was held back",
		ReadsJA: "EBS ボリュームの NVMe ログページ（0xD0）の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EBSInstanceThroughputExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "The instance has wanted more EBS throughput than its type allows.",
			JA: "インスタンスタイプの上限を超える EBS のスループットが要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): for how long it was held back",
		ReadsJA: "EBS ボリュームの NVMe ログページ（0xD0）の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EBSVolumeIOPSExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "More operations a second have been wanted of an EBS volume than it may do.",
			JA: "EBS ボリュームの上限を超える IOPS が要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): for how long it was held back",
		ReadsJA: "EBS ボリュームの NVMe ログページ（0xD0）の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EBSVolumeThroughputExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "More throughput has been wanted of an EBS volume than it may have.",
			JA: "EBS ボリュームの上限を超えるスループットが要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): for how long it was held back",
		ReadsJA: "EBS ボリュームの NVMe ログページ（0xD0）の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EtcHostsMountFailed, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "A container could not start because the pod's /etc/hosts could not be mounted in it.",
			JA: "Pod の /etc/hosts をマウントできず、コンテナを起動できませんでした。",
		},
		Reads:   "the kubelet's log: what runc says of the mount; the entity is the pod's UID",
		ReadsJA: "kubelet のログにある、マウントについての runc のエラー。対象は Pod の UID です",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="\[?failed to \\"StartContainer\\" .*mounting \W*\S*/pods/(?P<entity>[0-9a-f-]{36})/etc-hosts\W+to rootfs\b.* at \W*etc/hosts`},
		},
	},
	{
		ID: Ext4Error, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "An ext4 filesystem has found itself damaged, or could not reach its disk.",
			JA: "ext4 ファイルシステムが自身の破損またはディスクへのアクセス失敗を検出しました。",
		},
		Reads:   "the kernel log: ext4's errors, its turning read-only, and superblocks that cannot be written",
		ReadsJA: "カーネルログにある ext4 のエラー、読み取り専用への切り替え、スーパーブロックの書き込み失敗",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^EXT4-fs error \(device (?P<entity>[^)]+)\)`},
			{Log: "kernel", Pattern: `^EXT4-fs \((?P<entity>[^)]+)\): Remounting filesystem read-only`},
			{Log: "kernel", Pattern: `^EXT4-fs \((?P<entity>[^)]+)\): (?:previous I/O error to superblock detected|I/O error while writing superblock)`},
		},
	},
	{
		ID: Ext4Warning, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "An ext4 filesystem warns, for example that it was damaged when it was mounted.",
			JA: "ext4 ファイルシステムが警告を出しました（マウント時に破損が記録されていたなど）。",
		},
		Reads:   "the kernel log: ext4's warnings",
		ReadsJA: "カーネルログにある ext4 の警告",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^EXT4-fs warning \(device (?P<entity>[^)]+)\)`},
		},
	},
	{
		ID: FilesystemFillingUp, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "mount point",
		Means: Words{
			EN: "A filesystem of the node will be full, or out of inodes, within hours if it goes on filling up as it does.",
			JA: "ノードのファイルシステムが、このままの速さで使われ続けると数時間以内に容量または inode を使い切ります。",
		},
		Reads:   "statfs of disks that hold the node's folders, every 5 min: the median slope over the last one to two hours, of the half of that time in which use grew less, fills what is free within 6 h (storage.filling.within). Use that was given back does not count, nor what stays below where something cleaned up before within a day (the kubelet's garbage collection of images, a rotation of logs). Below the kubelet's hard eviction thresholds it is silent: the node has DiskPressure then. Unknown until it was measured for an hour",
		ReadsJA: "ノードのディレクトリがあるディスクの statfs (5 分ごと)。直近 1 ～ 2 時間の傾きの中央値 (使用量の増加が少ない半分の時間のもの) で、空き領域が 6 時間 (storage.filling.within) 以内に埋まること。解放された使用量と、1 日以内に何か (kubelet のイメージのガベージコレクション、ログのローテーション) が解放した水準を下回る増加は数えません。kubelet の hard eviction のしきい値を下回ると DiskPressure になるので報告しません。1 時間計測するまでは不明です",
		Needs:   Needs{For: 10 * minute},
		Clears:  Clears{For: 15 * minute},
	},
	{
		ID: IODelays, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process has waited for disks for more than 10 s of ten minutes.",
			JA: "プロセスのディスク待ちが 10 分間のうち 10 秒を超えました。",
		},
		Reads:   "delayacct_blkio_ticks in /proc/*/stat, of a process's first thread; not applicable where kernel.task_delayacct is 0 (the default since Linux 5.14)",
		ReadsJA: "/proc/*/stat の delayacct_blkio_ticks（プロセスの最初のスレッド）。kernel.task_delayacct が 0（Linux 5.14 以降のデフォルト）の場合は対象外です",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: KubeletDiskUsageSlow, Condition: StorageReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "Kubelet takes long to measure what containers use of the disk.",
			JA: "kubelet によるコンテナのディスク使用量の計測に時間がかかっています。",
		},
		Reads:   "the kubelet's log: cAdvisor's line, at verbosity 2 and up",
		ReadsJA: "kubelet のログにある cAdvisor の行（verbosity 2 以上）",
		Needs:   Needs{Count: 3, Within: 30 * minute},
		Clears:  Clears{Quiet: 30 * minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^fsHandler\.go:\d+\] "?(?:fs: disk usage and inodes count|du and find) on following dirs took `},
		},
	},
	{
		ID: MDDeviceFailed, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "array",
		Means: Words{
			EN: "An array of disks (md RAID) has lost a member, or can no longer work.",
			JA: "ディスクアレイ（md RAID）のメンバーが失われたか、アレイが動作できなくなりました。",
		},
		Reads:   "the kernel log: md's words for it",
		ReadsJA: "カーネルログにある md の行",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^md/(?:raid(?:0|10?)?|linear):?(?P<entity>md\w+): (?:Disk failure on |Cannot continue operation |not enough operational )`},
			{Log: "kernel", Pattern: `^md: (?P<entity>md\w+): \w+ array has a missing/failed member`},
			{Log: "kernel", Pattern: `^md: (?P<entity>md\w+): recovery done\.$`, Clears: true},
		},
	},
	{
		ID: NFSLocksLost, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "server",
		Means: Words{
			EN: "Locks on files of an NFS server were not given back after the server had restarted or the network had been away; who held one is not told.",
			JA: "NFS サーバーの再起動やネットワークの切断のあと、ファイルのロックを取り戻せませんでした。ロックを持っていたプロセスには通知されません。",
		},
		Reads:   "the kernel log: the NFSv4 client's `lost … locks`, and `Lock reclaim failed!` of kernels before 6.1, which name no server",
		ReadsJA: "カーネルログにある NFSv4 クライアントの `lost … locks` と、6.1 より前のカーネルの `Lock reclaim failed!` (サーバー名なし)",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NFS: (?P<entity>\S+): lost \d+ locks$`},
			{Log: "kernel", Pattern: `^NFS: (?:__)?nfs4_reclaim_open_state: Lock reclaim failed!$`},
		},
	},
	{
		ID: NFSServerNotResponding, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "server",
		Means: Words{
			EN: "An NFS server does not answer; who uses its files waits, or is given errors.",
			JA: "NFS サーバーが応答しません。そのファイルを使うプロセスは待たされるか、エラーになります。",
		},
		Reads:   "the kernel log: `nfs: server … not responding` and `nfs: server … OK`",
		ReadsJA: "カーネルログの `nfs: server … not responding` と `nfs: server … OK`",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:nfs|lockd): server (?P<entity>\S+) not responding, (?:still trying|timed out)$`},
			{Log: "kernel", Pattern: `^(?:nfs|lockd): server (?P<entity>\S+) OK$`, Clears: true},
		},
	},
	{
		ID: NVMeError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk does not answer, and the kernel resets or gives up its controller.",
			JA: "NVMe ディスクが応答せず、カーネルがコントローラーをリセットまたは切り離しました。",
		},
		Reads:   "the kernel log: the NVMe driver's timeouts and resets",
		ReadsJA: "カーネルログにある NVMe ドライバーのタイムアウトとリセット",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^nvme (?P<entity>nvme\d+): I/O .*\btimeout, (?:aborting|reset controller|disable controller)`},
			{Log: "kernel", Pattern: `^nvme (?P<entity>nvme\d+): (?:controller is down; will reset|Removing after probe failure|Disabling device after reset failure)`},
		},
	},
	{
		ID: NVMeHealthCritical, Condition: StorageReady, Severity: Warning, Action: Replace,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk warns that it may fail, as it has too little spare, is too hot, or degrades.",
			JA: "NVMe ディスクが、予備領域の不足、温度異常、劣化などにより故障のおそれがあると警告しています。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: the critical warnings but read-only, and an available spare below its threshold. Not of EBS volumes, whose page says nothing",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。読み取り専用以外の重大な警告と、しきい値を下回った予備領域。EBS ボリュームのページは何も示さないので除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: NVMeMediaErrors, Condition: StorageReady, Severity: Warning, Action: Replace,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk could not give back what was written.",
			JA: "NVMe ディスクが、書き込まれたデータを正しく読み出せませんでした。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: media and data integrity errors, more than at the look before. Not of EBS volumes",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。前回より増えたメディアとデータ整合性のエラー。EBS ボリュームは除きます",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
	},
	{
		ID: NVMeReadOnly, Condition: StorageReady, Severity: Warning, Action: Replace,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk takes no more writes.",
			JA: "NVMe ディスクが読み取り専用になり、書き込みを受け付けません。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: the critical warning that the media is read-only. Not of EBS volumes",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。メディアが読み取り専用であるという重大な警告。EBS ボリュームは除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: NVMeWornOut, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk has been written as much as it was made for.",
			JA: "NVMe ディスクへの書き込み量が、設計上の寿命に達しました。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: 100 % or more used. Not of EBS volumes",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。寿命の 100 % 以上を使用。EBS ボリュームは除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: ReadonlyFilesystem, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"FilesystemIsReadOnly"},
		Entity:  "mount point",
		Means: Words{
			EN: "A filesystem of the node takes no more writes.",
			JA: "ノードのファイルシステムが書き込みを受け付けなくなりました。",
		},
		Reads:   "/proc/1/mountinfo: a filesystem of a disk that holds one of the node's folders (/, /var/lib, kubelet's, containerd's …) and is `ro`, `emergency_ro` or `shutdown` while its mount is `rw`, which only the kernel does, or that was writable at an earlier look",
		ReadsJA: "/proc/1/mountinfo。ノードのディレクトリ（/、/var/lib、kubelet、containerd など）があるディスクのファイルシステムで、マウントは `rw` なのにファイルシステムが `ro`、`emergency_ro`、`shutdown` のもの（カーネルだけがそうします）、または以前は書き込めたもの",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The kernel's list of the host's own mounts, and the state of the filesystem itself.",
			JA: "カーネルによるホスト自身のマウント一覧と、ファイルシステムそのものの状態。",
		}},
	},
	{
		ID: SMARTFailurePredicted, Condition: StorageReady, Severity: Warning, Action: Replace,
		Entity: "device",
		Means: Words{
			EN: "A SATA disk predicts its own failure (SMART).",
			JA: "SATA ディスクが、自身の故障を予測しています (SMART)。",
		},
		Reads:   "SMART RETURN STATUS of each ATA disk, every 10 min, by SG_IO and ATA PASS-THROUGH (16). Not of SAS disks, of disks behind RAID controllers, nor of virtual disks, which are no ATA disks to the kernel",
		ReadsJA: "各 ATA ディスクの SMART RETURN STATUS (10 分ごと。SG_IO と ATA PASS-THROUGH (16) を使用)。SAS ディスク、RAID コントローラー配下のディスク、カーネルから ATA ディスクに見えない仮想ディスクは除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: ThinPoolFull, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "pool",
		Means: Words{
			EN: "A thin pool (device mapper) has no space left, or takes no more writes.",
			JA: "シンプール（device mapper）の空きがなくなったか、書き込みを受け付けなくなりました。",
		},
		Reads:   "the kernel log: the mode that a thin pool is switched to; out-of-data-space holds writes back for a minute and then fails them",
		ReadsJA: "カーネルログにある、シンプールが切り替わったモード。out-of-data-space では書き込みが 1 分間保留され、その後失敗します",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^device-mapper: thin: (?P<entity>\d+:\d+): switching pool to (?:out-of-data-space|read-only|fail)\b`},
			{Log: "kernel", Pattern: `^device-mapper: thin: (?P<entity>\d+:\d+): switching pool to write mode$`, Clears: true},
		},
	},
	{
		ID: VolumeReadonly, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "mount point",
		Means: Words{
			EN: "A filesystem that the node itself can do without, as a pod's volume, has become read-only.",
			JA: "ノード自体には必要のないファイルシステム（Pod のボリュームなど）が、読み取り専用になりました。",
		},
		Reads:   "/proc/1/mountinfo: a filesystem of a disk that holds none of the node's folders, and is `ro`, `emergency_ro` or `shutdown` while its mount is `rw`, which only the kernel does, or is `ro` itself and was writable at an earlier look",
		ReadsJA: "/proc/1/mountinfo。ノードのディレクトリがないディスクのファイルシステムで、マウントは `rw` なのにファイルシステムが `ro`、`emergency_ro`、`shutdown` のもの（カーネルだけがそうします）、またはファイルシステムが `ro` で以前は書き込めたもの",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: XFSSmallAverageClusterSize, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Entity: "mount point",
		Means: Words{
			EN: "The free space of an XFS filesystem of the node is cut up so small that new files may find no room in it.",
			JA: "ノードの XFS ファイルシステムの空き領域が細かく断片化し、新しいファイルを作成できなくなるおそれがあります。",
		},
		Reads:   "the kernel's map of free space (ioctl FS_IOC_GETFSMAP) of disks that hold the node's folders, at most 200,000 records: the average piece has fewer than 16 blocks, while 5 % or more is free",
		ReadsJA: "ノードのディレクトリがあるディスクの、カーネルの空き領域マップ（ioctl FS_IOC_GETFSMAP、最大 200,000 レコード）。5 % 以上空いているのに、空き領域の平均が 16 ブロック未満",
		Needs:   Needs{For: 10 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The kernel's own map of free space.",
			JA: "カーネル自身による空き領域のマップ。",
		}},
	},
	{
		ID: XfsError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "An XFS filesystem has found itself damaged, could not reach its disk, or shuts itself down.",
			JA: "XFS ファイルシステムが自身の破損またはディスクへのアクセス失敗を検出したか、停止しました。",
		},
		Reads:   "the kernel log: XFS's words for it",
		ReadsJA: "カーネルログにある XFS のエラー",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^XFS \((?P<entity>[^)]+)\): .*(?:Shutting down filesystem|Corruption detected|Corruption of in-memory data|[Mm]etadata corruption detected|[Mm]etadata I/O [Ee]rror|[Mm]etadata CRC error|Internal error|[Ll]og I/O [Ee]rror)`},
		},
	},
	{
		ID: XfsShutdown, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"XfsHasShutdown"},
		Entity:  "mount point",
		Means: Words{
			EN: "An XFS filesystem of the node has shut itself down; everything in it is an I/O error.",
			JA: "ノードの XFS ファイルシステムが停止し、あらゆるアクセスが I/O エラーになります。",
		},
		Reads:   "stat of each XFS filesystem that holds one of the node's folders: XFS answers with an I/O error once it is shut down",
		ReadsJA: "ノードのディレクトリがある各 XFS ファイルシステムの stat。シャットダウンした XFS は I/O エラーを返します",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The kernel's own answer to a stat.",
			JA: "stat に対するカーネル自身の応答。",
		}},
	},
	{
		ID: CRISandboxProbeFailed, Condition: ContainerRuntimeReady, Severity: Fatal, Action: Replace,
		Entity: "runtime's socket",
		Means: Words{
			EN: "The container runtime cannot make a pod's sandbox, and so no new pod can start on the node.",
			JA: "コンテナランタイムが Pod サンドボックスを作成できず、このノードでは新しい Pod を起動できません。",
		},
		Reads:   "CRI RunPodSandbox, StopPodSandbox and RemovePodSandbox of a sandbox of its own (namespace naosu-probe, label naosu.dev/probe), once each runtime.sandboxProbe.period; not asked unless that is set",
		ReadsJA: "エージェント自身のサンドボックス（名前空間 naosu-probe、ラベル naosu.dev/probe）の CRI RunPodSandbox、StopPodSandbox、RemovePodSandbox を runtime.sandboxProbe.period ごとに 1 回。設定されていなければ実行しません",
		Needs:   Needs{For: 10 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "A sandbox of the agent's own that the runtime cannot make.",
			JA: "ランタイムが作成できないエージェント自身のサンドボックス。",
		}},
	},
	{
		ID: ContainerRuntimeFailed, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "The low-level runtime (runc) could not make a pod's container, for a reason that lies with the node.",
			JA: "ノード側の要因により、低レベルランタイム (runc) が Pod のコンテナを作成できませんでした。",
		},
		Reads:   "the kubelet's log, in text or JSON: what runc said when a pod could not be synced; programs that are not in the image, and mounts from a pod's own volumes, are the pod's business and left out",
		ReadsJA: "kubelet のログ（テキストと JSON）にある、Pod を同期できなかったときの runc のエラー。イメージにないプログラムや Pod 自身のボリュームのマウントは Pod 側の問題なので除きます",
		Needs:   Needs{Count: 3, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="\[?failed to \\"(?:StartContainer|CreatePodSandbox)\\" .*\bOCI runtime create failed: (?:runc create failed: )?(?:[^cru]|c[^or]|cr[^u]|crun: (?:[^eo]|e[^x]|open [^e])|r[^u]|runc [^c]|runs|u[^n]|un[^a]|unable to (?:retrieve OCI runtime error|create new parent process)|unable to start container process: (?:[^e]|e[^rx]|error during container init: (?:[^e]|e[^rx]|error [^m]|error mounting \W*(?:proc|sysfs|tmpfs|cgroup|devpts|mqueue)\b))).* pod="(?P<entity>[^"]+)"`},
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="\[?failed to \\"(?:StartContainer|CreatePodSandbox)\\" .*\bOCI runtime create failed: container_linux\.go:\d+: starting container process caused:? \W*(?:[^e\W]|e[^x]).* pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: ContainerRuntimeUnhealthy, Condition: ContainerRuntimeReady, Severity: Fatal, Action: RestartService,
		Entity: "runtime's socket",
		Means: Words{
			EN: "The container runtime does not answer, or says of itself that it is not ready.",
			JA: "コンテナランタイムが応答しないか、自身を Ready ではないと報告しています。",
		},
		Reads:   "CRI Status at the sockets where runtimes listen, every 20 s, one call at a time: refused, not answered within 5 s, RuntimeReady=false; or, on a host with a kubelet where no other runtime answers, a socket that is gone from its folder and a runtime that does not speak CRI",
		ReadsJA: "ランタイムが待ち受けるソケットでの CRI Status（20 秒ごと、一度に 1 回）。拒否、5 秒以内に応答なし、RuntimeReady=false。kubelet があり、ほかに応答するランタイムがないホストでは、ディレクトリからなくなったソケットと、CRI を話さないランタイムも",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "What the runtime itself answers.",
			JA: "ランタイム自身の応答。",
		}},
	},
	{
		ID: ContainerdRepeatedRestart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Aliases: []ID{"FrequentContainerdRestart"},
		Means: Words{
			EN: "containerd ends again and again, and systemd starts it again.",
			JA: "containerd が繰り返し終了し、そのたびに systemd が再起動しています。",
		},
		Reads:   "NRestarts of containerd.service over systemd's D-Bus, every minute: systemd's own restarts, and none that a person made",
		ReadsJA: "D-Bus 経由の systemd の containerd.service の NRestarts（毎分）。systemd 自身による再起動だけで、人による再起動は含みません",
		Needs:   Needs{Count: 4, Within: 20 * minute},
		Clears:  Clears{Quiet: 20 * minute},
	},
	{
		ID: CorruptDockerOverlay2, Condition: ContainerRuntimeReady, Severity: Warning, Action: Replace,
		Means: Words{
			EN: "Docker's image store (overlay2) is damaged, and containers of some images cannot start.",
			JA: "Docker のイメージストア (overlay2) が破損しており、一部のイメージのコンテナを起動できません。",
		},
		Reads:   "the journal of docker.service",
		ReadsJA: "docker.service のジャーナル",
		Needs:   Needs{Count: 2, Within: 10 * minute},
		Clears:  Clears{Quiet: 30 * minute},
		Matches: []Match{
			{Log: "unit:docker.service", Pattern: `^(?:time="[^"]*" )?level=error msg="(?:[^"\\]|\\.)*readlink /var/lib/docker/overlay2[^ "]*: invalid argument`},
		},
	},
	{
		ID: DeprecatedContainerdConfiguration, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "deprecation",
		Means: Words{
			EN: "containerd is configured or used in a way that a later version no longer supports.",
			JA: "containerd の設定または使い方に、今後のバージョンで廃止されるものが含まれています。",
		},
		Reads:   "containerd's introspection service (Server), every hour: what it saw itself use; versions before 1.6.27 and 1.7.12 tell of nothing",
		ReadsJA: "containerd の introspection サービス（Server、毎時）。containerd 自身が使用を検出したもの。1.6.27 と 1.7.12 より前のバージョンは何も報告しません",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: FailedKillPod, Condition: ContainerRuntimeReady, Severity: Warning, Action: Reboot,
		Entity: "pod",
		Means: Words{
			EN: "kubelet tries again and again to end a pod, and the container runtime does not get it done.",
			JA: "kubelet が Pod の終了を繰り返し試みていますが、コンテナランタイムが処理を完了できません。",
		},
		Reads:   "the kubelet's log, in text or JSON: that a container or sandbox of a pod was not gone by the deadline. A network plugin that fails at once, or a runtime that is away, is another matter. It is a warning, as lines of the kubelet are: what cannot be ended and shows on the host is PodStuckTerminating",
		ReadsJA: "kubelet のログ（テキストと JSON）にある、Pod のコンテナまたはサンドボックスが期限までに終了しなかったという行。すぐに失敗するネットワークプラグインや、応答しないランタイムは別の問題です。kubelet の行に基づくので warning です。終了できないことがホスト上でわかるものは PodStuckTerminating です",
		Needs:   Needs{Count: 5, Within: 15 * minute},
		Clears:  Clears{Quiet: 15 * minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="(?:error killing (?:terminating )?pod: )?\[?failed to \\"Kill(?:Container|PodSandbox)\\" .*\brpc error: code = DeadlineExceeded\b.* pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: KubeletClientCertificateExpiration, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The certificate by which kubelet proves to the API server who it is ends soon and was not renewed, or has ended.",
			JA: "kubelet が API サーバーへの認証に使う証明書が、更新されないまま期限切れ間近か、すでに期限切れです。",
		},
		Reads:   "the client certificate that the kubeconfig of the running kubelet, or of K3s, names or holds (--kubeconfig; /var/lib/kubelet/pki/kubelet-client-current.pem), every 5 min, as the kubelet's own process sees the files: it has ended, or less than 10 % of its life and fewer than 60 days are left. Not applicable where a command gives the kubelet tokens, as on EKS",
		ReadsJA: "動作中の kubelet または K3s の kubeconfig にある、または指定されたクライアント証明書 (--kubeconfig、/var/lib/kubelet/pki/kubelet-client-current.pem。5 分ごと、kubelet 自身のプロセスから見えるファイル)。期限が切れたか、残りが有効期間の 10 % 未満かつ 60 日未満であること。EKS のように kubelet がコマンドからトークンを得る場合は対象外です",
		Needs:   Needs{For: 15 * minute},
		Clears:  Clears{},
	},
	{
		ID: KubeletFailed, Condition: ContainerRuntimeReady, Severity: Fatal, Action: RestartService,
		Means: Words{
			EN: "kubelet ended with a failure, and systemd does not start it again.",
			JA: "kubelet が異常終了し、systemd による再起動も行われていません。",
		},
		Reads:   "ActiveState of kubelet.service over systemd's D-Bus, every minute: failed, which a unit that someone stopped is not",
		ReadsJA: "D-Bus 経由の systemd の kubelet.service の ActiveState（毎分）が failed。人が停止したユニットは failed になりません",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "systemd's own word about its unit.",
			JA: "ユニットについての systemd 自身の応答。",
		}},
	},
	{
		ID: KubeletRepeatedRestart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Aliases: []ID{"FrequentKubeletRestart"},
		Means: Words{
			EN: "kubelet ends again and again, and systemd starts it again.",
			JA: "kubelet が繰り返し終了し、そのたびに systemd が再起動しています。",
		},
		Reads:   "NRestarts of kubelet.service over systemd's D-Bus, every minute: systemd's own restarts, and none that a person made",
		ReadsJA: "D-Bus 経由の systemd の kubelet.service の NRestarts（毎分）。systemd 自身による再起動だけで、人による再起動は含みません",
		Needs:   Needs{Count: 4, Within: 20 * minute},
		Clears:  Clears{Quiet: 20 * minute},
	},
	{
		ID: KubeletUnhealthy, Condition: ContainerRuntimeReady, Severity: Fatal, Action: RestartService,
		Means: Words{
			EN: "kubelet does not answer at its health endpoint, or says there that it is not well.",
			JA: "kubelet がヘルスチェックのエンドポイントに応答しないか、異常を報告しています。",
		},
		Reads:   "http://127.0.0.1:10248/healthz, every 10 s: refused, not answered within 5 s, or anything but 200; not applicable without /var/lib/kubelet, unknown while systemd has the kubelet running and nothing listens (healthzPort: 0)",
		ReadsJA: "http://127.0.0.1:10248/healthz（10 秒ごと）。拒否、5 秒以内に応答なし、または 200 以外。/var/lib/kubelet がなければ対象外、systemd では kubelet が動いているのに待ち受けるものがなければ（healthzPort: 0）不明です",
		Needs:   Needs{For: 2 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "What the kubelet itself answers on the host's loopback.",
			JA: "ホストのループバックでの kubelet 自身の応答。",
		}},
	},
	{
		ID: LivenessProbeFailures, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "A pod's liveness probe fails on and on, though its container has been restarted for it.",
			JA: "コンテナの再起動後も、Pod の liveness probe の失敗が続いています。",
		},
		Reads:   "the kubelet's log, in text or JSON: the line of each failed probe (verbosity 1 and up)",
		ReadsJA: "kubelet のログ（テキストと JSON）にある、失敗した probe ごとの行（verbosity 1 以上）",
		Needs:   Needs{Count: 7, Within: 5 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^prober\.go:\d+\] "Probe failed" probeType="?Liveness"? pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: NetworkPluginNotReady, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The network plugin (CNI) behind the container runtime is not set up, and pods get no network.",
			JA: "コンテナランタイムのネットワークプラグイン (CNI) が初期化されておらず、Pod がネットワークを利用できません。",
		},
		Reads:   "NetworkReady in CRI Status, every 20 s",
		ReadsJA: "CRI Status の NetworkReady（20 秒ごと）",
		Needs:   Needs{For: 5 * minute},
		Clears:  Clears{},
	},
	{
		ID: PodStuckTerminating, Condition: ContainerRuntimeReady, Severity: Fatal, Action: Reboot,
		Entity: "pod",
		Means: Words{
			EN: "A pod was told to end and cannot, as something on the node holds it.",
			JA: "終了を指示された Pod が、ノード側の要因で終了できずにいます。",
		},
		Reads:   "every minute: processes of pods that were killed and do not end (state D in /proc/*/task/*/stat with SIGKILL pending or PF_EXITING, the pod by cgroup), and containers that run in a sandbox that was stopped (CRI). What only the kubelet's log tells is FailedKillPod. The EKS agent's line is no evidence: the kubelet writes it ten times a second for each volume of a pod that was deleted by force, at verbosity 4",
		ReadsJA: "毎分、強制終了されたのに終了しない Pod のプロセス（/proc/*/task/*/stat で状態 D、かつ SIGKILL が保留中か PF_EXITING。Pod は cgroup で特定）と、停止したサンドボックスで動くコンテナ（CRI）。kubelet のログだけからわかるものは FailedKillPod です。EKS エージェントが使う行は根拠にしません。kubelet は、強制削除された Pod のボリュームごとに verbosity 4 で毎秒 10 回書くためです",
		Needs:   Needs{For: 4 * minute},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "The state of processes that were killed, by the cgroup of their pod, and the runtime's own list of containers.",
			JA: "Pod の cgroup で特定した、強制終了後のプロセスの状態と、ランタイム自身のコンテナ一覧。",
		}},
	},
	{
		ID: ReadinessProbeFailures, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "A pod's readiness probe has failed for many minutes, and it gets no traffic.",
			JA: "Pod の readiness probe の失敗が数分間続いており、トラフィックが送られていません。",
		},
		Reads:   "the kubelet's log, in text or JSON: the line of each failed probe (verbosity 1 and up)",
		ReadsJA: "kubelet のログ（テキストと JSON）にある、失敗した probe ごとの行（verbosity 1 以上）",
		Needs:   Needs{Count: 40, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^prober\.go:\d+\] "Probe failed" probeType="?Readiness"? pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: ServiceFailedToStart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "unit",
		Means: Words{
			EN: "A service of the node could not start, or ended with a failure and is not started again.",
			JA: "ノードのサービスが起動に失敗したか、異常終了したまま再起動されていません。",
		},
		Reads:   "ActiveState of each service over systemd's D-Bus, every minute: failed; not of transient units (systemd-run), not of programs that end with status 143 when they are told to, and not of kubelet, which has reasons of its own",
		ReadsJA: "D-Bus 経由の systemd の各サービスの ActiveState（毎分）が failed。一時的なユニット（systemd-run）、停止の指示に対して 143 で終了するプログラム、独自の理由がある kubelet は除きます",
		Needs:   Needs{For: 1 * minute},
		Clears:  Clears{},
	},
	{
		ID: ServiceRepeatedRestart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Aliases: []ID{"DockerRepeatedRestart", "FrequentDockerRestart"},
		Entity:  "unit",
		Means: Words{
			EN: "A service of the node ends again and again, and systemd starts it again.",
			JA: "ノードのサービスが繰り返し終了し、そのたびに systemd が再起動しています。",
		},
		Reads:   "NRestarts of each service but kubelet and containerd over systemd's D-Bus, every minute: systemd's own restarts, and none that a person made",
		ReadsJA: "D-Bus 経由の systemd の各サービス（kubelet と containerd を除く）の NRestarts（毎分）。systemd 自身による再起動だけで、人による再起動は含みません",
		Needs:   Needs{Count: 4, Within: 20 * minute},
		Clears:  Clears{Quiet: 20 * minute},
	},
	{
		ID: NeuronDMAError, Condition: AcceleratedHardwareReady, Severity: Warning, Action: Reboot,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The runtime of AWS Neuron reports an error of a DMA engine that it could not recover from.",
			JA: "AWS Neuron のランタイムが、回復できない DMA エンジンのエラーを報告しています。",
		},
		Reads:   "the kernel log: `NEURON_HW_ERR=DMA_ERROR`. It is a warning, since a process with a Neuron device writes the line: the driver prints whatever text it is given (NEURON_IOCTL_PRINTK)",
		ReadsJA: "カーネルログの `NEURON_HW_ERR=DMA_ERROR`。Neuron デバイスを持つプロセスが書く行なので warning です。ドライバーは渡された文字列をそのまま出力します (NEURON_IOCTL_PRINTK)",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:[0-9][0-9TZ:.+ -]* )?NEURON_HW_ERR=DMA_ERROR (?:.* )?nd-id=(?P<entity>\d+)`},
		},
	},
	{
		ID: NeuronHBMUncorrectableError, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Replace,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The memory (HBM) of a Neuron device had an error that was not corrected and cannot be repaired.",
			JA: "Neuron デバイスのメモリ (HBM) で、訂正も修復もできないエラーが起きました。",
		},
		Reads:   "mem_ecc_uncorrected of each device in /sys/devices/virtual/neuron_device, every minute: more than none. Not applicable where the driver shows no such counter, as of Inferentia 1",
		ReadsJA: "/sys/devices/virtual/neuron_device の各デバイスの mem_ecc_uncorrected (毎分) が 0 より大きいこと。Inferentia 1 のように、ドライバーにこのカウンターがない場合は対象外です",
		Needs:   Needs{},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "A counter of the device's, which its driver reads from it. The kernel log is not asked: a pod writes there.",
			JA: "ドライバーがデバイスから読み取るデバイス自身のカウンター。Pod が書けるカーネルログは使いません。",
		}},
	},
	{
		ID: NeuronNCUncorrectableError, Condition: AcceleratedHardwareReady, Severity: Warning, Action: Replace,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The runtime of AWS Neuron reports an error of a NeuronCore's memory that was not corrected.",
			JA: "AWS Neuron のランタイムが、NeuronCore のメモリの訂正できないエラーを報告しています。",
		},
		Reads:   "the kernel log: `NEURON_HW_ERR=NC_UNCORRECTABLE_ERROR`. It is a warning, since a process with a Neuron device writes the line: the driver prints whatever text it is given (NEURON_IOCTL_PRINTK)",
		ReadsJA: "カーネルログの `NEURON_HW_ERR=NC_UNCORRECTABLE_ERROR`。Neuron デバイスを持つプロセスが書く行なので warning です。ドライバーは渡された文字列をそのまま出力します (NEURON_IOCTL_PRINTK)",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:[0-9][0-9TZ:.+ -]* )?NEURON_HW_ERR=NC_UNCORRECTABLE_ERROR (?:.* )?nd-id=(?P<entity>\d+)`},
		},
	},
	{
		ID: NeuronSRAMUncorrectableError, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Replace,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The on-chip memory (SRAM) of a Neuron device had an error that was not corrected.",
			JA: "Neuron デバイスのチップ内メモリ (SRAM) で、訂正できないエラーが起きました。",
		},
		Reads:   "sram_ecc_uncorrected of each device in /sys/devices/virtual/neuron_device, every minute: more than none. Not applicable where the driver shows no such counter, as of Inferentia 1",
		ReadsJA: "/sys/devices/virtual/neuron_device の各デバイスの sram_ecc_uncorrected (毎分) が 0 より大きいこと。Inferentia 1 のように、ドライバーにこのカウンターがない場合は対象外です",
		Needs:   Needs{},
		Clears:  Clears{},
		Rests: Rests{On: State, Says: Words{
			EN: "A counter of the device's, which its driver reads from it. The kernel log is not asked: a pod writes there.",
			JA: "ドライバーがデバイスから読み取るデバイス自身のカウンター。Pod が書けるカーネルログは使いません。",
		}},
	},
	{
		ID: NvidiaSXIDError, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVSwitch has an error that NVIDIA calls always fatal to the whole fabric. NVIDIA says: restart the host.",
			JA: "NVSwitch に、ファブリック全体にとって常に致命的と NVIDIA が定めるエラーが起きました。NVIDIA の推奨対応：ホストを再起動する。",
		},
		Reads:   "the kernel log: `SXid` of a number that is always fatal (NVIDIA's Fabric Manager User Guide DU-09883-001 v1.3, appendix D.6, and 10003 of D.7), where the record says `Fatal`",
		ReadsJA: "カーネルログの `SXid` のうち、常に致命的な番号 (NVIDIA Fabric Manager User Guide DU-09883-001 v1.3 の付録 D.6 と、D.7 の 10003) で、レコードに `Fatal` とあるもの",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver for NVSwitches, by its number and PCI address; it has no text of any process.",
			JA: "NVIDIA の NVSwitch ドライバーの記録。番号と PCI アドレスで判定し、プロセスの文字列は含まれません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^nvidia-nvswitch\d+: SXid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\): (?:10003|12020|22003|22011|23001|23002|23003|23004|23005|23006|23007|23008|23009|23010|23011|23012|23013|23014|23015|23016|23017), Fatal, `},
		},
	},
	{
		ID: NvidiaSXIDWarning, Condition: AcceleratedHardwareReady, Severity: Warning, Action: None,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVSwitch reports an error of itself or of one of its links; one that takes a GPU out of work shows as an Xid of that GPU, too.",
			JA: "NVSwitch が、自身またはリンクのエラーを報告しています。GPU が使えなくなるエラーは、その GPU の Xid としても報告されます。",
		},
		Reads:   "the kernel log: `SXid` of any other number, fatal to a link or not (NVIDIA's Fabric Manager User Guide DU-09883-001 v1.3, appendices D.4 and D.5)",
		ReadsJA: "カーネルログの `SXid` のうち、それ以外の番号 (リンクにとって致命的かどうかを問いません。NVIDIA Fabric Manager User Guide DU-09883-001 v1.3 の付録 D.4 と D.5)",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^nvidia-nvswitch\d+: SXid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\): \d+, (?:Non-fatal|Fatal), `, Except: `^nvidia-nvswitch\d+: SXid \([^)]*\): (?:10003|12020|22003|22011|23001|23002|23003|23004|23005|23006|23007|23008|23009|23010|23011|23012|23013|23014|23015|23016|23017), Fatal, `},
		},
	},
	{
		ID: NvidiaXID109Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU did not switch to another context in time. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU のコンテキスト切り替えがタイムアウトしました。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 109 (ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 109 (ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 109, `},
		},
	},
	{
		ID: NvidiaXID110Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU reports a security fault. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU がセキュリティ障害を報告しています。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 110 (SEC_FAULT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 110 (SEC_FAULT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 110, `},
		},
	},
	{
		ID: NvidiaXID119Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU's system processor (GSP) did not answer the driver in time. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU のシステムプロセッサ (GSP) がドライバーに時間内に応答しませんでした。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 119 (GSP_RPC_TIMEOUT)",
		ReadsJA: "カーネルログの `NVRM: Xid` 119 (GSP_RPC_TIMEOUT)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 119, `},
		},
	},
	{
		ID: NvidiaXID120Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU's system processor (GSP) reports an error of its own. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU のシステムプロセッサ (GSP) が自身のエラーを報告しています。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 120 (GSP_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 120 (GSP_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 120, `},
		},
	},
	{
		ID: NvidiaXID136Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU could not be trained. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU の NVLink のトレーニングに失敗しました。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 136 (ALI_TRAINING_FAIL)",
		ReadsJA: "カーネルログの `NVRM: Xid` 136 (ALI_TRAINING_FAIL)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 136, `},
		},
	},
	{
		ID: NvidiaXID140Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU reports an ECC error that nothing recovered. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU が、回復できなかった ECC エラーを報告しています。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 140 (UNRECOVERABLE_ECC_ERROR_ESCAPE)",
		ReadsJA: "カーネルログの `NVRM: Xid` 140 (UNRECOVERABLE_ECC_ERROR_ESCAPE)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 140, `},
		},
	},
	{
		ID: NvidiaXID143Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU could not be initialised. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU を初期化できませんでした。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 143 (GPU_INIT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 143 (GPU_INIT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 143, `},
		},
	},
	{
		ID: NvidiaXID144Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU has a fatal error (SAW). NVIDIA says: reset the GPU, where the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (SAW) が起きました。NVIDIA の推奨対応：記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 144 (NVLINK_SAW_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 144 (NVLINK_SAW_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 144, [\w/]+ +Fatal `},
		},
	},
	{
		ID: NvidiaXID145Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU has a fatal error (RLW). NVIDIA says: reset the GPU, where the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (RLW) が起きました。NVIDIA の推奨対応：記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 145 (NVLINK_RLW_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 145 (NVLINK_RLW_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 145, [\w/]+ +Fatal `},
		},
	},
	{
		ID: NvidiaXID146Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU has a fatal error (TLW). NVIDIA says: reset the GPU, where the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (TLW) が起きました。NVIDIA の推奨対応：記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 146 (NVLINK_TLW_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 146 (NVLINK_TLW_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 146, [\w/]+ +Fatal `},
		},
	},
	{
		ID: NvidiaXID147Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU has a fatal error (TREX). NVIDIA says: reset the GPU, where the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (TREX) が起きました。NVIDIA の推奨対応：記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 147 (NVLINK_TREX_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 147 (NVLINK_TREX_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 147, [\w/]+ +Fatal `},
		},
	},
	{
		ID: NvidiaXID148Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU has a fatal error (NVLPW_CTRL). NVIDIA says: reset the GPU, where the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (NVLPW_CTRL) が起きました。NVIDIA の推奨対応：記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 148 (NVLINK_NVLPW_CTRL_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 148 (NVLINK_NVLPW_CTRL_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 148, [\w/]+ +Fatal `},
		},
	},
	{
		ID: NvidiaXID149Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU has a fatal error (NETIR). NVIDIA says: reset the GPU, where the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (NETIR) が起きました。NVIDIA の推奨対応：記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 149 (NVLINK_NETIR_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 149 (NVLINK_NETIR_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 149, [\w/]+ +Fatal `},
		},
	},
	{
		ID: NvidiaXID150Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVLink of the GPU has a fatal error (MSE). NVIDIA says: reset the GPU, where the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (MSE) が起きました。NVIDIA の推奨対応：記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 150 (NVLINK_MSE_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 150 (NVLINK_MSE_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 150, [\w/]+ +Fatal `},
		},
	},
	{
		ID: NvidiaXID151Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU could not rotate the keys of confidential computing. NVIDIA says: restart the virtual machine.",
			JA: "GPU が、コンフィデンシャルコンピューティングの鍵を更新できませんでした。NVIDIA の推奨対応：仮想マシンを再起動する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 151 (ROBUST_CHANNEL_KEY_ROTATION_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 151 (ROBUST_CHANNEL_KEY_ROTATION_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 151, `},
		},
	},
	{
		ID: NvidiaXID154Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The driver says that the GPU needs a reset, or the node a reboot. NVIDIA says: do what the record names: reset the GPU, or reboot the node.",
			JA: "ドライバーが、GPU のリセットまたはノードの再起動が必要だと報告しています。NVIDIA の推奨対応：記録が示すとおり GPU をリセットするか、ノードを再起動する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 154 (GPU_RECOVERY_ACTION_CHANGED)",
		ReadsJA: "カーネルログの `NVRM: Xid` 154 (GPU_RECOVERY_ACTION_CHANGED)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 154, (?:pid=\d+, name=(?s:.{1,15}?), )?GPU recovery action changed from 0x[0-9a-f]+ \([A-Za-z0-9 ]+\) to 0x[12] \(`},
		},
	},
	{
		ID: NvidiaXID155Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The driver reports an error of the GPU's NVLink. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "ドライバーが、GPU の NVLink のエラーを報告しています。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 155 (NVLINK_SW_DEFINED_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 155 (NVLINK_SW_DEFINED_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 155, `},
		},
	},
	{
		ID: NvidiaXID156Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU took a bad part of its memory out of use, which takes effect with a reset. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU がメモリの不良部分を使用から外しました。リセット後に有効になります。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 156 (RESOURCE_RETIREMENT_EVENT)",
		ReadsJA: "カーネルログの `NVRM: Xid` 156 (RESOURCE_RETIREMENT_EVENT)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 156, `},
		},
	},
	{
		ID: NvidiaXID158Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU did not answer in time, and works again after a reset. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU の応答がタイムアウトしました。リセットするまで使えません。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 158 (GPU_FATAL_TIMEOUT)",
		ReadsJA: "カーネルログの `NVRM: Xid` 158 (GPU_FATAL_TIMEOUT)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 158, `},
		},
	},
	{
		ID: NvidiaXID46Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU stopped processing, and works again after a reset. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU が処理を停止しました。リセットするまで使えません。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 46 (ROBUST_CHANNEL_GPU_TIMEOUT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 46 (ROBUST_CHANNEL_GPU_TIMEOUT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 46, `},
		},
	},
	{
		ID: NvidiaXID48Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU's memory has an error of two bits, which it could not correct. NVIDIA says: reset the GPU, and replace it if its count of errors then passes NVIDIA's threshold.",
			JA: "GPU のメモリで、訂正できない 2 ビットのエラーが起きました。NVIDIA の推奨対応：GPU をリセットし、その後エラー数が NVIDIA のしきい値を超えれば交換する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 48 (ROBUST_CHANNEL_GPU_ECC_DBE)",
		ReadsJA: "カーネルログの `NVRM: Xid` 48 (ROBUST_CHANNEL_GPU_ECC_DBE)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 48, `},
		},
	},
	{
		ID: NvidiaXID54Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Replace,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU board has no auxiliary power. NVIDIA says: check how the board is connected (in a cloud: replace the node).",
			JA: "GPU ボードに補助電源が接続されていません。NVIDIA の推奨対応：ボードの接続を確認する（クラウドではノードを入れ替える）。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 54 (SILENT_RUNNING_PWR_REDUCED_CLOCKING)",
		ReadsJA: "カーネルログの `NVRM: Xid` 54 (SILENT_RUNNING_PWR_REDUCED_CLOCKING)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 54, `},
		},
	},
	{
		ID: NvidiaXID62Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU's internal microcontroller has halted. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU 内部のマイクロコントローラーが停止しました。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 62 (PMU_HALT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 62 (PMU_HALT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 62, `},
		},
	},
	{
		ID: NvidiaXID64Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU could not take a bad row of its memory out of use. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU が、メモリの不良行を使用から外せませんでした。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 64 (INFOROM_DRAM_RETIREMENT_FAILURE)",
		ReadsJA: "カーネルログの `NVRM: Xid` 64 (INFOROM_DRAM_RETIREMENT_FAILURE)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 64, `},
		},
	},
	{
		ID: NvidiaXID74Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU reports an error of an NVLink. NVIDIA says: reset the GPU or reboot the node, and replace it if the error comes back.",
			JA: "GPU が NVLink のエラーを報告しています。NVIDIA の推奨対応：GPU をリセットするかノードを再起動し、再発すれば交換する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 74 (NVLINK_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 74 (NVLINK_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 74, `},
		},
	},
	{
		ID: NvidiaXID79Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Replace,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU has fallen off the bus: the host cannot reach it any more. NVIDIA says: power-cycle the machine (in a cloud: replace the node).",
			JA: "GPU がバスから切り離され、ホストからアクセスできません。NVIDIA の推奨対応：マシンの電源を入れ直す（クラウドではノードを入れ替える）。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 79 (ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS)",
		ReadsJA: "カーネルログの `NVRM: Xid` 79 (ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 79, `},
			{Log: "kernel", Pattern: `^NVRM: GPU (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})\.\d: GPU has fallen off the bus\.`},
			{Log: "kernel", Pattern: `^NVRM: The NVIDIA GPU (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})\.\d\n[^\n]*\nNVRM: fallen off the bus and is not responding`},
		},
	},
	{
		ID: NvidiaXID95Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "The GPU's memory has an error that was not contained: any process on it may have wrong data. NVIDIA says: end the processes on the GPU and reset it.",
			JA: "GPU のメモリで、影響範囲を限定できないエラーが起きました。その GPU のどのプロセスのデータも誤っている可能性があります。NVIDIA の推奨対応：その GPU のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 95 (ROBUST_CHANNEL_UNCONTAINED_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 95 (ROBUST_CHANNEL_UNCONTAINED_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * hour},
		Clears:  Clears{Quiet: 24 * hour},
		Rests: Rests{On: Driver, Says: Words{
			EN: "A record of NVIDIA's driver, by its number and PCI address, which stand before any text; the process's name in it decides nothing.",
			JA: "NVIDIA ドライバーの記録。本文より前にある番号と PCI アドレスで判定し、記録中のプロセス名では判定しません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): 95, `},
		},
	},
	{
		ID: NvidiaXIDApplicationError, Condition: AcceleratedHardwareReady, Severity: Warning, Action: None,
		Aliases:  []ID{"NvidiaXID8Error", "NvidiaXID8Warning", "NvidiaXID11Error", "NvidiaXID11Warning", "NvidiaXID13Error", "NvidiaXID13Warning", "NvidiaXID25Error", "NvidiaXID25Warning", "NvidiaXID31Error", "NvidiaXID31Warning", "NvidiaXID32Error", "NvidiaXID32Warning", "NvidiaXID39Error", "NvidiaXID39Warning", "NvidiaXID40Error", "NvidiaXID40Warning", "NvidiaXID41Error", "NvidiaXID41Warning", "NvidiaXID43Error", "NvidiaXID43Warning", "NvidiaXID45Error", "NvidiaXID45Warning", "NvidiaXID60Error", "NvidiaXID60Warning", "NvidiaXID68Error", "NvidiaXID68Warning", "NvidiaXID69Error", "NvidiaXID69Warning", "NvidiaXID70Error", "NvidiaXID70Warning", "NvidiaXID71Error", "NvidiaXID71Warning", "NvidiaXID72Error", "NvidiaXID72Warning", "NvidiaXID75Error", "NvidiaXID75Warning", "NvidiaXID76Error", "NvidiaXID76Warning", "NvidiaXID77Error", "NvidiaXID77Warning", "NvidiaXID80Error", "NvidiaXID80Warning", "NvidiaXID82Error", "NvidiaXID82Warning", "NvidiaXID83Error", "NvidiaXID83Warning", "NvidiaXID84Error", "NvidiaXID84Warning", "NvidiaXID85Error", "NvidiaXID85Warning", "NvidiaXID86Error", "NvidiaXID86Warning", "NvidiaXID88Error", "NvidiaXID88Warning", "NvidiaXID89Error", "NvidiaXID89Warning", "NvidiaXID94Error", "NvidiaXID94Warning", "NvidiaXID96Error", "NvidiaXID96Warning", "NvidiaXID97Error", "NvidiaXID97Warning", "NvidiaXID98Error", "NvidiaXID98Warning", "NvidiaXID99Error", "NvidiaXID99Warning", "NvidiaXID100Error", "NvidiaXID100Warning", "NvidiaXID101Error", "NvidiaXID101Warning", "NvidiaXID102Error", "NvidiaXID102Warning", "NvidiaXID103Error", "NvidiaXID103Warning", "NvidiaXID104Error", "NvidiaXID104Warning", "NvidiaXID105Error", "NvidiaXID105Warning", "NvidiaXID126Error", "NvidiaXID126Warning", "NvidiaXID127Error", "NvidiaXID127Warning", "NvidiaXID128Error", "NvidiaXID128Warning", "NvidiaXID129Error", "NvidiaXID129Warning", "NvidiaXID130Error", "NvidiaXID130Warning", "NvidiaXID131Error", "NvidiaXID131Warning", "NvidiaXID132Error", "NvidiaXID132Warning", "NvidiaXID133Error", "NvidiaXID133Warning", "NvidiaXID134Error", "NvidiaXID134Warning", "NvidiaXID135Error", "NvidiaXID135Warning", "NvidiaXID139Error", "NvidiaXID139Warning"},
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "NVIDIA's driver ended the work of an application on the GPU, for a fault of the application's in most cases; the GPU goes on working.",
			JA: "NVIDIA ドライバーが GPU 上のアプリケーションの処理を打ち切りました。多くはアプリケーション側の不具合で、GPU は引き続き使えます。",
		},
		Reads:   "the kernel log: `NVRM: Xid` of the numbers for which NVIDIA says to restart the application, 43 and 45",
		ReadsJA: "カーネルログの `NVRM: Xid` のうち、NVIDIA がアプリケーションの再起動を推奨している番号 (43 と 45)",
		Needs:   Needs{Count: 1, Within: 10 * minute},
		Clears:  Clears{Quiet: 10 * minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): (?:8|11|13|25|31|32|39|40|41|43|45|60|68|69|70|71|72|75|76|77|80|82|83|84|85|86|88|89|94|96|97|98|99|100|101|102|103|104|105|126|127|128|129|130|131|132|133|134|135|139), `},
		},
	},
	{
		ID: NvidiaXIDWarning, Condition: AcceleratedHardwareReady, Severity: Warning, Action: None,
		Aliases:  []ID{"NvidiaXID37Error", "NvidiaXID37Warning", "NvidiaXID38Error", "NvidiaXID38Warning", "NvidiaXID44Error", "NvidiaXID44Warning", "NvidiaXID63Error", "NvidiaXID63Warning", "NvidiaXID66Error", "NvidiaXID66Warning", "NvidiaXID67Error", "NvidiaXID67Warning", "NvidiaXID78Error", "NvidiaXID78Warning", "NvidiaXID92Error", "NvidiaXID92Warning", "NvidiaXID93Error", "NvidiaXID93Warning", "NvidiaXID106Error", "NvidiaXID106Warning", "NvidiaXID107Error", "NvidiaXID107Warning", "NvidiaXID121Error", "NvidiaXID121Warning", "NvidiaXID137Error", "NvidiaXID137Warning", "NvidiaXID141Error", "NvidiaXID141Warning", "NvidiaXID142Error", "NvidiaXID142Warning", "NvidiaXID144Warning", "NvidiaXID145Warning", "NvidiaXID146Warning", "NvidiaXID147Warning", "NvidiaXID148Warning", "NvidiaXID149Warning", "NvidiaXID150Warning", "NvidiaXID152Error", "NvidiaXID152Warning", "NvidiaXID153Error", "NvidiaXID153Warning", "NvidiaXID154Warning", "NvidiaXID157Error", "NvidiaXID157Warning", "NvidiaXID159Error", "NvidiaXID159Warning", "NvidiaXID160Error", "NvidiaXID160Warning", "NvidiaXID161Error", "NvidiaXID161Warning", "NvidiaXID162Error", "NvidiaXID162Warning", "NvidiaXID163Error", "NvidiaXID163Warning", "NvidiaXID164Error", "NvidiaXID164Warning", "NvidiaXID165Error", "NvidiaXID165Warning", "NvidiaXID166Error", "NvidiaXID166Warning", "NvidiaXID167Error", "NvidiaXID167Warning", "NvidiaXID168Error", "NvidiaXID168Warning", "NvidiaXID169Error", "NvidiaXID169Warning", "NvidiaXID170Error", "NvidiaXID170Warning", "NvidiaXID171Error", "NvidiaXID171Warning", "NvidiaXID172Error", "NvidiaXID172Warning"},
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "NVIDIA's driver reports an Xid that takes no GPU out of work, or that this version does not know; the table of Xids says what NVIDIA says to do.",
			JA: "NVIDIA ドライバーが、GPU の利用を妨げない Xid か、このバージョンでは未知の Xid を報告しています。NVIDIA の推奨対応は Xid の一覧にあります。",
		},
		Reads:   "the kernel log: `NVRM: Xid` of every number that is neither fatal nor an application's error",
		ReadsJA: "カーネルログの `NVRM: Xid` のうち、致命的でもアプリケーションのエラーでもない番号",
		Needs:   Needs{Count: 1, Within: 1 * hour},
		Clears:  Clears{Quiet: 1 * hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): \d+, `, Except: `^NVRM: Xid \([^)]*\): (?:8, |11, |13, |25, |31, |32, |39, |40, |41, |43, |45, |46, |48, |54, |60, |62, |64, |68, |69, |70, |71, |72, |74, |75, |76, |77, |79, |80, |82, |83, |84, |85, |86, |88, |89, |94, |95, |96, |97, |98, |99, |100, |101, |102, |103, |104, |105, |109, |110, |119, |120, |126, |127, |128, |129, |130, |131, |132, |133, |134, |135, |136, |139, |140, |143, |144, [\w/]+ +Fatal |145, [\w/]+ +Fatal |146, [\w/]+ +Fatal |147, [\w/]+ +Fatal |148, [\w/]+ +Fatal |149, [\w/]+ +Fatal |150, [\w/]+ +Fatal |151, |154, (?:pid=\d+, name=(?s:.{1,15}?), )?GPU recovery action changed from 0x[0-9a-f]+ \([A-Za-z0-9 ]+\) to 0x[12] \(|155, |156, |158, )`},
		},
	},
}

// The durations of the catalogue, in the largest unit that is whole.
const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
)

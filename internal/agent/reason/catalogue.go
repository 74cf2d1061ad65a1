// Code generated from catalogue.yaml. DO NOT EDIT.

package reason

import "time"

const (
	// ApproachingKernelPidMax: The host has nearly as many threads as its kernel allows; at the limit nothing can start any more.
	ApproachingKernelPidMax ID = "ApproachingKernelPidMax"
	// ApproachingMaxOpenFiles: The host has nearly as many open files as its kernel allows; at the limit no process can open another.
	ApproachingMaxOpenFiles ID = "ApproachingMaxOpenFiles"
	// CPUPressureStalled: The node's own daemons (kubelet, container runtime, system services) spend much of the time waiting for a CPU.
	CPUPressureStalled ID = "CPUPressureStalled"
	// ClockUnsynchronized: Nothing keeps the host's clock right; certificates, tokens, leases and log times will be wrong sooner or later.
	ClockUnsynchronized ID = "ClockUnsynchronized"
	// ExcessiveZombieProcesses: A process does not reap its ended children, each of which keeps a PID.
	ExcessiveZombieProcesses ID = "ExcessiveZombieProcesses"
	// ForkFailedOutOfPIDs: The node, all its pods together, or one of the daemons it needs can start no process or thread, as a limit on PIDs is reached.
	ForkFailedOutOfPIDs ID = "ForkFailedOutOfPIDs"
	// IOPressureStalled: The node's own daemons (kubelet, container runtime, system services) spend most of the time waiting for disks.
	IOPressureStalled ID = "IOPressureStalled"
	// LargeEnvironment: A process has an environment of very many variables, as from thousands of Services; it starts slowly, and execve refuses what grows further.
	LargeEnvironment ID = "LargeEnvironment"
	// MemoryPressureStalled: All processes of the host (/), or the node's own daemons, spend much of the time waiting for memory to be freed or read back.
	MemoryPressureStalled ID = "MemoryPressureStalled"
	// RapidCron: A cron job is set to run more often than every five minutes.
	RapidCron ID = "RapidCron"
	// ZramHighUsage: A compressed memory device (zram) takes much of the host's memory.
	ZramHighUsage ID = "ZramHighUsage"
	// ConntrackFull: The kernel's table of connections is nearly full; packets of new connections are dropped once it is.
	ConntrackFull ID = "ConntrackFull"
	// InterfaceNotRunning: A network interface of the node is up but has lost its carrier.
	InterfaceNotRunning ID = "InterfaceNotRunning"
	// InterfaceNotUp: A network interface of the node is administratively down.
	InterfaceNotUp ID = "InterfaceNotUp"
	// MissingLoopbackInterface: The host has no loopback interface named lo, so nothing on it can reach 127.0.0.1.
	MissingLoopbackInterface ID = "MissingLoopbackInterface"
	// NetworkSysctl: A sysctl has a value with which the node's pods cannot be reached.
	NetworkSysctl ID = "NetworkSysctl"
)

// Catalogue is every reason, sorted by condition and name.
var Catalogue = []Reason{
	{
		ID: ApproachingKernelPidMax, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The host has nearly as many threads as its kernel allows; at the limit nothing can start any more.",
			JA: "スレッド数がカーネルの上限に近づいています。上限に達すると、新しいプロセスもスレッドも作れません。",
		},
		Needs:  Needs{For: 2 * minute},
		Clears: Clears{For: 1 * minute},
	},
	{
		ID: ApproachingMaxOpenFiles, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The host has nearly as many open files as its kernel allows; at the limit no process can open another.",
			JA: "開いているファイルの数がカーネルの上限に近づいています。上限に達すると、どのプロセスも新しいファイルを開けません。",
		},
		Needs:  Needs{For: 2 * minute},
		Clears: Clears{For: 1 * minute},
	},
	{
		ID: CPUPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "The node's own daemons (kubelet, container runtime, system services) spend much of the time waiting for a CPU.",
			JA: "ノード自身のデーモン（kubelet、コンテナランタイム、システムサービス）が、かなりの時間を CPU 待ちで過ごしています。",
		},
		Needs:  Needs{For: 5 * minute},
		Clears: Clears{For: 1 * minute},
	},
	{
		ID: ClockUnsynchronized, Condition: KernelReady, Severity: Warning, Action: None,
		Aliases: []ID{"NTPProblem"},
		Means: Words{
			EN: "Nothing keeps the host's clock right; certificates, tokens, leases and log times will be wrong sooner or later.",
			JA: "時刻を同期するものがありません。いずれ証明書、トークン、リース、ログの時刻に支障が出ます。",
		},
		Needs:  Needs{For: 15 * minute},
		Clears: Clears{},
	},
	{
		ID: ExcessiveZombieProcesses, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process does not reap its ended children, each of which keeps a PID.",
			JA: "終了した子プロセスを回収しないプロセスがあり、子プロセスごとに PID が占有され続けています。",
		},
		Needs:  Needs{For: 10 * minute},
		Clears: Clears{},
	},
	{
		ID: ForkFailedOutOfPIDs, Condition: KernelReady, Severity: Fatal, Action: Reboot,
		Aliases: []ID{"ForkFailedOutOfPID"},
		Entity:  "cgroup",
		Means: Words{
			EN: "The node, all its pods together, or one of the daemons it needs can start no process or thread, as a limit on PIDs is reached.",
			JA: "PID 数の上限に達したため、ノード全体、すべての Pod、または必須のデーモンのいずれかで、プロセスもスレッドも作れなくなっています。",
		},
		Needs:  Needs{For: 1 * minute},
		Clears: Clears{For: 1 * minute},
	},
	{
		ID: IOPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "The node's own daemons (kubelet, container runtime, system services) spend most of the time waiting for disks.",
			JA: "ノード自身のデーモン（kubelet、コンテナランタイム、システムサービス）が、ほとんどの時間をディスク待ちで過ごしています。",
		},
		Needs:  Needs{For: 5 * minute},
		Clears: Clears{For: 1 * minute},
	},
	{
		ID: LargeEnvironment, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process has an environment of very many variables, as from thousands of Services; it starts slowly, and execve refuses what grows further.",
			JA: "環境変数が極端に多いプロセスがあります（数千の Service がある場合など）。起動が遅くなり、さらに増えると execve が失敗します。",
		},
		Needs:  Needs{},
		Clears: Clears{},
	},
	{
		ID: MemoryPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "All processes of the host (/), or the node's own daemons, spend much of the time waiting for memory to be freed or read back.",
			JA: "ホスト全体（/）またはノード自身のデーモンが、かなりの時間をメモリの回収や再読み込みの待ちで過ごしています。",
		},
		Needs:  Needs{For: 2 * minute},
		Clears: Clears{For: 1 * minute},
	},
	{
		ID: RapidCron, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "file",
		Means: Words{
			EN: "A cron job is set to run more often than every five minutes.",
			JA: "5 分間隔より高い頻度で実行される cron ジョブがあります。",
		},
		Needs:  Needs{},
		Clears: Clears{},
	},
	{
		ID: ZramHighUsage, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A compressed memory device (zram) takes much of the host's memory.",
			JA: "圧縮メモリデバイス（zram）がホストのメモリを大きく占有しています。",
		},
		Needs:  Needs{For: 5 * minute},
		Clears: Clears{},
	},
	{
		ID: ConntrackFull, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The kernel's table of connections is nearly full; packets of new connections are dropped once it is.",
			JA: "カーネルのコネクション追跡テーブルがほぼ満杯です。満杯になると新しい接続のパケットが破棄されます。",
		},
		Needs:  Needs{For: 30 * second},
		Clears: Clears{For: 30 * second},
	},
	{
		ID: InterfaceNotRunning, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Entity: "interface",
		Means: Words{
			EN: "A network interface of the node is up but has lost its carrier.",
			JA: "ノードのネットワークインターフェイスは有効ですが、リンク（キャリア）を失っています。",
		},
		Needs:  Needs{For: 15 * second},
		Clears: Clears{For: 10 * second},
	},
	{
		ID: InterfaceNotUp, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Entity: "interface",
		Means: Words{
			EN: "A network interface of the node is administratively down.",
			JA: "ノードのネットワークインターフェイスが管理上ダウンしています。",
		},
		Needs:  Needs{For: 10 * second},
		Clears: Clears{For: 10 * second},
	},
	{
		ID: MissingLoopbackInterface, Condition: NetworkingReady, Severity: Fatal, Action: Reboot,
		Means: Words{
			EN: "The host has no loopback interface named lo, so nothing on it can reach 127.0.0.1.",
			JA: "ホストに lo という名前のループバックインターフェイスがなく、127.0.0.1 への通信ができません。",
		},
		Needs:  Needs{For: 10 * second},
		Clears: Clears{},
	},
	{
		ID: NetworkSysctl, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "sysctl",
		Means: Words{
			EN: "A sysctl has a value with which the node's pods cannot be reached.",
			JA: "カーネルパラメーター（sysctl）の値が、Pod への通信を妨げるものになっています。",
		},
		Needs:  Needs{For: 1 * minute},
		Clears: Clears{},
	},
}

// The durations of the catalogue, in the largest unit that is whole.
const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
)

// Code generated from the folder catalogue. DO NOT EDIT.

package reason

import "time"

// The reasons of KernelReady.
const (
	// AppBlocked: A process has been blocked in the kernel for more than two minutes, usually waiting for a disk or a network filesystem.
	AppBlocked ID = "AppBlocked"
	// AppCrash: The kernel killed a process because of an invalid memory access or instruction.
	AppCrash ID = "AppCrash"
	// ApproachingKernelPidMax: The number of threads is close to the kernel's limit; at the limit, no process or thread can start.
	ApproachingKernelPidMax ID = "ApproachingKernelPidMax"
	// ApproachingMaxOpenFiles: The number of open files of a daemon that the node needs, or of the whole host, is close to the limit; at the limit, no file or socket can be opened.
	ApproachingMaxOpenFiles ID = "ApproachingMaxOpenFiles"
	// CPUPressureStalled: The node's own daemons (kubelet, container runtime, system services) spend much of their time waiting for a CPU.
	CPUPressureStalled ID = "CPUPressureStalled"
	// ClockSkew: The clocks of the node and of the API server differ, so certificates, tokens and leases may be considered expired too early or too late.
	ClockSkew ID = "ClockSkew"
	// ClockUnsynchronized: Nothing synchronizes the host's clock; sooner or later, this affects certificates, tokens, leases and log times.
	ClockUnsynchronized ID = "ClockUnsynchronized"
	// ConntrackExceededKernel: The kernel dropped packets of new connections because its connection tracking table is full.
	ConntrackExceededKernel ID = "ConntrackExceededKernel"
	// CperHardwareErrorCorrected: The firmware reports a hardware error that was corrected.
	CperHardwareErrorCorrected ID = "CperHardwareErrorCorrected"
	// CperHardwareErrorFatal: The firmware reports a fatal hardware error, which occurred now or before this boot.
	CperHardwareErrorFatal ID = "CperHardwareErrorFatal"
	// CperHardwareErrorRecoverable: The firmware reports a hardware error that was not corrected but did not stop the system.
	CperHardwareErrorRecoverable ID = "CperHardwareErrorRecoverable"
	// ExcessiveZombieProcesses: A process does not reap its terminated children, each of which occupies a PID.
	ExcessiveZombieProcesses ID = "ExcessiveZombieProcesses"
	// FileMaxReached: The host has reached the kernel's limit of open files; only root can open more.
	FileMaxReached ID = "FileMaxReached"
	// ForkFailedOutOfPIDs: The node, all of its pods together, or a daemon that it needs cannot start a process or thread because a PID limit is reached.
	ForkFailedOutOfPIDs ID = "ForkFailedOutOfPIDs"
	// HardLockup: A CPU did not handle interrupts for about ten seconds.
	HardLockup ID = "HardLockup"
	// IOPressureStalled: The node's own daemons (kubelet, container runtime, system services) spend most of their time waiting for disks.
	IOPressureStalled ID = "IOPressureStalled"
	// KernelBug: The kernel detected a bug in itself.
	KernelBug ID = "KernelBug"
	// KernelDeadlock: A daemon that is needed to start and stop pods is blocked in the kernel and cannot be killed.
	KernelDeadlock ID = "KernelDeadlock"
	// KernelOops: The kernel aborted an operation because of an internal error (oops) and continued to run.
	KernelOops ID = "KernelOops"
	// LargeEnvironment: A process has very many environment variables, for example because of thousands of Services; it starts slowly, and if there are more, execve fails.
	LargeEnvironment ID = "LargeEnvironment"
	// LogLinesLost: Log lines were lost before they could be read, so faults that are detected by log lines may have been missed.
	LogLinesLost ID = "LogLinesLost"
	// MachineCheckError: A CPU reports a hardware error, corrected or uncorrected.
	MachineCheckError ID = "MachineCheckError"
	// MemoryPressureStalled: All processes of the host (/), or the node's own daemons, spend much of their time waiting for memory to be reclaimed or read back.
	MemoryPressureStalled ID = "MemoryPressureStalled"
	// MemoryReadError: A memory controller repeatedly corrects errors.
	MemoryReadError ID = "MemoryReadError"
	// OOMKilling: The kernel killed a process because a container reached its memory limit or the node ran out of memory.
	OOMKilling ID = "OOMKilling"
	// PCIeErrorCorrected: A PCIe device or its link repeatedly corrects errors.
	PCIeErrorCorrected ID = "PCIeErrorCorrected"
	// PCIeErrorFatal: A PCIe device or its link reported a fatal error and was reset or lost.
	PCIeErrorFatal ID = "PCIeErrorFatal"
	// PCIeErrorNonFatal: An error of a PCIe device caused the loss of a transaction; its link still works.
	PCIeErrorNonFatal ID = "PCIeErrorNonFatal"
	// PatternFileRefused: A file of own reasons is invalid, and the agent runs without the reasons in it.
	PatternFileRefused ID = "PatternFileRefused"
	// RCUStall: A stalled CPU has prevented the kernel's deferred cleanup (RCU) for about twenty seconds or longer.
	RCUStall ID = "RCUStall"
	// RapidCron: A cron job is scheduled to run more often than every five minutes.
	RapidCron ID = "RapidCron"
	// SoftLockup: A CPU ran the same kernel code for twenty seconds without running any other task.
	SoftLockup ID = "SoftLockup"
	// ThermalThrottling: CPUs are too hot and are repeatedly throttled.
	ThermalThrottling ID = "ThermalThrottling"
	// UncorrectedMemoryError: Memory had an error that could not be corrected; data was lost.
	UncorrectedMemoryError ID = "UncorrectedMemoryError"
	// UnregisterNetDevice: The kernel cannot release a network interface, usually that of a terminated pod; pods may fail to start later.
	UnregisterNetDevice ID = "UnregisterNetDevice"
	// ZramHighUsage: A compressed memory device (zram) uses much of the host's memory.
	ZramHighUsage ID = "ZramHighUsage"
)

var kernelReady = []Reason{
	{
		ID: AppBlocked, Condition: KernelReady, Severity: Warning, Action: None,
		Aliases: []ID{"TaskHung"},
		Entity:  "process",
		Means: Words{
			EN: "A process has been blocked in the kernel for more than two minutes, usually waiting for a disk or a network filesystem.",
			JA: "プロセスがカーネル内で 2 分を超えて待たされています。多くの場合、ディスクかネットワークファイルシステムを待っています。",
		},
		Reads:   "the kernel log: reports of hung tasks (khungtaskd). If the kernel reports none (kernel.hung_task_timeout_secs or kernel.hung_task_warnings is 0, or it has no detector), /proc/PID/task/* every minute: threads in state D without a context switch for two minutes whose wait (wchan) no signal can end",
		ReadsJA: "カーネルログのハングタスクの報告 (khungtaskd)。報告がない場合 (kernel.hung_task_timeout_secs か kernel.hung_task_warnings が 0、または検出機能のないカーネル) は、/proc/PID/task/* を毎分調べ、状態 D のまま 2 分間コンテキストスイッチがなく、wchan によればシグナルで終わる待ちではないスレッド",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^INFO: task (?P<entity>.+):\d+ blocked (?:in I/O wait )?for more than \d+ seconds\.`},
		},
	},
	{
		ID: AppCrash, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "The kernel killed a process because of an invalid memory access or instruction.",
			JA: "メモリアクセス違反や不正命令のため、カーネルがプロセスを終了しました。",
		},
		Reads:   "the kernel log: `segfault at`, `traps:` (x86) and `unhandled exception:` (arm64, where debug.exception-trace is on)",
		ReadsJA: "カーネルログの `segfault at`、`traps:` (x86)、`unhandled exception:` (arm64 で debug.exception-trace が有効な場合)",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?P<entity>.+)\[\d+\]: segfault at [0-9a-f]+ ip `},
			{Log: "kernel", Pattern: `^traps: (?P<entity>.+)\[\d+\] .+ ip:[0-9a-f]+ sp:[0-9a-f]+ error:`},
			{Log: "kernel", Pattern: `^(?P<entity>.+)\[\d+\]: unhandled exception: `},
		},
	},
	{
		ID: ApproachingKernelPidMax, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The number of threads is close to the kernel's limit; at the limit, no process or thread can start.",
			JA: "スレッド数がカーネルの上限に近づいています。上限に達すると、新しいプロセスもスレッドも作れません。",
		},
		Reads:   "/proc/loadavg (all threads): 70% or more of the smaller of kernel.pid_max and kernel.threads-max",
		ReadsJA: "/proc/loadavg (すべてのスレッド) を、kernel.pid_max と kernel.threads-max の小さいほうと比較。70 %",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{For: 1 * time.Minute},
	},
	{
		ID: ApproachingMaxOpenFiles, Condition: KernelReady, Severity: Warning, Action: RestartService,
		Entity: "process",
		Means: Words{
			EN: "The number of open files of a daemon that the node needs, or of the whole host, is close to the limit; at the limit, no file or socket can be opened.",
			JA: "必須のデーモンのいずれか、またはホスト全体で、開いているファイルの数が上限に近づいています。上限に達すると、新しいファイルもソケットも開けません。",
		},
		Reads:   "/proc/PID/fd of each process in the daemons' cgroups, and /proc/sys/fs/file-nr: 70% or more of the soft limit in /proc/PID/limits, or of the host's limit",
		ReadsJA: "デーモンの cgroup にある各プロセスの /proc/PID/fd と /proc/PID/limits のソフトリミット、および /proc/sys/fs/file-nr。70 %",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{For: 1 * time.Minute},
	},
	{
		ID: CPUPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "The node's own daemons (kubelet, container runtime, system services) spend much of their time waiting for a CPU.",
			JA: "ノード自身のデーモン (kubelet、コンテナランタイム、システムサービス) が、かなりの時間を CPU 待ちで過ごしています。",
		},
		Reads:   "cpu.pressure of the daemons' cgroups: avg60 in the line full is 40% or more. The value of the whole host is not used, because on a busy but healthy host some process is always waiting",
		ReadsJA: "デーモンの cgroup の cpu.pressure の full 行。avg60 が 40 % 以上。ホスト全体の値は読みません。正常でも忙しいホストでは、常にどれかのプロセスが待っているためです",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{For: 1 * time.Minute},
	},
	{
		ID: ClockSkew, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The clocks of the node and of the API server differ, so certificates, tokens and leases may be considered expired too early or too late.",
			JA: "ノードの時計が API サーバーの時計とずれています。証明書、トークン、リースの期限が、発行側と異なる時刻で判定されます。",
		},
		Reads:   "the Date header of responses that the agent receives from the API server over authenticated connections; it sends no extra requests. A date has a resolution of 1 s and was written between request and response, so the error of a measurement is half the round trip plus 0.5 s; it counts only if the difference exceeds 5 s (kernel.clockSkew) even after subtracting the error. It does not show which clock is wrong. `naosu-agent check` does not contact the API server",
		ReadsJA: "エージェントが API サーバーから受け取る応答の Date (正当なサーバーと確認できた接続のものだけ。そのためのリクエストはしません)。日付は秒単位で、リクエストから応答までのどこかで書かれたものなので、差は往復時間の半分と 0.5 秒を誤差として示し、そのすべてが 5 秒 (kernel.clockSkew) を超える場合にだけ成立します。どちらの時計がずれているかはわかりません。naosu-agent check は API サーバーに問い合わせません",
		Needs:   Needs{For: 15 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: ClockUnsynchronized, Condition: KernelReady, Severity: Warning, Action: None,
		Aliases: []ID{"NTPProblem"},
		Means: Words{
			EN: "Nothing synchronizes the host's clock; sooner or later, this affects certificates, tokens, leases and log times.",
			JA: "時刻を同期するものがありません。いずれ証明書、トークン、リース、ログの時刻に支障が出ます。",
		},
		Reads:   "adjtimex(2), read-only: the maximum error has reached 16 s, at which the kernel considers the clock unsynchronized. The flag STA_UNSYNC is not used, because chrony without rtcsync leaves it set although it synchronizes the clock (systemd#13245)",
		ReadsJA: "adjtimex(2) (読み取りのみ)。最大誤差が、カーネル自身が時計の同期を諦める 16 秒に達していること。STA_UNSYNC は読みません。rtcsync を使わない chrony は、同期している時計でも設定されたままにするためです (systemd#13245)",
		Needs:   Needs{For: 15 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: ConntrackExceededKernel, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The kernel dropped packets of new connections because its connection tracking table is full.",
			JA: "コネクショントラッキングのテーブルが一杯になり、カーネルが新しい接続のパケットを破棄しました。",
		},
		Reads:   "the kernel log: `nf_conntrack: table full`, for the node's own network namespace",
		ReadsJA: "カーネルログの `nf_conntrack: table full` (ノード自身のネットワーク名前空間のもの)",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
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
		ReadsJA: "カーネルログにあるファームウェアの CPER レコード (APEI GHES と BERT)",
		Needs:   Needs{Count: 3, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:\{\d+\})?\[Hardware Error\]: event severity: corrected$`},
		},
	},
	{
		ID: CperHardwareErrorFatal, Condition: KernelReady, Severity: Fatal, Action: Replace,
		Means: Words{
			EN: "The firmware reports a fatal hardware error, which occurred now or before this boot.",
			JA: "ファームウェアが、現在または今回の起動前に起きた致命的なハードウェアエラーを報告しています。",
		},
		Reads:   "the kernel log: CPER records of the firmware (APEI GHES and BERT)",
		ReadsJA: "カーネルログにあるファームウェアの CPER レコード (APEI GHES と BERT)",
		Needs:   Needs{Count: 2, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Record, Text: Words{
			EN: "Two kernel records of what the firmware reported. No process can write such a record, and none begins with a process name.",
			JA: "ファームウェアの通知についてカーネル自身が書いた 2 件の記録。プロセスはこの記録を書けず、プロセス名で始まることもありません。",
		}},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:\{\d+\})?\[Hardware Error\]: event severity: fatal$`},
		},
	},
	{
		ID: CperHardwareErrorRecoverable, Condition: KernelReady, Severity: Warning, Action: Replace,
		Means: Words{
			EN: "The firmware reports a hardware error that was not corrected but did not stop the system.",
			JA: "ファームウェアが、訂正できなかったものの稼働を続けられたハードウェアエラーを報告しています。",
		},
		Reads:   "the kernel log: CPER records of the firmware (APEI GHES and BERT)",
		ReadsJA: "カーネルログにあるファームウェアの CPER レコード (APEI GHES と BERT)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:\{\d+\})?\[Hardware Error\]: event severity: recoverable$`},
		},
	},
	{
		ID: ExcessiveZombieProcesses, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process does not reap its terminated children, each of which occupies a PID.",
			JA: "終了した子プロセスを回収しないプロセスがあり、子プロセスごとに PID が占有され続けています。",
		},
		Reads:   "/proc/*/stat: 20 zombies or more with the same parent (name[PID]). A process of which only the first thread has ended does not count",
		ReadsJA: "/proc/*/stat。1 つの親 (名前[PID]) に 20 個以上のゾンビ。最初のスレッドだけが終了したプロセスは数えません",
		Needs:   Needs{For: 10 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: FileMaxReached, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The host has reached the kernel's limit of open files; only root can open more.",
			JA: "ホスト全体で開いているファイルの数がカーネルの上限に達し、root 以外は新しいファイルもソケットも開けません。",
		},
		Reads:   "the kernel log: `VFS: file-max limit … reached`, which the kernel writes each time that more files are open than at the previous line",
		ReadsJA: "カーネルログの `VFS: file-max limit … reached`。カーネルは、前回より多く開かれるたびに書きます",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^VFS: file-max limit \d+ reached$`},
		},
	},
	{
		ID: ForkFailedOutOfPIDs, Condition: KernelReady, Severity: Fatal, Action: Reboot,
		Aliases: []ID{"ForkFailedOutOfPID"},
		Entity:  "cgroup",
		Means: Words{
			EN: "The node, all of its pods together, or a daemon that it needs cannot start a process or thread because a PID limit is reached.",
			JA: "PID 数の上限に達したため、ノード全体、すべての Pod、または必須のデーモンのいずれかで、プロセスもスレッドも作れなくなっています。",
		},
		Reads:   "a fork by the agent itself, which executes nothing (the entity / is the whole node); pids.max, pids.current and the refused forks in pids.events of the cgroups of all pods, of the kubelet and of the container runtime. The limit of a single pod does not affect the node and is not read",
		ReadsJA: "エージェント自身による fork (何も実行しません。/ はノード全体)。すべての Pod を含む cgroup と、kubelet とコンテナランタイムの cgroup の pids.max、pids.current、pids.events の拒否回数。Pod 1 つの上限はノードのものではないので読みません",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{For: 1 * time.Minute},
		Basis: Basis{Kind: State, Text: Words{
			EN: "A fork by the agent that the kernel refuses, and the counters of the cgroups of the daemons and of all pods together. A single pod at its own limit affects neither.",
			JA: "カーネルに拒否されたエージェント自身の fork と、デーモンおよび全 Pod の cgroup のカウンター。1 つの Pod が自身の上限に達しても、いずれも変わりません。",
		}},
	},
	{
		ID: HardLockup, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Entity: "CPU",
		Means: Words{
			EN: "A CPU did not handle interrupts for about ten seconds.",
			JA: "CPU が約 10 秒間、割り込みを受け付けませんでした。",
		},
		Reads:   "the kernel log: reports of the hard lockup detector, `NMI watchdog:` before Linux 6.5 and `watchdog:` since",
		ReadsJA: "カーネルログにあるハードロックアップ検出の報告。Linux 6.5 より前の名前 (`NMI watchdog:`) と以後の名前 (`watchdog:`)",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:NMI )?watchdog: (?:CPU\d+: )?Watchdog detected hard LOCKUP on cpu (?P<entity>\d+)`},
		},
	},
	{
		ID: IOPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "The node's own daemons (kubelet, container runtime, system services) spend most of their time waiting for disks.",
			JA: "ノード自身のデーモン (kubelet、コンテナランタイム、システムサービス) が、ほとんどの時間をディスク待ちで過ごしています。",
		},
		Reads:   "io.pressure of the daemons' cgroups: avg60 in the line full is 60% or more. The value of the whole host is not used, because a backup on an otherwise idle host raises it to nearly 100%",
		ReadsJA: "デーモンの cgroup の io.pressure の full 行。avg60 が 60 % 以上。ホスト全体の値は読みません。空いているホストでは、正常なバックアップ 1 つで 100 % 近くになるためです",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{For: 1 * time.Minute},
	},
	{
		ID: KernelBug, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The kernel detected a bug in itself.",
			JA: "カーネルが自身の不具合を検出しました。",
		},
		Reads:   "the kernel log: `BUG: …` and `kernel BUG at …`, except for delayed workqueues, which a busy hypervisor can cause",
		ReadsJA: "カーネルログの `BUG: …` と `kernel BUG at …`。ハイパーバイザーが忙しいだけで起こる workqueue の遅れは除きます",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^BUG: (?:kernel NULL pointer|unable to handle|Bad page (?:state|map|cache) in process |Bad rss-counter state |K(?:ASAN|CSAN|MSAN|FENCE): [a-z -]{4,} in |scheduling while atomic: |sleeping function called |assuming (?:atomic|non migratable) context |non-zero (?:pgtables_bytes|nr_pmds|nr_ptes) on freeing mm|spinlock [A-Za-z ]+ on CPU|(?:[A-Z]+ )?stack guard page was hit |workqueue leaked)`},
			{Log: "kernel", Pattern: `^[kK]ernel BUG at (?:[\w./-]+:\d+!|[\w.]+\+0x[0-9a-f]+/0x[0-9a-f]+)(?: \[.*)?$`},
		},
	},
	{
		ID: KernelDeadlock, Condition: KernelReady, Severity: Fatal, Action: Reboot,
		Entity: "process",
		Means: Words{
			EN: "A daemon that is needed to start and stop pods is blocked in the kernel and cannot be killed.",
			JA: "Pod の起動と終了に欠かせないデーモンがカーネル内で待たされたままになり、強制終了もできません。",
		},
		Reads:   "/proc/PID/task/* every minute: threads of the kubelet, containerd, CRI-O, dockerd and systemd (identified by their cgroups) in state D without a context switch since the previous check, whose wait (wchan) no signal can end (unlike NFS and FUSE). Shims and helper processes are excluded, because they wait for a single pod's volume. Hung tasks in the kernel log are reported as AppBlocked",
		ReadsJA: "/proc/PID/task/*。毎分、kubelet、containerd、CRI-O、dockerd、systemd を cgroup で見分け、状態 D のまま前回からコンテキストスイッチがなく、wchan によればシグナルで終わる待ち (NFS、FUSE) ではないスレッド。shim と補助プロセスは 1 つの Pod のボリュームを待つものなので除きます。カーネルがログに書くハングタスクは AppBlocked です",
		Needs:   Needs{For: 3 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The state, the context switches and the wait (wchan) of threads in the daemons' own cgroups, which contain no process of a pod.",
			JA: "Pod のプロセスが入らないデーモン自身の cgroup にあるスレッドの状態、コンテキストスイッチ数、待機箇所 (wchan)。",
		}},
	},
	{
		ID: KernelOops, Condition: KernelReady, Severity: Warning, Action: Reboot,
		Means: Words{
			EN: "The kernel aborted an operation because of an internal error (oops) and continued to run.",
			JA: "カーネルが処理を途中で打ち切り、そのまま稼働を続けています (oops)。",
		},
		Reads:   "the kernel log: the numbered header of an oops (`[#1]`), in the wording of x86 before and since Linux 6.11 and of arm64",
		ReadsJA: "カーネルログにある、番号の付いた oops の見出し (`[#1]`)。x86 の Linux 6.11 より前と以後、および arm64 の表記",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:Oops|Internal error|general protection fault|divide error|invalid opcode|double fault|stack segment|stack guard page|bounds|int3|[a-z #-]+ exception|[a-z ]+ fault|Bad pagetable)[^\[\]]*: [0-9a-f]{4,16} \[#\d+\](?: +[A-Z][\w(){},]*)*$`},
		},
	},
	{
		ID: LargeEnvironment, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process has very many environment variables, for example because of thousands of Services; it starts slowly, and if there are more, execve fails.",
			JA: "環境変数が極端に多いプロセスがあります (数千の Service がある場合など)。起動が遅くなり、さらに増えると execve が失敗します。",
		},
		Reads:   "/proc/*/stat for the size of the environment and, if it may be large, /proc/PID/environ of the largest process of each name: more than 1000 variables",
		ReadsJA: "/proc/*/stat の環境変数領域のサイズ。大きい可能性があれば、名前ごとに最大のプロセスの /proc/PID/environ。1000 個を超える環境変数",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: LogLinesLost, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "log",
		Means: Words{
			EN: "Log lines were lost before they could be read, so faults that are detected by log lines may have been missed.",
			JA: "ログの行が、読み取る前に失われました。ログから検出する問題を見落とした可能性があります。",
		},
		Reads:   "gaps in the sequence numbers of kernel records; lines that journald reports as missed or suppressed; damaged entries of the journal",
		ReadsJA: "カーネルのレコードの連番の欠落、journald が取りこぼしたか抑制したと記録した行、ジャーナルの壊れたエントリ",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
	},
	{
		ID: MachineCheckError, Condition: KernelReady, Severity: Warning, Action: Replace,
		Means: Words{
			EN: "A CPU reports a hardware error, corrected or uncorrected.",
			JA: "CPU がハードウェアエラーを報告しています (訂正済みのものも含みます)。",
		},
		Reads:   "the kernel log: machine checks (mce)",
		ReadsJA: "カーネルログのマシンチェック (mce)",
		Needs:   Needs{Count: 3, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^mce: \[Hardware Error\]: CPU \d+: Machine Check`},
			{Log: "kernel", Pattern: `^mce: \[Hardware Error\]: Machine check events logged`},
		},
	},
	{
		ID: MemoryPressureStalled, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "cgroup",
		Means: Words{
			EN: "All processes of the host (/), or the node's own daemons, spend much of their time waiting for memory to be reclaimed or read back.",
			JA: "ホスト全体 (/) またはノード自身のデーモンが、かなりの時間をメモリの回収や再読み込みの待ちで過ごしています。",
		},
		Reads:   "/proc/pressure/memory, and memory.pressure of the daemons' cgroups: avg60 in the line full is 20% or more",
		ReadsJA: "/proc/pressure/memory と、デーモンの cgroup の memory.pressure の full 行。avg60 が 20 % 以上",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{For: 1 * time.Minute},
	},
	{
		ID: MemoryReadError, Condition: KernelReady, Severity: Warning, Action: Replace,
		Entity: "memory controller",
		Means: Words{
			EN: "A memory controller repeatedly corrects errors.",
			JA: "メモリコントローラーが繰り返しエラーを訂正しています。",
		},
		Reads:   "the kernel log: corrected errors (CE) reported by the drivers of memory controllers (EDAC)",
		ReadsJA: "カーネルログにある、メモリコントローラーのドライバー (EDAC) の訂正済みエラー (CE)",
		Needs:   Needs{Count: 3, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^EDAC (?P<entity>MC\d+): \d+ CE [^\[]*\bon [^\[]+ \([^\[]*\bpage:0x[0-9a-f]+ offset:0x[0-9a-f]+ `},
		},
	},
	{
		ID: OOMKilling, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "container or process",
		Means: Words{
			EN: "The kernel killed a process because a container reached its memory limit or the node ran out of memory.",
			JA: "コンテナのメモリ上限、またはノードのメモリを使い切ったため、カーネルがプロセスを強制終了しました。",
		},
		Reads:   "the kernel log: `Memory cgroup out of memory: Killed process` and `Out of memory: Killed process`. The cgroup of the container is read from the preceding line (`oom-kill:` or `Tasks in … are going to be killed`), and its name (namespace/pod/container, or else UID and container ID) from /var/log/containers and /var/log/pods, never from the name of the process",
		ReadsJA: "カーネルログの `Memory cgroup out of memory: Killed process` と `Out of memory: Killed process`。コンテナの cgroup は、その前の `oom-kill:` または `Tasks in … are going to be killed` の行から読みます",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^Memory cgroup out of memory: Killed process \d+ \((?P<entity>.+)\) total-vm:`},
			{Log: "kernel", Pattern: `^Out of memory(?: \(oom_kill_allocating_task\))?: Killed process \d+ \((?P<entity>.+)\) total-vm:`},
		},
	},
	{
		ID: PCIeErrorCorrected, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A PCIe device or its link repeatedly corrects errors.",
			JA: "PCIe デバイスまたはそのリンクが、繰り返しエラーを訂正しています。",
		},
		Reads:   "the kernel log: PCIe Advanced Error Reporting (AER), in the wording before and since Linux 6.9",
		ReadsJA: "カーネルログにある PCIe の AER (Advanced Error Reporting)。Linux 6.9 より前と以後の表記",
		Needs:   Needs{Count: 10, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^\S+ (?P<entity>[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Correct(?:ed|able), type=`},
		},
	},
	{
		ID: PCIeErrorFatal, Condition: KernelReady, Severity: Warning, Action: Replace,
		Entity: "device",
		Means: Words{
			EN: "A PCIe device or its link reported a fatal error and was reset or lost.",
			JA: "PCIe デバイスまたはそのリンクが致命的なエラーを報告し、リセットされたか、使えなくなりました。",
		},
		Reads:   "the kernel log: PCIe Advanced Error Reporting (AER), in the wording before and since Linux 6.9",
		ReadsJA: "カーネルログにある PCIe の AER (Advanced Error Reporting)。Linux 6.9 より前と以後の表記",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^\S+ (?P<entity>[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Fatal\), type=`},
		},
	},
	{
		ID: PCIeErrorNonFatal, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "An error of a PCIe device caused the loss of a transaction; its link still works.",
			JA: "PCIe デバイスでエラーによりトランザクションが失われましたが、リンクは維持されています。",
		},
		Reads:   "the kernel log: PCIe Advanced Error Reporting (AER), in the wording before and since Linux 6.9",
		ReadsJA: "カーネルログにある PCIe の AER (Advanced Error Reporting)。Linux 6.9 より前と以後の表記",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^\S+ (?P<entity>[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Non-Fatal\), type=`},
		},
	},
	{
		ID: PatternFileRefused, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "file",
		Means: Words{
			EN: "A file of own reasons is invalid, and the agent runs without the reasons in it.",
			JA: "独自の理由のファイルに誤りがあり、エージェントはその理由なしで動作しています。",
		},
		Reads:   "the files named *.patterns.yaml in the folder of the agent's configuration, when the agent starts; `naosu-agent check --config` reports the same errors beforehand",
		ReadsJA: "エージェントの設定と同じディレクトリにある *.patterns.yaml (エージェントの起動時)。事前に `naosu-agent check --config` で同じことを確認できます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: RCUStall, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "A stalled CPU has prevented the kernel's deferred cleanup (RCU) for about twenty seconds or longer.",
			JA: "CPU の停滞により、カーネルの後処理 (RCU) が 20 秒ほど、またはそれ以上進みませんでした。",
		},
		Reads:   "the kernel log: `rcu: INFO: … stall`",
		ReadsJA: "カーネルログの `rcu: INFO: … stall`",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^rcu: INFO: \S+ (?:self-)?detected (?:expedited )?stalls? on CPU`},
		},
	},
	{
		ID: RapidCron, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "file",
		Means: Words{
			EN: "A cron job is scheduled to run more often than every five minutes.",
			JA: "5 分間隔より高い頻度で実行される cron ジョブがあります。",
		},
		Reads:   "/etc/crontab, /etc/cron.d and the crontabs of users: jobs with more than 12 runs per hour",
		ReadsJA: "/etc/crontab、/etc/cron.d、ユーザーの crontab。ジョブの分の指定が 1 時間に 12 回を超えるもの",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: SoftLockup, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "CPU",
		Means: Words{
			EN: "A CPU ran the same kernel code for twenty seconds without running any other task.",
			JA: "CPU が 20 秒以上カーネル内の処理に占有され、ほかのタスクを実行できませんでした。",
		},
		Reads:   "the kernel log: `watchdog: BUG: soft lockup`",
		ReadsJA: "カーネルログの `watchdog: BUG: soft lockup`",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^watchdog: BUG: soft lockup - CPU#(?P<entity>\d+) stuck for \d+s!`},
		},
	},
	{
		ID: ThermalThrottling, Condition: KernelReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "CPUs are too hot and are repeatedly throttled.",
			JA: "CPU の温度が高すぎるため、繰り返し動作速度が下げられています。",
		},
		Reads:   "core_throttle_count and package_throttle_count in /sys/devices/system/cpu/cpu*/thermal_throttle, every minute: whether any has increased. Intel CPUs have these counters, virtual CPUs do not. The kernel log (`temperature is above threshold`) reports the same, but less often",
		ReadsJA: "/sys/devices/system/cpu/cpu*/thermal_throttle の core_throttle_count と package_throttle_count の増加 (毎分)。Intel の CPU にあり、仮想 CPU にはありません。カーネルログの行 (`temperature is above threshold`) も同じことを示しますが、頻度が低くなります",
		Needs:   Needs{For: 3 * time.Minute},
		Clears:  Clears{For: 10 * time.Minute},
	},
	{
		ID: UncorrectedMemoryError, Condition: KernelReady, Severity: Fatal, Action: Replace,
		Means: Words{
			EN: "Memory had an error that could not be corrected; data was lost.",
			JA: "メモリで訂正不能なエラーが起き、データが失われました。",
		},
		Reads:   "the kernel log: uncorrected errors (UE) reported by the drivers of memory controllers (EDAC), and how the kernel handled each failed page; ue_count in /sys/devices/system/edac/mc; HardwareCorrupted in /proc/meminfo",
		ReadsJA: "カーネルログにある、メモリコントローラーのドライバー (EDAC) の訂正不能エラー (UE) と、障害のあったページの処理結果。/sys/devices/system/edac/mc の ue_count と /proc/meminfo の HardwareCorrupted",
		Needs:   Needs{Count: 3, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Witness, Text: Words{
			EN: "Three kernel records, each counted only while a counter confirms them: uncorrected errors of a memory controller (ue_count), or memory that the kernel no longer uses (HardwareCorrupted in /proc/meminfo).",
			JA: "カーネルの 3 件の記録。メモリコントローラーの訂正不能エラー (ue_count)、またはカーネルが使用をやめたメモリ (/proc/meminfo の HardwareCorrupted) のカウンターが同じことを示している間だけ数えます。",
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
			EN: "The kernel cannot release a network interface, usually that of a terminated pod; pods may fail to start later.",
			JA: "カーネルがネットワークインターフェイスを解放できません。多くは終了した Pod のもので、以後の Pod の起動が止まるおそれがあります。",
		},
		Reads:   "the kernel log: `unregister_netdevice: waiting for …`",
		ReadsJA: "カーネルログの `unregister_netdevice: waiting for …`",
		Needs:   Needs{Count: 3, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^unregister_netdevice: waiting for (?P<entity>\S+) to become free\. Usage count = -?\d+`},
		},
	},
	{
		ID: ZramHighUsage, Condition: KernelReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A compressed memory device (zram) uses much of the host's memory.",
			JA: "圧縮メモリデバイス (zram) がホストのメモリを大きく占有しています。",
		},
		Reads:   "mem_used_total in /sys/block/zram*/mm_stat: 10% or more of MemTotal in /proc/meminfo",
		ReadsJA: "/sys/block/zram*/mm_stat の mem_used_total を /proc/meminfo の MemTotal と比較。10 %",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{},
	},
}

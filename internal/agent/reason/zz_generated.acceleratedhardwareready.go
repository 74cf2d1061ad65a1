// Code generated from the folder catalogue. DO NOT EDIT.

package reason

import "time"

// The reasons of AcceleratedHardwareReady.
const (
	// NeuronDMAError: The AWS Neuron runtime reports a DMA engine error from which it could not recover.
	NeuronDMAError ID = "NeuronDMAError"
	// NeuronHBMUncorrectableError: The memory (HBM) of a Neuron device had an uncorrected error and cannot be repaired.
	NeuronHBMUncorrectableError ID = "NeuronHBMUncorrectableError"
	// NeuronNCUncorrectableError: The AWS Neuron runtime reports an uncorrected error of a NeuronCore's memory.
	NeuronNCUncorrectableError ID = "NeuronNCUncorrectableError"
	// NeuronSRAMUncorrectableError: The on-chip memory (SRAM) of a Neuron device had an uncorrected error.
	NeuronSRAMUncorrectableError ID = "NeuronSRAMUncorrectableError"
	// NvidiaSXIDError: An NVSwitch has an error that is always fatal to the whole fabric according to NVIDIA. NVIDIA's recommendation: restart the host.
	NvidiaSXIDError ID = "NvidiaSXIDError"
	// NvidiaSXIDWarning: An NVSwitch reports an error of its own or of one of its links. If the error disables a GPU, that GPU also reports an Xid.
	NvidiaSXIDWarning ID = "NvidiaSXIDWarning"
	// NvidiaXID109Error: A context switch on the GPU timed out. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID109Error ID = "NvidiaXID109Error"
	// NvidiaXID110Error: The GPU reports a security fault. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID110Error ID = "NvidiaXID110Error"
	// NvidiaXID119Error: The GPU's system processor (GSP) did not respond to the driver in time. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID119Error ID = "NvidiaXID119Error"
	// NvidiaXID120Error: The GPU's system processor (GSP) reports an internal error. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID120Error ID = "NvidiaXID120Error"
	// NvidiaXID136Error: An NVLink of the GPU could not be trained. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID136Error ID = "NvidiaXID136Error"
	// NvidiaXID140Error: The GPU reports an ECC error from which it could not recover. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID140Error ID = "NvidiaXID140Error"
	// NvidiaXID143Error: The GPU could not be initialized. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID143Error ID = "NvidiaXID143Error"
	// NvidiaXID144Error: An NVLink of the GPU has a fatal error (SAW). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.
	NvidiaXID144Error ID = "NvidiaXID144Error"
	// NvidiaXID145Error: An NVLink of the GPU has a fatal error (RLW). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.
	NvidiaXID145Error ID = "NvidiaXID145Error"
	// NvidiaXID146Error: An NVLink of the GPU has a fatal error (TLW). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.
	NvidiaXID146Error ID = "NvidiaXID146Error"
	// NvidiaXID147Error: An NVLink of the GPU has a fatal error (TREX). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.
	NvidiaXID147Error ID = "NvidiaXID147Error"
	// NvidiaXID148Error: An NVLink of the GPU has a fatal error (NVLPW_CTRL). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.
	NvidiaXID148Error ID = "NvidiaXID148Error"
	// NvidiaXID149Error: An NVLink of the GPU has a fatal error (NETIR). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.
	NvidiaXID149Error ID = "NvidiaXID149Error"
	// NvidiaXID150Error: An NVLink of the GPU has a fatal error (MSE). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.
	NvidiaXID150Error ID = "NvidiaXID150Error"
	// NvidiaXID151Error: The GPU could not rotate the keys of confidential computing. NVIDIA's recommendation: restart the virtual machine.
	NvidiaXID151Error ID = "NvidiaXID151Error"
	// NvidiaXID154Error: The driver reports that the GPU must be reset or the node rebooted. NVIDIA's recommendation: follow the record: reset the GPU, or reboot the node.
	NvidiaXID154Error ID = "NvidiaXID154Error"
	// NvidiaXID155Error: The driver reports an error of the GPU's NVLink. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID155Error ID = "NvidiaXID155Error"
	// NvidiaXID156Error: The GPU retired a bad part of its memory, which takes effect after a reset. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID156Error ID = "NvidiaXID156Error"
	// NvidiaXID158Error: The GPU did not respond in time and does not work until it is reset. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID158Error ID = "NvidiaXID158Error"
	// NvidiaXID46Error: The GPU stopped processing and does not work until it is reset. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID46Error ID = "NvidiaXID46Error"
	// NvidiaXID48Error: The GPU's memory had a double-bit error, which could not be corrected. NVIDIA's recommendation: reset the GPU, and replace it if its error count then exceeds NVIDIA's threshold.
	NvidiaXID48Error ID = "NvidiaXID48Error"
	// NvidiaXID54Error: The GPU board has no auxiliary power. NVIDIA's recommendation: check how the board is connected (in a cloud: replace the node).
	NvidiaXID54Error ID = "NvidiaXID54Error"
	// NvidiaXID62Error: The GPU's internal microcontroller has halted. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID62Error ID = "NvidiaXID62Error"
	// NvidiaXID64Error: The GPU could not remap a bad row of its memory. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID64Error ID = "NvidiaXID64Error"
	// NvidiaXID74Error: The GPU reports an NVLink error. NVIDIA's recommendation: reset the GPU or reboot the node, and replace it if the error comes back.
	NvidiaXID74Error ID = "NvidiaXID74Error"
	// NvidiaXID79Error: The GPU has fallen off the bus: the host can no longer access it. NVIDIA's recommendation: power-cycle the machine (in a cloud: replace the node).
	NvidiaXID79Error ID = "NvidiaXID79Error"
	// NvidiaXID95Error: The GPU's memory had an uncontained error: the data of any process on the GPU may be wrong. NVIDIA's recommendation: terminate the processes on the GPU and reset it.
	NvidiaXID95Error ID = "NvidiaXID95Error"
	// NvidiaXIDApplicationError: NVIDIA's driver terminated the work of an application on the GPU, usually because of an error in the application; the GPU still works.
	NvidiaXIDApplicationError ID = "NvidiaXIDApplicationError"
	// NvidiaXIDWarning: NVIDIA's driver reports an Xid that does not disable the GPU, or that this version does not know. The table of Xids shows what NVIDIA recommends.
	NvidiaXIDWarning ID = "NvidiaXIDWarning"
)

var acceleratedHardwareReady = []Reason{
	{
		ID: NeuronDMAError, Condition: AcceleratedHardwareReady, Severity: Warning, Action: Reboot,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The AWS Neuron runtime reports a DMA engine error from which it could not recover.",
			JA: "AWS Neuron のランタイムが、回復できない DMA エンジンのエラーを報告しています。",
		},
		Reads:   "the kernel log: `NEURON_HW_ERR=DMA_ERROR`. A warning, because processes with a Neuron device write the line: the driver prints any text that they pass to it (NEURON_IOCTL_PRINTK)",
		ReadsJA: "カーネルログの `NEURON_HW_ERR=DMA_ERROR`。Neuron デバイスを持つプロセスが書く行なので warning です。ドライバーは渡された文字列をそのまま出力します (NEURON_IOCTL_PRINTK)",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:[0-9][0-9TZ:.+ -]* )?NEURON_HW_ERR=DMA_ERROR (?:.* )?nd-id=(?P<entity>\d+)`},
		},
	},
	{
		ID: NeuronHBMUncorrectableError, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Replace,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The memory (HBM) of a Neuron device had an uncorrected error and cannot be repaired.",
			JA: "Neuron デバイスのメモリ (HBM) で、訂正も修復もできないエラーが起きました。",
		},
		Reads:   "mem_ecc_uncorrected of each device in /sys/devices/virtual/neuron_device, every minute: greater than 0. Does not apply if the driver has no such counter, as for Inferentia 1",
		ReadsJA: "/sys/devices/virtual/neuron_device の各デバイスの mem_ecc_uncorrected (毎分) が 0 より大きいこと。Inferentia 1 のように、ドライバーにこのカウンターがない場合は対象外です",
		Needs:   Needs{},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "A counter of the device, which its driver reads. The kernel log is not used, because pods can write to it.",
			JA: "ドライバーがデバイスから読み取るデバイス自身のカウンター。Pod が書けるカーネルログは使いません。",
		}},
	},
	{
		ID: NeuronNCUncorrectableError, Condition: AcceleratedHardwareReady, Severity: Warning, Action: Replace,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The AWS Neuron runtime reports an uncorrected error of a NeuronCore's memory.",
			JA: "AWS Neuron のランタイムが、NeuronCore のメモリの訂正できないエラーを報告しています。",
		},
		Reads:   "the kernel log: `NEURON_HW_ERR=NC_UNCORRECTABLE_ERROR`. A warning, because processes with a Neuron device write the line: the driver prints any text that they pass to it (NEURON_IOCTL_PRINTK)",
		ReadsJA: "カーネルログの `NEURON_HW_ERR=NC_UNCORRECTABLE_ERROR`。Neuron デバイスを持つプロセスが書く行なので warning です。ドライバーは渡された文字列をそのまま出力します (NEURON_IOCTL_PRINTK)",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:[0-9][0-9TZ:.+ -]* )?NEURON_HW_ERR=NC_UNCORRECTABLE_ERROR (?:.* )?nd-id=(?P<entity>\d+)`},
		},
	},
	{
		ID: NeuronSRAMUncorrectableError, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Replace,
		Entity:   "Neuron device",
		Hardware: Neuron,
		Means: Words{
			EN: "The on-chip memory (SRAM) of a Neuron device had an uncorrected error.",
			JA: "Neuron デバイスのチップ内メモリ (SRAM) で、訂正できないエラーが起きました。",
		},
		Reads:   "sram_ecc_uncorrected of each device in /sys/devices/virtual/neuron_device, every minute: greater than 0. Does not apply if the driver has no such counter, as for Inferentia 1",
		ReadsJA: "/sys/devices/virtual/neuron_device の各デバイスの sram_ecc_uncorrected (毎分) が 0 より大きいこと。Inferentia 1 のように、ドライバーにこのカウンターがない場合は対象外です",
		Needs:   Needs{},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "A counter of the device, which its driver reads. The kernel log is not used, because pods can write to it.",
			JA: "ドライバーがデバイスから読み取るデバイス自身のカウンター。Pod が書けるカーネルログは使いません。",
		}},
	},
	{
		ID: NvidiaSXIDError, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "An NVSwitch has an error that is always fatal to the whole fabric according to NVIDIA. NVIDIA's recommendation: restart the host.",
			JA: "NVSwitch に、ファブリック全体にとって常に致命的と NVIDIA が定めるエラーが起きました。NVIDIA の推奨対応: ホストを再起動する。",
		},
		Reads:   "the kernel log: `SXid` with a number that is always fatal (NVIDIA's Fabric Manager User Guide DU-09883-001 v1.3, appendix D.6, and 10003 from D.7) and with `Fatal` in the record",
		ReadsJA: "カーネルログの `SXid` のうち、常に致命的な番号 (NVIDIA Fabric Manager User Guide DU-09883-001 v1.3 の付録 D.6 と、D.7 の 10003) で、レコードに `Fatal` とあるもの",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's NVSwitch driver, identified by its number and PCI address; it contains no text from a process.",
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
			EN: "An NVSwitch reports an error of its own or of one of its links. If the error disables a GPU, that GPU also reports an Xid.",
			JA: "NVSwitch が、自身またはリンクのエラーを報告しています。GPU が使えなくなるエラーは、その GPU の Xid としても報告されます。",
		},
		Reads:   "the kernel log: `SXid` with any other number, whether fatal to a link or not (NVIDIA's Fabric Manager User Guide DU-09883-001 v1.3, appendices D.4 and D.5)",
		ReadsJA: "カーネルログの `SXid` のうち、それ以外の番号 (リンクにとって致命的かどうかを問いません。NVIDIA Fabric Manager User Guide DU-09883-001 v1.3 の付録 D.4 と D.5)",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^nvidia-nvswitch\d+: SXid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\): \d+, (?:Non-fatal|Fatal), `, Except: `^nvidia-nvswitch\d+: SXid \([^)]*\): (?:10003|12020|22003|22011|23001|23002|23003|23004|23005|23006|23007|23008|23009|23010|23011|23012|23013|23014|23015|23016|23017), Fatal, `},
		},
	},
	{
		ID: NvidiaXID109Error, Condition: AcceleratedHardwareReady, Severity: Fatal, Action: Reboot,
		Entity:   "PCI address",
		Hardware: NVIDIA,
		Means: Words{
			EN: "A context switch on the GPU timed out. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU のコンテキスト切り替えがタイムアウトしました。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 109 (ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 109 (ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU reports a security fault. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU がセキュリティ障害を報告しています。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 110 (SEC_FAULT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 110 (SEC_FAULT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU's system processor (GSP) did not respond to the driver in time. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU のシステムプロセッサ (GSP) がドライバーに時間内に応答しませんでした。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 119 (GSP_RPC_TIMEOUT)",
		ReadsJA: "カーネルログの `NVRM: Xid` 119 (GSP_RPC_TIMEOUT)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU's system processor (GSP) reports an internal error. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU のシステムプロセッサ (GSP) が自身のエラーを報告しています。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 120 (GSP_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 120 (GSP_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU could not be trained. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU の NVLink のトレーニングに失敗しました。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 136 (ALI_TRAINING_FAIL)",
		ReadsJA: "カーネルログの `NVRM: Xid` 136 (ALI_TRAINING_FAIL)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU reports an ECC error from which it could not recover. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU が、回復できなかった ECC エラーを報告しています。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 140 (UNRECOVERABLE_ECC_ERROR_ESCAPE)",
		ReadsJA: "カーネルログの `NVRM: Xid` 140 (UNRECOVERABLE_ECC_ERROR_ESCAPE)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU could not be initialized. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU を初期化できませんでした。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 143 (GPU_INIT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 143 (GPU_INIT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU has a fatal error (SAW). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (SAW) が起きました。NVIDIA の推奨対応: 記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 144 (NVLINK_SAW_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 144 (NVLINK_SAW_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU has a fatal error (RLW). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (RLW) が起きました。NVIDIA の推奨対応: 記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 145 (NVLINK_RLW_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 145 (NVLINK_RLW_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU has a fatal error (TLW). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (TLW) が起きました。NVIDIA の推奨対応: 記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 146 (NVLINK_TLW_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 146 (NVLINK_TLW_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU has a fatal error (TREX). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (TREX) が起きました。NVIDIA の推奨対応: 記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 147 (NVLINK_TREX_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 147 (NVLINK_TREX_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU has a fatal error (NVLPW_CTRL). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (NVLPW_CTRL) が起きました。NVIDIA の推奨対応: 記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 148 (NVLINK_NVLPW_CTRL_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 148 (NVLINK_NVLPW_CTRL_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU has a fatal error (NETIR). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (NETIR) が起きました。NVIDIA の推奨対応: 記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 149 (NVLINK_NETIR_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 149 (NVLINK_NETIR_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "An NVLink of the GPU has a fatal error (MSE). NVIDIA's recommendation: reset the GPU if the record calls the error fatal.",
			JA: "GPU の NVLink に致命的なエラー (MSE) が起きました。NVIDIA の推奨対応: 記録が致命的 (Fatal) と示す場合は GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 150 (NVLINK_MSE_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 150 (NVLINK_MSE_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU could not rotate the keys of confidential computing. NVIDIA's recommendation: restart the virtual machine.",
			JA: "GPU が、コンフィデンシャルコンピューティングの鍵を更新できませんでした。NVIDIA の推奨対応: 仮想マシンを再起動する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 151 (ROBUST_CHANNEL_KEY_ROTATION_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 151 (ROBUST_CHANNEL_KEY_ROTATION_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The driver reports that the GPU must be reset or the node rebooted. NVIDIA's recommendation: follow the record: reset the GPU, or reboot the node.",
			JA: "ドライバーが、GPU のリセットまたはノードの再起動が必要だと報告しています。NVIDIA の推奨対応: 記録が示すとおり GPU をリセットするか、ノードを再起動する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 154 (GPU_RECOVERY_ACTION_CHANGED)",
		ReadsJA: "カーネルログの `NVRM: Xid` 154 (GPU_RECOVERY_ACTION_CHANGED)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The driver reports an error of the GPU's NVLink. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "ドライバーが、GPU の NVLink のエラーを報告しています。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 155 (NVLINK_SW_DEFINED_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 155 (NVLINK_SW_DEFINED_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU retired a bad part of its memory, which takes effect after a reset. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU がメモリの不良部分を使用から外しました。リセット後に有効になります。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 156 (RESOURCE_RETIREMENT_EVENT)",
		ReadsJA: "カーネルログの `NVRM: Xid` 156 (RESOURCE_RETIREMENT_EVENT)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU did not respond in time and does not work until it is reset. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU の応答がタイムアウトしました。リセットするまで使えません。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 158 (GPU_FATAL_TIMEOUT)",
		ReadsJA: "カーネルログの `NVRM: Xid` 158 (GPU_FATAL_TIMEOUT)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU stopped processing and does not work until it is reset. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU が処理を停止しました。リセットするまで使えません。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 46 (ROBUST_CHANNEL_GPU_TIMEOUT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 46 (ROBUST_CHANNEL_GPU_TIMEOUT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU's memory had a double-bit error, which could not be corrected. NVIDIA's recommendation: reset the GPU, and replace it if its error count then exceeds NVIDIA's threshold.",
			JA: "GPU のメモリで、訂正できない 2 ビットのエラーが起きました。NVIDIA の推奨対応: GPU をリセットし、その後エラー数が NVIDIA のしきい値を超えれば交換する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 48 (ROBUST_CHANNEL_GPU_ECC_DBE)",
		ReadsJA: "カーネルログの `NVRM: Xid` 48 (ROBUST_CHANNEL_GPU_ECC_DBE)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU board has no auxiliary power. NVIDIA's recommendation: check how the board is connected (in a cloud: replace the node).",
			JA: "GPU ボードに補助電源が接続されていません。NVIDIA の推奨対応: ボードの接続を確認する (クラウドではノードを交換する)。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 54 (SILENT_RUNNING_PWR_REDUCED_CLOCKING)",
		ReadsJA: "カーネルログの `NVRM: Xid` 54 (SILENT_RUNNING_PWR_REDUCED_CLOCKING)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU's internal microcontroller has halted. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU 内部のマイクロコントローラーが停止しました。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 62 (PMU_HALT_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 62 (PMU_HALT_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU could not remap a bad row of its memory. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU が、メモリの不良行を使用から外せませんでした。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 64 (INFOROM_DRAM_RETIREMENT_FAILURE)",
		ReadsJA: "カーネルログの `NVRM: Xid` 64 (INFOROM_DRAM_RETIREMENT_FAILURE)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU reports an NVLink error. NVIDIA's recommendation: reset the GPU or reboot the node, and replace it if the error comes back.",
			JA: "GPU が NVLink のエラーを報告しています。NVIDIA の推奨対応: GPU をリセットするかノードを再起動し、再発すれば交換する。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 74 (NVLINK_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 74 (NVLINK_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU has fallen off the bus: the host can no longer access it. NVIDIA's recommendation: power-cycle the machine (in a cloud: replace the node).",
			JA: "GPU がバスから切り離され、ホストからアクセスできません。NVIDIA の推奨対応: マシンの電源を入れ直す (クラウドではノードを交換する)。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 79 (ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS)",
		ReadsJA: "カーネルログの `NVRM: Xid` 79 (ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "The GPU's memory had an uncontained error: the data of any process on the GPU may be wrong. NVIDIA's recommendation: terminate the processes on the GPU and reset it.",
			JA: "GPU のメモリで、影響範囲を限定できないエラーが起きました。その GPU のどのプロセスのデータも誤っている可能性があります。NVIDIA の推奨対応: GPU 上のプロセスを終了し、GPU をリセットする。",
		},
		Reads:   "the kernel log: `NVRM: Xid` 95 (ROBUST_CHANNEL_UNCONTAINED_ERROR)",
		ReadsJA: "カーネルログの `NVRM: Xid` 95 (ROBUST_CHANNEL_UNCONTAINED_ERROR)",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Basis: Basis{Kind: Driver, Text: Words{
			EN: "A record of NVIDIA's driver, identified by its number and PCI address, which precede any other text; the process name in it is ignored.",
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
			EN: "NVIDIA's driver terminated the work of an application on the GPU, usually because of an error in the application; the GPU still works.",
			JA: "NVIDIA ドライバーが GPU 上のアプリケーションの処理を打ち切りました。多くはアプリケーション側の不具合で、GPU は引き続き使えます。",
		},
		Reads:   "the kernel log: `NVRM: Xid` with 43, 45 or a number for which NVIDIA recommends restarting the application",
		ReadsJA: "カーネルログの `NVRM: Xid` のうち、43、45、および NVIDIA がアプリケーションの再起動を推奨している番号",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
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
			EN: "NVIDIA's driver reports an Xid that does not disable the GPU, or that this version does not know. The table of Xids shows what NVIDIA recommends.",
			JA: "NVIDIA ドライバーが、GPU の利用を妨げない Xid か、このバージョンでは未知の Xid を報告しています。NVIDIA の推奨対応は Xid の一覧にあります。",
		},
		Reads:   "the kernel log: `NVRM: Xid` with any number that is neither fatal nor an application error",
		ReadsJA: "カーネルログの `NVRM: Xid` のうち、致命的でもアプリケーションのエラーでもない番号",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NVRM: Xid \(PCI:(?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): \d+, `, Except: `^NVRM: Xid \([^)]*\): (?:8, |11, |13, |25, |31, |32, |39, |40, |41, |43, |45, |46, |48, |54, |60, |62, |64, |68, |69, |70, |71, |72, |74, |75, |76, |77, |79, |80, |82, |83, |84, |85, |86, |88, |89, |94, |95, |96, |97, |98, |99, |100, |101, |102, |103, |104, |105, |109, |110, |119, |120, |126, |127, |128, |129, |130, |131, |132, |133, |134, |135, |136, |139, |140, |143, |144, [\w/]+ +Fatal |145, [\w/]+ +Fatal |146, [\w/]+ +Fatal |147, [\w/]+ +Fatal |148, [\w/]+ +Fatal |149, [\w/]+ +Fatal |150, [\w/]+ +Fatal |151, |154, (?:pid=\d+, name=(?s:.{1,15}?), )?GPU recovery action changed from 0x[0-9a-f]+ \([A-Za-z0-9 ]+\) to 0x[12] \(|155, |156, |158, )`},
		},
	},
}

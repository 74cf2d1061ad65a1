// Code generated from the folder catalogue. DO NOT EDIT.

package reason

import "time"

// The reasons of StorageReady.
const (
	// BlockDeviceAccessBeyondEnd: A block device is smaller than the filesystem or partition on it, so the kernel rejects reads and writes beyond its end.
	BlockDeviceAccessBeyondEnd ID = "BlockDeviceAccessBeyondEnd"
	// BlockDeviceIOError: The kernel could not read from or write to a block device.
	BlockDeviceIOError ID = "BlockDeviceIOError"
	// BlockDeviceOffline: The kernel took a block device offline because it no longer responded.
	BlockDeviceOffline ID = "BlockDeviceOffline"
	// BlockDeviceProtectionError: Data that was read from or written to a block device does not match its checksum.
	BlockDeviceProtectionError ID = "BlockDeviceProtectionError"
	// BlockDeviceSpaceExhausted: A write to a block device failed because its backing storage has no space left.
	BlockDeviceSpaceExhausted ID = "BlockDeviceSpaceExhausted"
	// BlockDeviceTransportError: The path to a block device is interrupted (cable, fabric or target).
	BlockDeviceTransportError ID = "BlockDeviceTransportError"
	// BtrfsError: A btrfs filesystem detected corruption, or could not access its disk.
	BtrfsError ID = "BtrfsError"
	// DiskBadBlock: A disk has a sector that it cannot read or write.
	DiskBadBlock ID = "DiskBadBlock"
	// DiskProbeFailed: A disk of the node fails a small write or returns wrong data, or does not respond at all.
	DiskProbeFailed ID = "DiskProbeFailed"
	// EBSInstanceIOPSExceeded: The instance exceeded the EBS IOPS that its type allows.
	EBSInstanceIOPSExceeded ID = "EBSInstanceIOPSExceeded"
	// EBSInstanceThroughputExceeded: The instance exceeded the EBS throughput that its type allows.
	EBSInstanceThroughputExceeded ID = "EBSInstanceThroughputExceeded"
	// EBSVolumeIOPSExceeded: The IOPS of an EBS volume reached its limit.
	EBSVolumeIOPSExceeded ID = "EBSVolumeIOPSExceeded"
	// EBSVolumeThroughputExceeded: The throughput of an EBS volume reached its limit.
	EBSVolumeThroughputExceeded ID = "EBSVolumeThroughputExceeded"
	// EtcHostsMountFailed: A container could not start because the pod's /etc/hosts could not be mounted.
	EtcHostsMountFailed ID = "EtcHostsMountFailed"
	// Ext4Error: An ext4 filesystem detected corruption, or could not access its disk.
	Ext4Error ID = "Ext4Error"
	// Ext4Warning: An ext4 filesystem reported a warning, for example that it was mounted with errors.
	Ext4Warning ID = "Ext4Warning"
	// FilesystemFillingUp: A filesystem of the node will run out of space or inodes within hours at the current rate.
	FilesystemFillingUp ID = "FilesystemFillingUp"
	// IODelays: A process waited for disks for more than 10 s within ten minutes.
	IODelays ID = "IODelays"
	// KubeletDiskUsageSlow: The kubelet takes long to measure the disk usage of containers.
	KubeletDiskUsageSlow ID = "KubeletDiskUsageSlow"
	// MDDeviceFailed: A disk array (md RAID) lost a member, or no longer works.
	MDDeviceFailed ID = "MDDeviceFailed"
	// NFSLocksLost: File locks on an NFS server could not be recovered after a restart of the server or a network outage; the processes that held them are not notified.
	NFSLocksLost ID = "NFSLocksLost"
	// NFSServerNotResponding: An NFS server does not respond; processes that use its files wait or get errors.
	NFSServerNotResponding ID = "NFSServerNotResponding"
	// NVMeError: An NVMe disk does not respond, and the kernel resets or disables its controller.
	NVMeError ID = "NVMeError"
	// NVMeHealthCritical: An NVMe disk warns that it may fail because it is short of spare capacity, too hot, or degraded.
	NVMeHealthCritical ID = "NVMeHealthCritical"
	// NVMeMediaErrors: An NVMe disk could not return data that was written to it.
	NVMeMediaErrors ID = "NVMeMediaErrors"
	// NVMeReadOnly: An NVMe disk has become read-only.
	NVMeReadOnly ID = "NVMeReadOnly"
	// NVMeWornOut: An NVMe disk has reached the write endurance that it was designed for.
	NVMeWornOut ID = "NVMeWornOut"
	// ReadonlyFilesystem: A filesystem of the node has become read-only.
	ReadonlyFilesystem ID = "ReadonlyFilesystem"
	// SMARTFailurePredicted: A SATA disk predicts its own failure (SMART).
	SMARTFailurePredicted ID = "SMARTFailurePredicted"
	// ThinPoolFull: A thin pool (device mapper) has no space left, or has become read-only.
	ThinPoolFull ID = "ThinPoolFull"
	// VolumeReadonly: A filesystem that the node itself does not need, such as a pod's volume, has become read-only.
	VolumeReadonly ID = "VolumeReadonly"
	// XFSSmallAverageClusterSize: The free space of an XFS filesystem of the node is so fragmented that creating files may fail.
	XFSSmallAverageClusterSize ID = "XFSSmallAverageClusterSize"
	// XfsError: An XFS filesystem detected corruption, could not access its disk, or shut itself down.
	XfsError ID = "XfsError"
	// XfsShutdown: An XFS filesystem of the node has shut itself down; every access fails with an I/O error.
	XfsShutdown ID = "XfsShutdown"
)

var storageReady = []Reason{
	{
		ID: BlockDeviceAccessBeyondEnd, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A block device is smaller than the filesystem or partition on it, so the kernel rejects reads and writes beyond its end.",
			JA: "ブロックデバイスがその上のファイルシステムやパーティションより小さく、終端を越える読み書きをカーネルが拒否しています。",
		},
		Reads:   "the kernel log: the block layer's `attempt to access beyond end of device`, except for devices of size 0, which have just been removed",
		ReadsJA: "カーネルログにあるブロック層の `attempt to access beyond end of device`。取り外された直後でサイズが 0 のデバイスは除きます",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
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
		Reads:   "the kernel log: I/O errors of the block layer and the buffer cache, in the wording of Linux 3 to 6, except for floppy and CD drives, which fail when they are empty",
		ReadsJA: "カーネルログにあるブロック層とバッファキャッシュのエラー (Linux 3 から 6 の表記)。空のときに失敗するフロッピーと CD ドライブは除きます",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:end_request: |print_req_error: |blk_update_request: )?(?:I/O|critical target|timeout) error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
			{Log: "kernel", Pattern: `^Buffer I/O error on dev(?:ice)? (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), logical block `},
		},
	},
	{
		ID: BlockDeviceOffline, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "The kernel took a block device offline because it no longer responded.",
			JA: "応答しなくなったブロックデバイスを、カーネルがオフラインにしました。",
		},
		Reads:   "the kernel log: messages of the SCSI layer, and the block layer's `device offline error` (Linux 5.18 and newer)",
		ReadsJA: "カーネルログにある SCSI の行と、ブロック層の `device offline error` (Linux 5.18 以降)",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?device offline error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
			{Log: "kernel", Pattern: `^(?:sd|scsi) (?P<entity>\d+:\d+:\d+:\d+): (?:\[\w+\] )?(?:rejecting I/O to offline device|Device offlined - not ready after error recovery)`},
		},
	},
	{
		ID: BlockDeviceProtectionError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "Data that was read from or written to a block device does not match its checksum.",
			JA: "ブロックデバイスとの間で読み書きしたデータが、チェックサムと一致しません。",
		},
		Reads:   "the kernel log: the block layer's `protection error` (T10 DIF/DIX, NVMe end-to-end protection)",
		ReadsJA: "カーネルログにあるブロック層の `protection error` (T10 DIF/DIX、NVMe のエンドツーエンド保護)",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?protection error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
		},
	},
	{
		ID: BlockDeviceSpaceExhausted, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A write to a block device failed because its backing storage has no space left.",
			JA: "ブロックデバイスの実体 (シンプロビジョニング等) に空きがなく、書き込みに失敗しました。",
		},
		Reads:   "the kernel log: the block layer's `critical space allocation error`, for a thin volume whose pool is full or a loop device on a full filesystem",
		ReadsJA: "カーネルログにあるブロック層の `critical space allocation error`。プールが満杯のシンボリューム、または満杯のファイルシステム上のループデバイス",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?critical space allocation error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
		},
	},
	{
		ID: BlockDeviceTransportError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "The path to a block device is interrupted (cable, fabric or target).",
			JA: "ブロックデバイスへの経路 (ケーブル、ファブリック、ターゲット) が切れています。",
		},
		Reads:   "the kernel log: the block layer's `recoverable transport error`, and NVMe's `no available path`",
		ReadsJA: "カーネルログにあるブロック層の `recoverable transport error` と、NVMe の `no available path`",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:print_req_error: |blk_update_request: )?recoverable transport error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|loop|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
			{Log: "kernel", Pattern: `^block (?P<entity>nvme\w+): no available path - failing I/O$`},
		},
	},
	{
		ID: BtrfsError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "A btrfs filesystem detected corruption, or could not access its disk.",
			JA: "btrfs ファイルシステムが自身の破損またはディスクへのアクセス失敗を検出しました。",
		},
		Reads:   "the kernel log: errors of btrfs, except for earlier errors that it reports when it is mounted",
		ReadsJA: "カーネルログにある btrfs のエラー。マウント時に示される過去のエラーは除きます",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
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
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:end_request: |print_req_error: |blk_update_request: )?critical medium error, dev (?P<entity>(?:nvme|sd|vd|xvd|hd|dm-|md|mmcblk|nbd|rbd|drbd|bcache|dasd|pmem)[0-9a-z_-]*), sector `},
		},
	},
	{
		ID: DiskProbeFailed, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Entity: "mount point",
		Means: Words{
			EN: "A disk of the node fails a small write or returns wrong data, or does not respond at all.",
			JA: "ノードのディスクが小さな書き込みを受け付けないか、書いた内容を返さないか、まったく応答しません。",
		},
		Reads:   "a write, fsync and read of 4 KiB in one of the node's folders on each disk (storage.folders); the file has no name (O_TMPFILE), and no response for 10 s counts as a failure",
		ReadsJA: "各ディスク上にあるノードのディレクトリ (kubelet、containerd、/var/lib、/var/log、/) の 1 つでの 4 KiB の書き込み、fsync、読み出し。ファイルに名前はなく (O_TMPFILE)、10 秒応答がなければ失敗とします",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{For: 1 * time.Minute},
		Basis: Basis{Kind: State, Text: Words{
			EN: "A write and a read by the agent itself.",
			JA: "エージェント自身の書き込みと読み出し。",
		}},
	},
	{
		ID: EBSInstanceIOPSExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "The instance exceeded the EBS IOPS that its type allows.",
			JA: "インスタンスタイプの上限を超える EBS の IOPS が要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): how long it was throttled",
		ReadsJA: "EBS ボリュームの NVMe ログページ (0xD0) の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EBSInstanceThroughputExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "The instance exceeded the EBS throughput that its type allows.",
			JA: "インスタンスタイプの上限を超える EBS のスループットが要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): how long it was throttled",
		ReadsJA: "EBS ボリュームの NVMe ログページ (0xD0) の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EBSVolumeIOPSExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "The IOPS of an EBS volume reached its limit.",
			JA: "EBS ボリュームの上限を超える IOPS が要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): how long it was throttled",
		ReadsJA: "EBS ボリュームの NVMe ログページ (0xD0) の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EBSVolumeThroughputExceeded, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "volume",
		Means: Words{
			EN: "The throughput of an EBS volume reached its limit.",
			JA: "EBS ボリュームの上限を超えるスループットが要求されました。",
		},
		Reads:   "the EBS volume's NVMe log page (0xD0): how long it was throttled",
		ReadsJA: "EBS ボリュームの NVMe ログページ (0xD0) の、制限されていた時間",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: EtcHostsMountFailed, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "A container could not start because the pod's /etc/hosts could not be mounted.",
			JA: "Pod の /etc/hosts をマウントできず、コンテナを起動できませんでした。",
		},
		Reads:   "the kubelet's log: runc's error about the mount; the entity is the pod's UID",
		ReadsJA: "kubelet のログにある、マウントについての runc のエラー。対象は Pod の UID です",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="\[?failed to \\"StartContainer\\" .*mounting \W*\S*/pods/(?P<entity>[0-9a-f-]{36})/etc-hosts\W+to rootfs\b.* at \W*etc/hosts`},
		},
	},
	{
		ID: Ext4Error, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "An ext4 filesystem detected corruption, or could not access its disk.",
			JA: "ext4 ファイルシステムが自身の破損またはディスクへのアクセス失敗を検出しました。",
		},
		Reads:   "the kernel log: errors of ext4, remounts as read-only, and failed writes of the superblock",
		ReadsJA: "カーネルログにある ext4 のエラー、読み取り専用への切り替え、スーパーブロックの書き込み失敗",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
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
			EN: "An ext4 filesystem reported a warning, for example that it was mounted with errors.",
			JA: "ext4 ファイルシステムが警告を出しました (マウント時に破損が記録されていたなど)。",
		},
		Reads:   "the kernel log: warnings of ext4",
		ReadsJA: "カーネルログにある ext4 の警告",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^EXT4-fs warning \(device (?P<entity>[^)]+)\)`},
		},
	},
	{
		ID: FilesystemFillingUp, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "mount point",
		Means: Words{
			EN: "A filesystem of the node will run out of space or inodes within hours at the current rate.",
			JA: "ノードのファイルシステムが、このままの速さで使われ続けると数時間以内に容量または inode を使い切ります。",
		},
		Reads:   "statfs every 5 min, of the filesystems that contain the node's folders (storage.folders): at the median growth rate of the last one to two hours (measured over the half of that time with less growth), the free space lasts less than 6 h (storage.filling.within). Space that was freed again does not count, nor does growth up to a level at which something freed space in the last 24 h (the kubelet's image garbage collection, a log rotation). Not reported below the kubelet's hard eviction thresholds, because the node then has DiskPressure. Unknown for the first hour",
		ReadsJA: "ノードのディレクトリがあるディスクの statfs (5 分ごと)。直近 1 ～ 2 時間の傾きの中央値 (使用量の増加が少ない半分の時間のもの) で、空き領域が 6 時間 (storage.filling.within) 以内に埋まること。解放された使用量と、1 日以内に何か (kubelet のイメージのガベージコレクション、ログのローテーション) が解放した水準を下回る増加は数えません。kubelet の hard eviction のしきい値を下回ると DiskPressure になるので報告しません。1 時間計測するまでは不明です",
		Needs:   Needs{For: 10 * time.Minute},
		Clears:  Clears{For: 15 * time.Minute},
	},
	{
		ID: IODelays, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "process",
		Means: Words{
			EN: "A process waited for disks for more than 10 s within ten minutes.",
			JA: "プロセスのディスク待ちが 10 分間のうち 10 秒を超えました。",
		},
		Reads:   "delayacct_blkio_ticks in /proc/*/stat, for the first thread of each process. Does not apply if kernel.task_delayacct is 0 (the default since Linux 5.14)",
		ReadsJA: "/proc/*/stat の delayacct_blkio_ticks (プロセスの最初のスレッド)。kernel.task_delayacct が 0 (Linux 5.14 以降のデフォルト) の場合は対象外です",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: KubeletDiskUsageSlow, Condition: StorageReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The kubelet takes long to measure the disk usage of containers.",
			JA: "kubelet によるコンテナのディスク使用量の計測に時間がかかっています。",
		},
		Reads:   "the kubelet's log: cAdvisor's line, at verbosity 2 and up",
		ReadsJA: "kubelet のログにある cAdvisor の行 (verbosity 2 以上)",
		Needs:   Needs{Count: 3, Within: 30 * time.Minute},
		Clears:  Clears{Quiet: 30 * time.Minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^fsHandler\.go:\d+\] "?(?:fs: disk usage and inodes count|du and find) on following dirs took `},
		},
	},
	{
		ID: MDDeviceFailed, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "array",
		Means: Words{
			EN: "A disk array (md RAID) lost a member, or no longer works.",
			JA: "ディスクアレイ (md RAID) のメンバーが失われたか、アレイが動作できなくなりました。",
		},
		Reads:   "the kernel log: messages of md",
		ReadsJA: "カーネルログにある md の行",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
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
			EN: "File locks on an NFS server could not be recovered after a restart of the server or a network outage; the processes that held them are not notified.",
			JA: "NFS サーバーの再起動やネットワークの切断のあと、ファイルのロックを取り戻せませんでした。ロックを持っていたプロセスには通知されません。",
		},
		Reads:   "the kernel log: the NFSv4 client's `lost … locks`, and `Lock reclaim failed!` of kernels before 6.1, which does not name the server",
		ReadsJA: "カーネルログにある NFSv4 クライアントの `lost … locks` と、6.1 より前のカーネルの `Lock reclaim failed!` (サーバー名なし)",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^NFS: (?P<entity>\S+): lost \d+ locks$`},
			{Log: "kernel", Pattern: `^NFS: (?:__)?nfs4_reclaim_open_state: Lock reclaim failed!$`},
		},
	},
	{
		ID: NFSServerNotResponding, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "server",
		Means: Words{
			EN: "An NFS server does not respond; processes that use its files wait or get errors.",
			JA: "NFS サーバーが応答しません。そのファイルを使うプロセスは待たされるか、エラーになります。",
		},
		Reads:   "the kernel log: `nfs: server … not responding` and `nfs: server … OK`",
		ReadsJA: "カーネルログの `nfs: server … not responding` と `nfs: server … OK`",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^(?:nfs|lockd): server (?P<entity>\S+) not responding, (?:still trying|timed out)$`},
			{Log: "kernel", Pattern: `^(?:nfs|lockd): server (?P<entity>\S+) OK$`, Clears: true},
		},
	},
	{
		ID: NVMeError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk does not respond, and the kernel resets or disables its controller.",
			JA: "NVMe ディスクが応答せず、カーネルがコントローラーをリセットまたは切り離しました。",
		},
		Reads:   "the kernel log: timeouts and resets reported by the NVMe driver",
		ReadsJA: "カーネルログにある NVMe ドライバーのタイムアウトとリセット",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^nvme (?P<entity>nvme\d+): I/O .*\btimeout, (?:aborting|reset controller|disable controller)`},
			{Log: "kernel", Pattern: `^nvme (?P<entity>nvme\d+): (?:controller is down; will reset|Removing after probe failure|Disabling device after reset failure)`},
		},
	},
	{
		ID: NVMeHealthCritical, Condition: StorageReady, Severity: Warning, Action: Replace,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk warns that it may fail because it is short of spare capacity, too hot, or degraded.",
			JA: "NVMe ディスクが、予備領域の不足、温度異常、劣化などにより故障のおそれがあると警告しています。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: any critical warning except read-only, or available spare below its threshold. EBS volumes are excluded, because their page contains no data",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。読み取り専用以外の重大な警告と、しきい値を下回った予備領域。EBS ボリュームのページは何も示さないので除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: NVMeMediaErrors, Condition: StorageReady, Severity: Warning, Action: Replace,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk could not return data that was written to it.",
			JA: "NVMe ディスクが、書き込まれたデータを正しく読み出せませんでした。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: more media and data integrity errors than at the previous check. EBS volumes are excluded",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。前回より増えたメディアとデータ整合性のエラー。EBS ボリュームは除きます",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
	},
	{
		ID: NVMeReadOnly, Condition: StorageReady, Severity: Warning, Action: Replace,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk has become read-only.",
			JA: "NVMe ディスクが読み取り専用になり、書き込みを受け付けません。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: the critical warning that the media is read-only. EBS volumes are excluded",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。メディアが読み取り専用であるという重大な警告。EBS ボリュームは除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: NVMeWornOut, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "controller",
		Means: Words{
			EN: "An NVMe disk has reached the write endurance that it was designed for.",
			JA: "NVMe ディスクへの書き込み量が、設計上の寿命に達しました。",
		},
		Reads:   "the disk's health log page (02h), every 10 min: percentage used is 100% or more. EBS volumes are excluded",
		ReadsJA: "ディスクのヘルスログページ (02h、10 分ごと)。寿命の 100 % 以上を使用。EBS ボリュームは除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: ReadonlyFilesystem, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"FilesystemIsReadOnly"},
		Entity:  "mount point",
		Means: Words{
			EN: "A filesystem of the node has become read-only.",
			JA: "ノードのファイルシステムが書き込みを受け付けなくなりました。",
		},
		Reads:   "/proc/1/mountinfo: a filesystem that contains one of the node's folders (storage.folders) and is `ro`, `emergency_ro` or `shutdown` while its mount is `rw`, which only the kernel can cause, or that was writable at an earlier check",
		ReadsJA: "/proc/1/mountinfo。ノードのディレクトリ (/、/var/lib、kubelet、containerd など) があるディスクのファイルシステムで、マウントは `rw` なのにファイルシステムが `ro`、`emergency_ro`、`shutdown` のもの (カーネルだけがそうします)、または以前は書き込めたもの",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
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
		Reads:   "SMART RETURN STATUS of each ATA disk, every 10 min, by SG_IO and ATA PASS-THROUGH (16). SAS disks, disks behind RAID controllers, and virtual disks that the kernel does not see as ATA disks are excluded",
		ReadsJA: "各 ATA ディスクの SMART RETURN STATUS (10 分ごと。SG_IO と ATA PASS-THROUGH (16) を使用)。SAS ディスク、RAID コントローラー配下のディスク、カーネルから ATA ディスクに見えない仮想ディスクは除きます",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: ThinPoolFull, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "pool",
		Means: Words{
			EN: "A thin pool (device mapper) has no space left, or has become read-only.",
			JA: "シンプール (device mapper) の空きがなくなったか、書き込みを受け付けなくなりました。",
		},
		Reads:   "the kernel log: the mode to which the kernel switches a thin pool; in out-of-data-space, writes wait for a minute and then fail",
		ReadsJA: "カーネルログにある、シンプールが切り替わったモード。out-of-data-space では書き込みが 1 分間保留され、その後失敗します",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^device-mapper: thin: (?P<entity>\d+:\d+): switching pool to (?:out-of-data-space|read-only|fail)\b`},
			{Log: "kernel", Pattern: `^device-mapper: thin: (?P<entity>\d+:\d+): switching pool to write mode$`, Clears: true},
		},
	},
	{
		ID: VolumeReadonly, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "mount point",
		Means: Words{
			EN: "A filesystem that the node itself does not need, such as a pod's volume, has become read-only.",
			JA: "ノード自体には必要のないファイルシステム (Pod のボリュームなど) が、読み取り専用になりました。",
		},
		Reads:   "/proc/1/mountinfo: a filesystem that contains none of the node's folders (storage.folders) and is `ro`, `emergency_ro` or `shutdown` while its mount is `rw`, which only the kernel can cause, or is `ro` itself and was writable at an earlier check",
		ReadsJA: "/proc/1/mountinfo。ノードのディレクトリがないディスクのファイルシステムで、マウントは `rw` なのにファイルシステムが `ro`、`emergency_ro`、`shutdown` のもの (カーネルだけがそうします)、またはファイルシステムが `ro` で以前は書き込めたもの",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: XFSSmallAverageClusterSize, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Entity: "mount point",
		Means: Words{
			EN: "The free space of an XFS filesystem of the node is so fragmented that creating files may fail.",
			JA: "ノードの XFS ファイルシステムの空き領域が細かく断片化し、新しいファイルを作成できなくなるおそれがあります。",
		},
		Reads:   "the kernel's map of free space (ioctl FS_IOC_GETFSMAP, at most 200,000 records) for filesystems that contain the node's folders (storage.folders): the average free extent is smaller than 16 blocks (storage.xfs.smallestAverage) although 5% or more is free",
		ReadsJA: "ノードのディレクトリがあるディスクの、カーネルの空き領域マップ (ioctl FS_IOC_GETFSMAP、最大 200,000 レコード)。5 % 以上空いているのに、空き領域の平均が 16 ブロック未満",
		Needs:   Needs{For: 10 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The kernel's own map of free space.",
			JA: "カーネル自身による空き領域のマップ。",
		}},
	},
	{
		ID: XfsError, Condition: StorageReady, Severity: Warning, Action: None,
		Entity: "device",
		Means: Words{
			EN: "An XFS filesystem detected corruption, could not access its disk, or shut itself down.",
			JA: "XFS ファイルシステムが自身の破損またはディスクへのアクセス失敗を検出したか、停止しました。",
		},
		Reads:   "the kernel log: errors of XFS",
		ReadsJA: "カーネルログにある XFS のエラー",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^XFS \((?P<entity>[^)]+)\): .*(?:Shutting down filesystem|Corruption detected|Corruption of in-memory data|[Mm]etadata corruption detected|[Mm]etadata I/O [Ee]rror|[Mm]etadata CRC error|Internal error|[Ll]og I/O [Ee]rror)`},
		},
	},
	{
		ID: XfsShutdown, Condition: StorageReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"XfsHasShutdown"},
		Entity:  "mount point",
		Means: Words{
			EN: "An XFS filesystem of the node has shut itself down; every access fails with an I/O error.",
			JA: "ノードの XFS ファイルシステムが停止し、あらゆるアクセスが I/O エラーになります。",
		},
		Reads:   "stat of each XFS filesystem that contains one of the node's folders (storage.folders): XFS returns an I/O error after it has shut down",
		ReadsJA: "ノードのディレクトリがある各 XFS ファイルシステムの stat。シャットダウンした XFS は I/O エラーを返します",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The kernel's own response to a stat.",
			JA: "stat に対するカーネル自身の応答。",
		}},
	},
}

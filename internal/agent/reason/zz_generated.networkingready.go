// Code generated from the folder catalogue. DO NOT EDIT.

package reason

import "time"

// The reasons of NetworkingReady.
const (
	// APIServerUnreachable: The API server does not respond to this node.
	APIServerUnreachable ID = "APIServerUnreachable"
	// BandwidthInExceeded: Packets were queued or dropped because inbound traffic exceeded the bandwidth of the instance.
	BandwidthInExceeded ID = "BandwidthInExceeded"
	// BandwidthOutExceeded: Packets were queued or dropped because outbound traffic exceeded the bandwidth of the instance.
	BandwidthOutExceeded ID = "BandwidthOutExceeded"
	// ClusterDNSUnreachable: The cluster's DNS does not respond to this node.
	ClusterDNSUnreachable ID = "ClusterDNSUnreachable"
	// ConntrackExceeded: Packets of new connections were dropped because the instance has reached the number of connections that it can track.
	ConntrackExceeded ID = "ConntrackExceeded"
	// ConntrackFull: The kernel's connection tracking table is almost full; once it is full, packets of new connections are dropped.
	ConntrackFull ID = "ConntrackFull"
	// DNSUnreachable: A name server of the host does not respond.
	DNSUnreachable ID = "DNSUnreachable"
	// EFAErrorMetric: The error counters of an Elastic Fabric Adapter (EFA) increase quickly.
	EFAErrorMetric ID = "EFAErrorMetric"
	// IPAMDInconsistentState: The records of the Amazon VPC CNI's daemon (ipamd) contain an IP address that differs from the pod's, or one of a pod that no longer exists.
	IPAMDInconsistentState ID = "IPAMDInconsistentState"
	// IPAMDNoIPs: The Amazon VPC CNI cannot get IP addresses because the subnet has none left.
	IPAMDNoIPs ID = "IPAMDNoIPs"
	// IPAMDNotReady: The Amazon VPC CNI's daemon (ipamd) does not respond, so new pods get no IP address.
	IPAMDNotReady ID = "IPAMDNotReady"
	// IPAMDNotRunning: A pod of the Amazon VPC CNI is on the node, but the process of its daemon (aws-k8s-agent) does not run.
	IPAMDNotRunning ID = "IPAMDNotRunning"
	// IPAMDRepeatedlyRestart: The Amazon VPC CNI's daemon restarts repeatedly.
	IPAMDRepeatedlyRestart ID = "IPAMDRepeatedlyRestart"
	// InstanceMetadataUnreachable: The cloud's instance metadata service no longer responds to this node, so credentials and addresses that come from it cannot be renewed.
	InstanceMetadataUnreachable ID = "InstanceMetadataUnreachable"
	// InterfaceNotRunning: A network interface of the node is up but has no carrier.
	InterfaceNotRunning ID = "InterfaceNotRunning"
	// InterfaceNotUp: A network interface of the node is administratively down.
	InterfaceNotUp ID = "InterfaceNotUp"
	// KubeProxyNotReady: kube-proxy does not respond, or cannot update the rules for Services.
	KubeProxyNotReady ID = "KubeProxyNotReady"
	// LinkLocalExceeded: Packets to the cloud's link-local services (DNS, metadata, time) were dropped because their rate exceeded the limit of the instance.
	LinkLocalExceeded ID = "LinkLocalExceeded"
	// MACAddressPolicyMisconfigured: udev changes the MAC addresses that the Amazon VPC CNI sets on the links of pods, so the pods have no network.
	MACAddressPolicyMisconfigured ID = "MACAddressPolicyMisconfigured"
	// MellanoxFirmwareNotResponding: The firmware of a ConnectX network card does not respond to its driver.
	MellanoxFirmwareNotResponding ID = "MellanoxFirmwareNotResponding"
	// MellanoxHighTemperature: A ConnectX network card, or a module in it, is too hot.
	MellanoxHighTemperature ID = "MellanoxHighTemperature"
	// MellanoxInsufficientPower: A ConnectX network card, or a module in it, does not get enough power.
	MellanoxInsufficientPower ID = "MellanoxInsufficientPower"
	// MissingDefaultRoutes: A routing table that needs one has no default route.
	MissingDefaultRoutes ID = "MissingDefaultRoutes"
	// MissingIPRoutes: A pod's IP address has no route on its node.
	MissingIPRoutes ID = "MissingIPRoutes"
	// MissingIPRules: A pod's IP address lacks a routing rule on its node.
	MissingIPRules ID = "MissingIPRules"
	// MissingLoopbackInterface: The host has no loopback interface named lo, so nothing on it can reach 127.0.0.1.
	MissingLoopbackInterface ID = "MissingLoopbackInterface"
	// NPABPFRecoveryError: After a restart, the Amazon VPC CNI's network policy agent could not recover the BPF state that it had loaded into the kernel.
	NPABPFRecoveryError ID = "NPABPFRecoveryError"
	// NPANotRunning: The Amazon VPC CNI's network policy agent should run on the node but does not.
	NPANotRunning ID = "NPANotRunning"
	// NPARepeatedlyRestart: The Amazon VPC CNI's network policy agent restarts repeatedly.
	NPARepeatedlyRestart ID = "NPARepeatedlyRestart"
	// NeighborTableOverflow: The kernel's neighbor table (ARP, IPv6 ND) is full, so packets to destinations that are not in it are dropped.
	NeighborTableOverflow ID = "NeighborTableOverflow"
	// NetworkSysctl: The value of a sysctl prevents traffic to the pods of the node.
	NetworkSysctl ID = "NetworkSysctl"
	// PPSExceeded: Packets were queued or dropped because the packet rate exceeded the limit of the instance.
	PPSExceeded ID = "PPSExceeded"
	// PortConflict: A packet filter rule redirects a port of the node itself, so the process that listens on it cannot be reached.
	PortConflict ID = "PortConflict"
	// TCPOutOfMemory: TCP has used up the memory that the host allows for it; connections stall or are closed.
	TCPOutOfMemory ID = "TCPOutOfMemory"
	// TransmitTimeout: A network interface did not transmit for seconds, and its driver reset it.
	TransmitTimeout ID = "TransmitTimeout"
	// UnexpectedRejectRule: A packet filter rule or chain policy that no known component creates drops or rejects packets.
	UnexpectedRejectRule ID = "UnexpectedRejectRule"
)

var networkingReady = []Reason{
	{
		ID: APIServerUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "url",
		Means: Words{
			EN: "The API server does not respond to this node.",
			JA: "API サーバーがこのノードに応答しません。",
		},
		Reads:   "GET /livez of the API server that the agent reports to; any response below 500 counts as healthy",
		ReadsJA: "エージェントの報告先の API サーバーへの GET /livez。500 未満の応答なら正常とします",
		Needs:   Needs{For: 1 * time.Minute},
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
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター bw_in_allowance_exceeded (毎分)",
		Needs:   Needs{Count: 3, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
	},
	{
		ID: BandwidthOutExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets were queued or dropped because outbound traffic exceeded the bandwidth of the instance.",
			JA: "インスタンスの送信帯域の上限を超えたため、パケットが待機または破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter bw_out_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター bw_out_allowance_exceeded (毎分)",
		Needs:   Needs{Count: 3, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
	},
	{
		ID: ClusterDNSUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "nameserver",
		Means: Words{
			EN: "The cluster's DNS does not respond to this node.",
			JA: "クラスターの DNS がこのノードに応答しません。",
		},
		Reads:   "every 30 s, a UDP query for kubernetes.default.svc.DOMAIN to each address in the running kubelet's clusterDNS (from its configuration file, drop-in folder and flags) or in network.clusterDNS, and to the addresses of the link nodelocaldns if NodeLocal DNSCache runs. Any response except SERVFAIL counts as healthy, including NXDOMAIN; a truncated one is repeated over TCP. Does not apply if no kubelet runs and network.clusterDNS is not set",
		ReadsJA: "30 秒ごとに、動作中の kubelet の clusterDNS (設定ファイル、ドロップイン、フラグ、または network.clusterDNS) の各アドレスと、NodeLocal DNSCache が動く場合は nodelocaldns リンクのアドレスへ、kubernetes.default.svc.DOMAIN を UDP で問い合わせます。SERVFAIL 以外の応答 (名前がないという応答も含む) なら正常とし、切り詰められた応答は TCP で再度問い合わせます。kubelet が動いておらず、network.clusterDNS の指定もない場合は対象外です",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: ConntrackExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets of new connections were dropped because the instance has reached the number of connections that it can track.",
			JA: "インスタンスが追跡できるコネクション数の上限を超えたため、新しい接続のパケットが破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter conntrack_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター conntrack_allowance_exceeded (毎分)",
		Needs:   Needs{Count: 3, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
	},
	{
		ID: ConntrackFull, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The kernel's connection tracking table is almost full; once it is full, packets of new connections are dropped.",
			JA: "カーネルのコネクション追跡テーブルがほぼ満杯です。満杯になると新しい接続のパケットが破棄されます。",
		},
		Reads:   "/proc/sys/net/netfilter/nf_conntrack_count: 90% or more of nf_conntrack_max",
		ReadsJA: "/proc/sys/net/netfilter/nf_conntrack_count と nf_conntrack_max",
		Needs:   Needs{For: 30 * time.Second},
		Clears:  Clears{For: 30 * time.Second},
	},
	{
		ID: DNSUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "nameserver",
		Means: Words{
			EN: "A name server of the host does not respond.",
			JA: "ホストが使うネームサーバーが応答しません。",
		},
		Reads:   "a UDP query to each nameserver in /etc/resolv.conf; any response except SERVFAIL counts as healthy",
		ReadsJA: "/etc/resolv.conf の各 nameserver への UDP での問い合わせ。SERVFAIL 以外の応答なら正常とします",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: EFAErrorMetric, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "port",
		Means: Words{
			EN: "The error counters of an Elastic Fabric Adapter (EFA) increase quickly.",
			JA: "Elastic Fabric Adapter (EFA) のエラーカウンターが急増しています。",
		},
		Reads:   "/sys/class/infiniband/*/ports/*/hw_counters of Amazon's adapters, every minute",
		ReadsJA: "Amazon のアダプターの /sys/class/infiniband/*/ports/*/hw_counters (毎分)",
		Needs:   Needs{Count: 2, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
	},
	{
		ID: IPAMDInconsistentState, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "The records of the Amazon VPC CNI's daemon (ipamd) contain an IP address that differs from the pod's, or one of a pod that no longer exists.",
			JA: "Amazon VPC CNI のデーモンの記録が、Pod の実際の IP アドレスと一致しないか、すでに存在しない Pod のものです。",
		},
		Reads:   "ipamd's checkpoint (/var/run/aws-node/ipam.json), compared with the container runtime (CRI PodSandboxStatus)",
		ReadsJA: "ipamd のチェックポイント (/var/run/aws-node/ipam.json) とコンテナランタイム (CRI PodSandboxStatus) の比較",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: IPAMDNoIPs, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The Amazon VPC CNI cannot get IP addresses because the subnet has none left.",
			JA: "サブネットに空きがなく、Amazon VPC CNI が IP アドレスを取得できません。",
		},
		Reads:   "/var/log/aws-routed-eni/ipamd.log",
		ReadsJA: "/var/log/aws-routed-eni/ipamd.log",
		Needs:   Needs{Count: 4, Within: 15 * time.Minute},
		Clears:  Clears{Quiet: 15 * time.Minute},
		Matches: []Match{
			{Log: "/var/log/aws-routed-eni/ipamd.log", Pattern: `^\{"level":"[a-z]+","ts":"[^"]*",(?:"logger":"[^"]*",)?"caller":"[^"]*","msg":"(?:[^"\\]|\\.)*(?:InsufficientFreeAddressesInSubnet|InsufficientCidrBlocks)`},
		},
	},
	{
		ID: IPAMDNotReady, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"IPAMNotReady"},
		Means: Words{
			EN: "The Amazon VPC CNI's daemon (ipamd) does not respond, so new pods get no IP address.",
			JA: "Amazon VPC CNI のデーモン (ipamd) が応答しません。新しい Pod に IP アドレスが割り当てられません。",
		},
		Reads:   "http://127.0.0.1:61679/v1/enis or, if that is disabled, its gRPC socket; the last error in ipamd.log shows the cause. Applies only to hosts with a pod of aws-node or, on EKS Auto Mode, with ipamd.service",
		ReadsJA: "http://127.0.0.1:61679/v1/enis。無効な場合は gRPC のソケット。原因は ipamd.log の最後のエラーで示します。aws-node の Pod、または EKS Auto Mode の ipamd.service があるホストだけが対象です",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The response of the daemon itself, on hosts with a pod of aws-node in kube-system or with the systemd service.",
			JA: "kube-system の aws-node の Pod、または systemd のサービスがホストにある場合の、デーモン自身の応答。",
		}},
	},
	{
		ID: IPAMDNotRunning, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Aliases: []ID{"IPAMNotRunning"},
		Means: Words{
			EN: "A pod of the Amazon VPC CNI is on the node, but the process of its daemon (aws-k8s-agent) does not run.",
			JA: "Amazon VPC CNI の Pod がノードにありますが、デーモンのプロセス (aws-k8s-agent) が動作していません。",
		},
		Reads:   "/proc/*/stat, on hosts with a pod of aws-node (/var/log/pods); on EKS Auto Mode, systemd's ipamd.service over D-Bus",
		ReadsJA: "/proc/*/stat (aws-node の Pod があるホスト。/var/log/pods で判定)。EKS Auto Mode では D-Bus 経由の systemd の ipamd.service",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The kernel's list of processes, on hosts with a pod of aws-node in kube-system, or else the state of the systemd service. A process of the same name can hide the fault but cannot cause it.",
			JA: "kube-system の aws-node の Pod がホストにある場合はカーネルのプロセス一覧、それ以外は systemd によるサービスの状態。同名のプロセスは障害を隠せますが、作り出すことはできません。",
		}},
	},
	{
		ID: IPAMDRepeatedlyRestart, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The Amazon VPC CNI's daemon restarts repeatedly.",
			JA: "Amazon VPC CNI のデーモンが再起動を繰り返しています。",
		},
		Reads:   "/proc/*/stat: the process aws-k8s-agent differs from that of the previous check; on EKS Auto Mode, systemd's NRestarts",
		ReadsJA: "/proc/*/stat。aws-k8s-agent のプロセスが前回と異なること。EKS Auto Mode では systemd の NRestarts",
		Needs:   Needs{Count: 5, Within: 30 * time.Minute},
		Clears:  Clears{Quiet: 30 * time.Minute},
	},
	{
		ID: InstanceMetadataUnreachable, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The cloud's instance metadata service no longer responds to this node, so credentials and addresses that come from it cannot be renewed.",
			JA: "クラウドのインスタンスメタデータサービスが、以前は応答していましたが、応答しなくなりました。そこから取得する認証情報やアドレスを更新できません。",
		},
		Reads:   "http://169.254.169.254 every minute, on machines that are EC2, Compute Engine or Azure instances according to DMI: the session token (IMDSv2), the instance ID, or the versions. Any response below 500 counts as healthy, including one that the service is disabled. Unknown if it has not responded since the boot, because access may be blocked on purpose",
		ReadsJA: "http://169.254.169.254 (毎分。DMI から EC2、Compute Engine、Azure と判定したマシン)。セッションのトークン (IMDSv2)、インスタンスの ID、バージョンを要求します。500 未満の応答 (無効化されているという応答も含む) なら正常とします。起動後に一度も応答していない間は、意図的に遮断されている可能性があるので不明です",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: InterfaceNotRunning, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Entity: "interface",
		Means: Words{
			EN: "A network interface of the node is up but has no carrier.",
			JA: "ノードのネットワークインターフェイスは有効ですが、リンク (キャリア) を失っています。",
		},
		Reads:   "netlink RTM_GETLINK: the flag IFF_RUNNING of each link whose name matches network.links and that had a carrier before; changes of links are checked at once",
		ReadsJA: "netlink RTM_GETLINK。設定のパターンに名前が一致し、キャリアを得たことのある各リンクの IFF_RUNNING フラグ。リンクの変化はただちに調べます",
		Needs:   Needs{For: 15 * time.Second},
		Clears:  Clears{For: 10 * time.Second},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The kernel's own response about links of the host's network namespace.",
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
		Reads:   "netlink RTM_GETLINK: the flag IFF_UP of the loopback and of each link whose name matches network.links and that had a carrier before; changes of links are checked at once",
		ReadsJA: "netlink RTM_GETLINK。ループバックと、設定のパターンに名前が一致し、キャリアを得たことのある各リンクの IFF_UP フラグ。リンクの変化はただちに調べます",
		Needs:   Needs{For: 10 * time.Second},
		Clears:  Clears{For: 10 * time.Second},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The kernel's own response about links of the host's network namespace.",
			JA: "ホストのネットワーク名前空間のリンクについての、カーネル自身の応答。",
		}},
	},
	{
		ID: KubeProxyNotReady, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "kube-proxy does not respond, or cannot update the rules for Services.",
			JA: "kube-proxy が応答しないか、Service のルールを更新できていません。",
		},
		Reads:   "http://127.0.0.1:10256/livez, on hosts with a process or a pod of kube-proxy",
		ReadsJA: "http://127.0.0.1:10256/livez (kube-proxy のプロセスまたは Pod があるホスト)",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: LinkLocalExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets to the cloud's link-local services (DNS, metadata, time) were dropped because their rate exceeded the limit of the instance.",
			JA: "クラウドのローカルサービス (DNS・メタデータ・時刻) 宛のパケットが、毎秒の上限を超えたため破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter linklocal_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター linklocal_allowance_exceeded (毎分)",
		Needs:   Needs{Count: 3, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
	},
	{
		ID: MACAddressPolicyMisconfigured, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "file",
		Means: Words{
			EN: "udev changes the MAC addresses that the Amazon VPC CNI sets on the links of pods, so the pods have no network.",
			JA: "udev が Pod のリンクの MAC アドレスを変更するため、Amazon VPC CNI が設定した値と食い違い、Pod が通信できません。",
		},
		Reads:   "the .link file and drop-ins that udev applied to the VPC CNI's links (/run/udev/data): MACAddressPolicy must be none",
		ReadsJA: "udev が VPC CNI のリンクの設定に使った .link ファイルとドロップイン (/run/udev/data)。MACAddressPolicy は none でなければなりません",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: MellanoxFirmwareNotResponding, Condition: NetworkingReady, Severity: Warning, Action: Replace,
		Entity: "PCI address",
		Means: Words{
			EN: "The firmware of a ConnectX network card does not respond to its driver.",
			JA: "ConnectX のネットワークカードのファームウェアが、ドライバーに応答しません。",
		},
		Reads:   "the kernel log: mlx5_core's `timeout. Will cause a leak of a command resource` and `device's health compromised - reached miss count`. Commands that the firmware rejects (ACCESS_REG) are excluded, because on some systems merely reading the counters causes them",
		ReadsJA: "カーネルログにある mlx5_core の `timeout. Will cause a leak of a command resource` と `device's health compromised - reached miss count`。ファームウェアがエラーを返したコマンド (ACCESS_REG) は、カウンターを読むだけで出力されるシステムがあるため除きます",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
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
		Reads:   "the kernel log: messages of the driver mlx5_core about sensors and modules",
		ReadsJA: "カーネルログにある、センサーとモジュールについての mlx5_core ドライバーの行",
		Needs:   Needs{Count: 1, Within: 1 * time.Hour},
		Clears:  Clears{Quiet: 1 * time.Hour},
		Matches: []Match{
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): temp_warn:\d+:\(pid \d+\): High temperature on sensors with bit set `},
			{Log: "kernel", Pattern: `^mlx5_core (?P<entity>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:\w+:\d+:\(pid \d+\): )?Port module event\[error\]: module \d+, Cable error, High Temperature`},
		},
	},
	{
		ID: MellanoxInsufficientPower, Condition: NetworkingReady, Severity: Warning, Action: Replace,
		Entity: "PCI address",
		Means: Words{
			EN: "A ConnectX network card, or a module in it, does not get enough power.",
			JA: "ConnectX のネットワークカード、または装着されたモジュールに必要な電力が供給されていません。",
		},
		Reads:   "the kernel log: messages of the driver mlx5_core about its slot and modules",
		ReadsJA: "カーネルログにある、スロットとモジュールについての mlx5_core ドライバーの行",
		Needs:   Needs{Count: 1, Within: 24 * time.Hour},
		Clears:  Clears{Quiet: 24 * time.Hour},
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
		Reads:   "netlink RTM_GETROUTE: the main table, and the tables that the rules for pods' IP addresses refer to",
		ReadsJA: "netlink RTM_GETROUTE。メインテーブルと、Pod の IP アドレスのルールが参照するテーブル",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: MissingIPRoutes, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "address",
		Means: Words{
			EN: "A pod's IP address has no route on its node.",
			JA: "Pod の IP アドレスへのルートがノードにありません。",
		},
		Reads:   "netlink RTM_GETROUTE: the main table, compared with the IP addresses that ipamd has assigned to pods (127.0.0.1:61679/v1/enis)",
		ReadsJA: "netlink RTM_GETROUTE。メインテーブルと、ipamd が Pod に割り当てた IP アドレス (127.0.0.1:61679/v1/enis) の比較",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: MissingIPRules, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "address",
		Means: Words{
			EN: "A pod's IP address lacks a routing rule on its node.",
			JA: "Pod の IP アドレスに必要なルーティングルールがノードにありません。",
		},
		Reads:   "netlink RTM_GETRULE, compared with the IP addresses that ipamd has assigned to pods (127.0.0.1:61679/v1/enis): one rule to each address, and one from each address of a secondary network interface",
		ReadsJA: "netlink RTM_GETRULE と、ipamd が Pod に割り当てた IP アドレス (127.0.0.1:61679/v1/enis) の比較。各アドレス宛てに 1 つ、セカンダリの ENI 上のアドレスからは 1 つずつ",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: MissingLoopbackInterface, Condition: NetworkingReady, Severity: Fatal, Action: Reboot,
		Means: Words{
			EN: "The host has no loopback interface named lo, so nothing on it can reach 127.0.0.1.",
			JA: "ホストに lo という名前のループバックインターフェイスがなく、127.0.0.1 への通信ができません。",
		},
		Reads:   "netlink RTM_GETLINK: a link named lo with the flag IFF_LOOPBACK",
		ReadsJA: "netlink RTM_GETLINK。IFF_LOOPBACK フラグを持つ lo という名前のリンク",
		Needs:   Needs{For: 10 * time.Second},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The kernel's own response about links of the host's network namespace.",
			JA: "ホストのネットワーク名前空間のリンクについての、カーネル自身の応答。",
		}},
	},
	{
		ID: NPABPFRecoveryError, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "After a restart, the Amazon VPC CNI's network policy agent could not recover the BPF state that it had loaded into the kernel.",
			JA: "Amazon VPC CNI のネットワークポリシーエージェントが、再起動前にカーネルへロードした BPF の状態を復元できませんでした。",
		},
		Reads:   "/var/log/aws-routed-eni/network-policy-agent.log",
		ReadsJA: "/var/log/aws-routed-eni/network-policy-agent.log",
		Needs:   Needs{Count: 2, Within: 30 * time.Minute},
		Clears:  Clears{Quiet: 30 * time.Minute},
		Matches: []Match{
			{Log: "/var/log/aws-routed-eni/network-policy-agent.log", Pattern: `^\{"level":"[a-z]+","ts":"[^"]*",(?:"logger":"[^"]*",)?"caller":"[^"]*","msg":"(?:Failed to recover the BPF state|BPF State Recovery failed|failed to recover global maps|got err for (?:cluster policy )?(?:ingress|egress) in-mem map)`},
		},
	},
	{
		ID: NPANotRunning, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Means: Words{
			EN: "The Amazon VPC CNI's network policy agent should run on the node but does not.",
			JA: "Amazon VPC CNI のネットワークポリシーエージェントがノードで動作していません。",
		},
		Reads:   "/proc/*/stat and cmdline, on hosts with the container aws-eks-nodeagent (/var/log/pods); on EKS Auto Mode, systemd's aws-network-policy-agent.service over D-Bus",
		ReadsJA: "/proc/*/stat と cmdline (aws-eks-nodeagent のコンテナがあるホスト。/var/log/pods で判定)。EKS Auto Mode では D-Bus 経由の systemd の aws-network-policy-agent.service",
		Needs:   Needs{For: 15 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The kernel's list of processes, on hosts where a pod of aws-node in kube-system has the container, or else the state of the systemd service. A process of the same name can hide the fault but cannot cause it.",
			JA: "kube-system の aws-node の Pod にそのコンテナがある場合はカーネルのプロセス一覧、それ以外は systemd によるサービスの状態。同名のプロセスは障害を隠せますが、作り出すことはできません。",
		}},
	},
	{
		ID: NPARepeatedlyRestart, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The Amazon VPC CNI's network policy agent restarts repeatedly.",
			JA: "Amazon VPC CNI のネットワークポリシーエージェントが再起動を繰り返しています。",
		},
		Reads:   "/proc/*/stat: its process differs from that of the previous check; on EKS Auto Mode, systemd's NRestarts",
		ReadsJA: "/proc/*/stat。プロセスが前回と異なること。EKS Auto Mode では systemd の NRestarts",
		Needs:   Needs{Count: 5, Within: 30 * time.Minute},
		Clears:  Clears{Quiet: 30 * time.Minute},
	},
	{
		ID: NeighborTableOverflow, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "table",
		Means: Words{
			EN: "The kernel's neighbor table (ARP, IPv6 ND) is full, so packets to destinations that are not in it are dropped.",
			JA: "カーネルの近隣テーブル (ARP、IPv6 ND) が満杯で、テーブルに載っていない宛先へのパケットが破棄されています。",
		},
		Reads:   "the kernel log: `neighbor table overflow!`. arp_cache is the table for IPv4, ndisc_cache for IPv6; each is shared by the whole host, including the network namespaces of pods (net.ipv4.neigh.default.gc_thresh3)",
		ReadsJA: "カーネルログの `neighbor table overflow!`。arp_cache は IPv4、ndisc_cache は IPv6 のテーブルで、どちらも Pod のネットワーク名前空間を含むホスト全体のものです (net.ipv4.neigh.default.gc_thresh3)",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^neighbour: (?P<entity>\w+): neighbor table overflow!$`},
		},
	},
	{
		ID: NetworkSysctl, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "sysctl",
		Means: Words{
			EN: "The value of a sysctl prevents traffic to the pods of the node.",
			JA: "カーネルパラメーター (sysctl) の値が、Pod への通信を妨げるものになっています。",
		},
		Reads:   "/proc/sys: the sysctls in network.sysctls (by default, net.ipv4.ip_forward must be 1), on hosts with a CNI configuration",
		ReadsJA: "/proc/sys。CNI が設定されたホストで、設定された sysctl (net.ipv4.ip_forward は 1 でなければなりません)",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: PPSExceeded, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "Packets were queued or dropped because the packet rate exceeded the limit of the instance.",
			JA: "インスタンスの毎秒パケット数 (PPS) の上限を超えたため、パケットが待機または破棄されました。",
		},
		Reads:   "ioctl SIOCETHTOOL: the ENA driver's counter pps_allowance_exceeded, each minute",
		ReadsJA: "ioctl SIOCETHTOOL。ENA ドライバーのカウンター pps_allowance_exceeded (毎分)",
		Needs:   Needs{Count: 3, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
	},
	{
		ID: PortConflict, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "port",
		Means: Words{
			EN: "A packet filter rule redirects a port of the node itself, so the process that listens on it cannot be reached.",
			JA: "パケットフィルターのルールがノード自身のポートを転送しており、そのポートで待ち受けるプロセスに届きません。",
		},
		Reads:   "nftables over netlink and the legacy iptables interface: DNAT, REDIRECT and TPROXY rules for the ports in network.nodePorts (by default 10250, the kubelet's), whether specified one by one, by range, set, map or exclusion, or through other chains; rules for addresses of others are excluded",
		ReadsJA: "netlink 経由の nftables と従来の iptables のインターフェイス。設定されたポート (kubelet の 10250) に対する DNAT、REDIRECT、TPROXY のルール。ポートが 1 つずつ、範囲、set、map、除外のどれで指定されていても、別のチェイン経由でも検出します。ノードのものではないアドレス宛てのルールは除きます",
		Needs:   Needs{For: 90 * time.Second},
		Clears:  Clears{},
	},
	{
		ID: TCPOutOfMemory, Condition: NetworkingReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "TCP has used up the memory that the host allows for it; connections stall or are closed.",
			JA: "TCP に割り当てられたメモリを使い切ったため、接続が滞るか切断されています。",
		},
		Reads:   "the kernel log: `TCP: out of memory`; the limit applies to the whole host (net.ipv4.tcp_mem)",
		ReadsJA: "カーネルログの `TCP: out of memory`。上限はホスト全体のものです (net.ipv4.tcp_mem)",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kernel", Pattern: `^TCP: out of memory -- consider tuning tcp_mem$`},
		},
	},
	{
		ID: TransmitTimeout, Condition: NetworkingReady, Severity: Warning, Action: None,
		Entity: "interface",
		Means: Words{
			EN: "A network interface did not transmit for seconds, and its driver reset it.",
			JA: "ネットワークインターフェイスが数秒間送信できず、ドライバーがリセットしました。",
		},
		Reads:   "the kernel log: `NETDEV WATCHDOG`, in the wording before and since Linux 6.7, and messages of the ENA driver about incomplete transmissions. Before Linux 6.4, the kernel writes the former only once per boot",
		ReadsJA: "カーネルログの `NETDEV WATCHDOG` (Linux 6.7 より前と以後の表記) と、完了しなかった送信についての ENA ドライバーの行。Linux 6.4 より前のカーネルは、前者を起動ごとに 1 回だけ書きます",
		Needs:   Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
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
			EN: "A packet filter rule or chain policy that no known component creates drops or rejects packets.",
			JA: "既知のコンポーネントが作成したものではないパケットフィルターのルール、またはチェインのポリシーが、パケットを破棄または拒否しています。",
		},
		Reads:   "nftables over netlink and the legacy iptables interface: DROP and REJECT rules and verdict maps outside the chains of known software (kube-proxy, CNIs, container engines) and of network.expectedRules; chain policies DROP, unless a rule may accept new TCP connections to network.nodePorts (hook input) or any new connection (other hooks). Policies for IPv6 only are excluded, because nodes of IPv4 clusters often block IPv6",
		ReadsJA: "netlink 経由の nftables と従来の iptables のインターフェイス。既知のソフトウェア (kube-proxy、CNI、コンテナエンジン) と設定で指定されたチェイン以外の DROP・REJECT のルールと verdict map。ポリシーの DROP は、設定されたポートへの新しい TCP 接続 (input フック) またはどの接続 (ほかのフック) も許可するルールがない場合だけ。IPv4 のクラスターのノードでは IPv6 を閉じることが多いので、IPv6 だけのポリシーは除きます",
		Needs:   Needs{For: 90 * time.Second},
		Clears:  Clears{},
	},
}

// Code generated from the folder catalogue. DO NOT EDIT.

package reason

import "time"

// The reasons of ContainerRuntimeReady.
const (
	// CRISandboxProbeFailed: The container runtime cannot create pod sandboxes, so no new pod can start on the node.
	CRISandboxProbeFailed ID = "CRISandboxProbeFailed"
	// ContainerRuntimeFailed: The low-level runtime (runc) could not create a pod's container because of a problem of the node.
	ContainerRuntimeFailed ID = "ContainerRuntimeFailed"
	// ContainerRuntimeUnhealthy: The container runtime does not respond, or reports that it is not ready.
	ContainerRuntimeUnhealthy ID = "ContainerRuntimeUnhealthy"
	// ContainerdRepeatedRestart: containerd exits repeatedly, and systemd restarts it.
	ContainerdRepeatedRestart ID = "ContainerdRepeatedRestart"
	// CorruptDockerOverlay2: Docker's image store (overlay2) is damaged, and containers of some images cannot start.
	CorruptDockerOverlay2 ID = "CorruptDockerOverlay2"
	// DeprecatedContainerdConfiguration: containerd is configured or used in a way that a later version will not support.
	DeprecatedContainerdConfiguration ID = "DeprecatedContainerdConfiguration"
	// FailedKillPod: The kubelet repeatedly tries to stop a pod, but the container runtime does not complete it.
	FailedKillPod ID = "FailedKillPod"
	// KubeletClientCertificateExpiration: The client certificate with which the kubelet authenticates to the API server has expired, or expires soon and was not renewed.
	KubeletClientCertificateExpiration ID = "KubeletClientCertificateExpiration"
	// KubeletFailed: The kubelet has failed, and systemd does not restart it.
	KubeletFailed ID = "KubeletFailed"
	// KubeletRepeatedRestart: The kubelet exits repeatedly, and systemd restarts it.
	KubeletRepeatedRestart ID = "KubeletRepeatedRestart"
	// KubeletStopped: The kubelet was stopped, or ended without an error, and nothing starts it again.
	KubeletStopped ID = "KubeletStopped"
	// KubeletUnhealthy: The kubelet's health endpoint does not respond, or reports that the kubelet is unhealthy.
	KubeletUnhealthy ID = "KubeletUnhealthy"
	// LivenessProbeFailures: A pod's liveness probe keeps failing although its container has been restarted.
	LivenessProbeFailures ID = "LivenessProbeFailures"
	// NetworkPluginNotReady: The network plugin (CNI) of the container runtime is not initialized, so pods get no network.
	NetworkPluginNotReady ID = "NetworkPluginNotReady"
	// PodStuckTerminating: A pod cannot terminate because of a problem of the node.
	PodStuckTerminating ID = "PodStuckTerminating"
	// ReadinessProbeFailures: A pod's readiness probe has failed for several minutes, so the pod gets no traffic.
	ReadinessProbeFailures ID = "ReadinessProbeFailures"
	// ServiceFailedToStart: A service of the node could not start, or failed and was not restarted.
	ServiceFailedToStart ID = "ServiceFailedToStart"
	// ServiceRepeatedRestart: A service of the node exits repeatedly, and systemd restarts it.
	ServiceRepeatedRestart ID = "ServiceRepeatedRestart"
)

var containerRuntimeReady = []Reason{
	{
		ID: CRISandboxProbeFailed, Condition: ContainerRuntimeReady, Severity: Fatal, Action: Replace,
		Entity: "runtime's socket",
		Means: Words{
			EN: "The container runtime cannot create pod sandboxes, so no new pod can start on the node.",
			JA: "コンテナランタイムが Pod サンドボックスを作成できず、このノードでは新しい Pod を起動できません。",
		},
		Reads:   "CRI RunPodSandbox, StopPodSandbox and RemovePodSandbox for a sandbox of the agent (namespace naosu-probe, label naosu.dev/probe), once per runtime.sandboxProbe.period; never if that is not set",
		ReadsJA: "エージェント自身のサンドボックス (名前空間 naosu-probe、ラベル naosu.dev/probe) の CRI RunPodSandbox、StopPodSandbox、RemovePodSandbox を runtime.sandboxProbe.period ごとに 1 回。設定されていなければ実行しません",
		Needs:   Needs{For: 10 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "A sandbox of the agent that the runtime cannot create.",
			JA: "ランタイムが作成できないエージェント自身のサンドボックス。",
		}},
	},
	{
		ID: ContainerRuntimeFailed, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "The low-level runtime (runc) could not create a pod's container because of a problem of the node.",
			JA: "ノード側の要因により、低レベルランタイム (runc) が Pod のコンテナを作成できませんでした。",
		},
		Reads:   "the kubelet's log, in text or JSON: runc's error when a pod could not be synced. Programs that are not in the image and mounts of the pod's own volumes are excluded, because the pod causes them",
		ReadsJA: "kubelet のログ (テキストと JSON) にある、Pod を同期できなかったときの runc のエラー。イメージにないプログラムや Pod 自身のボリュームのマウントは Pod 側の問題なので除きます",
		Needs:   Needs{Count: 3, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="\[?failed to \\"(?:StartContainer|CreatePodSandbox)\\" .*\bOCI runtime create failed: (?:runc create failed: )?(?:[^cru]|c[^or]|cr[^u]|crun: (?:[^eo]|e[^x]|open [^e])|r[^u]|runc [^c]|runs|u[^n]|un[^a]|unable to (?:retrieve OCI runtime error|create new parent process)|unable to start container process: (?:[^e]|e[^rx]|error during container init: (?:[^e]|e[^rx]|error [^m]|error mounting \W*(?:proc|sysfs|tmpfs|cgroup|devpts|mqueue)\b))).* pod="(?P<entity>[^"]+)"`},
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="\[?failed to \\"(?:StartContainer|CreatePodSandbox)\\" .*\bOCI runtime create failed: container_linux\.go:\d+: starting container process caused:? \W*(?:[^e\W]|e[^x]).* pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: ContainerRuntimeUnhealthy, Condition: ContainerRuntimeReady, Severity: Fatal, Action: RestartService,
		Entity: "runtime's socket",
		Means: Words{
			EN: "The container runtime does not respond, or reports that it is not ready.",
			JA: "コンテナランタイムが応答しないか、自身を Ready ではないと報告しています。",
		},
		Reads:   "CRI Status at the runtimes' sockets (runtime.sockets), every 20 s, one call at a time: refused, no response within 5 s, or RuntimeReady=false. On a host with a kubelet where no other runtime responds, also a removed socket and a runtime without CRI",
		ReadsJA: "ランタイムが待ち受けるソケットでの CRI Status (20 秒ごと、一度に 1 回)。拒否、5 秒以内に応答なし、RuntimeReady=false。kubelet があり、ほかに応答するランタイムがないホストでは、ディレクトリからなくなったソケットと、CRI を話さないランタイムも",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The response of the runtime itself.",
			JA: "ランタイム自身の応答。",
		}},
	},
	{
		ID: ContainerdRepeatedRestart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Aliases: []ID{"FrequentContainerdRestart"},
		Means: Words{
			EN: "containerd exits repeatedly, and systemd restarts it.",
			JA: "containerd が繰り返し終了し、そのたびに systemd が再起動しています。",
		},
		Reads:   "NRestarts of containerd.service over systemd's D-Bus, every minute: restarts by systemd itself, not by a person",
		ReadsJA: "D-Bus 経由の systemd の containerd.service の NRestarts (毎分)。systemd 自身による再起動だけで、人による再起動は含みません",
		Needs:   Needs{Count: 4, Within: 20 * time.Minute},
		Clears:  Clears{Quiet: 20 * time.Minute},
	},
	{
		ID: CorruptDockerOverlay2, Condition: ContainerRuntimeReady, Severity: Warning, Action: Replace,
		Means: Words{
			EN: "Docker's image store (overlay2) is damaged, and containers of some images cannot start.",
			JA: "Docker のイメージストア (overlay2) が破損しており、一部のイメージのコンテナを起動できません。",
		},
		Reads:   "the journal of docker.service",
		ReadsJA: "docker.service のジャーナル",
		Needs:   Needs{Count: 2, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 30 * time.Minute},
		Matches: []Match{
			{Log: "unit:docker.service", Pattern: `^(?:time="[^"]*" )?level=error msg="(?:[^"\\]|\\.)*readlink /var/lib/docker/overlay2[^ "]*: invalid argument`},
		},
	},
	{
		ID: DeprecatedContainerdConfiguration, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "deprecation",
		Means: Words{
			EN: "containerd is configured or used in a way that a later version will not support.",
			JA: "containerd の設定または使い方に、今後のバージョンで廃止されるものが含まれています。",
		},
		Reads:   "containerd's introspection service (Server), every hour: deprecated features that containerd itself has detected. Versions before 1.6.27 and 1.7.12 report none",
		ReadsJA: "containerd の introspection サービス (Server、毎時)。containerd 自身が使用を検出したもの。1.6.27 と 1.7.12 より前のバージョンは何も報告しません",
		Needs:   Needs{},
		Clears:  Clears{},
	},
	{
		ID: FailedKillPod, Condition: ContainerRuntimeReady, Severity: Warning, Action: Reboot,
		Entity: "pod",
		Means: Words{
			EN: "The kubelet repeatedly tries to stop a pod, but the container runtime does not complete it.",
			JA: "kubelet が Pod の終了を繰り返し試みていますが、コンテナランタイムが処理を完了できません。",
		},
		Reads:   "the kubelet's log, in text or JSON: a container or sandbox of a pod was not stopped by the deadline. A network plugin that fails at once and a runtime that does not respond are different problems. A warning, because it is based on log lines of the kubelet; PodStuckTerminating detects pods that cannot terminate on the host itself",
		ReadsJA: "kubelet のログ (テキストと JSON) にある、Pod のコンテナまたはサンドボックスが期限までに終了しなかったという行。すぐに失敗するネットワークプラグインや、応答しないランタイムは別の問題です。kubelet の行に基づくので warning です。終了できないことがホスト上でわかるものは PodStuckTerminating です",
		Needs:   Needs{Count: 5, Within: 15 * time.Minute},
		Clears:  Clears{Quiet: 15 * time.Minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^pod_workers\.go:\d+\] "Error syncing pod, skipping" err="(?:error killing (?:terminating )?pod: )?\[?failed to \\"Kill(?:Container|PodSandbox)\\" .*\brpc error: code = DeadlineExceeded\b.* pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: KubeletClientCertificateExpiration, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The client certificate with which the kubelet authenticates to the API server has expired, or expires soon and was not renewed.",
			JA: "kubelet が API サーバーへの認証に使う証明書が、更新されないまま期限切れ間近か、すでに期限切れです。",
		},
		Reads:   "the client certificate in the kubeconfig of the running kubelet or of K3s (--kubeconfig; /var/lib/kubelet/pki/kubelet-client-current.pem), every 5 min, as the kubelet's process sees the files: it has expired, or less than 10% of its validity period and fewer than 60 days are left. Does not apply if the kubelet gets tokens from a command, as on EKS",
		ReadsJA: "動作中の kubelet または K3s の kubeconfig にある、または指定されたクライアント証明書 (--kubeconfig、/var/lib/kubelet/pki/kubelet-client-current.pem。5 分ごと、kubelet 自身のプロセスから見えるファイル)。期限が切れたか、残りが有効期間の 10 % 未満かつ 60 日未満であること。EKS のように kubelet がコマンドからトークンを得る場合は対象外です",
		Needs:   Needs{For: 15 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: KubeletFailed, Condition: ContainerRuntimeReady, Severity: Fatal, Action: RestartService,
		Means: Words{
			EN: "The kubelet has failed, and systemd does not restart it.",
			JA: "kubelet が異常終了し、systemd による再起動も行われていません。",
		},
		Reads:   "ActiveState of kubelet.service over systemd's D-Bus, every 10 s: failed, and nothing answers at the kubelet's health endpoint. A unit that someone stopped is KubeletStopped",
		ReadsJA: "D-Bus 経由の systemd の kubelet.service の ActiveState (10 秒ごと) が failed で、kubelet のヘルスチェックのエンドポイントも応答しないこと。人が停止したユニットは KubeletStopped です",
		Needs:   Needs{For: 20 * time.Second},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "systemd's own response about the unit.",
			JA: "ユニットについての systemd 自身の応答。",
		}},
	},
	{
		ID: KubeletRepeatedRestart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Aliases: []ID{"FrequentKubeletRestart"},
		Means: Words{
			EN: "The kubelet exits repeatedly, and systemd restarts it.",
			JA: "kubelet が繰り返し終了し、そのたびに systemd が再起動しています。",
		},
		Reads:   "NRestarts of kubelet.service over systemd's D-Bus, every minute: restarts by systemd itself, not by a person",
		ReadsJA: "D-Bus 経由の systemd の kubelet.service の NRestarts (毎分)。systemd 自身による再起動だけで、人による再起動は含みません",
		Needs:   Needs{Count: 4, Within: 20 * time.Minute},
		Clears:  Clears{Quiet: 20 * time.Minute},
	},
	{
		ID: KubeletStopped, Condition: ContainerRuntimeReady, Severity: Fatal, Action: RestartService,
		Means: Words{
			EN: "The kubelet was stopped, or ended without an error, and nothing starts it again.",
			JA: "kubelet が停止されたか、エラーなしで終了し、再び起動するものがありません。",
		},
		Reads:   "ActiveState of kubelet.service over systemd's D-Bus, every 10 s: inactive (or failed with exit status 143, that of a program that was told to end), without a job of systemd's for it, and nothing answers at the kubelet's health endpoint. Does not apply to a unit that was not started since the host booted, without /var/lib/kubelet or with that endpoint off",
		ReadsJA: "D-Bus 経由の systemd の kubelet.service の ActiveState (10 秒ごと) が inactive (または終了の指示に対する終了ステータス 143 の failed) で、systemd のジョブがなく、kubelet のヘルスチェックのエンドポイントも応答しないこと。ホストの起動後に開始されていないユニットは、/var/lib/kubelet がないかエンドポイントが無効なら対象外です",
		Needs:   Needs{For: 20 * time.Second},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "systemd's own response about the unit.",
			JA: "ユニットについての systemd 自身の応答。",
		}},
	},
	{
		ID: KubeletUnhealthy, Condition: ContainerRuntimeReady, Severity: Fatal, Action: RestartService,
		Means: Words{
			EN: "The kubelet's health endpoint does not respond, or reports that the kubelet is unhealthy.",
			JA: "kubelet がヘルスチェックのエンドポイントに応答しないか、異常を報告しています。",
		},
		Reads:   "http://127.0.0.1:10248/healthz, every 10 s: refused, no response within 5 s, or a status other than 200. Does not apply without /var/lib/kubelet; unknown if the kubelet runs according to systemd but nothing listens (healthzPort: 0). If kubelet.service does not run, KubeletFailed or KubeletStopped is reported instead",
		ReadsJA: "http://127.0.0.1:10248/healthz (10 秒ごと)。拒否、5 秒以内に応答なし、または 200 以外。/var/lib/kubelet がなければ対象外、systemd では kubelet が動いているのに待ち受けるものがなければ (healthzPort: 0) 不明です。kubelet.service が動いていない場合は、代わりに KubeletFailed か KubeletStopped を報告します",
		Needs:   Needs{For: 2 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The response of the kubelet itself on the host's loopback.",
			JA: "ホストのループバックでの kubelet 自身の応答。",
		}},
	},
	{
		ID: LivenessProbeFailures, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "A pod's liveness probe keeps failing although its container has been restarted.",
			JA: "コンテナの再起動後も、Pod の liveness probe の失敗が続いています。",
		},
		Reads:   "the kubelet's log, in text or JSON: one line for each failed probe (verbosity 1 and up)",
		ReadsJA: "kubelet のログ (テキストと JSON) にある、失敗した probe ごとの行 (verbosity 1 以上)",
		Needs:   Needs{Count: 7, Within: 5 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^prober\.go:\d+\] "Probe failed" probeType="?Liveness"? pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: NetworkPluginNotReady, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Means: Words{
			EN: "The network plugin (CNI) of the container runtime is not initialized, so pods get no network.",
			JA: "コンテナランタイムのネットワークプラグイン (CNI) が初期化されておらず、Pod がネットワークを利用できません。",
		},
		Reads:   "NetworkReady in CRI Status, every 20 s",
		ReadsJA: "CRI Status の NetworkReady (20 秒ごと)",
		Needs:   Needs{For: 5 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: PodStuckTerminating, Condition: ContainerRuntimeReady, Severity: Fatal, Action: Reboot,
		Entity: "pod",
		Means: Words{
			EN: "A pod cannot terminate because of a problem of the node.",
			JA: "終了を指示された Pod が、ノード側の要因で終了できずにいます。",
		},
		Reads:   "every minute: processes of pods that were killed but do not end (state D in /proc/*/task/*/stat with SIGKILL pending or PF_EXITING; the cgroup identifies the pod), and containers that run in a stopped sandbox (CRI). What is visible only in the kubelet's log is FailedKillPod. The line that the EKS agent reads is not used, because at verbosity 4 the kubelet writes it ten times a second for each volume of a pod that was deleted by force",
		ReadsJA: "毎分、強制終了されたのに終了しない Pod のプロセス (/proc/*/task/*/stat で状態 D、かつ SIGKILL が保留中か PF_EXITING。Pod は cgroup で特定) と、停止したサンドボックスで動くコンテナ (CRI)。kubelet のログだけからわかるものは FailedKillPod です。EKS エージェントが使う行は根拠にしません。kubelet は、強制削除された Pod のボリュームごとに verbosity 4 で毎秒 10 回書くためです",
		Needs:   Needs{For: 4 * time.Minute},
		Clears:  Clears{},
		Basis: Basis{Kind: State, Text: Words{
			EN: "The state of killed processes, by the cgroup of their pod, and the runtime's own list of containers.",
			JA: "Pod の cgroup で特定した、強制終了後のプロセスの状態と、ランタイム自身のコンテナ一覧。",
		}},
	},
	{
		ID: ReadinessProbeFailures, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "pod",
		Means: Words{
			EN: "A pod's readiness probe has failed for several minutes, so the pod gets no traffic.",
			JA: "Pod の readiness probe の失敗が数分間続いており、トラフィックが送られていません。",
		},
		Reads:   "the kubelet's log, in text or JSON: one line for each failed probe (verbosity 1 and up)",
		ReadsJA: "kubelet のログ (テキストと JSON) にある、失敗した probe ごとの行 (verbosity 1 以上)",
		Needs:   Needs{Count: 40, Within: 10 * time.Minute},
		Clears:  Clears{Quiet: 10 * time.Minute},
		Matches: []Match{
			{Log: "kubelet", Pattern: `^prober\.go:\d+\] "Probe failed" probeType="?Readiness"? pod="(?P<entity>[^"]+)"`},
		},
	},
	{
		ID: ServiceFailedToStart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Entity: "unit",
		Means: Words{
			EN: "A service of the node could not start, or failed and was not restarted.",
			JA: "ノードのサービスが起動に失敗したか、異常終了したまま再起動されていません。",
		},
		Reads:   "ActiveState of each service over systemd's D-Bus, every minute: failed. Transient units (systemd-run), programs that exit with status 143 when they are stopped, and the kubelet, which has its own reasons, are excluded",
		ReadsJA: "D-Bus 経由の systemd の各サービスの ActiveState (毎分) が failed。一時的なユニット (systemd-run)、停止の指示に対して 143 で終了するプログラム、独自の理由がある kubelet は除きます",
		Needs:   Needs{For: 1 * time.Minute},
		Clears:  Clears{},
	},
	{
		ID: ServiceRepeatedRestart, Condition: ContainerRuntimeReady, Severity: Warning, Action: None,
		Aliases: []ID{"DockerRepeatedRestart", "FrequentDockerRestart"},
		Entity:  "unit",
		Means: Words{
			EN: "A service of the node exits repeatedly, and systemd restarts it.",
			JA: "ノードのサービスが繰り返し終了し、そのたびに systemd が再起動しています。",
		},
		Reads:   "NRestarts of each service except the kubelet and containerd over systemd's D-Bus, every minute: restarts by systemd itself, not by a person",
		ReadsJA: "D-Bus 経由の systemd の各サービス (kubelet と containerd を除く) の NRestarts (毎分)。systemd 自身による再起動だけで、人による再起動は含みません",
		Needs:   Needs{Count: 4, Within: 20 * time.Minute},
		Clears:  Clears{Quiet: 20 * time.Minute},
	},
}

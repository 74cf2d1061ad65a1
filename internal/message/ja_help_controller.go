package message

var japaneseHelpController = sentences{
	"help/controller": "ポリシーに従ってノードを修復するコントローラーを動かす",
	"help/controller/long": "コントローラーを動かします。クラスターを監視し、NodeRepairPolicy のルールに該当するノードに Remediation を提案し、ガードが許可したものを実行します。障害が起きたノードに Pod がとどまる時間は、FailoverPolicy のとおりに設定します。停止されるまで動き続けます。" +
		"クラスターの中でも外でも動きます。複数動かした場合は、Lease を保持する 1 つだけが実行し、残りは引き継ぎに備えて待機します。\n\n" +
		"naosu のカスタムリソース定義が必要です。マシンのプロバイダーは、クラスターと環境変数から判別します。AWS の場合は、AWS のツールが読む環境変数を使います。",
	"flag/controller/leader-elect":      "Lease naosu-controller を保持している間だけ実行する (無効にする場合、このクラスターでほかのコントローラーを動かしてはならない)",
	"flag/controller/health-address":    "/livez と /readyz に応答する `ADDRESS` (0 で無効)",
	"flag/controller/metrics-address":   "Prometheus メトリクスを /metrics で公開する `ADDRESS` (0 で無効)",
	"flag/controller/heartbeat-address": "エージェントのハートビートをすべてのレプリカが TLS で受ける `ADDRESS` (0 で無効。Secret と ConfigMap の naosu-heartbeat-ca の書き込みと、tokenreviews の作成の権限が必要)",
	"flag/controller/metrics-secure":    "メトリクスを HTTPS で、API サーバーが /metrics の get を許可するクライアントにだけ公開する (ClusterRole system:auth-delegator の権限が必要。false にすると HTTP で誰にでも公開する)",
	"flag/controller/metrics-cert-path": "メトリクスの公開に使う tls.crt と tls.key の `FOLDER` (省略すると自己署名証明書を作る)",
	"flag/controller/eks-cluster":       "EKS クラスターの `NAME` (ノードのラベルにもインスタンスのタグにもない場合)",
	"flag/controller/placeholder-image": "プレースホルダー Pod の `IMAGE` (待つだけのもの)",
	"flag/controller/node-prices":       "インスタンスタイプごとに Node の1時間あたりの価格を書いた YAML の `FILE` (例 m5.large: 0.096)。HeadroomPolicy の空きの費用は、その割合です",
}

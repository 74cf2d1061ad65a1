package message

var japaneseHelpController = sentences{
	"help/controller": "ポリシーに従ってノードを修復するコントローラーを動かす",
	"help/controller/long": "コントローラーを動かします。クラスターを監視し、NodeRepairPolicy のルールに該当するノードに Remediation を提案し、ガードが許可したものを実行します。停止を指示されるまで動き続けます。" +
		"クラスターの中でも外でも動きます。複数動かした場合は、lease を持つ一つだけが実行し、残りは引き継ぎに備えて待機します。\n\n" +
		"naosu のカスタムリソース定義が必要です。マシンを動かしているものは、クラスターと環境変数から見つけます。AWS の場合は、AWS のツールが読む環境変数を使います。",
	"flag/controller/leader-elect":      "lease naosu-controller を持っている間だけ実行する (無効にする場合、このクラスターで他に実行するものがあってはならない)",
	"flag/controller/health-address":    "/livez と /readyz に応答する `ADDRESS` (0 で無効)",
	"flag/controller/metrics-address":   "Prometheus メトリクスを /metrics で公開する `ADDRESS` (0 で無効)",
	"flag/controller/metrics-secure":    "メトリクスを HTTPS で、API サーバーが /metrics の get を許可する相手にだけ公開する (ClusterRole system:auth-delegator の権限が必要。false にすると HTTP で誰にでも公開する)",
	"flag/controller/metrics-cert-path": "メトリクスの公開に使う tls.crt と tls.key の `FOLDER` (省略すると自己署名証明書を作る)",
	"flag/controller/eks-cluster":       "EKS クラスターの `NAME` (ノードのラベルにもインスタンスのタグにもない場合)",
}

package message

var japaneseHelp = sentences{
	HelpUsage:       "使い方:",
	HelpExamples:    "例:",
	HelpCommands:    "コマンド:",
	HelpFlags:       "フラグ:",
	HelpGlobalFlags: "共通フラグ:",
	HelpMore:        "各コマンドの詳細: {{.command}} [command] --help",
	HelpDefault:     " (デフォルト: {{.value}})",

	"help/naosu": "Pod が動かない原因を説明し、障害や変更の影響を予測し、直し方を示します。",

	"help/why": "動かない原因を説明する",
	"help/why/long": "Pod、ノード、PVC、PV、ワークロードがなぜ今の状態なのかを説明します。対処できるところまで原因をたどり、各段階の根拠、" +
		"原因ではないと確認したもの、分からなかったこと、対処方法を示します。正常に動いている対象については、リスクを示します。\n\n" +
		"対象を省略すると、namespace 内 (-A を付けると全 namespace) で動くべきなのに動いていないものを、原因ごとにまとめて表示します。\n\n" +
		"--unlike を付けると、正常に動いている同種のものとの違いと、どの違いが原因かを示します。\n\n" + exitCodesJapanese,
	"flag/why/unlike":         "正常に動いている同種の `KIND/NAME` と比較する",
	"flag/why/fail-on":        "重大度がこの `SEVERITY` 以上の問題があれば終了コード 1 で終わる: warning、critical",
	"flag/why/all-namespaces": "すべての namespace を対象にする",
	"flag/why/selector":       "対象を省略した場合に、ラベルがこの `SELECTOR` に一致する Pod とワークロードに絞る",

	"help/audit": "クラスターの問題と、障害時に起こる問題を洗い出す",
	"help/audit/long": "クラスターに今ある問題と、想定される障害で起こる問題を洗い出します。ノードとゾーンを 1 つずつ失った場合と、DaemonSet が" +
		"次にスケールアップした場合をすべて調べ、危険なものから順に、防ぐための対処とともに表示します。\n\n" + exitCodesJapanese,
	"flag/audit/fail-on":        "重大度がこの `SEVERITY` 以上の所見があれば終了コード 1 で終わる: warning、critical",
	"flag/audit/accepted":       "この `FILE` で許容した所見を除く (code、subject、reason、expires を持つ YAML のリスト)",
	"flag/audit/all-namespaces": "すべての namespace を対象にする (--namespace を省略した場合と同じ)",
	"flag/audit/selector":       "ラベルがこの `SELECTOR` に一致する Pod とワークロードに絞る",

	"help/addresses": "サブネットのアドレスの保持者と、いつ足りなくなるかを表示",
	"help/addresses/long": "AWS VPC CNI を使う EC2 上のクラスターについて、ノードのサブネットの空きアドレスの数、それ以外のアドレスの保持者 (Pod、ノードの予備、残ったままのインターフェース、ほか)、" +
		"すべての Auto Scaling グループが最大まで増えたときの空きの数、次の Pod のアドレスがないノード、そこから分かる所見を表示します。-o wide では、すべてのノードと残ったままのインターフェースも表示します。\n\n" +
		"情報は、環境の AWS の認証情報を使って EC2 から読み取るか、それを使って書いたスナップショットから読み取ります。何も変更しません。\n\n" + exitCodesJapanese,
	"flag/addresses/history": "ファイルまたはフォルダー `PATH` にある以前のスナップショットと現在から、空きアドレスの推移も表示する (繰り返し指定可)",
	"flag/addresses/fail-on": "重大度がこの `SEVERITY` 以上の所見があれば終了コード 1 で終わる: warning、critical",

	"help/headroom": "障害が今起きた場合の影響と、耐えるために空けておく量を表示",
	"help/headroom/long": "障害が今起きた場合のクラスターへの影響を、悪いものから順に表示します。任意のノード 1 台またはゾーンの停止、ノードグループのノードの入れ替え、DaemonSet の requests の次の段階、" +
		"そのほか指定した障害のあとに、待機、プリエンプト、消失する Pod です。同じ条件のノードは 1 回だけシミュレーションします。このコマンドは何も変更しません。\n\n" +
		"障害:\n" +
		"  node\t任意のノード 1 台の停止 (グループ、インスタンスタイプ、ゾーンごと)\n" +
		"  two-nodes\t任意のノード 2 台の同時の停止 (ノードが 100 台までのクラスター)\n" +
		"  zone\tゾーンの停止 (ゾーンが複数あるクラスター)\n" +
		"  rotation\tグループの全ノードの入れ替え (1000 台まで)\n" +
		"  step\tDaemonSet の requests の次の増加 (cluster-proportional-vertical-autoscaler によるもの、または完了していないロールアウト)\n\n" +
		"-o wide では、各障害の最悪の場合のすべての Pod と理由も表示します。\n\n" + exitCodesJapanese,
	"flag/headroom/failures":    "シミュレーションする障害 `FAILURES`: node、two-nodes、zone、rotation、step",
	"flag/headroom/burst":       "ワークロードの Pod を増やす場合もシミュレーションする: `[NAMESPACE/]KIND/NAME=+N` (繰り返し指定可)",
	"flag/headroom/room":        "各障害に耐えるために空けておく最小の量も計算する (影響の計算より時間がかかる)",
	"flag/headroom/node-prices": "インスタンスタイプごとに Node の1時間あたりの価格を書いた YAML の `FILE` (例 m5.large: 0.096)。確保すべき空きの費用は、その割合です",
	"flag/headroom/fail-on":     "障害によってこの `FATE` になる Pod があれば終了コード 1 で終わる: waiting、preempted、lost",

	"help/whatif": "変更の影響を予測する",
	"help/whatif/long": "変更 (順に行う複数の変更も可) がすべての Pod にどう影響するかを、スケジューラーとコントローラーの動作をシミュレーションして予測します。" +
		"失われる Pod、待たされる Pod、遅れる Pod、プリエンプトされる Pod、移動する Pod、PDB の違反、変更後に生じる問題を示します。" +
		"クラスターには何も変更を加えません。\n\n" +
		"変更:\n" +
		"  lose node/N | zone/Z | group/G\tマシンが前触れなく停止する\n" +
		"  drain node/N\tkubectl drain と同じ\n" +
		"  cordon node/N | uncordon node/N\tkubectl と同じ\n" +
		"  taint node/N KEY=VALUE:EFFECT\tkubectl と同じ\n" +
		"  untaint node/N KEY:EFFECT\ttaint を外す\n" +
		"  grow daemonset/NAME [--cpu Q] [--memory Q]\tPod の requests を増やす (量を省略すると垂直オートスケーラーの次の段階まで)\n" +
		"  add-nodes N [--group G] [--zone Z]\tノードを追加する (台数に連動するものも増える)\n" +
		"  scale group/G --to N [--zones A,B]\tノードグループの台数を変える\n" +
		"  scale deployment/NAME --replicas N\tStatefulSet、ReplicaSet も可\n" +
		"  rotate group/G [--to N] [--zones A,B]\t新しいノードを追加してから古いノードを drain する\n" +
		"  evict pod/NAME\tPDB の範囲内で退避させる (drain と同じ)\n" +
		"  delete pod/NAME [--force]\tkubectl delete と同じ\n" +
		"  delete networkinterface/ID\taws ec2 delete-network-interface と同じ (アドレスが空く)\n" +
		"  tag subnet/ID kubernetes.io/role/cni=1\tVPC CNI が、そのゾーンの Pod にこのサブネットも使うようにする\n" +
		"  patch KIND/NAME -p JSON\tstrategic merge patch を当てる\n" +
		"  apply -f FILE | DIR | -\tマニフェストを適用する\n\n" +
		"複数の変更はコンマで区切ります。フラグは、対応する変更の後ろに書きます。--namespace とは別の namespace にあるものは " +
		"NAMESPACE/KIND/NAME と書きます。\n\n" + exitCodesJapanese,
	"flag/whatif/fail-on":         "この `FATE` (waiting、delayed、preempted、lost) になる Pod、PDB の違反 (budget)、API サーバーによる拒否 (refused)、起動できないインスタンス (unlaunched)、またはこの重大度 (info、warning、critical) 以上の新しい所見があれば終了コード 1 で終わる",
	"flag/whatif/seeds":           "スケジューラーとコントローラーのランダムな選択を変えて `N` 通りシミュレーションする。ゾーンより少ない台数への rotate は、指定しなければ 20 通り",
	"flag/whatif/all-namespaces":  "変更の対象をすべての namespace から探す",
	"flag/whatif/selector":        "ラベルがこの `SELECTOR` に一致する Pod とワークロードだけを表示する",
	"flag/whatif/cpu":             "grow: コンテナの CPU の requests (`QUANTITY`、例: 450m)",
	"flag/whatif/memory":          "grow: コンテナのメモリの requests (`QUANTITY`、例: 256Mi)",
	"flag/whatif/container":       "grow: コンテナの `NAME` (デフォルト: 最初のコンテナ)",
	"flag/whatif/group":           "add-nodes: 追加先のノードグループ `GROUP` (デフォルト: 最大のもの)",
	"flag/whatif/zone":            "add-nodes: 追加先の `ZONE` (デフォルト: グループ内で最もノードが少ないゾーン)",
	"flag/whatif/zones":           "scale group、rotate: 新しいノードを起動するゾーン `ZONES`",
	"flag/whatif/to":              "scale group、rotate: 全ゾーン合計の台数 `N` (rotate で省略すると今と同じ台数)",
	"flag/whatif/replicas":        "scale: ワークロードの Pod 数 `N`",
	"flag/whatif/filename":        "apply: ファイルまたはフォルダーの `PATH` (- は標準入力)",
	"flag/whatif/patch":           "patch: strategic merge patch の `JSON`",
	"flag/whatif/force":           "delete: Pod の終了を待たない",
	"flag/whatif/server-side":     "apply: kubectl apply --server-side のように、API サーバーがフィールドの所有者に従ってマージするものとする (デフォルト: kubectl apply と同じ)",
	"flag/whatif/force-conflicts": "apply --server-side: ほかの所有者のフィールドも上書きする",
	"flag/whatif/server-dry-run":  "apply: 保存される内容を、実際には保存せずに API サーバーに問い合わせる (書き込みの権限が必要で、監査ログに残る)",

	"help/explain":      "所見のコードの意味を説明する",
	"help/explain/long": "所見のコードの意味を説明します。判定方法、該当しないもの、対処、naosu では分からないことを示します。",

	"help/snapshot": "クラスターをファイルに書き出す (--from で使う)",
	"help/snapshot/long": "クラスターをファイルに書き出します。クラスターを読むコマンドはすべて、--from でこのファイルを読めます。\n\n" +
		"Secret は一切取得しません。ConfigMap はオートスケーラーの設定を含むものだけを取得します。環境変数の値は" +
		"書き出さず、代わりにダイジェストを書き出します。そのキーは FILE.values-key に書き出します。両方があれば whatif apply はどの値が変わるかを判定できますが、" +
		"値を推測して確かめることもできます。FILE だけではできません。",
	"flag/snapshot/output":         "書き出す `FILE` (- は標準出力)",
	"flag/snapshot/all-namespaces": "すべての namespace を書き出す (指定しなくても同じ)",
	"flag/snapshot/force":          "ファイルが存在すれば上書きする",
	"flag/snapshot/anonymize":      "共有できるように、名前をすべて一貫した別名に置き換える",

	"help/version": "naosu のバージョンを表示する",

	"help/help":      "コマンドのヘルプを表示する",
	"help/help/long": "コマンドのヘルプを表示します。",

	"help/completion":            "シェルの補完スクリプトを出力する",
	"help/completion/long":       "naosu のコマンド、フラグ、Pod やノードの名前をシェルで補完するためのスクリプトを出力します。読み込み方は各シェルのヘルプを参照してください。",
	"help/completion/bash":       "bash の補完スクリプトを出力する",
	"help/completion/bash/long":  "bash の補完スクリプトを出力します。bash-completion パッケージが必要です。\n\n現在のシェルで使うには:\n  source <(naosu completion bash)\n\n今後起動するシェルで使うには (Linux):\n  naosu completion bash > /etc/bash_completion.d/naosu\n\n今後起動するシェルで使うには (macOS):\n  naosu completion bash > $(brew --prefix)/etc/bash_completion.d/naosu",
	"help/completion/zsh":        "zsh の補完スクリプトを出力する",
	"help/completion/zsh/long":   "zsh の補完スクリプトを出力します。\n\n現在のシェルで使うには:\n  source <(naosu completion zsh)\n\n今後起動するシェルで使うには:\n  naosu completion zsh > \"${fpath[1]}/_naosu\"\n\n補完がまだ有効でなければ、一度だけ次を実行してください:\n  echo \"autoload -U compinit; compinit\" >> ~/.zshrc",
	"help/completion/fish":       "fish の補完スクリプトを出力する",
	"help/completion/fish/long":  "fish の補完スクリプトを出力します。\n\n現在のシェルで使うには:\n  naosu completion fish | source\n\n今後起動するシェルで使うには:\n  naosu completion fish > ~/.config/fish/completions/naosu.fish",
	"help/completion/powershell": "PowerShell の補完スクリプトを出力する",
	"help/completion/powershell/long": "PowerShell の補完スクリプトを出力します。今後起動するシェルで使うには、次の行をプロファイルに追加してください。\n\n現在のシェルで使うには:\n" +
		"  naosu completion powershell | Out-String | Invoke-Expression",
	"flag/no-descriptions": "説明を付けずに補完する",

	"flag/help":             "このヘルプを表示する",
	"flag/version":          "naosu のバージョンを表示する",
	"flag/lang":             "出力の言語 `LANGUAGE`: en、ja (デフォルト: ロケールに従う)",
	"flag/output":           "出力の形式 `FORMAT`: text、wide (省略のない text)、json、yaml",
	"flag/audit/output":     "出力の形式 `FORMAT`: text、wide (省略のない text)、json、yaml、sarif",
	"flag/from":             "クラスターの代わりに `PATH` を読む: スナップショット、オブジェクトのファイルまたはフォルダー、- (標準入力)",
	"flag/scheduler-config": "この `FILE` の KubeSchedulerConfiguration を適用して判定する",

	"flag/as":                       "この `USER` (ServiceAccount も可) として実行する",
	"flag/as-group":                 "この `GROUP` のメンバーとして実行する (複数回指定可)",
	"flag/as-uid":                   "この `UID` のユーザーとして実行する",
	"flag/as-user-extra":            "ユーザーの追加情報 `KEY=VALUE` を付けて実行する (複数回指定可)",
	"flag/certificate-authority":    "API サーバーの認証局の証明書 `FILE`",
	"flag/client-certificate":       "クライアントの TLS 証明書 `FILE`",
	"flag/client-key":               "クライアントの TLS 秘密鍵 `FILE`",
	"flag/cluster":                  "kubeconfig のクラスター `NAME`",
	"flag/context":                  "kubeconfig のコンテキスト `NAME`",
	"flag/insecure-skip-tls-verify": "API サーバーの証明書を検証しない (通信は安全でなくなる)",
	"flag/kubeconfig":               "kubeconfig の `FILE`",
	"flag/namespace":                "対象の `NAMESPACE`",
	"flag/request-timeout":          "1 回のリクエストの制限時間 `DURATION` (例: 30s、2m、0 は無制限)",
	"flag/server":                   "API サーバーの `ADDRESS`",
	"flag/tls-server-name":          "API サーバーの証明書で検証するホスト名 `NAME` (デフォルト: 接続先のホスト名)",
	"flag/token":                    "API サーバーの Bearer `TOKEN`",
	"flag/user":                     "kubeconfig のユーザー `NAME`",
}

const exitCodesJapanese = "終了コードは、答えを出せれば 0、--fail-on の条件に当てはまった場合だけ 1、入力の誤りや答えを出せなかった場合は 2 です。"

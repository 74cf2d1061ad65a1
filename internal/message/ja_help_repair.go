package message

var japaneseHelpRepair = sentences{
	"help/crds":      "naosu の CRD を出力する",
	"help/crds/long": "naosu の CRD (NodeRepairPolicy と Remediation) を、kubectl apply で使える YAML で出力します。クラスターには接続しません。",

	"help/repair":      "修復が行われることを実証する",
	"help/repair/long": "検知から修復までのすべての箇所がつながり、働くことを、必要になる夜の前に実証します。",

	"help/repair/check": "何が修復されるか、されないならどこで途切れるかを示す",
	"help/repair/check/long": "クラスターで確認できるエージェントが報告しうるものすべてについて、今起きているかどうかによらず、検知から修復までの連鎖をたどります。" +
		"何が報告するか、応答があるか、どのルールが扱うか、どれだけ待つか、どの操作か、許可されているか、予算に空きがあるか、ほかの仕組みが同じノードを修復しないか、" +
		"働くことが確かめられているかを調べます。EKS の node auto repair、Karpenter、Cluster API の MachineHealthCheck も対象で、何も変更しません。\n\n" + exitCodesJapanese,
	"flag/repair/check/fail-on": "重大度がこの `SEVERITY` 以上の所見があれば終了コード 1 で終わる: info、warning",
}

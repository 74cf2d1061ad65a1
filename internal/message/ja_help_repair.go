package message

var japaneseHelpRepair = sentences{
	"help/crds":      "naosu の CRD を出力する",
	"help/crds/long": "naosu の CRD (NodeRepairPolicy と Remediation) を、kubectl apply で使える YAML で出力します。クラスターには接続しません。",
}

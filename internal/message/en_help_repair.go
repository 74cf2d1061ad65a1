package message

var englishHelpRepair = sentences{
	"help/crds":      "Print naosu's custom resource definitions",
	"help/crds/long": "Print naosu's custom resource definitions, NodeRepairPolicy and Remediation, as YAML for kubectl apply. No cluster is asked.",
}

package message

var englishHelpRepair = sentences{
	"help/crds":      "Print naosu's custom resource definitions",
	"help/crds/long": "Print naosu's custom resource definitions, NodeRepairPolicy and Remediation, as YAML for kubectl apply. No cluster is asked.",

	"help/repair":      "Prove that a repair would happen",
	"help/repair/long": "Prove, before the night it matters, that every link from detection to action is there and works.",

	"help/repair/check": "Say what would be repaired, and which link is missing where nothing would",
	"help/repair/check/long": "Go along the chain from detection to action for everything that an agent seen on the cluster can report, ill or not: who reports it, " +
		"is it heard of, which rule is about it, after how long, which action, is that permitted, is there room in the budgets, does anything else repair the same nodes, " +
		"was it seen to work. It judges EKS node auto repair, Karpenter and Cluster API's MachineHealthCheck too, and changes nothing.\n\n" + exitCodes,
	"flag/repair/check/fail-on": "exit with 1 if there is a finding of this `SEVERITY` or worse: info, warning",
}

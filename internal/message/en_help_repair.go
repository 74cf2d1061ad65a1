package message

var englishHelpRepair = sentences{
	"help/crds":      "Print naosu's custom resource definitions",
	"help/crds/long": "Print naosu's custom resource definitions, NodeRepairPolicy and Remediation, as YAML for kubectl apply. No cluster is asked.",

	"help/repair":      "Prove that a repair would happen",
	"help/repair/long": "Prove, before the night it matters, that every link from detection to action is there and works.",

	"help/repair/check": "Say what would be repaired, and which link is missing where nothing would",
	"help/repair/check/long": "Go along the chain from detection to action for everything that an agent seen on the cluster can report, ill or not: who reports it, " +
		"is it heard of, which rule is about it, after how long, which action, is that permitted, is there room in the budgets, does anything else repair the same nodes, " +
		"was it seen to work. A repair that waits for a person's word needs approval, which is no finding. " +
		"It judges EKS node auto repair, Karpenter and Cluster API's MachineHealthCheck too, and changes nothing.\n\n" + exitCodes,
	"flag/repair/check/fail-on": "exit with 1 if there is a finding of this `SEVERITY` or worse: info, warning",

	"help/repair/drill": "Let a fault go the whole way, and say which hop it did not pass",
	"help/repair/drill/long": "Let the node's agent make a real but harmless fault, and follow it through the detector, the evidence, the report, the controller, the rule and the guard " +
		"to an action that is not taken; print each hop and how long it took. What the guard denies for good cuts the chain, a paused policy too; what passes by itself is said. " +
		"The node's conditions do not change, and nothing is repaired.\n\n" +
		"With --act --expendable node/NAME: raise the real condition on that node, hold it for as long as whoever repairs the node waits and a margin, and see whether the machine is rebooted or replaced. " +
		"Nothing else tells whether a repair that is accepted also happens, naosu's or another's. The condition is put back whatever happens, Ctrl-C included. " +
		"If the repair works, the node is lost.\n\n" +
		"Exit code 0 if every hop was passed, 1 if the chain is cut, 2 on bad input or if there is no answer.",
	"flag/repair/drill/reason":      "the `REASON` to drill, such as InterfaceNotUp",
	"flag/repair/drill/condition":   "the node `CONDITION` that the reason turns (default: the catalogue's)",
	"flag/repair/drill/hop-timeout": "how long any one hop of a harmless drill may take, a `DURATION`",
	"flag/repair/drill/act":         "raise the real condition, which may cost the node",
	"flag/repair/drill/expendable":  "the node that may be lost, as `node/NAME`",
	"flag/repair/drill/wait":        "with --act: the `DURATION` that the repairer waits (0: as its rule says, else 30m)",
	"flag/repair/drill/margin":      "with --act: the `DURATION` that the repairer is given beyond, and the node to be Ready again",

	"help/repair/abort": "Abort repairs, and put their nodes back",
	"help/repair/abort/long": "Abort Remediations that have not ended: what naosu has changed on their nodes is put back, and they end as Aborted. A machine that was already asked to reboot is not stopped; " +
		"one that was given up for replacement stays cordoned. The controller is asked to; where none leads, this command does it with your rights, and holds the controller's Lease meanwhile.\n\n" +
		"With --force it takes the Lease from a controller that leads, and takes the finalizer off records whose node could not be put back. --all --force is for uninstalling: no controller leads again for a while.\n\n" +
		"Exit code 0 if all are over, 1 if some could not be aborted in time, 2 on bad input or if there is no answer.",
	"flag/repair/abort/all":     "abort every Remediation that has not ended",
	"flag/repair/abort/force":   "take over from a controller that leads, and remove finalizers where a node cannot be put back",
	"flag/repair/abort/timeout": "how long it may take, a `DURATION`",

	"help/cleanup": "Remove the conditions that the uninstalled agent left on Nodes",
	"help/cleanup/long": "Remove the conditions that the agent left on Nodes: KernelReady, NetworkingReady, StorageReady, ContainerRuntimeReady and AcceleratedHardwareReady, as far as the agent wrote them last. " +
		"What another program writes stays; the managed fields of the Node tell whose a condition is. Run it after the agent was uninstalled: it waits for the agent's pods to end, except those whose node is not Ready.\n\n" +
		"The chart runs it when it is uninstalled. It takes the right to list Nodes, to patch their status, and to list the pods of naosu-system.\n\n" +
		"Exit code 0 if no such condition is left, 1 if the agent still runs on some nodes, 2 on bad input or if there is no answer.",
	"flag/cleanup/timeout": "how long to wait for the agent's pods to end, a `DURATION`",

	"help/approve": "Let a proposed Remediation go on, or reject it",
	"help/approve/long": "Let a proposed Remediation go on once the guard allows it, or reject it. What has begun and is rejected ends at its next step; a rejection stands.\n\n" +
		"Exit code 0 if the word was written down, 2 on bad input or if it comes too late.",
	"flag/approve/reject": "reject it",

	"help/remediations": "Show what naosu did, and proposes",
	"help/remediations/long": "Show what naosu did and proposes, the youngest first, and how far each policy has come towards acting by itself. " +
		"With a name: what was forecast and what became of it, each step, and what the guard says.\n\n" +
		"Exit code 0 whenever there is an answer, 2 on bad input or if there is none.",
}

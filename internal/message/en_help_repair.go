package message

var englishHelpRepair = sentences{
	"help/crds":      "Print naosu's custom resource definitions",
	"help/crds/long": "Print naosu's custom resource definitions, NodeRepairPolicy and Remediation, as YAML for kubectl apply. The command does not connect to a cluster.",

	"help/repair":      "Prove that repairs would happen",
	"help/repair/long": "Prove that every link from detection to action exists and works, before you need it.",

	"help/repair/check": "Show which faults would be repaired, and which link is broken for the others",
	"help/repair/check/long": "Check each link from detection to action for every fault that an agent found in the cluster can report, whether or not it is present now: what reports it, " +
		"whether that is up to date, which rule matches, how long it waits, which action it takes, whether that is permitted, whether the budgets have room, whether anything else repairs the same nodes, " +
		"and whether the repair was seen to work. A repair that waits for approval is not a finding. " +
		"The command also checks EKS node auto repair, Karpenter and Cluster API's MachineHealthCheck, and changes nothing.\n\n" + exitCodes,
	"flag/repair/check/fail-on": "exit with 1 if there is a finding of this `SEVERITY` or worse: info, warning",

	"help/repair/drill": "Inject a harmless fault and trace it from detection to a dry-run action",
	"help/repair/drill/long": "Make the node's agent inject a real but harmless fault, and trace it through the detector, the evidence, the report, the controller, the rule and the guard " +
		"to an action that is not performed. The command prints each hop and its duration. The drill fails if the guard denies the action permanently or the policy is paused; an obstacle that goes away by itself is only reported. " +
		"The node's conditions do not change, and nothing is repaired.\n\n" +
		"With --act --expendable node/NAME: set the real condition on that node, keep it for as long as the repairer waits plus a margin, and check whether the machine is rebooted or replaced. " +
		"Only this shows whether an accepted repair really happens, no matter whether naosu or something else performs it. The command always restores the condition, even after Ctrl-C. " +
		"If the repair works, the node is lost.\n\n" +
		"Exit codes: 0 if every hop passed, 1 if the drill failed, 2 if the input is invalid or there is no answer.",
	"flag/repair/drill/reason":      "the `REASON` of the fault, such as InterfaceNotUp",
	"flag/repair/drill/condition":   "the node `CONDITION` that the reason changes (default: that of the catalogue)",
	"flag/repair/drill/hop-timeout": "the timeout of each hop of a harmless drill, a `DURATION`",
	"flag/repair/drill/act":         "set the real condition; the node may be lost",
	"flag/repair/drill/expendable":  "the node that you can afford to lose, as `node/NAME`",
	"flag/repair/drill/wait":        "with --act: the `DURATION` that the repairer waits (0: that of its rule, or 30m if it is not known)",
	"flag/repair/drill/margin":      "with --act: the `DURATION` added to --wait; also how long the node may take to become Ready again",

	"help/repair/abort": "Abort repairs and restore their nodes",
	"help/repair/abort/long": "Abort Remediations that have not ended: naosu's changes on their nodes are undone, and the Remediations end as Aborted. A reboot that was already requested is not stopped; " +
		"a node whose replacement was requested stays cordoned. The command asks the controller to do this; if no controller is the leader, the command does it with your permissions and holds the controller's Lease in the meantime.\n\n" +
		"With --force, the command takes the Lease from the leading controller and removes the finalizers of records whose node could not be restored. Use --all --force for uninstalling: no controller becomes the leader again for a while.\n\n" +
		"Exit codes: 0 if all have ended, 1 if some could not be aborted in time, 2 if the input is invalid or there is no answer.",
	"flag/repair/abort/all":     "abort every Remediation that has not ended",
	"flag/repair/abort/force":   "take over from the leading controller, and remove finalizers even if a node cannot be restored",
	"flag/repair/abort/timeout": "the timeout, a `DURATION`",

	"help/cleanup": "Remove the conditions that the uninstalled agent left on Nodes",
	"help/cleanup/long": "Remove the conditions that the agent left on Nodes: KernelReady, NetworkingReady, StorageReady, ContainerRuntimeReady and AcceleratedHardwareReady, if the agent was the last to write them. " +
		"Conditions that another program writes stay; the managedFields of the Node show which program wrote a condition. Run the command after uninstalling the agent: it waits for the agent's pods to terminate, except those whose node is not Ready.\n\n" +
		"The chart runs the command when it is uninstalled. The command requires permission to list Nodes, to patch their status, and to list the pods of naosu-system.\n\n" +
		"Exit codes: 0 if no such condition is left, 1 if the agent is still running on some nodes, 2 if the input is invalid or there is no answer.",
	"flag/cleanup/timeout": "how long to wait for the agent's pods to terminate, a `DURATION`",

	"help/approve": "Approve or reject a proposed Remediation",
	"help/approve/long": "Approve a proposed Remediation, which continues once the guard allows it, or reject it. A Remediation that is rejected after it started ends at its next step. A rejection cannot be undone.\n\n" +
		"Exit codes: 0 if the decision was recorded, 2 if the input is invalid or the decision comes too late.",
	"flag/approve/reject": "reject the Remediation instead",

	"help/remediations": "Show what naosu repaired and proposes",
	"help/remediations/long": "Show what naosu repaired and proposes, the newest first, and how close each policy is to acting without approval. " +
		"With a name: the forecast and the outcome, each step, and the verdicts of the guard.\n\n" +
		"With --watch (-w): the table, then a row for each change until you interrupt the command; with -o json or yaml, a document for each Remediation and for each change.\n\n" +
		"Exit codes: 0 if there is an answer, 2 if the input is invalid or there is no answer.",
	"flag/remediations/watch": "after the Remediations that exist, show each change",

	"help/rebalance":      "Plan and request evictions that restore balance after nodes came back",
	"help/rebalance/long": "Plan and request evictions that restore the balance of workloads over nodes and zones: Kubernetes places a pod when it is created, and does not move it when a node is added or comes back.",

	"help/rebalance/plan": "Show the fewest evictions that restore balance, and where the pods would run then",
	"help/rebalance/plan/long": "Show the fewest evictions found that restore balance, in which order, and on which nodes the scheduler would run the pods created in their place. Nothing is changed.\n\n" +
		"A workload is out of balance if a node or a zone holds more than --max-share percent of its pods although an even distribution would place fewer there, if it violates one of its " +
		"topology spread constraints, if a node's labels or taints no longer admit its pods, or if a pod runs beside one that its required anti-affinity excludes. Only Deployments, ReplicaSets, ReplicationControllers and StatefulSets are considered.\n\n" +
		"With --max-utilization-deviation, pods of overutilized nodes are evicted too. A node is overutilized if its pods request a larger share of its CPU or memory than is requested of all open nodes with the same taints " +
		"together, by more than so many percentage points. Utilization is not considered where Karpenter or cluster-autoscaler consolidates nodes.\n\n" +
		"The scheduler decides where pods run: a plan contains only evictions that help wherever its ties fall, and was simulated in 16 futures. Pods with claims or data on their node, pods that " +
		"annotations protect from eviction, and pods whose PodDisruptionBudget allows no disruption are not evicted.\n\n" +
		"Exit codes: 0 if there is an answer, 2 if the input is invalid or there is no answer.",
	"flag/rebalance/plan/all-namespaces":            "include every namespace, which is the default without --namespace",
	"flag/rebalance/plan/selector":                  "include only pods and workloads whose labels match this `SELECTOR`",
	"flag/rebalance/plan/max-share":                 "the largest share of a workload that one node and one zone may hold, in `PERCENT`",
	"flag/rebalance/plan/max-utilization-deviation": "how much more of a node's CPU or memory may be requested than of all such nodes together, in `PERCENTAGE-POINTS`; 0 does not consider utilization",

	"help/rebalance/apply": "Request the evictions that naosu rebalance plan shows",
	"help/rebalance/apply/long": "Make the plan that naosu rebalance plan shows, and create a Remediation in which you request and approve its evictions. naosu's controller carries it out, as those of a RebalancePolicy: it plans the same evictions " +
		"again, evicts the pods once its guard allows it, one wave after the other, and simulates the rest before each wave. No policy is needed. naosu remediations shows the outcome.\n\n" +
		"Without --yes, the command shows the plan and creates nothing. It also creates nothing if all workloads are balanced, if no controller leads, or if a Remediation already evicts pods of the same workloads. " +
		"A plan of more than 30 evictions is cut to the first 30.\n\n" +
		"You need permission to create Remediations, to evict the pods, and to approve; without the last, somebody else can approve.\n\n" +
		"Exit codes: 0 if the evictions are requested, now or before, or nothing is out of balance; 1 if --yes is missing or no evictions help; 2 if the input is invalid, or the evictions were not requested or not approved.",
	"flag/rebalance/apply/all-namespaces":            "include every namespace, which is the default without --namespace",
	"flag/rebalance/apply/selector":                  "include only pods and workloads whose labels match this `SELECTOR`",
	"flag/rebalance/apply/max-share":                 "the largest share of a workload that one node and one zone may hold, in `PERCENT`",
	"flag/rebalance/apply/max-utilization-deviation": "how much more of a node's CPU or memory may be requested than of all such nodes together, in `PERCENTAGE-POINTS`; 0 does not consider utilization",
	"flag/rebalance/apply/yes":                       "request and approve the evictions",

	"help/failover":      "Release the pods of failed nodes",
	"help/failover/long": "Release the pods and volumes of nodes that have failed. How long pods stay on such a node by themselves, FailoverPolicies specify.",

	"help/failover/confirm": "Declare a node out of service whose machine is off",
	"help/failover/confirm/long": "Declare a node out of service whose machine is certainly off: the command sets the taint node.kubernetes.io/out-of-service on it, with your permissions. Kubernetes then deletes the pods of the node at once, " +
		"StatefulSets replace theirs, and volumes are detached without the wait of 6 minutes. naosu's controller removes the taint when the machine is back: when it has booted again, or its kubelet renews its Lease.\n\n" +
		"Without --yes, the command shows what would be deleted and detached, and changes nothing. It refuses a node that is Ready, or whose kubelet has renewed its Lease within 40 seconds. " +
		"A node that does not respond may still run its pods and write to its volumes: make sure that its machine is off, for example in the console of the cloud provider.\n\n" +
		"Exit codes: 0 if the node is out of service, 1 if --yes is missing, 2 if the input is invalid, the machine may be running, or there is no answer.",
	"flag/failover/confirm/yes": "confirm that the machine is off, and declare the node out of service",
}

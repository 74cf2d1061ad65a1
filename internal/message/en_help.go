package message

var englishHelp = sentences{
	HelpUsage:       "Usage:",
	HelpExamples:    "Examples:",
	HelpCommands:    "Commands:",
	HelpFlags:       "Flags:",
	HelpGlobalFlags: "Flags of every command:",
	HelpMore:        "More about a command: {{.command}} [command] --help",
	HelpDefault:     " (default: {{.value}})",

	"help/naosu": "Explain why pods do not run, predict the effects of failures and changes, and show how to fix problems.",

	"help/why": "Explain why something does not run",
	"help/why/long": "Explain the state of a pod, node, claim, volume or workload: the cause that you can act on, the evidence for each link to it, " +
		"what was ruled out, what is not known, and the remedies. For an object that is healthy, show its risks.\n\n" +
		"Without a subject: everything in the namespace (with -A: in all namespaces) that should run and does not, grouped by cause.\n\n" +
		"With --unlike: the differences from another object of the same kind that works, and which difference is the cause.\n\n" + exitCodes,
	"flag/why/unlike":         "compare the subject with `KIND/NAME`, an object of the same kind that works",
	"flag/why/fail-on":        "exit with 1 if there is a problem of this `SEVERITY` or worse: warning, critical",
	"flag/why/all-namespaces": "include every namespace",
	"flag/why/selector":       "without a subject: only pods and workloads whose labels match this `SELECTOR`",

	"help/audit": "Find the problems of the cluster and the risks of failures",
	"help/audit/long": "Find the problems of the cluster and what foreseeable failures would do to it: the loss of each node and of each zone, " +
		"and the next step of each DaemonSet. The most dangerous come first, each with the remedy that prevents it.\n\n" + exitCodes,
	"flag/audit/fail-on":        "exit with 1 if there is a finding of this `SEVERITY` or worse: warning, critical",
	"flag/audit/accepted":       "omit the findings that this `FILE` accepts: a YAML list of code, subject, reason and expires",
	"flag/audit/all-namespaces": "include every namespace, which is the default without --namespace",
	"flag/audit/selector":       "include only pods and workloads whose labels match this `SELECTOR`",

	"help/addresses": "Show who holds the addresses of subnets, and when they run out",
	"help/addresses/long": "Show, for clusters on EC2 with the AWS VPC CNI, the subnets of the nodes: how many addresses are free, who holds the others (pods, " +
		"spare ones on nodes, leaked interfaces, others), and how many would be free if every Auto Scaling group grew to its maximum; the nodes that have no address for " +
		"another pod; and what follows. With -o wide: all nodes and the leaked interfaces, too.\n\n" +
		"The facts come from EC2, with the AWS credentials of the environment, or from a snapshot that was written with them. The command changes nothing.\n\n" + exitCodes,
	"flag/addresses/history": "also chart the free addresses over time, from earlier snapshots in this file or folder `PATH` and the present; can be repeated",
	"flag/addresses/fail-on": "exit with 1 if there is a finding of this `SEVERITY` or worse: warning, critical",

	"help/headroom": "Show what failures would cost today, and the room that survives them",
	"help/headroom/long": "Show what failures would cost the cluster today: the pods that would wait, be preempted or be lost after the loss of any one node or of a zone, " +
		"a rotation of a node group, the next step of a DaemonSet's requests, and other failures that you state. The worst come first. Nodes that are alike are " +
		"simulated once. The command changes nothing.\n\n" +
		"Failures:\n" +
		"  node\tthe loss of any one node, by group, instance type and zone\n" +
		"  two-nodes\tthe loss of any two nodes at once, in clusters of up to 100 nodes\n" +
		"  zone\tthe loss of a zone, in clusters with several\n" +
		"  rotation\tthe replacement of all nodes of a group of up to 1000\n" +
		"  step\tthe next increase of a DaemonSet's requests, by its cluster-proportional vertical autoscaler or by a rollout that is not complete\n\n" +
		"With -o wide: every pod of the worst case of each failure, and the reason.\n\n" + exitCodes,
	"flag/headroom/failures":    "the `FAILURES` to simulate: node, two-nodes, zone, rotation, step",
	"flag/headroom/burst":       "also simulate more replicas of a workload: `[NAMESPACE/]KIND/NAME=+N`; can be repeated",
	"flag/headroom/room":        "also compute the smallest room that survives each failure, which takes longer than the cost",
	"flag/headroom/node-prices": "the `FILE` with the price of a node per hour by instance type, in YAML, such as m5.large: 0.096; a room costs a share of it",
	"flag/headroom/fail-on":     "exit with 1 if a failure would leave pods with this `FATE`: waiting, preempted, lost",

	"help/whatif": "Predict the effects of a change",
	"help/whatif/long": "Predict what a change, or several in order, would do to every pod, by simulating the scheduler and the controllers: " +
		"which pods are lost, wait, are delayed, are preempted or move, which disruption budgets would be violated, and which problems would follow. " +
		"The command changes nothing in the cluster.\n\n" +
		"Changes:\n" +
		"  lose node/N | zone/Z | group/G\tmachines that fail without warning\n" +
		"  drain node/N\tas kubectl drain does\n" +
		"  cordon node/N | uncordon node/N\tas kubectl does\n" +
		"  taint node/N KEY=VALUE:EFFECT\tas kubectl does\n" +
		"  untaint node/N KEY:EFFECT\tremove the taint\n" +
		"  grow daemonset/NAME [--cpu Q] [--memory Q]\traise the requests of its pods; without amounts, to the next step of its vertical autoscaler\n" +
		"  add-nodes N [--group G] [--zone Z]\tadd nodes, and scale up what depends on their number\n" +
		"  scale group/G --to N [--zones A,B]\tset the size of a node group\n" +
		"  scale deployment/NAME --replicas N\talso statefulset or replicaset\n" +
		"  rotate group/G [--to N] [--zones A,B]\tadd new nodes, then drain the old ones\n" +
		"  evict pod/NAME\tas kubectl drain does, if its disruption budget allows it\n" +
		"  delete pod/NAME [--force]\tas kubectl delete does\n" +
		"  delete networkinterface/ID\tas aws ec2 delete-network-interface does: its addresses become free\n" +
		"  tag subnet/ID kubernetes.io/role/cni=1\thave the VPC CNI use the subnet, too, for pods in its zone\n" +
		"  patch KIND/NAME -p JSON\tapply a strategic merge patch\n" +
		"  apply -f FILE | DIR | -\tapply manifests\n\n" +
		"Separate several changes by commas. Flags follow the change that they belong to. An object in a namespace other than " +
		"that of --namespace is written NAMESPACE/KIND/NAME.\n\n" + exitCodes,
	"flag/whatif/fail-on":         "exit with 1 if any pod has this `FATE` (waiting, delayed, preempted, lost), if a disruption budget is violated (budget), if the API server refuses an object (refused), if an instance cannot be launched (unlaunched), or if there is a new finding of this severity or worse (info, warning, critical)",
	"flag/whatif/seeds":           "simulate `N` times, with different random choices of the scheduler and the controllers each time; a rotation to fewer nodes than zones is simulated 20 times unless this is given",
	"flag/whatif/all-namespaces":  "find the object to change in any namespace",
	"flag/whatif/selector":        "show only pods and workloads whose labels match this `SELECTOR`",
	"flag/whatif/cpu":             "grow: the CPU request of the container, a `QUANTITY` such as 450m",
	"flag/whatif/memory":          "grow: the memory request of the container, a `QUANTITY` such as 256Mi",
	"flag/whatif/container":       "grow: the `NAME` of the container (default: the first)",
	"flag/whatif/group":           "add-nodes: the node `GROUP` of the new nodes (default: the largest group)",
	"flag/whatif/zone":            "add-nodes: the `ZONE` of the new nodes (default: the group's zone with the fewest nodes)",
	"flag/whatif/zones":           "scale group, rotate: the `ZONES` of the new nodes",
	"flag/whatif/to":              "scale group, rotate: `N` nodes in all zones together (rotate: default as many as there are)",
	"flag/whatif/replicas":        "scale: `N` pods of the workload",
	"flag/whatif/filename":        "apply: a file or folder at `PATH`, or - for standard input",
	"flag/whatif/patch":           "patch: a strategic merge patch in `JSON`",
	"flag/whatif/force":           "delete: do not wait for the pod to end",
	"flag/whatif/server-side":     "apply: merge in the API server by field owners, as kubectl apply --server-side does (default: as kubectl apply does)",
	"flag/whatif/force-conflicts": "apply --server-side: take over fields from their other owners",
	"flag/whatif/server-dry-run":  "apply: ask the API server what it would store, without storing it; requires write permissions, and appears in the audit log of the API server",

	"help/explain":      "Explain the code of a finding",
	"help/explain/long": "Explain the code of a finding: how naosu detects it, what it does not cover, the remedies, and what naosu cannot know.",

	"help/snapshot": "Write the cluster to a file for --from",
	"help/snapshot/long": "Write the cluster to a file. Every command that reads a cluster can read this file instead, with --from.\n\n" +
		"naosu never requests Secrets, and requests ConfigMaps only where they hold the parameters of an autoscaler. It omits environment values and " +
		"stores digests in their place, whose key it writes to FILE.values-key. With both files, whatif apply can tell which values change, but anyone could also guess " +
		"a value and verify the guess. The snapshot alone does not allow that.",
	"flag/snapshot/output":         "the `FILE` to write, or - for standard output",
	"flag/snapshot/all-namespaces": "no effect: the file always contains every namespace",
	"flag/snapshot/force":          "overwrite the file if it exists",
	"flag/snapshot/anonymize":      "replace every name consistently, so that you can share the file",

	"help/version": "Print the version of naosu",

	"help/help":      "Show the help of a command",
	"help/help/long": "Show the help of a command.",

	"help/completion":            "Print the completion script for a shell",
	"help/completion/long":       "Print the script with which a shell completes naosu's commands, flags, and the names of pods and nodes. The help for each shell explains how to load it.",
	"help/completion/bash":       "Print the completion script for bash",
	"help/completion/bash/long":  "Print the completion script for bash. It requires the package bash-completion.\n\nFor this shell:\n  source <(naosu completion bash)\n\nFor every new shell, on Linux:\n  naosu completion bash > /etc/bash_completion.d/naosu\n\nFor every new shell, on macOS:\n  naosu completion bash > $(brew --prefix)/etc/bash_completion.d/naosu",
	"help/completion/zsh":        "Print the completion script for zsh",
	"help/completion/zsh/long":   "Print the completion script for zsh.\n\nFor this shell:\n  source <(naosu completion zsh)\n\nFor every new shell:\n  naosu completion zsh > \"${fpath[1]}/_naosu\"\n\nIf completion is not enabled yet, enable it once:\n  echo \"autoload -U compinit; compinit\" >> ~/.zshrc",
	"help/completion/fish":       "Print the completion script for fish",
	"help/completion/fish/long":  "Print the completion script for fish.\n\nFor this shell:\n  naosu completion fish | source\n\nFor every new shell:\n  naosu completion fish > ~/.config/fish/completions/naosu.fish",
	"help/completion/powershell": "Print the completion script for PowerShell",
	"help/completion/powershell/long": "Print the completion script for PowerShell. For every new shell, add the line to your profile.\n\nFor this shell:\n" +
		"  naosu completion powershell | Out-String | Invoke-Expression",
	"flag/no-descriptions": "complete without descriptions",

	"flag/help":             "show this help",
	"flag/version":          "show the version of naosu",
	"flag/lang":             "the `LANGUAGE` of the output: en, ja (default: that of the locale)",
	"flag/output":           "the `FORMAT` of the output: text, wide (complete text), json, yaml",
	"flag/audit/output":     "the `FORMAT` of the output: text, wide (complete text), json, yaml, sarif",
	"flag/from":             "read this `PATH` instead of the cluster: a snapshot, a file or folder of objects, or - for standard input",
	"flag/scheduler-config": "apply the KubeSchedulerConfiguration in this `FILE`",

	"flag/as":                       "act as this `USER`, which may be a service account",
	"flag/as-group":                 "act as a member of this `GROUP`; may be repeated",
	"flag/as-uid":                   "act as the user with this `UID`",
	"flag/as-user-extra":            "act with this extra `KEY=VALUE` of the user; may be repeated",
	"flag/certificate-authority":    "the `FILE` with the certificate of the API server's certificate authority",
	"flag/client-certificate":       "the `FILE` with the client's TLS certificate",
	"flag/client-key":               "the `FILE` with the client's TLS key",
	"flag/cluster":                  "the `NAME` of the kubeconfig's cluster",
	"flag/context":                  "the `NAME` of the kubeconfig's context",
	"flag/insecure-skip-tls-verify": "do not verify the API server's certificate, which makes the connection insecure",
	"flag/kubeconfig":               "the kubeconfig `FILE`",
	"flag/namespace":                "the `NAMESPACE` to look in",
	"flag/request-timeout":          "the timeout of one request, a `DURATION` such as 30s or 2m; 0 means no timeout",
	"flag/server":                   "the `ADDRESS` of the API server",
	"flag/tls-server-name":          "the `NAME` that the API server's certificate must have (default: the host's)",
	"flag/token":                    "the bearer `TOKEN` for the API server",
	"flag/user":                     "the `NAME` of the kubeconfig's user",
}

const exitCodes = "Exit codes: 0 if there is an answer, 1 if there is what --fail-on names, 2 if the input is invalid or there is no answer."

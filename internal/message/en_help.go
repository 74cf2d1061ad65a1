package message

var englishHelp = sentences{
	HelpUsage:       "Usage:",
	HelpExamples:    "Examples:",
	HelpCommands:    "Commands:",
	HelpFlags:       "Flags:",
	HelpGlobalFlags: "Flags of every command:",
	HelpMore:        "More about a command: {{.command}} [command] --help",
	HelpDefault:     " (default: {{.value}})",

	"help/naosu": "Explain why pods do not run, foresee what a failure or a change would do, and name what would mend it.",

	"help/why": "Say why something does not run",
	"help/why/long": "Say why a pod, node, claim, volume or workload is as it is: the cause a person can act on, the evidence for each step to it, " +
		"what was ruled out, what could not be known, and the way out. If it is well, say what threatens it.\n\n" +
		"Without a subject: everything in the namespace (with -A: in all) that should run and does not, by cause.\n\n" +
		"With --unlike: what differs from another thing of its kind that works, and which difference is the cause.\n\n" + exitCodes,
	"flag/why/unlike":         "compare the subject with `KIND/NAME`, a thing of the same kind that works",
	"flag/why/fail-on":        "exit with 1 if there is trouble of this `SEVERITY` or worse: warning, critical",
	"flag/why/all-namespaces": "ask about every namespace",
	"flag/why/selector":       "without a subject: only pods and workloads whose labels match this `SELECTOR`",

	"help/audit": "Find what is wrong with the cluster, and what would be",
	"help/audit/long": "Find what is wrong with the cluster and what a foreseeable failure would do to it: every node and every zone lost once, " +
		"every DaemonSet's next step. Most dangerous first, each with the remedy that prevents it.\n\n" + exitCodes,
	"flag/audit/fail-on":        "exit with 1 if there is a finding of this `SEVERITY` or worse: warning, critical",
	"flag/audit/accepted":       "leave out the findings that this `FILE` accepts: a YAML list of code, subject, reason and expires",
	"flag/audit/all-namespaces": "ask about every namespace, which is the default without --namespace",
	"flag/audit/selector":       "ask only about pods and workloads whose labels match this `SELECTOR`",

	"help/whatif": "Say what a change would do",
	"help/whatif/long": "Say what a change, or several in order, would do to every pod, by simulating the scheduler and the controllers: " +
		"which pods are lost, wait, are delayed, are preempted or move, which disruption budgets would be violated, and what would be wrong then. " +
		"Nothing in the cluster is changed.\n\n" +
		"Changes:\n" +
		"  lose node/N | zone/Z | group/G\tmachines that die without warning\n" +
		"  drain node/N\tas kubectl drain does\n" +
		"  cordon node/N | uncordon node/N\tas kubectl does\n" +
		"  taint node/N KEY=VALUE:EFFECT\tas kubectl does\n" +
		"  untaint node/N KEY:EFFECT\ttake the taint away\n" +
		"  grow daemonset/NAME [--cpu Q] [--memory Q]\traise what its pods request; without amounts, to the next step of its vertical autoscaler\n" +
		"  add-nodes N [--group G] [--zone Z]\tmore nodes, and what grows with their number\n" +
		"  scale group/G --to N [--zones A,B]\tset the size of a node group\n" +
		"  scale deployment/NAME --replicas N\tof a StatefulSet or ReplicaSet too\n" +
		"  rotate group/G [--zones A,B]\tnew nodes first, then the old ones are drained\n" +
		"  evict pod/NAME\tas a drain does, if its budget allows\n" +
		"  delete pod/NAME [--force]\tas kubectl delete does\n" +
		"  patch KIND/NAME -p JSON\ta strategic merge patch\n" +
		"  apply -f FILE | DIR | -\tmanifests of a change not yet made\n\n" +
		"A comma between changes makes them one question. Flags follow the change they belong to. Something in another namespace than " +
		"--namespace is written NAMESPACE/KIND/NAME.\n\n" + exitCodes,
	"flag/whatif/fail-on":         "exit with 1 if any pod has this `FATE` (waiting, delayed, preempted, lost), if a disruption budget is violated (budget), if the API server refuses an object (refused), or if there is a new finding of this severity or worse (info, warning, critical)",
	"flag/whatif/seeds":           "simulate `N` times, with other random choices of the scheduler and the controllers each time",
	"flag/whatif/all-namespaces":  "find what is to change in whichever namespace has it",
	"flag/whatif/selector":        "tell only of pods and workloads whose labels match this `SELECTOR`",
	"flag/whatif/cpu":             "grow: what the container requests, a `QUANTITY` such as 450m",
	"flag/whatif/memory":          "grow: what the container requests, a `QUANTITY` such as 256Mi",
	"flag/whatif/container":       "grow: the `NAME` of the container (default: the first)",
	"flag/whatif/group":           "add-nodes: the node `GROUP` they belong to (default: the largest)",
	"flag/whatif/zone":            "add-nodes: the `ZONE` they come up in (default: the group's emptiest)",
	"flag/whatif/zones":           "scale group, rotate: the `ZONES` that new nodes come up in",
	"flag/whatif/to":              "scale group: `N` nodes over all zones",
	"flag/whatif/replicas":        "scale: `N` pods of the workload",
	"flag/whatif/filename":        "apply: a file or folder at `PATH`, or - for standard input",
	"flag/whatif/patch":           "patch: a strategic merge patch in `JSON`",
	"flag/whatif/force":           "delete: do not wait until the pod has ended",
	"flag/whatif/server-side":     "apply: merge in the API server by the owners of fields, as kubectl apply --server-side does (default: as kubectl apply does)",
	"flag/whatif/force-conflicts": "apply --server-side: take fields from their other owners",
	"flag/whatif/server-dry-run":  "apply: ask the API server what it would store, with nothing stored; needs the rights to write, and appears in its audit log",

	"help/explain":      "Say what a finding's code means",
	"help/explain/long": "Say what a finding's code means: how it is recognised, what it is not, the remedies, and what naosu cannot know.",

	"help/snapshot": "Write the cluster to a file, for --from",
	"help/snapshot/long": "Write the cluster to a file, which every command that reads a cluster takes with --from.\n\n" +
		"Secrets are never requested, ConfigMaps only where they hold an autoscaler's parameters. Environment values are left out. In their " +
		"place are digests, whose key is written to FILE.values-key: with both, whatif apply tells which values change, and anyone could try " +
		"what a value is. Who gets the file alone cannot.",
	"flag/snapshot/output":         "the `FILE` to write, or - for standard output",
	"flag/snapshot/all-namespaces": "write every namespace, which is what it does anyway",
	"flag/snapshot/force":          "replace the file if it exists",
	"flag/snapshot/anonymize":      "replace every name consistently, so that the file can be shared",

	"help/version": "Print the version of naosu",

	"help/help":      "Show the help of a command",
	"help/help/long": "Show the help of a command.",

	"help/completion":            "Print the completion script for a shell",
	"help/completion/long":       "Print the script that lets a shell complete naosu's commands, flags, and the names of pods and nodes. The help of each shell says how to load it.",
	"help/completion/bash":       "Print the completion script for bash",
	"help/completion/bash/long":  "Print the completion script for bash. It needs the package bash-completion.\n\nFor this shell:\n  source <(naosu completion bash)\n\nFor every new shell, on Linux:\n  naosu completion bash > /etc/bash_completion.d/naosu\n\nFor every new shell, on macOS:\n  naosu completion bash > $(brew --prefix)/etc/bash_completion.d/naosu",
	"help/completion/zsh":        "Print the completion script for zsh",
	"help/completion/zsh/long":   "Print the completion script for zsh.\n\nFor this shell:\n  source <(naosu completion zsh)\n\nFor every new shell:\n  naosu completion zsh > \"${fpath[1]}/_naosu\"\n\nIf the shell completes nothing yet, switch that on once:\n  echo \"autoload -U compinit; compinit\" >> ~/.zshrc",
	"help/completion/fish":       "Print the completion script for fish",
	"help/completion/fish/long":  "Print the completion script for fish.\n\nFor this shell:\n  naosu completion fish | source\n\nFor every new shell:\n  naosu completion fish > ~/.config/fish/completions/naosu.fish",
	"help/completion/powershell": "Print the completion script for PowerShell",
	"help/completion/powershell/long": "Print the completion script for PowerShell. For every new shell, put the line in your profile.\n\nFor this shell:\n" +
		"  naosu completion powershell | Out-String | Invoke-Expression",
	"flag/no-descriptions": "complete without descriptions",

	"flag/help":             "show this help",
	"flag/lang":             "the `LANGUAGE` of the answer: en, ja (default: the locale's)",
	"flag/output":           "the `FORMAT` of the answer: text, wide (text with nothing left out), json, yaml",
	"flag/audit/output":     "the `FORMAT` of the answer: text, wide (text with nothing left out), json, yaml, sarif",
	"flag/from":             "read not the cluster but this `PATH`: a snapshot, a file or folder of objects, or - for standard input",
	"flag/scheduler-config": "judge as a scheduler with the KubeSchedulerConfiguration in this `FILE`",

	"flag/as":                       "act as this `USER`, who may be a service account",
	"flag/as-group":                 "act as a member of this `GROUP`; may be repeated",
	"flag/as-uid":                   "act as the user with this `UID`",
	"flag/as-user-extra":            "act with this extra `KEY=VALUE` of the user; may be repeated",
	"flag/certificate-authority":    "the `FILE` with the certificate of the API server's authority",
	"flag/client-certificate":       "the `FILE` with the client's TLS certificate",
	"flag/client-key":               "the `FILE` with the client's TLS key",
	"flag/cluster":                  "the `NAME` of the kubeconfig's cluster",
	"flag/context":                  "the `NAME` of the kubeconfig's context",
	"flag/insecure-skip-tls-verify": "do not check the API server's certificate, which makes the connection insecure",
	"flag/kubeconfig":               "the kubeconfig `FILE`",
	"flag/namespace":                "the `NAMESPACE` to ask about",
	"flag/request-timeout":          "how long one request may take, a `DURATION` such as 30s or 2m; 0 is without limit",
	"flag/server":                   "the `ADDRESS` of the API server",
	"flag/tls-server-name":          "the `NAME` that the API server's certificate must be for (default: the host's)",
	"flag/token":                    "the bearer `TOKEN` for the API server",
	"flag/user":                     "the `NAME` of the kubeconfig's user",
}

const exitCodes = "Exit code 0 whenever there is an answer, 1 only if --fail-on asks for it, 2 on bad input or if there is no answer."

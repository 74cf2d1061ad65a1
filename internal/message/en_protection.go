package message

var englishProtection = sentences{
	ProtectionGiven:           "New {{and .kinds}} objects are given the PriorityClass {{.class}}.{{if .jobs}} {{count .jobs \"existing Job has\" \"existing Jobs have\"}} a lower priority, which cannot be changed.{{end}}{{if .others}} {{count .others \"existing Deployment or StatefulSet has\" \"existing Deployments and StatefulSets have\"}} a lower priority; what has no priority of its own is given the class when its pod template is changed.{{end}}",
	ProtectionReportOnly:      "The policy is in mode Report: no workload is given a PriorityClass.",
	ProtectionPaused:          "The policy is paused: no workload is given a PriorityClass.",
	ProtectionInvalidSelector: "The selectors of protect are not valid: {{list .errors}}.",
	ProtectionNoClass:         "The PriorityClass {{.class}} does not exist, and a workload that names it can create no pods. To create it: kubectl create priorityclass {{.class}} --value=100000 --preemption-policy=Never",
	ProtectionSystemClass:     "The PriorityClass {{.class}} is one of Kubernetes' own, which workloads must not be given. Name another in protect.priorityClassName.",
	ProtectionClassPreempts:   "Pods of the PriorityClass {{.class}} would preempt other pods. Name one with preemptionPolicy Never in protect.priorityClassName.",
	ProtectionClassTooLow:     "The PriorityClass {{.class}} protects nothing: its priority is {{.value}}, and that of pods without a class is {{.lowest}}. Name a higher one in protect.priorityClassName.",
	ProtectionNotServed:       "The API server does not serve MutatingAdmissionPolicies in v1, as Kubernetes 1.36 and later do. Set priorityClassName: {{.class}} in the pod templates of the workloads instead; for Jobs of a CronJob, in the CronJob's.",
	ProtectionNotInstalled:    "The MutatingAdmissionPolicy {{.name}} or its binding is not installed. The chart installs them in mode auto, and config/protection has them.",
	ProtectionNotReadable:     "Whether the MutatingAdmissionPolicy {{.name}} and its binding are installed is not known: the controller may not read them.",
	ProtectionTooMany:         "The next growth of a DaemonSet would preempt pods of {{and .workloads}} although they are protected: on their nodes, too few pods have a lower priority. Protect fewer workloads, or hold room for the growth with survive.steps.",

	ProtectionInVain:  "A PriorityClass for {{and .workloads}} does not help: their pods would be preempted nevertheless, because too few pods on these nodes have a lower priority.",
	RemedyProtect:     "{{if .held}}Hold room for the growth with a HeadroomPolicy, and have {{if .rollout}}{{and .workloads}}{{else}}new Jobs like {{and .workloads}}{{end}} given a PriorityClass.{{else}}Have {{if .rollout}}{{and .workloads}}{{else}}new Jobs like {{and .workloads}}{{end}} given a PriorityClass by a HeadroomPolicy: pods of a lower priority are then preempted instead.{{end}}",
	RemedyProtectCost: "{{if .held}}As much CPU on each node as the DaemonSet's pods grow by.{{else}}None for these workloads: their pods preempt no others.{{end}}",
	RemedyProtectRisk: "{{if .others}}{{count .n \"pod\" \"pods\"}} of {{and .others}} {{verb .n \"is\" \"are\"}} preempted instead. {{end}}{{if .rollout}}What is protected stays as it is until its next rollout.{{else}}Jobs that exist already stay as they are.{{end}} It needs naosu's controller in mode auto and, for the PriorityClass, Kubernetes 1.36 or later.",
}

package message

var englishProtection = sentences{
	ProtectionGiven:           "New Jobs are given the PriorityClass {{.class}}.{{if .exposed}} {{count .exposed \"existing Job has\" \"existing Jobs have\"}} a lower priority, which cannot be changed.{{end}}",
	ProtectionReportOnly:      "The policy is in mode Report: new Jobs are given no PriorityClass.",
	ProtectionPaused:          "The policy is paused: new Jobs are given no PriorityClass.",
	ProtectionInvalidSelector: "The selectors of protect are not valid: {{list .errors}}.",
	ProtectionNoClass:         "The PriorityClass {{.class}} does not exist, and a Job that names it can create no pods. To create it: kubectl create priorityclass {{.class}} --value=100000 --preemption-policy=Never",
	ProtectionSystemClass:     "The PriorityClass {{.class}} is one of Kubernetes' own, which Jobs must not have. Name another in protect.priorityClassName.",
	ProtectionClassPreempts:   "Pods of the PriorityClass {{.class}} would preempt other pods. Name one with preemptionPolicy Never in protect.priorityClassName.",
	ProtectionClassTooLow:     "The PriorityClass {{.class}} protects nothing: its priority is {{.value}}, and that of pods without a class is {{.lowest}}. Name a higher one in protect.priorityClassName.",
	ProtectionNotServed:       "The API server does not serve MutatingAdmissionPolicies in v1, as Kubernetes 1.36 and later do. Set priorityClassName: {{.class}} in the pod templates of Jobs and CronJobs instead.",
	ProtectionNotInstalled:    "The MutatingAdmissionPolicy {{.name}} or its binding is not installed. The chart installs them in mode auto, and config/protection has them.",
	ProtectionNotReadable:     "Whether the MutatingAdmissionPolicy {{.name}} and its binding are installed is not known: the controller may not read them.",
	ProtectionTooMany:         "The next growth of a DaemonSet would preempt {{and .jobs}} although they are protected: on their nodes, too few pods have a lower priority. Protect fewer Jobs, or hold room for the growth with survive.steps.",

	ProtectionInVain:  "A PriorityClass for {{and .jobs}} does not help: their pods would be preempted nevertheless, because too few pods on these nodes have a lower priority.",
	RemedyProtect:     "{{if .held}}Hold room for the growth with a HeadroomPolicy, and have new Jobs like {{and .jobs}} given a PriorityClass.{{else}}Have new Jobs like {{and .jobs}} given a PriorityClass by a HeadroomPolicy: pods of a lower priority are then preempted instead.{{end}}",
	RemedyProtectCost: "{{if .held}}As much CPU on each node as the DaemonSet's pods grow by.{{else}}None for these Jobs: their pods preempt no others.{{end}}",
	RemedyProtectRisk: "{{if .others}}{{count .n \"pod\" \"pods\"}} of {{and .others}} {{verb .n \"is\" \"are\"}} preempted instead. {{end}}Jobs that exist already stay as they are. It needs naosu's controller in mode auto, and for Jobs Kubernetes 1.36 or later.",
}

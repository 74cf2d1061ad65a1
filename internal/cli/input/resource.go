package input

import (
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
)

// resourceType is a kind that people name on the command line.
type resourceType struct {
	kind string
	// words are those for it that kubectl knows; of a zone and a node group, those of naosu.
	words []string
}

var resourceTypes = []resourceType{
	{"Pod", []string{"pod", "pods", "po"}},
	{"Node", []string{"node", "nodes", "no"}},
	{"PersistentVolumeClaim", []string{"persistentvolumeclaim", "persistentvolumeclaims", "pvc"}},
	{"PersistentVolume", []string{"persistentvolume", "persistentvolumes", "pv"}},
	{"Deployment", []string{"deployment", "deployments", "deploy"}},
	{"ReplicaSet", []string{"replicaset", "replicasets", "rs"}},
	{"StatefulSet", []string{"statefulset", "statefulsets", "sts"}},
	{"DaemonSet", []string{"daemonset", "daemonsets", "ds"}},
	{"Job", []string{"job", "jobs"}},
	{"CronJob", []string{"cronjob", "cronjobs", "cj"}},
	{"PodDisruptionBudget", []string{"poddisruptionbudget", "poddisruptionbudgets", "pdb"}},
	{"PriorityClass", []string{"priorityclass", "priorityclasses", "pc"}},
	{"Service", []string{"service", "services", "svc"}},
	{"HorizontalPodAutoscaler", []string{"horizontalpodautoscaler", "horizontalpodautoscalers", "hpa"}},
	{"Namespace", []string{"namespace", "namespaces", "ns"}},
	{"ResourceQuota", []string{"resourcequota", "resourcequotas", "quota"}},
	{"Ingress", []string{"ingress", "ingresses", "ing"}},
	{"NodePool", []string{"nodepool", "nodepools"}},
	{"NodeClaim", []string{"nodeclaim", "nodeclaims"}},
	{"Workload", []string{"workload", "workloads", "wl"}},
	{"Remediation", []string{"remediation", "remediations", "rem"}},
	{"Zone", []string{"zone", "zones"}},
	{"Subnet", []string{"subnet", "subnets"}},
	{"NetworkInterface", []string{"networkinterface", "networkinterfaces", "eni"}},
	{"Group", []string{"group", "groups", "nodegroup", "nodegroups", "nodepool", "nodepools"}},
}

// KindOf is the one of some kinds that a word names, as kubectl reads it: in any case, and with or without the API group.
func KindOf(word string, kinds ...string) (string, bool) {
	word, _, _ = strings.Cut(strings.ToLower(word), ".")
	for _, t := range resourceTypes {
		if slices.Contains(kinds, t.kind) && slices.Contains(t.words, word) {
			return t.kind, true
		}
	}
	return "", false
}

// ParseResource reads the one thing that arguments name: TYPE/NAME, TYPE NAME or NAMESPACE/TYPE/NAME, or NAME alone where a single kind
// is asked for. False says that they do not have that form. A type that names none of the kinds stays as it was typed.
func ParseResource(args []string, kinds ...string) (change.Ref, bool) {
	var parts []string
	for _, arg := range args {
		parts = append(parts, strings.Split(arg, "/")...)
	}
	var ref change.Ref
	if len(parts) == 3 {
		ref.Namespace, parts = parts[0], parts[1:]
		if ref.Namespace == "" {
			return change.Ref{}, false
		}
	}
	if len(parts) == 1 && len(kinds) == 1 {
		parts = []string{kinds[0], parts[0]}
	}
	if len(parts) != 2 || parts[1] == "" || strings.ContainsAny(parts[1], " \t") {
		return change.Ref{}, false
	}
	ref.Kind, ref.Name = parts[0], parts[1]
	if kind, known := KindOf(ref.Kind, kinds...); known {
		ref.Kind = kind
	}
	return ref, true
}

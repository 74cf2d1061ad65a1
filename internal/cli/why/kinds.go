package why

import (
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// kindNames are the kinds that are explained, with the words for them that kubectl knows.
var kindNames = map[cluster.Kind][]string{
	cluster.Pod:                     {"pod", "pods", "po"},
	cluster.Node:                    {"node", "nodes", "no"},
	cluster.PersistentVolumeClaim:   {"persistentvolumeclaim", "persistentvolumeclaims", "pvc"},
	cluster.PersistentVolume:        {"persistentvolume", "persistentvolumes", "pv"},
	cluster.Deployment:              {"deployment", "deployments", "deploy"},
	cluster.ReplicaSet:              {"replicaset", "replicasets", "rs"},
	cluster.StatefulSet:             {"statefulset", "statefulsets", "sts"},
	cluster.DaemonSet:               {"daemonset", "daemonsets", "ds"},
	cluster.Job:                     {"job", "jobs"},
	cluster.CronJob:                 {"cronjob", "cronjobs", "cj"},
	cluster.PodDisruptionBudget:     {"poddisruptionbudget", "poddisruptionbudgets", "pdb"},
	cluster.Service:                 {"service", "services", "svc"},
	cluster.HorizontalPodAutoscaler: {"horizontalpodautoscaler", "horizontalpodautoscalers", "hpa"},
	cluster.Namespace:               {"namespace", "namespaces", "ns"},
	cluster.ResourceQuota:           {"resourcequota", "resourcequotas", "quota"},
	cluster.Ingress:                 {"ingress", "ingresses", "ing"},
	cluster.NodePool:                {"nodepool", "nodepools"},
	cluster.NodeClaim:               {"nodeclaim", "nodeclaims"},
	cluster.Workload:                {"workload", "workloads", "wl"},
}

// kindOf is the kind that a word names, as kubectl reads it: in any case, and with or without the API group.
func kindOf(word string) (cluster.Kind, bool) {
	word, _, _ = strings.Cut(strings.ToLower(word), ".")
	for kind, names := range kindNames {
		if slices.Contains(names, word) {
			return kind, true
		}
	}
	return "", false
}

// kindWords are the words to offer, one for each kind.
func kindWords() []string {
	var words []string
	for kind := range maps.Keys(kindNames) {
		word, _, _ := strings.Cut(change.Ref{Kind: string(kind)}.String(), "/")
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

// parseSubject reads kind/name, or kind and name. What is no kind stays as it was typed for Validate to see, and what
// cannot be read at all is empty.
func parseSubject(args []string) change.Ref {
	var kind, name string
	switch len(args) {
	case 1:
		kind, name, _ = strings.Cut(args[0], "/")
	case 2:
		kind, name = args[0], args[1]
	}
	if strings.Contains(name, "/") || strings.Contains(kind, "/") {
		return change.Ref{}
	}
	if known, ok := kindOf(kind); ok {
		kind = string(known)
	}
	return change.Ref{Kind: kind, Name: name}
}

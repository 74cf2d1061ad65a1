package why

import (
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// explained are the kinds that naosu explains.
var explained = []string{
	string(cluster.Pod),
	string(cluster.Node),
	string(cluster.PersistentVolumeClaim),
	string(cluster.PersistentVolume),
	string(cluster.Deployment),
	string(cluster.ReplicaSet),
	string(cluster.StatefulSet),
	string(cluster.DaemonSet),
	string(cluster.Job),
	string(cluster.CronJob),
	string(cluster.PodDisruptionBudget),
	string(cluster.Service),
	string(cluster.HorizontalPodAutoscaler),
	string(cluster.Namespace),
	string(cluster.ResourceQuota),
	string(cluster.Ingress),
	string(cluster.NodePool),
	string(cluster.NodeClaim),
	string(cluster.Workload),
}

// kindWords are the words to offer, one for each kind.
func kindWords() []string {
	var words []string
	for _, kind := range explained {
		word, _, _ := strings.Cut(change.Ref{Kind: kind}.String(), "/")
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

// parseSubject reads the arguments. What is no kind stays as it was typed for Validate to see, and what cannot be read at all is empty. The
// namespace is the flag's to give.
func parseSubject(args []string) change.Ref {
	ref, ok := input.ParseResource(args, explained...)
	if !ok || ref.Namespace != "" {
		return change.Ref{}
	}
	return ref
}

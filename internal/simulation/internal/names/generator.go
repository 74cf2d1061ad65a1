package names

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// Generator names new objects in the cluster's style, the same in every run.
type Generator struct {
	world *cluster.Snapshot
	used  map[types.NamespacedName]bool
	// tries is the number of names tried by prefix; none of those is free any more.
	tries map[types.NamespacedName]int
	uids  int
}

// NewGenerator gives names that no pod and no node of a world has.
func NewGenerator(world *cluster.Snapshot) Generator {
	return Generator{world: world, used: map[types.NamespacedName]bool{}, tries: map[types.NamespacedName]int{}}
}

// suffixLength is that of names which the API server generates.
const suffixLength = 5

// Pod is a name for a controller's pod.
func (n *Generator) Pod(namespace, prefix string) string {
	series := types.NamespacedName{Namespace: namespace, Name: prefix}
	for {
		hash := fnv.New32a()
		_, _ = fmt.Fprintf(hash, "%s/%s/%d", namespace, prefix, n.tries[series]) // Writing to a hash never fails.
		n.tries[series]++
		name := prefix + rand.SafeEncodeString(fmt.Sprintf("%010d", hash.Sum32()))[10-suffixLength:]
		key := types.NamespacedName{Namespace: namespace, Name: name}
		if !n.used[key] && n.world.Pod(namespace, name) == nil {
			n.used[key] = true
			return name
		}
	}
}

// Node is a name for a node of a group in a zone.
func (n *Generator) Node(group, zone string) string {
	parts := []string{group}
	if zone != "" {
		parts = append(parts, zone)
	}
	series := types.NamespacedName{Name: strings.ToLower(strings.Join(parts, "-")) + "-new-"}
	for {
		n.tries[series]++
		name := series.Name + strconv.Itoa(n.tries[series])
		key := types.NamespacedName{Name: name}
		if !n.used[key] && n.world.Node(name) == nil {
			n.used[key] = true
			return name
		}
	}
}

// UID is a UID that no object of the initial snapshot has.
func (n *Generator) UID() types.UID {
	n.uids++
	return types.UID(fmt.Sprintf("foreseen-%d", n.uids))
}

// Prefix is the prefix that the names of a pod's owner's pods share.
func Prefix(pod *corev1.Pod) string {
	if pod.GenerateName != "" {
		return pod.GenerateName
	}
	if i := strings.LastIndex(pod.Name, "-"); i > 0 {
		return pod.Name[:i+1]
	}
	return pod.Name + "-"
}

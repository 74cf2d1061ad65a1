package simulation

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

// names gives what is new names as the cluster would, the same in every run.
type names struct {
	world *cluster.Snapshot
	taken map[types.NamespacedName]bool
	// tries are how many names were tried, by what they begin with: none of those is free any more.
	tries map[types.NamespacedName]int
	uids  int
}

func newNames(world *cluster.Snapshot) names {
	return names{world: world, taken: map[types.NamespacedName]bool{}, tries: map[types.NamespacedName]int{}}
}

// suffixLength is that of the API server's generated names.
const suffixLength = 5

// pod is a name for a pod of a controller.
func (n *names) pod(namespace, prefix string) string {
	kin := types.NamespacedName{Namespace: namespace, Name: prefix}
	for {
		hash := fnv.New32a()
		_, _ = fmt.Fprintf(hash, "%s/%s/%d", namespace, prefix, n.tries[kin]) // A hash never fails to be written.
		n.tries[kin]++
		name := prefix + rand.SafeEncodeString(fmt.Sprintf("%010d", hash.Sum32()))[10-suffixLength:]
		key := types.NamespacedName{Namespace: namespace, Name: name}
		if !n.taken[key] && n.world.Pod(namespace, name) == nil {
			n.taken[key] = true
			return name
		}
	}
}

// node is a name for a node of a group in a zone.
func (n *names) node(group, zone string) string {
	parts := []string{group}
	if zone != "" {
		parts = append(parts, zone)
	}
	kin := types.NamespacedName{Name: strings.ToLower(strings.Join(parts, "-")) + "-new-"}
	for {
		n.tries[kin]++
		name := kin.Name + strconv.Itoa(n.tries[kin])
		key := types.NamespacedName{Name: name}
		if !n.taken[key] && n.world.Node(name) == nil {
			n.taken[key] = true
			return name
		}
	}
}

// uid is one that nothing of the present has.
func (n *names) uid() types.UID {
	n.uids++
	return types.UID(fmt.Sprintf("foreseen-%d", n.uids))
}

// prefixOf is what the names of a pod's siblings begin with.
func prefixOf(pod *corev1.Pod) string {
	if pod.GenerateName != "" {
		return pod.GenerateName
	}
	if i := strings.LastIndex(pod.Name, "-"); i > 0 {
		return pod.Name[:i+1]
	}
	return pod.Name + "-"
}

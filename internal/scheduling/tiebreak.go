package scheduling

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/hash"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// pickName picks one of some names at random, by seed. The same seed, pod and names give the same one, whatever was asked before,
// and removing a name changes the result only if that name was picked (rendezvous hashing).
func (j *Judge) pickName(pod *corev1.Pod, names []string) string {
	return names[j.pickIndex(pod, len(names), func(i int) hash.Hash { return hash.Of(names[i]) })]
}

// pickIndex is pickName for hashes of names.
func (j *Judge) pickIndex(pod *corev1.Pod, among int, name func(i int) hash.Hash) int {
	if among == 1 {
		return 0
	}
	seedHash := hash.New().Number(j.seed).Text(pod.Namespace).Text(pod.Name)
	winner, highest := 0, uint64(0)
	for i := range among {
		if key := (seedHash ^ name(i)).Mixed(); key > highest {
			winner, highest = i, key
		}
	}
	return winner
}

// pickNode picks one of some nodes at random.
func (j *Judge) pickNode(pod *corev1.Pod, nodes []*store.Node) string {
	return nodes[j.pickIndex(pod, len(nodes), func(i int) hash.Hash { return nodes[i].Hash })].Name
}

// pickPreemption picks a node at random, each as likely as any other, and then among its sets of victims.
func (j *Judge) pickPreemption(pod *corev1.Pod, choices []Preemption) Preemption {
	nodes := make([]string, len(choices))
	for i := range choices {
		nodes[i] = choices[i].Node
	}
	node := j.pickName(pod, nodes)
	there := slices.DeleteFunc(slices.Clone(choices), func(p Preemption) bool { return p.Node != node })
	who := make([]string, len(there))
	for i, p := range there {
		var names []string
		for _, victim := range p.Victims {
			names = append(names, store.NameOf(victim).String())
		}
		who[i] = strings.Join(names, " ")
	}
	return there[slices.Index(who, j.pickName(pod, who))]
}

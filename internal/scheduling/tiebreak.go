package scheduling

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// pickName picks one of some names at random, by seed. The same seed, pod and names give the same one, whatever was asked before,
// and removing a name changes the result only if that name was picked (rendezvous hashing).
func (j *Judge) pickName(pod *corev1.Pod, names []string) string {
	return names[j.pickIndex(pod, len(names), func(i int) hash { return hashOf(names[i]) })]
}

// pickIndex is pickName for hashes of names.
func (j *Judge) pickIndex(pod *corev1.Pod, among int, name func(i int) hash) int {
	if among == 1 {
		return 0
	}
	seedHash := newHash().number(j.seed).text(pod.Namespace).text(pod.Name)
	winner, highest := 0, uint64(0)
	for i := range among {
		if key := (seedHash ^ name(i)).mixed(); key > highest {
			winner, highest = i, key
		}
	}
	return winner
}

// chosen is the node that a pod gets, one of the best at random.
func (s *fastFilter) chosen(ctx context.Context) (string, error) {
	best, err := s.best(ctx)
	if err != nil {
		return "", err
	}
	return best[s.judge.pickIndex(s.pod, len(best), func(i int) hash { return best[i].hash })].name, nil
}

func (a *attempt) chosen(ctx context.Context, j *Judge) (string, error) {
	best, err := a.best(ctx)
	if err != nil {
		return "", err
	}
	return j.pickName(a.pod, best), nil
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
			names = append(names, nameOf(victim).String())
		}
		who[i] = strings.Join(names, " ")
	}
	return there[slices.Index(who, j.pickName(pod, who))]
}

// hash is FNV-1a of 64 bits. A value can be continued in several ways.
type hash uint64

func newHash() hash { return 14695981039346656037 }

func hashOf(name string) hash { return newHash().text(name) }

func (h hash) with(b byte) hash { return (h ^ hash(b)) * 1099511628211 }

// text ends with a byte that no name holds.
func (h hash) text(s string) hash {
	for i := range len(s) {
		h = h.with(s[i])
	}
	return h.with(0)
}

func (h hash) number(n uint64) hash {
	for shift := 0; shift < 64; shift += 8 {
		h = h.with(byte(n >> shift))
	}
	return h
}

// mixed spreads a hash over all its bits, which FNV leaves alike for names that differ at their end only.
func (h hash) mixed() uint64 { return mix(uint64(h)) }

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

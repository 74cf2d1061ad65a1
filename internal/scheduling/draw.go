package scheduling

import (
	"encoding/binary"
	"hash/fnv"
	"io"

	corev1 "k8s.io/api/core/v1"
)

// draw picks one of some nodes for a pod. The same seed, pod and nodes give the same one, whatever was asked before, and a
// node that is no longer among them changes the draw only if it had won it.
func (j *Judge) draw(pod *corev1.Pod, nodes []string) string {
	if len(nodes) == 1 {
		return nodes[0]
	}
	var winner string
	var highest uint64
	for _, node := range nodes {
		if ticket := j.ticket(pod, node); winner == "" || ticket > highest {
			winner, highest = node, ticket
		}
	}
	return winner
}

func (j *Judge) ticket(pod *corev1.Pod, node string) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, j.seed) // a hash takes everything
	for _, s := range []string{pod.Namespace, pod.Name, node} {
		_, _ = io.WriteString(h, s)
		_, _ = h.Write([]byte{0})
	}
	return mix(h.Sum64())
}

// mix spreads a hash over all its bits, which FNV leaves alike for names that differ at their end only (the finalizer of
// SplitMix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

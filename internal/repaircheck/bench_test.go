package repaircheck

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// BenchmarkCheckOf5000Nodes goes along every chain of a cluster of 5,000 nodes in three zones and twenty groups, half of them with
// naosu's agent and half with the EKS agent.
func BenchmarkCheckOf5000Nodes(b *testing.B) {
	f := whole()
	f.Nodes, f.Groups = nil, map[string]string{}
	for i := range 5000 {
		conditions := naosus()
		if i%2 == 0 {
			conditions = ekses()
		}
		n := node(fmt.Sprintf("n%d", i), conditions...)
		n.Labels[corev1.LabelTopologyZone] = string(rune('a' + i%3))
		f.Nodes, f.Groups[n.Name] = append(f.Nodes, n), fmt.Sprintf("g%d", i%20)
	}
	f.Agents = []Agent{Naosu, EKS}
	for b.Loop() {
		if len(Check(f)) == 0 {
			b.Fatal("no rows")
		}
	}
}

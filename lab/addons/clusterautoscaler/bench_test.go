package clusterautoscaler

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// BenchmarkScan is one decision about 1,000 nodes of 16 groups with 10,000 pods, 100 of them waiting for nothing that there is.
func BenchmarkScan(b *testing.B) {
	w := newWorld()
	for g := range 16 {
		w.group(fmt.Sprintf("g%02d", g), 0, 63, 100, "1a", "1b", "1c")
	}
	for n := range 1000 {
		w.node(fmt.Sprintf("g%02d", n%16), fmt.Sprintf("n%04d", n), "1a")
	}
	for p := range 9900 {
		w.pod(testPod(fmt.Sprintf("p%04d", p), 150, on(fmt.Sprintf("n%04d", p%1000))))
	}
	for p := range 100 {
		w.pod(testPod(fmt.Sprintf("q%04d", p), 150, pending, func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"nowhere": "yes"} }))
	}
	j, cfg := testJudge(b), defaults(nil)
	for b.Loop() {
		if do, _ := plan(b.Context(), cfg, j, w.world, scanState{}); len(do.events) != 100 {
			b.Fatalf("%d events", len(do.events))
		}
	}
}

package scheduling_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// sizes are numbers of nodes; each holds twenty pods.
var sizes = []int{100, 500, 1000, 5000}

var snapshotsOfSize = map[int]*cluster.Snapshot{}

func bigSnapshot(nodes int) *cluster.Snapshot {
	if snapshotsOfSize[nodes] == nil {
		snapshotsOfSize[nodes] = clustertest.Big(nodes, nodes*20)
	}
	return snapshotsOfSize[nodes]
}

// atSizes runs a benchmark at every size, on a judge of its own.
func atSizes(b *testing.B, run func(*testing.B, *scheduling.Judge)) {
	for _, nodes := range sizes {
		b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
			run(b, judgeOf(b, bigSnapshot(nodes), scheduling.Options{}))
		})
	}
}

// successor is what a pod's controller would make in its place: another name, no node.
func successor(p *corev1.Pod, i int) *corev1.Pod {
	c := *p
	c.Name = fmt.Sprintf("%s-again-%d", p.Name, i)
	c.UID = types.UID(c.Name)
	c.Spec.NodeName, c.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	return &c
}

func moved(p *corev1.Pod, node string) *corev1.Pod {
	c := *p
	c.Spec.NodeName = node
	return &c
}

// example is some running pod of the world for which holds what is asked.
func example(b *testing.B, w *cluster.Snapshot, is func(*corev1.Pod) bool) *corev1.Pod {
	b.Helper()
	for _, p := range w.Pods() {
		if p.Namespace != "kube-system" && is(p) {
			return p
		}
	}
	b.Fatal("the world has no such pod")
	return nil
}

func plain(p *corev1.Pod) bool {
	return strings.HasPrefix(p.Name, "app-") && p.Spec.Affinity == nil && !spread(p)
}
func spread(p *corev1.Pod) bool     { return p.Spec.TopologySpreadConstraints != nil }
func apart(p *corev1.Pod) bool      { return p.Spec.Affinity != nil }
func withVolume(p *corev1.Pod) bool { return strings.HasPrefix(p.Name, "db-") }

var shapes = []struct {
	name string
	is   func(*corev1.Pod) bool
}{{"plain", plain}, {"spread", spread}, {"apart", apart}, {"volume", withVolume}}

func BenchmarkNew(b *testing.B) {
	for _, nodes := range sizes {
		snapshot := bigSnapshot(nodes)
		b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
			for b.Loop() {
				judgeOf(b, snapshot, scheduling.Options{})
			}
		})
	}
}

// BenchmarkFit looks at every node for a pod, scores included, in a world where something has changed since the last time.
func BenchmarkFit(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			atSizes(b, func(b *testing.B, j *scheduling.Judge) {
				p := successor(example(b, j.World(), shape.is), 0)
				before := benchmark.CPU(b)
				for b.Loop() {
					if _, err := j.Fit(b.Context(), p); err != nil {
						b.Fatal(err)
					}
				}
				benchmark.Used(b, benchmark.CPU(b)-before)
				benchmark.Beside(b, "plain", func() { place(b, scheduling.Plainly(j), p) })
			})
		})
	}
}

func BenchmarkObstacles(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			atSizes(b, func(b *testing.B, j *scheduling.Judge) {
				p := successor(example(b, j.World(), shape.is), 0)
				ask := func(j *scheduling.Judge) {
					if _, err := j.Obstacles(b.Context(), p); err != nil {
						b.Fatal(err)
					}
				}
				before := benchmark.CPU(b)
				for b.Loop() {
					ask(j)
				}
				benchmark.Used(b, benchmark.CPU(b)-before)
				benchmark.Beside(b, "plain", func() { ask(scheduling.Plainly(j)) })
			})
		})
	}
}

// BenchmarkPreempt asks for a pod that is too large for what is free, so that every node is a candidate.
func BenchmarkPreempt(b *testing.B) {
	atSizes(b, func(b *testing.B, j *scheduling.Judge) {
		p := pod("p", asking("14", "20Gi"), priority(1000))
		ask := func(j *scheduling.Judge) {
			if found, err := j.Preempt(b.Context(), p); err != nil || len(found) == 0 {
				b.Fatal(found, err)
			}
		}
		before := benchmark.CPU(b)
		for b.Loop() {
			ask(j)
		}
		benchmark.Used(b, benchmark.CPU(b)-before)
		benchmark.Beside(b, "plain", func() { ask(scheduling.Plainly(j)) })
	})
}

// BenchmarkPlace places similar pods one after the other, each where the last ones left room.
func BenchmarkPlace(b *testing.B) {
	for _, shape := range shapes[:2] {
		b.Run(shape.name, func(b *testing.B) {
			atSizes(b, func(b *testing.B, j *scheduling.Judge) {
				p := example(b, j.World(), shape.is)
				const many = 500
				i := 0
				j.Fork()
				before := benchmark.CPU(b)
				for b.Loop() {
					if i++; i%many == 0 { // the cluster is never full
						j.Revert()
						j.Fork()
					}
					next := successor(p, i)
					placed, err := j.Place(b.Context(), next)
					if err != nil || placed.Node == "" {
						b.Fatal(placed, err)
					}
					if err := j.Apply(cluster.Put(moved(next, placed.Node))); err != nil {
						b.Fatal(err)
					}
				}
				benchmark.Used(b, benchmark.CPU(b)-before)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pods/s")
				benchmark.Beside(b, "plain", func() { place(b, scheduling.Plainly(j), successor(p, 0)) })
			})
		})
	}
}

// BenchmarkLoseNode takes a node away and finds places for the successors of its pods, all scores looked at.
func BenchmarkLoseNode(b *testing.B) {
	atSizes(b, func(b *testing.B, j *scheduling.Judge) {
		snapshot := j.World()
		node := snapshot.Nodes()[0]
		var lost []*corev1.Pod
		for _, p := range snapshot.PodsOn(node.Name) {
			if p.Namespace != "kube-system" {
				lost = append(lost, p)
			}
		}
		before := benchmark.CPU(b)
		for b.Loop() {
			loseNode(b, j, node, lost)
		}
		benchmark.Used(b, benchmark.CPU(b)-before)
		b.ReportMetric(float64(len(lost)), "pods")
		benchmark.Beside(b, "plain", func() { loseNode(b, scheduling.Plainly(j), node, lost) })
	})
}

// place is where a pod goes, empty if nowhere.
func place(b *testing.B, j *scheduling.Judge, p *corev1.Pod) string {
	b.Helper()
	placed, err := j.Place(b.Context(), p)
	if err != nil {
		b.Fatal(err)
	}
	return placed.Node
}

func loseNode(b *testing.B, j *scheduling.Judge, node *corev1.Node, lost []*corev1.Pod) {
	b.Helper()
	j.Fork()
	defer j.Revert()
	edits := []cluster.Edit{cluster.Remove(node)}
	for _, p := range lost {
		edits = append(edits, cluster.Remove(p))
	}
	if err := j.Apply(edits...); err != nil {
		b.Fatal(err)
	}
	for i, p := range lost {
		next := successor(p, i)
		to := place(b, j, next)
		if to == "" {
			continue // its volume is in the zone of the lost node
		}
		if err := j.Apply(cluster.Put(moved(next, to))); err != nil {
			b.Fatal(err)
		}
	}
}

// trial is a pod, and what would be made in its place.
type trial struct{ pod, successor *corev1.Pod }

// BenchmarkTrialMove evicts a pod, finds the first other node for it, puts it there and takes everything back. A search
// tries the same pods again and again: here a thousand from all over the cluster, each of which has been tried once before.
func BenchmarkTrialMove(b *testing.B) {
	atSizes(b, func(b *testing.B, j *scheduling.Judge) {
		var pods []*corev1.Pod
		for _, p := range j.World().Pods() {
			if plain(p) {
				pods = append(pods, p)
			}
		}
		const tried = 1000
		every := max(len(pods)/tried, 1)
		trials := make([]trial, tried)
		for i := range trials {
			p := pods[i*every%len(pods)]
			trials[i] = trial{p, successor(p, 0)}
			move(b, j, trials[i])
		}
		i, before := 0, benchmark.CPU(b)
		for b.Loop() {
			i++
			move(b, j, trials[i%tried])
		}
		benchmark.Used(b, benchmark.CPU(b)-before)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
		benchmark.Beside(b, "plain", func() { move(b, scheduling.Plainly(j), trials[0]) })
		benchmark.Beside(b, "rebuilt", func() { anew(b, j.World(), pods[0]) })
		benchmark.Target(b, 1000, "rebuilt", benchmark.CPUPerOp)
	})
}

// anew makes a judge of the world without the pod, and asks it for a place.
func anew(b *testing.B, snapshot *cluster.Snapshot, p *corev1.Pod) {
	b.Helper()
	if to, err := judgeOf(b, snapshot.With(cluster.Remove(p)), scheduling.Options{}).First(b.Context(), successor(p, 0)); err != nil || to == "" {
		b.Fatal(to, err)
	}
}

func move(b *testing.B, j *scheduling.Judge, t trial) {
	b.Helper()
	j.Fork()
	defer j.Revert()
	if err := j.Apply(cluster.Remove(t.pod)); err != nil {
		b.Fatal(err)
	}
	to, err := j.First(b.Context(), t.successor)
	if err != nil || to == "" {
		b.Fatal(to, err)
	}
	if err := j.Apply(cluster.Put(moved(t.successor, to))); err != nil {
		b.Fatal(err)
	}
}

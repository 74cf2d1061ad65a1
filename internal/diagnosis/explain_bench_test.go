package diagnosis_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// pendings are pods that wait for a node, each for a reason of its own.
var pendings = []struct {
	name string
	of   func(*cluster.Snapshot) []cluster.Edit
}{
	{"too-large", tooLarge}, {"stranded-volume", strandedVolume},
}

// tooLarge asks for more than any node has left, though not for more than a node has; a higher priority would help.
func tooLarge(world *cluster.Snapshot) []cluster.Edit {
	pod := waiting(world, func(p *corev1.Pod) bool { return strings.HasPrefix(p.Name, "app-") && p.Spec.Affinity == nil })
	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("14")
	return []cluster.Edit{cluster.Put(pod), cluster.Put(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})}
}

// strandedVolume is tied to a zone that has no nodes any more.
func strandedVolume(world *cluster.Snapshot) []cluster.Edit {
	pod := waiting(world, func(p *corev1.Pod) bool { return len(world.PodsUsing(p.Namespace, "data-"+p.Name)) > 0 })
	zone := cluster.Zone(world.Node(world.Pod(pod.Namespace, pod.Name).Spec.NodeName))
	edits := []cluster.Edit{cluster.Put(pod)}
	for _, node := range world.Nodes() {
		if cluster.Zone(node) == zone {
			edits = append(edits, cluster.Remove(node))
		}
	}
	return edits
}

// waiting is the first pod of a workload that is one of those, and has no node.
func waiting(world *cluster.Snapshot, is func(*corev1.Pod) bool) *corev1.Pod {
	for _, p := range world.Pods() {
		if p.Namespace != "kube-system" && is(p) {
			p = p.DeepCopy()
			p.Spec.NodeName = ""
			p.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
				LastTransitionTime: metav1.NewTime(clustertest.BigTaken.Add(-time.Minute)),
			}}}
			return p
		}
	}
	return nil
}

// BenchmarkExplain asks a judge that has not been asked before why a pod has no node, remedies simulated. Beside it stands what
// it takes if a judge is made anew for the question and for each remedy shown.
func BenchmarkExplain(b *testing.B) {
	for _, pending := range pendings {
		for _, nodes := range []int{100, 500, 1000, 5000} {
			b.Run(fmt.Sprintf("%s/%d-nodes", pending.name, nodes), func(b *testing.B) {
				pods := 10 * nodes
				if nodes > 1000 {
					pods = 20 * nodes
				}
				world := clustertest.Big(nodes, pods)
				edits := pending.of(world)
				world = world.With(edits...)
				pod := edits[0].Object()
				subject := &change.Ref{Kind: "Pod", Namespace: pod.GetNamespace(), Name: pod.GetName()}
				var remedies int
				var used time.Duration
				for b.Loop() {
					b.StopTimer()
					judge := freshJudge(b, world)
					runtime.GC()
					b.StartTimer()
					before := benchmark.CPU(b)
					e := diagnosis.Explain(b.Context(), query.Query{World: world, Judge: judge, Subject: subject})
					used += benchmark.CPU(b) - before
					if len(e.Findings) == 0 {
						b.Fatalf("no finding: %+v", e)
					}
					remedies = len(e.Findings[0].Remedies)
				}
				benchmark.Used(b, used)
				b.ReportMetric(float64(remedies), "remedies")
				if nodes >= 500 { // in smaller clusters a judge is made soon
					benchmark.Target(b, 1.5, "rebuilt", benchmark.CPUPerOp)
				}
				benchmark.Beside(b, "rebuilt", func() {
					for range 1 + remedies {
						if _, err := freshJudge(b, world).Obstacles(b.Context(), pod.(*corev1.Pod)); err != nil {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
}

func freshJudge(b *testing.B, world *cluster.Snapshot) *scheduling.Judge {
	b.Helper()
	judge, err := scheduling.New(b.Context(), world, scheduling.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return judge
}

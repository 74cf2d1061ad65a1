package controller

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// BenchmarkForecast is what it takes a controller at rest to foresee what the replacement of one node would do, from when it is
// asked for until the verdict: the first one, which makes the scheduler that later ones share for a while. A drill asks for it.
// Its memory is held against what the controller held before.
func BenchmarkForecast(b *testing.B) {
	const nodes = 5000
	b.Run(fmt.Sprintf("%d-nodes", nodes), func(b *testing.B) {
		contents := clustertest.BigContents(nodes, 20*nodes)
		lost := nodeIn(b, contents.Objects)
		lost.Status.Conditions = append(lost.Status.Conditions, corev1.NodeCondition{Type: "KernelReady", Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()})
		server, url := serve(b, contents.Objects, restful())
		for b.Loop() {
			pid, health := child(b, url)
			await(b, health)
			rest := time.NewTimer(30 * time.Second)
			<-rest.C // The last of what starting takes, and a first plan.
			before, cpu := memoryOf(b, pid, "VmRSS"), cpuOf(b, pid)
			forgetPeak(b, pid)
			began := time.Now()
			steps := server.ended(b, server.give(b, asked(lost)))
			b.ReportMetric(time.Since(began).Seconds(), "s/forecast")
			b.ReportMetric(cpuOf(b, pid)-cpu, "CPU-s/forecast")
			benchmark.Alternative(b, "before", before, "MiB-peak")
			b.ReportMetric(memoryOf(b, pid, "VmHWM"), "MiB-peak")
			if steps < 4 {
				b.Errorf("the drill came to %d steps, and not to the guard", steps)
			}
		}
		benchmark.Target(b, 0.4, "before", "MiB-peak")
	})
}

// asked is a drill whose agent has done its part.
func asked(node *corev1.Node) *v1alpha1.Remediation {
	now := metav1.Now()
	return &v1alpha1.Remediation{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Remediation"},
		ObjectMeta: metav1.ObjectMeta{Name: "drill", UID: "drill", Generation: 1, ResourceVersion: "2", CreationTimestamp: now},
		Spec: v1alpha1.RemediationSpec{
			Node:  v1alpha1.NodeReference{Name: node.Name, UID: node.UID},
			Drill: &v1alpha1.Drill{Nonce: "c0ffee0ddba11", Reason: "KernelDeadlock", Depth: v1alpha1.DrillDryRun},
		},
		Status: v1alpha1.RemediationStatus{Agent: &v1alpha1.AgentReport{
			State: v1alpha1.AgentDone, At: metav1.NowMicro(), Version: "1",
			Evidence: &v1alpha1.Evidence{Condition: "KernelReady", Status: metav1.ConditionFalse, Reason: "KernelDeadlock", Since: now},
		}},
	}
}

func nodeIn(b *testing.B, objects []runtime.Object) *corev1.Node {
	b.Helper()
	for _, o := range objects {
		if node, ok := o.(*corev1.Node); ok {
			return node
		}
	}
	b.Fatal("there is no node")
	return nil
}

// ended waits until a drill has ended, and says to how many steps it came. It may end at the guard, which has then ruled.
func (p *played) ended(b *testing.B, path string) int {
	b.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		p.mu.Lock()
		phase, _, _ := unstructured.NestedString(p.kept[path], "status", "phase")
		steps, _, _ := unstructured.NestedSlice(p.kept[path], "status", "steps")
		p.mu.Unlock()
		if phase == string(v1alpha1.PhaseEnded) {
			for _, step := range steps {
				if result, _, _ := unstructured.NestedString(step.(map[string]any), "result"); result != string(v1alpha1.StepDone) {
					b.Logf("%v", step)
				}
			}
			return len(steps)
		}
	}
	return 0
}

// forgetPeak has Linux count the most memory that a process had from now on (proc_pid_clear_refs(5)).
func forgetPeak(b *testing.B, pid int) {
	b.Helper()
	if err := os.WriteFile(filepath.Join("/proc", strconv.Itoa(pid), "clear_refs"), []byte("5"), 0); err != nil {
		b.Skipf("only Linux tells: %v", err)
	}
}

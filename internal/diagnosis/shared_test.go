package diagnosis_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestAuditOfAFile audits each example cluster as if read from a file: of kinds that the file has none of, nothing is known. All
// that is broken there by `naosu why -A` is the subject of a finding.
func TestAuditOfAFile(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no input (%v)", err)
	}
	without := 0
	for _, input := range inputs {
		t.Run(input, func(t *testing.T) {
			objects := clustertest.Load(t, input)
			known := map[cluster.Kind]cluster.Knowledge{}
			for _, o := range objects {
				if kind, ok := cluster.KindOf(o.(metav1.Object)); ok {
					known[kind] = cluster.Complete
				}
			}
			q := question(t, objects, known, nil)
			found := map[change.Ref]bool{}
			for _, f := range diagnosis.Audit(t.Context(), q, nil).Findings {
				for _, ref := range f.Subjects {
					found[ref] = true
				}
			}
			for _, e := range diagnosis.Overview(t.Context(), q, diagnosis.Scope{}).Explanations {
				if !q.Known(cluster.Pod) {
					without++
				}
				if !found[e.Subject] {
					t.Errorf("audit says nothing of %s: %s", e.Subject, message.English().Say(e.Summary))
				}
			}
		})
	}
	if without == 0 {
		t.Error("nothing is broken in any file without pods")
	}
}

// TestAuditJoins sees that pods which lack the same are one finding, with a remedy that helps all of them.
func TestAuditJoins(t *testing.T) {
	for name, tc := range map[string]struct {
		cpu                []string // of each pod that waits
		findings, subjects int
		size               string
		enough             bool // what is said of the first pod alone
	}{
		"one":                              {[]string{"1"}, 1, 1, "desiredSize=3", true},
		"two that fit one more node":       {[]string{"500m", "500m"}, 1, 2, "desiredSize=3", true},
		"three of which each needs a node": {[]string{"1500m", "1500m", "1500m"}, 1, 3, "desiredSize=5", true},
		"two that lack different amounts":  {[]string{"1", "500m"}, 2, 1, "desiredSize=3", true},
	} {
		t.Run(name, func(t *testing.T) {
			objects := fullGroup()
			for i, cpu := range tc.cpu {
				objects = append(objects, waitingPod("app-"+strconv.Itoa(i), cpu))
			}
			world := worldOf(objects)
			q := query.Query{World: world, Judge: judgeOf(t, world)}
			found := about(diagnosis.Audit(t.Context(), q, nil), finding.N504)
			if len(found) != tc.findings || len(found[0].Subjects) != tc.subjects {
				t.Fatalf("%d findings, of %d things the first: %+v; want %d of %d", len(found), len(found[0].Subjects), found, tc.findings, tc.subjects)
			}
			if more := strings.Contains(message.English().Say(found[0].Message), "more like it"); more != (tc.subjects > 1) {
				t.Errorf("it says %q of %d", message.English().Say(found[0].Message), tc.subjects)
			}
			if len(found[0].Remedies) == 0 || !found[0].Remedies[0].Verified || !strings.Contains(found[0].Remedies[0].Command, tc.size) {
				t.Errorf("remedies %+v, want %s first, verified", found[0].Remedies, tc.size)
			}
			remedies := diagnosis.Remedies(t.Context(), q, diagnosis.Causes(diagnosis.Overview(t.Context(), q, diagnosis.Scope{}).Explanations)[0])
			if len(remedies) == 0 || remedies[0].Verified != tc.enough || strings.Contains(message.English().Say(remedies[0].Message), "not for all") == tc.enough {
				t.Errorf("remedies %+v, want the first called enough: %t", remedies, tc.enough)
			}
		})
	}
}

// fullGroup are two nodes of a group, each with a pod that takes all of it.
func fullGroup() []runtime.Object {
	var objects []runtime.Object
	for _, name := range []string{"n0", "n1"} {
		room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("20")}
		objects = append(objects, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
				corev1.LabelHostname: name, corev1.LabelTopologyZone: "us-east-1a", "eks.amazonaws.com/nodegroup": "g",
			}},
			Spec: corev1.NodeSpec{ProviderID: "aws:///us-east-1a/i-" + name},
			Status: corev1.NodeStatus{
				Capacity: room, Allocatable: room, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		})
		taken := waitingPod("taken-"+name, "2")
		taken.Spec.NodeName, taken.Status = name, corev1.PodStatus{Phase: corev1.PodRunning}
		objects = append(objects, taken)
	}
	return objects
}

// waitingPod is one that the scheduler finds no node for.
func waitingPod(name, cpu string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name)},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/2 nodes are available: 2 Insufficient cpu.",
		}}},
	}
}

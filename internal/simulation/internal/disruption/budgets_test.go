package disruption_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/internal/disruption"
	"github.com/naosu-dev/naosu/internal/simulation/internal/pods"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

func pod(i int) *corev1.Pod {
	name := fmt.Sprintf("web-%d", i)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{NodeName: "n1"},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

func budget(name string, least intstr.IntOrString) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}
}

// budgets are those of three pods.
func budgets(objects ...runtime.Object) *disruption.Budgets {
	for i := range 3 {
		objects = append(objects, pod(i))
	}
	index := pods.New(cluster.New(cluster.Contents{Objects: objects}))
	return disruption.New(&index)
}

// A budget allows evictions until too few pods are healthy, and again once a replacement is.
func TestEvictionBlocker(t *testing.T) {
	b := budgets(budget("web", intstr.FromInt(2)))
	expect := func(want message.ID) {
		t.Helper()
		if got := b.EvictionBlocker(pod(1)).ID; got != want {
			t.Errorf("blocked by %q, want %q", got, want)
		}
	}
	expect("")
	if edits := b.MarkUnhealthy(pod(0), pod(0)); len(edits) != 1 {
		t.Errorf("%d edits for a pod counted once", len(edits))
	}
	expect(message.FateBlocked)
	if edits := b.MarkHealthy(pod(3)); len(edits) != 1 {
		t.Errorf("%d edits for a new pod", len(edits))
	}
	expect("")
	b.Adjust("default", map[string]string{"app": "other"}, -1)
	expect("")
	b.Put(budget("second", intstr.FromInt(0)))
	expect(message.FateBudgets)
}

// Of several violations of a budget the worst counts.
func TestViolations(t *testing.T) {
	b := budgets(budget("web", intstr.FromInt(2)))
	b.RecordViolations(pod(0))
	if got := b.Violations(); len(got) > 0 {
		t.Errorf("one pod violates %v", got)
	}
	b.RecordViolations(pod(0), pod(1), pod(2))
	b.RecordViolations(pod(0), pod(1))
	want := []outcome.Violation{{Budget: change.Ref{Kind: "PodDisruptionBudget", Namespace: "default", Name: "web"}, Allowed: 1, Disrupted: 3}}
	if diff := cmp.Diff(want, b.Violations()); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if b.ClearViolations(); len(b.Violations()) > 0 {
		t.Error("cleared violations are told")
	}
}

// A pod held as unhealthy is not counted, whatever its status says.
func TestHold(t *testing.T) {
	b := budgets()
	b.Hold(pod(0))
	b.Put(budget("web", intstr.FromInt(3)))
	if got := b.EvictionBlocker(pod(1)); got.Args["healthy"] != 2 {
		t.Errorf("blocked by %v", got)
	}
	if b.Release(pod(0)); b.IsUnhealthy(pod(0)) {
		t.Error("a released pod counts as unhealthy")
	}
}

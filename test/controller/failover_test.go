package controller

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// The running pods that a FailoverPolicy selects get its seconds, what follows a change of the policy too, and none is restarted.
func TestTolerationSeconds(t *testing.T) {
	r := start(t, "--metrics-secure=false")
	pods := func() []corev1.Pod {
		var all corev1.PodList
		if err := shared.List(t.Context(), &all, client.InNamespace("default"), client.MatchingLabels{"app": "web"}); err != nil {
			t.Fatal(err)
		}
		return all.Items
	}
	before := map[string]bool{}
	for _, p := range pods() {
		before[string(p.UID)] = true
	}
	have := func(seconds int64) bool {
		for _, p := range pods() {
			for _, toleration := range p.Spec.Tolerations {
				if strings.HasPrefix(toleration.Key, "node.kubernetes.io/") && *toleration.TolerationSeconds != seconds {
					return false
				}
			}
		}
		return true
	}
	policy := &v1alpha1.FailoverPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: v1alpha1.FailoverPolicySpec{
			Mode: v1alpha1.ModeReport, PodSelector: *metav1.SetAsLabelSelector(map[string]string{"app": "web"}), NotReadySeconds: 120, UnreachableSeconds: 120,
		},
	}
	if err := shared.Create(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Delete(t.Context(), policy) })
	counted := func(due, covered int32) func() bool {
		return func() bool {
			if err := shared.Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
				t.Fatal(err)
			}
			s := policy.Status
			return s.ObservedGeneration == policy.Generation && meta.IsStatusConditionTrue(s.Conditions, v1alpha1.PolicyReady) &&
				*s.Pods == 6 && *s.DuePods == due && *s.CoveredPods == covered
		}
	}
	until(t, "the policy reports six pods that are due", counted(6, 0))
	if have(120) {
		t.Error("a policy that only reports has changed pods")
	}
	edit := func(change string) {
		if err := shared.Patch(t.Context(), policy, client.RawPatch("application/merge-patch+json", []byte(change))); err != nil {
			t.Fatal(err)
		}
	}
	edit(`{"spec":{"mode":"Auto"}}`)
	until(t, "six pods are covered", counted(0, 6))
	if !have(120) {
		t.Error("the policy says that six pods are covered, and they are not")
	}
	edit(`{"spec":{"notReadySeconds":60,"unreachableSeconds":60}}`)
	until(t, "the pods follow the policy", func() bool { return have(60) })
	for _, p := range pods() {
		if !before[string(p.UID)] || len(p.Status.ContainerStatuses) == 0 || p.Status.ContainerStatuses[0].RestartCount > 0 {
			t.Errorf("%s is another, or was restarted", p.Name)
		}
	}
	until(t, "the metrics have the pods", func() bool {
		_, body := get(t, "http://"+r.metrics+"/metrics")
		return strings.Contains(body, `naosu_failover_pods{policy="web",state="Covered"} 6`)
	})
}

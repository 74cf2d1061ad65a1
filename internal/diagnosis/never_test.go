package diagnosis_test

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/finding"
)

// A node without an agent is a fault where an agent should be, and not where nothing says so.
func TestNodeOnWhichNoAgentEverReported(t *testing.T) {
	eachSet := func(change func(*appsv1.DaemonSet)) func([]runtime.Object) []runtime.Object {
		return func(objects []runtime.Object) []runtime.Object {
			for _, o := range objects {
				if set, is := o.(*appsv1.DaemonSet); is {
					change(set)
				}
			}
			return objects
		}
	}
	for name, tc := range map[string]struct {
		edit func([]runtime.Object) []runtime.Object
		want int
	}{
		"as it is": {func(objects []runtime.Object) []runtime.Object { return objects }, 2},
		"nobody reports": {func(objects []runtime.Object) []runtime.Object {
			for _, o := range objects {
				if node, is := o.(*corev1.Node); is {
					node.Status.Conditions = node.Status.Conditions[:1]
				}
			}
			return objects
		}, 0},
		"no DaemonSet": {func(objects []runtime.Object) []runtime.Object {
			return slices.DeleteFunc(objects, func(o runtime.Object) bool { _, is := o.(*appsv1.DaemonSet); return is })
		}, 0},
		"a DaemonSet of something else": {eachSet(func(set *appsv1.DaemonSet) { set.Name = "kube-proxy" }), 0},
		"of another agent":              {eachSet(func(set *appsv1.DaemonSet) { set.Name = "eks-node-monitoring-agent" }), 2},
		"a new DaemonSet":               {eachSet(func(set *appsv1.DaemonSet) { set.CreationTimestamp = metav1.NewTime(now.Add(-15 * time.Minute)) }), 0},
		"one that selects labels of others": {eachSet(func(set *appsv1.DaemonSet) {
			set.Spec.Template.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": "reports-1"}
		}), 0},
		"a taint that it does not tolerate": {func(objects []runtime.Object) []runtime.Object {
			for _, o := range objects {
				switch o := o.(type) {
				case *appsv1.DaemonSet:
					o.Spec.Template.Spec.Tolerations = nil
				case *corev1.Node:
					if o.Name == "no-pod" {
						o.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
					}
				}
			}
			return objects
		}, 1},
		"a cordon": {func(objects []runtime.Object) []runtime.Object {
			for _, o := range objects {
				switch o := o.(type) {
				case *appsv1.DaemonSet:
					o.Spec.Template.Spec.Tolerations = nil
				case *corev1.Node:
					o.Spec.Unschedulable = o.Name == "no-pod"
					if o.Spec.Unschedulable {
						o.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
					}
				}
			}
			return objects
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			found := about(audit(t, tc.edit(clustertest.Load(t, "testdata/audit/n303-never.yaml"))), finding.N303)
			if len(found) != tc.want {
				t.Errorf("found %v, want %d", found, tc.want)
			}
		})
	}
}

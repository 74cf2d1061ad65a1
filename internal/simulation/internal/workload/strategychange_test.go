package workload_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestStrategyChangeDuringRollout changes the strategy of a Deployment whose new pod cannot run beside an old one.
func TestStrategyChangeDuringRollout(t *testing.T) {
	strategy := func(patch string) change.Change {
		return change.Patch{Object: change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}, Patch: `{"spec":{"strategy":` + patch + `}}`}
	}
	one := `{"rollingUpdate":{"maxUnavailable":1}}`
	recreate := `{"type":"Recreate","rollingUpdate":null}`
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"old ones are removed one by one": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), halfRolledOut(80, "n1", "n2")), strategy(one),
			[]string{"created web-2-* >n2", "ended web-1-a n1> FateRolled", "ended web-1-b n2> FateRolled", "moved web-2-z >n1"},
		},
		"the only one is removed first": {
			testworld.Of(testworld.Node("n1", "a"), halfRolledOut(80, "n1")), strategy(recreate),
			[]string{"ended web-1-a n1> FateRecreated", "moved web-2-z >n1"},
		},
		"none needs to be removed first": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), halfRolledOut(80, "n1")), strategy(recreate),
			[]string{"ended web-1-a n1> FateRecreated", "moved web-2-z >n2"},
		},
		"removing them does not help": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "b", testworld.CPU("1")), halfRolledOut(80, "n1", "n2"), testworld.Deployment("api", testworld.Template("api", "900m"), "n1", "n2")), strategy(one),
			[]string{"ended web-1-a n1> FateRolled", "waiting web-2-* FateUnschedulable"},
		},
		"the strategy stays": {
			testworld.Of(testworld.Node("n1", "a"), halfRolledOut(80, "n1")), strategy(`{"rollingUpdate":{"maxUnavailable":0}}`),
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.change), tc.want...) })
	}
}

// halfRolledOut is the Deployment web with an old pod on each of the nodes and a new pending one, all with a host port. None of
// the old ones may be removed before a new one is ready.
func halfRolledOut(port int32, nodes ...string) testworld.Objects {
	exposed := func(spec *corev1.PodSpec) {
		spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port, HostPort: port}}
	}
	all := testworld.Deployment("web", testworld.Template("web", "300m", exposed), nodes...)
	d, old := all[0].(*appsv1.Deployment), all[1].(*appsv1.ReplicaSet)
	d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
		MaxSurge: new(intstr.FromInt32(1)), MaxUnavailable: new(intstr.FromInt32(0)),
	}}
	d.Spec.Template.Annotations = map[string]string{"version": "2"}
	present := old.DeepCopy()
	old.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}
	present.Name, present.UID, present.Spec.Replicas = "web-2", types.UID("ReplicaSetweb-2"), new(int32(1))
	present.Annotations = map[string]string{"deployment.kubernetes.io/revision": "2"}
	present.Spec.Template = *d.Spec.Template.DeepCopy()
	waiting := testworld.Placed("web-2-z", "", d.Spec.Template, testworld.OwnedBy("apps/v1", "ReplicaSet", "web-2"))
	waiting.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
	return append(all, present, waiting)
}

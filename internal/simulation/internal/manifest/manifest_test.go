package manifest_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

func TestApply(t *testing.T) {
	classed := func(s *corev1.PodSpec) { s.PriorityClassName = "urgent" }
	urgent := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}
	pod := testworld.Placed("one", "", testworld.Template("one", "1"))
	pod.UID, pod.Spec.Priority = "", nil
	limits := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "limits", Namespace: "default"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer, DefaultRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")},
		}}},
	}
	asksNothing := testworld.Template("web", "0")
	asksNothing.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	claimed := testworld.Template("db", "1")
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "default"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(2)), Template: claimed, Selector: &metav1.LabelSelector{MatchLabels: claimed.Labels},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
				ObjectMeta: metav1.ObjectMeta{Name: "data"},
				Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
			}},
		},
	}
	night := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "night", Namespace: "default"},
		Spec:       batchv1.JobSpec{Parallelism: new(int32(3)), Completions: new(int32(2)), Template: testworld.Template("night", "1")},
	}
	one := func() testworld.Objects { return testworld.Of(testworld.Node("n1", "a")) }
	for name, tc := range map[string]struct {
		world   testworld.Objects
		applied []runtime.Object
		want    []string
	}{
		"a new Deployment": {one(), []runtime.Object{testworld.NewDeployment(2, testworld.Template("web", "1"))}, []string{"created web-* >n1", "created web-* >n1"}},
		"too large a one":  {one(), []runtime.Object{testworld.NewDeployment(2, testworld.Template("web", "3"))}, []string{"created web-* >n1", "waiting web-* FateUnschedulable"}},
		"its priority class comes with it, whatever the order": {
			testworld.Of(one(), testworld.Deployment("low", testworld.Template("low", "3"), "n1")),
			[]runtime.Object{testworld.NewDeployment(1, testworld.Template("web", "3", classed)), urgent},
			[]string{"waiting low-1-* FateUnschedulable", "preempted low-1-a n1> by web-* 30s", "created web-* >n1"},
		},
		"the same Deployment again changes nothing": {
			testworld.Of(one(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")), []runtime.Object{testworld.NewDeployment(1, testworld.Template("web", "1"))}, nil,
		},
		"more replicas": {
			testworld.Of(one(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")), []runtime.Object{testworld.NewDeployment(2, testworld.Template("web", "1"))}, []string{"created web-1-* >n1"},
		},
		"a template that fits rolls out": {
			testworld.Of(one(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			[]runtime.Object{testworld.NewDeployment(1, testworld.Template("web", "2"))},
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"one that does not fit leaves the old pods": {
			testworld.Of(one(), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			[]runtime.Object{testworld.NewDeployment(1, testworld.Template("web", "4"))},
			[]string{"waiting web-* FateUnschedulable"},
		},
		"a namespace's LimitRange": {
			one(), []runtime.Object{limits, testworld.NewDeployment(2, asksNothing)}, []string{"created web-* >n1", "waiting web-* FateUnschedulable"},
		},
		"a pod": {one(), []runtime.Object{pod}, []string{"created one >n1"}},
		"a StatefulSet with claims for new volumes": {
			testworld.Of(one(), testworld.WaitForFirstConsumerClass("gp3")), []runtime.Object{set}, []string{"created db-0 >n1", "created db-1 >n1"},
		},
		"a Job": {one(), []runtime.Object{night}, []string{"created night-* >n1", "created night-* >n1"}},
	} {
		t.Run(name, func(t *testing.T) {
			testworld.ExpectFates(t, tc.world.Run(t, change.Apply{From: "x.yaml", Objects: tc.applied}), tc.want...)
		})
	}
}

func TestApplyOfUnmodelledKind(t *testing.T) {
	other := &unstructured.Unstructured{}
	other.SetGroupVersionKind(schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout"})
	other.SetName("web")
	outcome := testworld.ThreeNodes().Run(t, change.Apply{From: "-", Objects: []runtime.Object{other}})
	testworld.ExpectGap(t, outcome, "Rollout/web", "GapKind")
}

func TestProvisionedVolumeNodeAffinity(t *testing.T) {
	set := testworld.StatefulSet("db", testworld.Template("db", "1"))
	set[0].(*appsv1.StatefulSet).Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
	}}
	w := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b", testworld.CPU("1m")), testworld.WaitForFirstConsumerClass("gp3"), set)
	outcome := w.Run(t,
		change.ScaleWorkload{Kind: "StatefulSet", Namespace: "default", Name: "db", Replicas: 1},
		change.AddNodes{Count: 1, Zone: "b"},
		change.DrainNode{Node: "n1"},
	)
	testworld.ExpectFates(t, outcome, "waiting db-0 FateUnschedulable")
}

func TestPatch(t *testing.T) {
	patch := func(kind, name, patch string) change.Change {
		return change.Patch{Object: change.Ref{Kind: kind, Namespace: "default", Name: name}, Patch: patch}
	}
	gated := testworld.Placed("one", "", testworld.Template("one", "1"))
	gated.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"a Deployment's template rolls out": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1")),
			patch("Deployment", "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"2"}}}]}}}}`),
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"a StatefulSet's from its last pod": {
			testworld.Of(testworld.Node("n1", "a"), testworld.StatefulSet("db", testworld.Template("db", "1"), "n1", "n1")),
			patch("StatefulSet", "db", `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"3500m"}}}]}}}}`),
			[]string{"waiting db-1 n1> FateUnschedulable"},
		},
		"a DaemonSet's node selector removes its pods": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1", "n2")),
			patch("DaemonSet", "agent", `{"spec":{"template":{"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"a"}}}}}`),
			[]string{"moved agent-n1 n1>n1", "ended agent-n2 n2> FateUnwanted"},
		},
		"a node's labels let a pod in": {
			testworld.Of(testworld.Node("n1", "a"), gated),
			change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"metadata":{"labels":{"disk":"ssd"}}}`},
			[]string{"moved one >n1"},
		},
		"a budget allows evictions": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.Deployment("web", testworld.Template("web", "1"), "n1"), testworld.Budget("keep", "web", 1)),
			patch("PodDisruptionBudget", "keep", `{"spec":{"minAvailable":0}}`),
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.change), tc.want...) })
	}
}

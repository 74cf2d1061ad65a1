package simulation_test

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
)

// newDeployment is a manifest: no UID, no status, no defaults.
func newDeployment(replicas int32, t corev1.PodTemplateSpec) *appsv1.Deployment {
	t.Spec.SchedulerName = ""
	if t.Spec.PriorityClassName != "" {
		t.Spec.Priority = nil
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: t.Labels["app"], Namespace: "default"},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: t.Labels}, Template: t},
	}
}

func TestApply(t *testing.T) {
	classed := func(s *corev1.PodSpec) { s.PriorityClassName = "urgent" }
	urgent := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}
	pod := placed("one", "", template("one", "1"))
	pod.UID, pod.Spec.Priority = "", nil
	limits := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "limits", Namespace: "default"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer, DefaultRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")},
		}}},
	}
	asksNothing := template("web", "0")
	asksNothing.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	claimed := template("db", "1")
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
		Spec:       batchv1.JobSpec{Parallelism: new(int32(3)), Completions: new(int32(2)), Template: template("night", "1")},
	}
	one := func() objects { return world(node("n1", "a")) }
	for name, tc := range map[string]struct {
		world   objects
		applied []runtime.Object
		want    []string
	}{
		"a new Deployment": {one(), []runtime.Object{newDeployment(2, template("web", "1"))}, []string{"created web-* >n1", "created web-* >n1"}},
		"too large a one":  {one(), []runtime.Object{newDeployment(2, template("web", "3"))}, []string{"created web-* >n1", "waiting web-* FateUnschedulable"}},
		"its priority class comes with it, whatever the order": {
			world(one(), deployment("low", template("low", "3"), "n1")),
			[]runtime.Object{newDeployment(1, template("web", "3", classed)), urgent},
			[]string{"waiting low-1-* FateUnschedulable", "preempted low-1-a n1> by web-* 30s", "created web-* >n1"},
		},
		"the same Deployment again changes nothing": {
			world(one(), deployment("web", template("web", "1"), "n1")), []runtime.Object{newDeployment(1, template("web", "1"))}, nil,
		},
		"more replicas": {
			world(one(), deployment("web", template("web", "1"), "n1")), []runtime.Object{newDeployment(2, template("web", "1"))}, []string{"created web-1-* >n1"},
		},
		"a template that fits rolls out": {
			world(one(), deployment("web", template("web", "1"), "n1")),
			[]runtime.Object{newDeployment(1, template("web", "2"))},
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"one that does not fit leaves the old pods": {
			world(one(), deployment("web", template("web", "1"), "n1")),
			[]runtime.Object{newDeployment(1, template("web", "4"))},
			[]string{"waiting web-* FateUnschedulable"},
		},
		"a namespace's LimitRange": {
			one(), []runtime.Object{limits, newDeployment(2, asksNothing)}, []string{"created web-* >n1", "waiting web-* FateUnschedulable"},
		},
		"a pod": {one(), []runtime.Object{pod}, []string{"created one >n1"}},
		"a StatefulSet with claims for new volumes": {
			world(one(), waitForFirstConsumerClass("gp3")), []runtime.Object{set}, []string{"created db-0 >n1", "created db-1 >n1"},
		},
		"a Job": {one(), []runtime.Object{night}, []string{"created night-* >n1", "created night-* >n1"}},
	} {
		t.Run(name, func(t *testing.T) {
			expectFates(t, tc.world.run(t, change.Apply{From: "x.yaml", Objects: tc.applied}), tc.want...)
		})
	}
}

func TestApplyOfUnmodelledKind(t *testing.T) {
	other := &unstructured.Unstructured{}
	other.SetGroupVersionKind(schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout"})
	other.SetName("web")
	outcome := threeNodes().run(t, change.Apply{From: "-", Objects: []runtime.Object{other}})
	expectGap(t, outcome, "Rollout/web", "GapKind")
}

func TestProvisionedVolumeNodeAffinity(t *testing.T) {
	set := statefulSet("db", template("db", "1"))
	set[0].(*appsv1.StatefulSet).Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
	}}
	w := world(node("n1", "a"), node("n2", "b", cpu("1m")), waitForFirstConsumerClass("gp3"), set)
	outcome := w.run(t,
		change.ScaleWorkload{Kind: "StatefulSet", Namespace: "default", Name: "db", Replicas: 1},
		change.AddNodes{Count: 1, Zone: "b"},
		change.DrainNode{Node: "n1"},
	)
	expectFates(t, outcome, "waiting db-0 FateUnschedulable")
}

func TestPatch(t *testing.T) {
	patch := func(kind, name, patch string) change.Change {
		return change.Patch{Object: change.Ref{Kind: kind, Namespace: "default", Name: name}, Patch: patch}
	}
	gated := placed("one", "", template("one", "1"))
	gated.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	for name, tc := range map[string]struct {
		world  objects
		change change.Change
		want   []string
	}{
		"a Deployment's template rolls out": {
			world(node("n1", "a"), deployment("web", template("web", "1"), "n1")),
			patch("Deployment", "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"2"}}}]}}}}`),
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"a StatefulSet's from its last pod": {
			world(node("n1", "a"), statefulSet("db", template("db", "1"), "n1", "n1")),
			patch("StatefulSet", "db", `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"3500m"}}}]}}}}`),
			[]string{"waiting db-1 n1> FateUnschedulable"},
		},
		"a DaemonSet's node selector removes its pods": {
			world(node("n1", "a"), node("n2", "b"), daemonSet("agent", template("agent", "1"), "n1", "n2")),
			patch("DaemonSet", "agent", `{"spec":{"template":{"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"a"}}}}}`),
			[]string{"moved agent-n1 n1>n1", "ended agent-n2 n2> FateUnwanted"},
		},
		"a node's labels let a pod in": {
			world(node("n1", "a"), gated),
			change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"metadata":{"labels":{"disk":"ssd"}}}`},
			[]string{"moved one >n1"},
		},
		"a budget allows evictions": {
			world(node("n1", "a"), node("n2", "b"), deployment("web", template("web", "1"), "n1"), budget("keep", "web", 1)),
			patch("PodDisruptionBudget", "keep", `{"spec":{"minAvailable":0}}`),
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, tc.world.run(t, tc.change), tc.want...) })
	}
}

package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestRefusedPods has pods that the API server refuses to create.
func TestRefusedPods(t *testing.T) {
	classed := func(name string) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) { s.Priority, s.PriorityClassName = nil, name }
	}
	runs := func(name string) func(*corev1.PodSpec) { return func(s *corev1.PodSpec) { s.RuntimeClassName = &name } }
	in := func(pool string) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"pool": pool} }
	}
	pinned := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "pinned"}, Handler: "pinned", Scheduling: &nodev1.Scheduling{NodeSelector: map[string]string{"pool": "p1"}}}
	pooled := func(n *corev1.Node) { n.Labels["pool"] = "p1" }
	as := func(name string) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) { s.ServiceAccountName = name }
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot", Namespace: "default"}}
	elsewhere := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot", Namespace: "other"}}
	strict := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	largest := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "limits", Namespace: "default"},
		Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypePod, Max: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}}},
	}
	there := func() testworld.Objects {
		return testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2")
	}
	next := func(edits ...func(*corev1.PodSpec)) change.Change {
		return change.Apply{Objects: []runtime.Object{testworld.NewDeployment(2, testworld.Template("web", "1", edits...))}}
	}
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
		why    string
	}{
		"a priority class": {
			testworld.Of(testworld.ThreeNodes(), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "known"}, Value: 1}), next(classed("unknown")),
			[]string{"waiting web-* FateRefused", "waiting web-* FateRefused"},
			"no PriorityClass with name unknown was found",
		},
		"a runtime class": {
			testworld.ThreeNodes(), next(runs("nosuch")),
			[]string{"waiting web-* FateRefused", "waiting web-* FateRefused"},
			`pod rejected: RuntimeClass "nosuch" not found`,
		},
		"one that is there": {
			testworld.Of(testworld.ThreeNodes(), &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "kata"}, Handler: "kata"}), next(runs("kata")),
			[]string{"created web-* >n1", "created web-* >n2"},
			"",
		},
		"a rollout to a runtime class": {
			testworld.Of(testworld.ThreeNodes(), there()),
			change.Patch{
				Object: change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"},
				Patch:  `{"spec":{"template":{"spec":{"runtimeClassName":"nosuch","priorityClassName":""}}}}`,
			},
			[]string{"waiting web-* FateRefused"},
			`pod rejected: RuntimeClass "nosuch" not found`,
		},
		"a runtime class for other nodes": {
			testworld.Of(testworld.Node("n1", "a", pooled), pinned), next(runs("pinned"), in("p0")),
			[]string{"waiting web-* FateRefused", "waiting web-* FateRefused"},
			"conflict: runtimeClass.scheduling.nodeSelector[pool] = p1; pod.spec.nodeSelector[pool] = p0",
		},
		"one for the same nodes": {
			testworld.Of(testworld.Node("n1", "a", pooled), pinned), next(runs("pinned"), in("p1")),
			[]string{"created web-* >n1", "created web-* >n1"},
			"",
		},
		"a service account": {
			testworld.Of(testworld.ThreeNodes(), elsewhere), next(as("robot")),
			[]string{"waiting web-* FateRefused", "waiting web-* FateRefused"},
			`error looking up service account default/robot: serviceaccount "robot" not found`,
		},
		"a service account applied with it": {
			testworld.ThreeNodes(),
			change.Apply{Objects: []runtime.Object{testworld.NewDeployment(1, testworld.Template("web", "1", as("robot"))), account}},
			[]string{"created web-* >n1"},
			"",
		},
		"a namespace's security": {
			testworld.Of(testworld.ThreeNodes(), strict), next(),
			[]string{"waiting web-* FateRefused", "waiting web-* FateRefused"},
			`violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false`,
		},
		"a namespace's limits": {
			testworld.Of(testworld.ThreeNodes(), largest), next(),
			[]string{"waiting web-* FateRefused", "waiting web-* FateRefused"},
			"maximum memory usage per Pod is 1Gi.  No limit is specified",
		},
		"a quota": {
			testworld.Of(testworld.ThreeNodes(), there(), testworld.Quota("3")),
			change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 4},
			[]string{"created web-1-* >n3", "waiting web-1-* FateRefused"},
			"exceeded quota: most, requested: pods=1, used: pods=3, limited: pods=3",
		},
		"a quota applied with it": {
			testworld.ThreeNodes(),
			change.Apply{Objects: []runtime.Object{testworld.NewDeployment(2, testworld.Template("web", "1")), testworld.Quota("1")}},
			[]string{"created web-* >n1", "waiting web-* FateRefused"},
			"exceeded quota",
		},
		"a quota that a drain keeps to": {
			testworld.Of(testworld.ThreeNodes(), there(), testworld.Quota("2")), change.DrainNode{Node: "n1"}, []string{"moved web-1-a n1>n3"}, "",
		},
		"a StatefulSet's pod beyond a quota": {
			testworld.Of(testworld.ThreeNodes(), testworld.StatefulSet("db", testworld.Template("db", "1"), "n1"), testworld.Quota("2")),
			change.ScaleWorkload{Kind: "StatefulSet", Namespace: "default", Name: "db", Replicas: 3},
			[]string{"created db-1 >n2", "waiting db-2 FateRefused"},
			"exceeded quota",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := simulation.Run(t.Context(), tc.world.CompleteJudge(t), []change.Change{tc.change}, simulation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			lines := testworld.DescribeFates(result)
			for i, line := range lines { // The node does not matter.
				lines[i] = strings.TrimRight(line, "123")
			}
			var want []string
			for _, line := range tc.want {
				want = append(want, strings.TrimRight(line, "123"))
			}
			slices.Sort(want)
			if !slices.Equal(lines, want) {
				t.Errorf("got %q, want %q", lines, want)
			}
			for _, fate := range result.Fates {
				if why, _ := fate.Why.Args["why"].(string); fate.Why.ID == "FateRefused" && !strings.Contains(why, tc.why) {
					t.Errorf("%s: %q, want %q", fate.Pod, why, tc.why)
				}
			}
			for _, pod := range result.World.Pods() {
				if pod.Spec.NodeName == "" {
					t.Errorf("%s is there, though it is refused", pod.Name)
				}
			}
		})
	}
}

// TestQuotaDuringRollout: if a rollout may remove a pod first, the new one gets its quota; otherwise it is never created.
func TestQuotaDuringRollout(t *testing.T) {
	for _, tc := range []struct {
		unavailable int
		want        []string
	}{
		{1, []string{"created web-* >", "created web-* >", "ended web-1-a n1> FateRolled", "ended web-1-b n2> FateRolled"}},
		{0, []string{"waiting web-* FateRefused"}},
	} {
		next := testworld.NewDeployment(2, testworld.Template("web", "2"))
		unavailable, surge := intstr.FromInt(tc.unavailable), intstr.FromInt(1)
		next.Spec.Strategy = appsv1.DeploymentStrategy{
			Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &unavailable, MaxSurge: &surge},
		}
		result := testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"), testworld.Quota("2")).Run(t, change.Apply{Objects: []runtime.Object{next}})
		got := testworld.DescribeFates(result)
		for i, line := range got {
			got[i] = strings.TrimRight(line, "n123")
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("maxUnavailable %d: got %q, want %q", tc.unavailable, got, tc.want)
		}
	}
}

// TestRefusedChange has changes that the API server refuses.
func TestRefusedChange(t *testing.T) {
	pod := testworld.Placed("one", "", testworld.Template("one", "1", func(s *corev1.PodSpec) { s.ServiceAccountName = "nosuch" }))
	many := testworld.Placed("two", "", testworld.Template("two", "1"))
	set := testworld.StatefulSet("db", testworld.Template("db", "1"), "n1")
	claims := set[0].DeepCopyObject().(*appsv1.StatefulSet)
	claims.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}}}
	web := change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}
	for name, tc := range map[string]struct {
		change change.Change
		want   string
	}{
		"a pod of an unknown account": {
			change.Apply{Objects: []runtime.Object{pod}},
			`pods "one" is forbidden: error looking up service account default/nosuch: serviceaccount "nosuch" not found`,
		},
		"a pod beyond a quota": {
			change.Apply{Objects: []runtime.Object{many}}, `pods "two" is forbidden: exceeded quota: most, requested: pods=1, used: pods=3, limited: pods=3`,
		},
		"other claim templates": {
			change.Apply{Objects: []runtime.Object{claims}}, `The StatefulSet "db" is invalid: spec: Forbidden: updates to statefulset spec`,
		},
		"pod-level requests below the containers'": {
			change.Patch{Object: web, Patch: `{"spec":{"template":{"spec":{"resources":{"requests":{"cpu":"50m"}}}}}}`},
			`spec.template.spec.resources.requests[cpu]: Invalid value: "50m": must be greater than or equal to aggregate container requests of 1`,
		},
		"another selector": {
			change.Patch{Object: web, Patch: `{"spec":{"selector":{"matchLabels":{"more":"labels"}},"template":{"metadata":{"labels":{"more":"labels"}}}}}`},
			"spec.selector: Invalid value",
		},
	} {
		t.Run(name, func(t *testing.T) {
			present := testworld.Of(testworld.ThreeNodes(), testworld.Deployment("web", testworld.Template("web", "1"), "n1", "n2"), set, testworld.Quota("3"))
			_, err := simulation.Run(t.Context(), present.CompleteJudge(t), []change.Change{tc.change}, simulation.Options{})
			if refused := (outcome.RefusedError{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

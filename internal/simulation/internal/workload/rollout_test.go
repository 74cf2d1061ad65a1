package workload_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestTemplateChanges changes what the scheduler does not look at. Controllers replace the pods all the same, and the new ones
// need capacity beside the old.
func TestTemplateChanges(t *testing.T) {
	full := func() testworld.Objects {
		return testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "1"), "n1"))
	}
	for name, patch := range map[string]string{
		"environment":           `{"spec":{"template":{"spec":{"containers":[{"name":"main","env":[{"name":"VERSION","value":"v1"}]}]}}}}`,
		"an annotation":         `{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"2026-11-20T12:00:00Z"}}}}}`,
		"a label":               `{"spec":{"template":{"metadata":{"labels":{"tier":"front"}}}}}`,
		"arguments":             `{"spec":{"template":{"spec":{"containers":[{"name":"main","args":["--fast"]}]}}}}`,
		"a probe":               `{"spec":{"template":{"spec":{"containers":[{"name":"main","readinessProbe":{"tcpSocket":{"port":80}}}]}}}}`,
		"a container port":      `{"spec":{"template":{"spec":{"containers":[{"name":"main","ports":[{"containerPort":80}]}]}}}}`,
		"a ConfigMap volume":    `{"spec":{"template":{"spec":{"volumes":[{"name":"c","configMap":{"name":"c"}}]}}}}`,
		"the service account":   `{"spec":{"template":{"spec":{"serviceAccountName":"web"}}}}`,
		"the grace period":      `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":5}}}}`,
		"the runtime class":     `{"spec":{"template":{"spec":{"runtimeClassName":"heavy"}}}}`,
		"the pod's own request": `{"spec":{"template":{"spec":{"resources":{"requests":{"cpu":"1"}}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			outcome := full().Run(t, testworld.PatchOf("Deployment", "web", patch))
			testworld.ExpectFates(t, outcome, "waiting web-* FateUnschedulable")
			testworld.ExpectGap(t, outcome, "deployment/web", "GapRollout")
		})
	}
}

// TestNoTemplateChange writes out the API server's defaults, and equal values in other forms.
func TestNoTemplateChange(t *testing.T) {
	full := func() testworld.Objects {
		return testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "1"), "n1"))
	}
	for name, patch := range map[string]string{
		"nothing":           `{}`,
		"defaults":          `{"spec":{"template":{"spec":{"dnsPolicy":"ClusterFirst","restartPolicy":"Always","terminationGracePeriodSeconds":30,"containers":[{"name":"main","terminationMessagePath":"/dev/termination-log"}]}}}}`,
		"an equal quantity": `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"1000m"}}}]}}}}`,
		"its own label":     `{"metadata":{"labels":{"team":"a"},"annotations":{"checksum":"1"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			outcome := full().Run(t, testworld.PatchOf("Deployment", "web", patch))
			testworld.ExpectFates(t, outcome)
			testworld.ExpectGap(t, outcome, "deployment/web", "")
		})
	}
}

func TestRecreateForAnnotation(t *testing.T) {
	recreate := testworld.Deployment("web", testworld.Template("web", "1"), "n1")
	recreate[0].(*appsv1.Deployment).Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), recreate).Run(t, testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}}`)),
		"created web-* >n1", "ended web-1-a n1> FateRecreated")
}

func TestTemplateChangesOfOtherWorkloads(t *testing.T) {
	annotate := `{"spec":{"template":{"metadata":{"annotations":{"checksum/config":"v7"}}}}}`
	for name, tc := range map[string]struct {
		world  testworld.Objects
		change change.Change
		want   []string
	}{
		"a DaemonSet's annotation": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.DaemonSet("agent", testworld.Template("agent", "1"), "n1", "n2")), testworld.PatchOf("DaemonSet", "agent", annotate),
			[]string{"moved agent-n1 n1>n1", "moved agent-n2 n2>n2"},
		},
		"a StatefulSet's, on whose node there is no longer capacity": {
			testworld.Of(testworld.Node("n1", "a", testworld.CordonedNode), testworld.Node("n2", "a", testworld.CPU("1")), testworld.StatefulSet("db", testworld.Template("db", "2"), "n1", "n1")), testworld.PatchOf("StatefulSet", "db", annotate),
			[]string{"waiting db-1 n1> FateUnschedulable"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.change), tc.want...) })
	}
}

// TestRollback patches a template back during a stuck rollout: the ReplicaSet of the old template is used again, and none of its
// pods are replaced.
func TestRollback(t *testing.T) {
	w := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Deployment("web", testworld.Template("web", "1", func(s *corev1.PodSpec) { s.Containers[0].Image = "img:1" }), "n1"))
	to := func(value string) change.Change {
		return testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":`+value+`}]}}}}`)
	}
	testworld.ExpectFates(t, w.Run(t, to(`"img:2"`), to(`"img:1"`)))
}

// TestRolloutThatPreemptsItself raises the priority of a full node's pod: its replacement preempts it, and what the old ReplicaSet
// creates in its place is removed with the rollout.
func TestRolloutThatPreemptsItself(t *testing.T) {
	urgent := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}
	w := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), urgent, testworld.Deployment("web", testworld.Template("web", "1"), "n1"))
	outcome := w.Run(t, testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"spec":{"priority":null,"priorityClassName":"urgent"}}}}`))
	testworld.ExpectFates(t, outcome, "preempted web-1-a n1> by web-* 30s", "created web-* >n1")
	testworld.ExpectGap(t, outcome, "deployment/web", "")
}

// TestUnknownEnvironment applies a manifest with values to a world that, as snapshots do, has none.
func TestUnknownEnvironment(t *testing.T) {
	valued := func(value string) corev1.PodTemplateSpec {
		web := testworld.Template("web", "1")
		web.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "MODE", Value: value}}
		return web
	}
	added := valued("fast")
	added.Spec.Containers[0].Env = append(added.Spec.Containers[0].Env, corev1.EnvVar{Name: "NEW", Value: "1"})
	rolled := []string{"created web-* >n1", "ended web-1-a n1> FateRolled"}
	for name, tc := range map[string]struct {
		before, applied corev1.PodTemplateSpec
		want            []string
		gap             string
	}{
		"the value may be the same or not":     {valued(""), valued("fast"), nil, "GapEnvironment"},
		"a value that is empty in both":        {valued(""), valued(""), nil, "GapEnvironment"},
		"a new variable is a change":           {valued(""), added, rolled, ""},
		"a removed variable is a change":       {valued(""), testworld.Template("web", "1"), rolled, ""},
		"without variables nothing is unknown": {testworld.Template("web", "1"), testworld.Template("web", "1"), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", tc.before, "n1")).Run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{testworld.NewDeployment(1, tc.applied)}})
			testworld.ExpectFates(t, outcome, tc.want...)
			testworld.ExpectGap(t, outcome, "deployment/web", tc.gap)
		})
	}
}

// TestAppliedTemplateKeepsAnnotations applies a manifest to a Deployment that `kubectl rollout restart` has annotated since:
// kubectl keeps what it did not apply.
func TestAppliedTemplateKeepsAnnotations(t *testing.T) {
	restarted := testworld.Template("web", "1")
	restarted.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-11-20T12:00:00Z"}
	w := testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", restarted, "n1"))
	testworld.ExpectFates(t, w.Run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{testworld.NewDeployment(1, testworld.Template("web", "1"))}}))
}

func TestPausedDeployments(t *testing.T) {
	paused := func(nodes ...string) testworld.Objects {
		web := testworld.Deployment("web", testworld.Template("web", "1"), nodes...)
		web[0].(*appsv1.Deployment).Spec.Paused = true
		return web
	}
	annotate := `{"spec":{"template":{"metadata":{"annotations":{"v":"2"}}}}}`
	podless := testworld.Objects{paused("n1")[0]}
	made := testworld.NewDeployment(1, testworld.Template("web", "1"))
	made.Spec.Paused = true
	for name, tc := range map[string]struct {
		world   testworld.Objects
		changes []change.Change
		want    []string
	}{
		"a change waits":            {paused("n1"), []change.Change{testworld.PatchOf("Deployment", "web", annotate)}, nil},
		"it is scaled all the same": {paused("n1"), []change.Change{testworld.PatchOf("Deployment", "web", `{"spec":{"replicas":2}}`)}, []string{"created web-1-* >n1"}},
		"the change comes when it is resumed": {
			paused("n1"),
			[]change.Change{testworld.PatchOf("Deployment", "web", annotate), testworld.PatchOf("Deployment", "web", `{"spec":{"paused":false}}`)},
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"resumed without a change":     {paused("n1"), []change.Change{testworld.PatchOf("Deployment", "web", `{"spec":{"paused":false}}`)}, nil},
		"before it has pods":           {podless, []change.Change{testworld.PatchOf("Deployment", "web", annotate)}, nil},
		"scaled before it has pods":    {podless, []change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 3}}, nil},
		"resumed before it has pods":   {podless, []change.Change{testworld.PatchOf("Deployment", "web", `{"spec":{"paused":false}}`)}, []string{"created web-* >n1"}},
		"made paused":                  {nil, []change.Change{change.Apply{From: "x.yaml", Objects: []runtime.Object{made}}}, nil},
		"paused and changed in one go": {testworld.Deployment("web", testworld.Template("web", "1"), "n1"), []change.Change{testworld.PatchOf("Deployment", "web", `{"spec":{"paused":true,"template":{"metadata":{"annotations":{"v":"2"}}}}}`)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a"), tc.world).Run(t, tc.changes...), tc.want...)
		})
	}
}

func TestPatchedJobs(t *testing.T) {
	edited := func(edit func(*batchv1.Job), nodes ...string) testworld.Objects {
		night := testworld.Job("night", 6, testworld.Template("night", "1"), nodes...)
		night[0].(*batchv1.Job).Spec.Parallelism, night[0].(*batchv1.Job).Spec.Completions = new(int32(2)), new(int32(2))
		edit(night[0].(*batchv1.Job))
		return night
	}
	asIs := func(*batchv1.Job) {}
	stopped := func(j *batchv1.Job) { j.Spec.Suspend = new(true) }
	for name, tc := range map[string]struct {
		world testworld.Objects
		patch string
		want  []string
	}{
		"suspended": {edited(asIs, "n1", "n2"), `{"spec":{"suspend":true}}`, []string{"ended night-a n1> FateSuspended", "ended night-b n2> FateSuspended"}},
		"resumed":   {edited(stopped), `{"spec":{"suspend":false}}`, []string{"created night-* >n1", "created night-* >n2"}},
		"resumed with one pod still to succeed": {
			edited(func(j *batchv1.Job) { stopped(j); j.Status.Succeeded = 1 }), `{"spec":{"suspend":false}}`, []string{"created night-* >n1"},
		},
		"resumed after its end": {
			edited(func(j *batchv1.Job) {
				stopped(j)
				j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
			}), `{"spec":{"suspend":false}}`, nil,
		},
		"fewer at once": {edited(asIs, "n1", "n2"), `{"spec":{"parallelism":1}}`, []string{"ended night-a n1> FateScaled"}},
		"none at once":  {edited(asIs, "n1"), `{"spec":{"parallelism":0}}`, []string{"ended night-a n1> FateScaled"}},
		"more at once": {
			edited(func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = new(int32(1)), new(int32(3)) }, "n1"), `{"spec":{"parallelism":5}}`,
			[]string{"created night-* >n2", "created night-* >n2"},
		},
		"more at once, while it is suspended": {edited(stopped), `{"spec":{"parallelism":5}}`, nil},
		"a work queue Job with a success creates no more": {
			edited(func(j *batchv1.Job) { j.Spec.Completions, j.Status.Succeeded = nil, 1 }, "n1"), `{"spec":{"parallelism":4}}`, nil,
		},
		"a label of its own": {edited(asIs, "n1", "n2"), `{"metadata":{"labels":{"a":"b"}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := testworld.Of(testworld.Node("n1", "a", testworld.CPU("2")), testworld.Node("n2", "a"), tc.world).Run(t, testworld.PatchOf("Job", "night", tc.patch))
			if name == "fewer at once" && len(outcome.Fates) == 1 { // Which of two equal pods is removed is random.
				outcome.Fates[0].Pod.Name, outcome.Fates[0].From = "night-a", "n1"
			}
			got := testworld.DescribeFates(outcome)
			for i, line := range got { // Which node gets which of equal pods is random.
				if slices.Contains([]string{"created night-* >n1", "created night-* >n2"}, line) {
					got[i] = "created night-*"
				}
			}
			want := slices.Clone(tc.want)
			for i, line := range want {
				if slices.Contains([]string{"created night-* >n1", "created night-* >n2"}, line) {
					want[i] = "created night-*"
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestDaemonSetAfterLabelChange(t *testing.T) {
	pooled := func(n *corev1.Node) { n.Labels["pool"] = "p0" }
	w := func() testworld.Objects {
		return testworld.Of(testworld.Node("n1", "a", pooled), testworld.Node("n2", "a", pooled),
			testworld.DaemonSet("agent", testworld.Template("agent", "1", func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"pool": "p0"} }), "n1", "n2"),
			testworld.DaemonSet("other", testworld.Template("other", "1"), "n1", "n2"))
	}
	relabel := change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"metadata":{"labels":{"pool":"p1"}}}`}
	testworld.ExpectFates(t, w().Run(t, relabel), "ended agent-n1 n1> FateUnwanted")
	back := relabel
	back.Patch = `{"metadata":{"labels":{"pool":"p0"}}}`
	testworld.ExpectFates(t, w().Run(t, relabel, back), "ended agent-n1 n1> FateUnwanted", "created agent-* >n1")
}

// TestRuntimeClasses creates pods whose RuntimeClass adds overhead and a node selector.
func TestRuntimeClasses(t *testing.T) {
	heavy := &nodev1.RuntimeClass{
		ObjectMeta: metav1.ObjectMeta{Name: "heavy"}, Handler: "heavy",
		Overhead: &nodev1.Overhead{PodFixed: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1500m")}},
	}
	pinned := &nodev1.RuntimeClass{
		ObjectMeta: metav1.ObjectMeta{Name: "pinned"}, Handler: "pinned",
		Scheduling: &nodev1.Scheduling{
			NodeSelector: map[string]string{"sandbox": "yes"}, Tolerations: []corev1.Toleration{{Key: "sandbox", Operator: corev1.TolerationOpExists}},
		},
	}
	sandbox := func(n *corev1.Node) {
		n.Labels["sandbox"], n.Spec.Taints = "yes", []corev1.Taint{{Key: "sandbox", Effect: corev1.TaintEffectNoSchedule}}
	}
	of := func(class string) *appsv1.Deployment {
		return testworld.NewDeployment(2, testworld.Template("web", "1", func(s *corev1.PodSpec) { s.RuntimeClassName = &class }))
	}
	for name, tc := range map[string]struct {
		class string
		want  []string
	}{
		"overhead counts":                  {"heavy", []string{"created web-* >n1", "waiting web-* FateUnschedulable"}},
		"its nodes, and their tolerations": {"pinned", []string{"created web-* >n2", "created web-* >n2"}},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a", sandbox), heavy, pinned).Run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{of(tc.class)}})
			testworld.ExpectFates(t, outcome, tc.want...)
			testworld.ExpectGap(t, outcome, "runtimeclass/"+tc.class, "")
		})
	}
	t.Run("one that does not exist", func(t *testing.T) {
		snapshot := cluster.New(cluster.Contents{
			Objects: testworld.Of(testworld.Node("n1", "a"), pinned), Taken: testworld.Epoch, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.RuntimeClass: cluster.Complete},
		})
		judge, err := scheduling.New(t.Context(), snapshot, scheduling.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := simulation.Run(t.Context(), judge, []change.Change{change.Apply{From: "x.yaml", Objects: []runtime.Object{of("heavy")}}}, simulation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		testworld.ExpectFates(t, outcome, "waiting web-* FateRefused", "waiting web-* FateRefused")
	})
	t.Run("one that is not known is said", func(t *testing.T) {
		outcome := testworld.Of(testworld.Node("n1", "a")).Run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{of("heavy")}})
		testworld.ExpectGap(t, outcome, "runtimeclass/heavy", "GapRuntime")
	})
}

// TestPodLevelRequests creates pods whose pod-level requests replace those of their containers.
func TestPodLevelRequests(t *testing.T) {
	sized := func(r corev1.ResourceRequirements) *appsv1.Deployment {
		return testworld.NewDeployment(2, testworld.Template("web", "100m", func(s *corev1.PodSpec) { s.Resources = &r }))
	}
	three := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")}
	none := sized(corev1.ResourceRequirements{Limits: three})
	none.Spec.Template.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	for name, tc := range map[string]struct {
		of   *appsv1.Deployment
		want []string
	}{
		"requests": {sized(corev1.ResourceRequirements{Requests: three}), []string{"created web-* >n1", "waiting web-* FateUnschedulable"}},
		"limits, where the containers request something": {sized(corev1.ResourceRequirements{Limits: three}), []string{"created web-* >n1", "created web-* >n1"}},
		"limits, where they request nothing":             {none, []string{"created web-* >n1", "waiting web-* FateUnschedulable"}},
	} {
		t.Run(name, func(t *testing.T) {
			testworld.ExpectFates(t, testworld.Of(testworld.Node("n1", "a")).Run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{tc.of}}), tc.want...)
		})
	}
}

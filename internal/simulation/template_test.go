package simulation_test

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
)

func patchOf(kind, name, patch string) change.Change {
	return change.Patch{Object: change.Ref{Kind: kind, Namespace: "default", Name: name}, Patch: patch}
}

// TestTemplateChanges changes what the scheduler does not look at. Controllers replace the pods all the same, and the new ones
// need capacity beside the old.
func TestTemplateChanges(t *testing.T) {
	full := func() objects { return world(node("n1", "a", cpu("1")), deployment("web", template("web", "1"), "n1")) }
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
			outcome := full().run(t, patchOf("Deployment", "web", patch))
			expectFates(t, outcome, "waiting web-* FateUnschedulable")
			expectGap(t, outcome, "deployment/web", "GapRollout")
		})
	}
}

// TestNoTemplateChange writes out the API server's defaults, and equal values in other forms.
func TestNoTemplateChange(t *testing.T) {
	full := func() objects { return world(node("n1", "a", cpu("1")), deployment("web", template("web", "1"), "n1")) }
	for name, patch := range map[string]string{
		"nothing":           `{}`,
		"defaults":          `{"spec":{"template":{"spec":{"dnsPolicy":"ClusterFirst","restartPolicy":"Always","terminationGracePeriodSeconds":30,"containers":[{"name":"main","terminationMessagePath":"/dev/termination-log"}]}}}}`,
		"an equal quantity": `{"spec":{"template":{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"1000m"}}}]}}}}`,
		"its own label":     `{"metadata":{"labels":{"team":"a"},"annotations":{"checksum":"1"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			outcome := full().run(t, patchOf("Deployment", "web", patch))
			expectFates(t, outcome)
			expectGap(t, outcome, "deployment/web", "")
		})
	}
}

func TestRecreateForAnnotation(t *testing.T) {
	recreate := deployment("web", template("web", "1"), "n1")
	recreate[0].(*appsv1.Deployment).Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	expectFates(t, world(node("n1", "a", cpu("1")), recreate).run(t, patchOf("Deployment", "web", `{"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}}`)),
		"created web-* >n1", "ended web-1-a n1> FateRolled")
}

func TestTemplateChangesOfOtherWorkloads(t *testing.T) {
	annotate := `{"spec":{"template":{"metadata":{"annotations":{"checksum/config":"v7"}}}}}`
	for name, tc := range map[string]struct {
		world  objects
		change change.Change
		want   []string
	}{
		"a DaemonSet's annotation": {
			world(node("n1", "a"), node("n2", "a"), daemonSet("agent", template("agent", "1"), "n1", "n2")), patchOf("DaemonSet", "agent", annotate),
			[]string{"moved agent-n1 n1>n1", "moved agent-n2 n2>n2"},
		},
		"a StatefulSet's, on whose node there is no longer capacity": {
			world(node("n1", "a", cordonedNode), node("n2", "a", cpu("1")), statefulSet("db", template("db", "2"), "n1", "n1")), patchOf("StatefulSet", "db", annotate),
			[]string{"waiting db-1 n1> FateUnschedulable"},
		},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, tc.world.run(t, tc.change), tc.want...) })
	}
}

func cordonedNode(n *corev1.Node) {
	n.Spec.Unschedulable = true
	n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
}

// TestRollback patches a template back during a stuck rollout: the ReplicaSet of the old template is used again, and none of its
// pods are replaced.
func TestRollback(t *testing.T) {
	w := world(node("n1", "a", cpu("1")), deployment("web", template("web", "1", func(s *corev1.PodSpec) { s.Containers[0].Image = "img:1" }), "n1"))
	to := func(value string) change.Change {
		return patchOf("Deployment", "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":`+value+`}]}}}}`)
	}
	expectFates(t, w.run(t, to(`"img:2"`), to(`"img:1"`)))
}

// TestRolloutThatPreemptsItself raises the priority of a full node's pod: its replacement preempts it, and what the old ReplicaSet
// creates in its place is removed with the rollout.
func TestRolloutThatPreemptsItself(t *testing.T) {
	urgent := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}
	w := world(node("n1", "a", cpu("1")), urgent, deployment("web", template("web", "1"), "n1"))
	outcome := w.run(t, patchOf("Deployment", "web", `{"spec":{"template":{"spec":{"priority":null,"priorityClassName":"urgent"}}}}`))
	expectFates(t, outcome, "preempted web-1-a n1> by web-* 30s", "created web-* >n1")
	expectGap(t, outcome, "deployment/web", "")
}

// TestUnknownEnvironment applies a manifest with values to a world that, as snapshots do, has none.
func TestUnknownEnvironment(t *testing.T) {
	valued := func(value string) corev1.PodTemplateSpec {
		web := template("web", "1")
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
		"a removed variable is a change":       {valued(""), template("web", "1"), rolled, ""},
		"without variables nothing is unknown": {template("web", "1"), template("web", "1"), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := world(node("n1", "a"), deployment("web", tc.before, "n1")).run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{newDeployment(1, tc.applied)}})
			expectFates(t, outcome, tc.want...)
			expectGap(t, outcome, "deployment/web", tc.gap)
		})
	}
}

// TestAppliedTemplateKeepsAnnotations applies a manifest to a Deployment that `kubectl rollout restart` has annotated since:
// kubectl keeps what it did not apply.
func TestAppliedTemplateKeepsAnnotations(t *testing.T) {
	restarted := template("web", "1")
	restarted.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-11-20T12:00:00Z"}
	w := world(node("n1", "a"), deployment("web", restarted, "n1"))
	expectFates(t, w.run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{newDeployment(1, template("web", "1"))}}))
}

func TestPausedDeployments(t *testing.T) {
	paused := func(nodes ...string) objects {
		web := deployment("web", template("web", "1"), nodes...)
		web[0].(*appsv1.Deployment).Spec.Paused = true
		return web
	}
	annotate := `{"spec":{"template":{"metadata":{"annotations":{"v":"2"}}}}}`
	podless := objects{paused("n1")[0]}
	made := newDeployment(1, template("web", "1"))
	made.Spec.Paused = true
	for name, tc := range map[string]struct {
		world   objects
		changes []change.Change
		want    []string
	}{
		"a change waits":            {paused("n1"), []change.Change{patchOf("Deployment", "web", annotate)}, nil},
		"it is scaled all the same": {paused("n1"), []change.Change{patchOf("Deployment", "web", `{"spec":{"replicas":2}}`)}, []string{"created web-1-* >n1"}},
		"the change comes when it is resumed": {
			paused("n1"),
			[]change.Change{patchOf("Deployment", "web", annotate), patchOf("Deployment", "web", `{"spec":{"paused":false}}`)},
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"resumed without a change":     {paused("n1"), []change.Change{patchOf("Deployment", "web", `{"spec":{"paused":false}}`)}, nil},
		"before it has pods":           {podless, []change.Change{patchOf("Deployment", "web", annotate)}, nil},
		"scaled before it has pods":    {podless, []change.Change{change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 3}}, nil},
		"resumed before it has pods":   {podless, []change.Change{patchOf("Deployment", "web", `{"spec":{"paused":false}}`)}, []string{"created web-* >n1"}},
		"made paused":                  {nil, []change.Change{change.Apply{From: "x.yaml", Objects: []runtime.Object{made}}}, nil},
		"paused and changed in one go": {deployment("web", template("web", "1"), "n1"), []change.Change{patchOf("Deployment", "web", `{"spec":{"paused":true,"template":{"metadata":{"annotations":{"v":"2"}}}}}`)}, nil},
	} {
		t.Run(name, func(t *testing.T) { expectFates(t, world(node("n1", "a"), tc.world).run(t, tc.changes...), tc.want...) })
	}
}

func TestPatchedJobs(t *testing.T) {
	edited := func(edit func(*batchv1.Job), nodes ...string) objects {
		night := job("night", 6, template("night", "1"), nodes...)
		night[0].(*batchv1.Job).Spec.Parallelism, night[0].(*batchv1.Job).Spec.Completions = new(int32(2)), new(int32(2))
		edit(night[0].(*batchv1.Job))
		return night
	}
	asIs := func(*batchv1.Job) {}
	stopped := func(j *batchv1.Job) { j.Spec.Suspend = new(true) }
	for name, tc := range map[string]struct {
		world objects
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
			outcome := world(node("n1", "a", cpu("2")), node("n2", "a"), tc.world).run(t, patchOf("Job", "night", tc.patch))
			if name == "fewer at once" && len(outcome.Fates) == 1 { // Which of two equal pods is removed is random.
				outcome.Fates[0].Pod.Name, outcome.Fates[0].From = "night-a", "n1"
			}
			got := describeFates(outcome)
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
	w := func() objects {
		return world(node("n1", "a", pooled), node("n2", "a", pooled),
			daemonSet("agent", template("agent", "1", func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"pool": "p0"} }), "n1", "n2"),
			daemonSet("other", template("other", "1"), "n1", "n2"))
	}
	relabel := change.Patch{Object: change.Ref{Kind: "Node", Name: "n1"}, Patch: `{"metadata":{"labels":{"pool":"p1"}}}`}
	expectFates(t, w().run(t, relabel), "ended agent-n1 n1> FateUnwanted")
	back := relabel
	back.Patch = `{"metadata":{"labels":{"pool":"p0"}}}`
	expectFates(t, w().run(t, relabel, back), "ended agent-n1 n1> FateUnwanted", "created agent-* >n1")
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
		return newDeployment(2, template("web", "1", func(s *corev1.PodSpec) { s.RuntimeClassName = &class }))
	}
	for name, tc := range map[string]struct {
		class string
		want  []string
	}{
		"overhead counts":                  {"heavy", []string{"created web-* >n1", "waiting web-* FateUnschedulable"}},
		"its nodes, and their tolerations": {"pinned", []string{"created web-* >n2", "created web-* >n2"}},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := world(node("n1", "a"), node("n2", "a", sandbox), heavy, pinned).run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{of(tc.class)}})
			expectFates(t, outcome, tc.want...)
			expectGap(t, outcome, "runtimeclass/"+tc.class, "")
		})
	}
	t.Run("one that does not exist", func(t *testing.T) {
		snapshot := cluster.New(cluster.Contents{
			Objects: world(node("n1", "a"), pinned), Taken: epoch, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.RuntimeClass: cluster.Complete},
		})
		judge, err := scheduling.New(t.Context(), snapshot, scheduling.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := simulation.Run(t.Context(), judge, []change.Change{change.Apply{From: "x.yaml", Objects: []runtime.Object{of("heavy")}}}, simulation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		expectFates(t, outcome, "waiting web-* FateRefused", "waiting web-* FateRefused")
	})
	t.Run("one that is not known is said", func(t *testing.T) {
		outcome := world(node("n1", "a")).run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{of("heavy")}})
		expectGap(t, outcome, "runtimeclass/heavy", "GapRuntime")
	})
}

// TestPodLevelRequests creates pods whose pod-level requests replace those of their containers.
func TestPodLevelRequests(t *testing.T) {
	sized := func(r corev1.ResourceRequirements) *appsv1.Deployment {
		return newDeployment(2, template("web", "100m", func(s *corev1.PodSpec) { s.Resources = &r }))
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
			expectFates(t, world(node("n1", "a")).run(t, change.Apply{From: "x.yaml", Objects: []runtime.Object{tc.of}}), tc.want...)
		})
	}
}

package clusterautoscaler

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestUnneededNodes(t *testing.T) {
	two := func() *worldBuilder {
		return newWorld().group("app", 0, 2, 9, "1a").node("app", "a", "1a").node("app", "b", "1a")
	}
	taint := func(key string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	tests := []struct {
		name  string
		world *worldBuilder
		state scanState
		want  []string
	}{
		{"empty nodes, all of them", two(), scanState{}, []string{"a", "b"}},
		{"down to the least", newWorld().group("app", 2, 2, 9, "1a").node("app", "a", "1a").node("app", "b", "1a"), scanState{}, nil},
		{"nodes of no group stay", newWorld().node("", "a", "1a").node("", "b", "1a"), scanState{}, nil},
		{"half used is little used", two().pod(testPod("p", 1000, on("a")), testPod("q", 1001, on("b"))), scanState{}, nil},
		{"if its pods have a place", two().pod(testPod("p", 1000, on("a")), testPod("q", 900, on("b"), role("app"))), scanState{}, []string{"a"}},
		{"memory counts as well", two().pod(testPod("p", 100, on("a"), func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests["memory"] = *mebi(4097) }), testPod("q", 1500, on("b"))), scanState{}, nil},
		{"what moves to a node keeps that node", two().pod(testPod("p", 900, on("a")), testPod("q", 900, on("b"))), scanState{}, []string{"a"}},
		{"the same room is not used twice", two().node("", "c", "1a").pod(testPod("p", 900, on("a")), testPod("q", 900, on("b")), testPod("r", 1000, on("c"))), scanState{}, []string{"a"}},
		{"nor the same disruption", two().node("", "c", "1a").budget(1).pod(testPod("p", 100, on("a")), testPod("q", 100, on("b"))), scanState{}, []string{"a"}},
		{"no pods move to nodes that are going", two().pod(testPod("p", 100, on("a"))), scanState{removals: map[string]removal{"b": {group: "app", tainted: noon}}}, nil},
		{"the node still counts for spreading", two().pod(testPod("p", 100, on("a"), spread(corev1.NodeInclusionPolicyIgnore)), testPod("q", 1001, on("b"))), scanState{}, nil},
		{"unless its taint does", two().pod(testPod("p", 100, on("a"), spread(corev1.NodeInclusionPolicyHonor)), testPod("q", 1001, on("b"))), scanState{}, []string{"a"}},
		{"a node already found before comes first", two().pod(testPod("p", 900, on("a")), testPod("q", 900, on("b"))), scanState{unneeded: map[string]time.Time{"b": noon}}, []string{"b"}},
		{"an empty node comes before one to drain", two().pod(testPod("p", 900, on("a"))), scanState{}, []string{"b"}},
		{"pods that wait for room keep nodes", two().pod(testPod("p", 1900, pending), testPod("q", 1900, pending)), scanState{}, nil},
		{"a DaemonSet's pods count, and need no place", two().pod(testPod("p", 1000, on("a"), ownedBy("DaemonSet"), func(p *corev1.Pod) { p.OwnerReferences[0].Name = "agent" }), testPod("q", 1001, on("b"))), scanState{}, []string{"a"}},
		{"expendable pods do not count", two().pod(testPod("p", 2000, on("a"), ranked(-11)), testPod("q", 1900, on("b"))), scanState{}, []string{"a"}},
		{"a pod that cannot move keeps its node", two().pod(testPod("p", 100, on("a"), bare), testPod("q", 1001, on("b"))), scanState{}, nil},
		{"a node may say no", newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a", func(n *corev1.Node) { n.Annotations = map[string]string{scaleDownDisabled: "true"} }), scanState{}, nil},
		{"a node that is going is not found again", newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a", taint(toBeDeletedTaint)), scanState{}, nil},
		{"nor is one that could not go a moment ago", newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a"), scanState{recheck: map[string]time.Time{"a": noon.Add(time.Second)}}, nil},
		{"no pods move to cordoned nodes", newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").node("", "b", "1a", cordoned).pod(testPod("p", 100, on("a"))), scanState{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.world.owners["DaemonSet/default/agent"] = true
			_, m := plan(t.Context(), defaults(nil), testJudge(t), tt.world.world, tt.state)
			if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(m.unneeded))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecheckDelay(t *testing.T) {
	w := newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").pod(testPod("p", 100, on("a")))
	_, m := plan(t.Context(), defaults(nil), testJudge(t), w.world, scanState{})
	if want := map[string]time.Time{"a": noon.Add(5 * time.Minute)}; !maps.Equal(m.recheck, want) {
		t.Errorf("got %v, want %v", m.recheck, want)
	}
}

func TestCandidateLimit(t *testing.T) {
	w := newWorld().group("app", 0, 45, 45, "1a")
	for i := range 45 {
		w.node("app", "n"+digits(i), "1a")
	}
	m, j := scanState{}, testJudge(t)
	for _, want := range []int{20, 40, 45} {
		if _, m = plan(t.Context(), defaults(nil), j, w.world, m); len(m.unneeded) != want {
			t.Errorf("%d nodes unneeded, want %d", len(m.unneeded), want)
		}
	}
}

func TestDrainable(t *testing.T) {
	inSystem := func(p *corev1.Pod) { p.Namespace = metav1.NamespaceSystem }
	volume := func(source corev1.VolumeSource) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "scratch", VolumeSource: source})
		}
	}
	disk := volume(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
	deleted := func(ago time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: noon.Add(-ago)} }
	}
	budget := func(namespace string, allowed int32) *policyv1.PodDisruptionBudget {
		return &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
		}
	}
	tests := []struct {
		name   string
		pod    *corev1.Pod
		budget *policyv1.PodDisruptionBudget
		want   drainability
	}{
		{"a replica", testPod("p", 1), nil, move},
		{"a Job's", testPod("p", 1, ownedBy("Job")), nil, move},
		{"a bare pod", testPod("p", 1, bare), nil, blocked},
		{"a bare pod that may go", testPod("p", 1, bare, annotated(safeToEvict, "true")), nil, move},
		{"of an unknown controller", testPod("p", 1, ownedBy("Thing")), nil, blocked},
		{"of a controller that is gone", testPod("p", 1, func(p *corev1.Pod) { p.OwnerReferences[0].Name = "gone" }), nil, blocked},
		{"a DaemonSet's", testPod("p", 1, ownedBy("DaemonSet")), nil, ignore},
		{"a static pod", testPod("p", 1, bare, annotated(mirrorAnnotation, "x")), nil, ignore},
		{"a replica that must not go", testPod("p", 1, annotated(safeToEvict, "false")), nil, blocked},
		{"a replica that wants to finish", testPod("p", 1, annotated(safeToEvict, "on-completion")), nil, wait},
		{"of the system", testPod("p", 1, inSystem), nil, blocked},
		{"of the system, with a budget", testPod("p", 1, inSystem), budget("kube-system", 1), move},
		{"of the system, an hour old", testPod("p", 1, inSystem, func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(noon.Add(-61 * time.Minute)) }), nil, move},
		{"with an emptyDir", testPod("p", 1, disk), nil, blocked},
		{"with an emptyDir that may be lost", testPod("p", 1, disk, annotated(safeToEvictLocalVolumes, "other,scratch")), nil, move},
		{"with an emptyDir in memory", testPod("p", 1, volume(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}})), nil, move},
		{"with a hostPath", testPod("p", 1, volume(corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}})), nil, blocked},
		{"a budget that is spent", testPod("p", 1), budget("default", 0), blocked},
		{"a budget of another namespace", testPod("p", 1), budget("elsewhere", 0), move},
		{"terminating", testPod("p", 1, deleted(59*time.Second)), nil, move},
		{"terminating for too long", testPod("p", 1, bare, deleted(61*time.Second)), nil, ignore},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &planner{cfg: defaults(nil), world: newWorld().world}
			for _, kind := range []string{"ReplicaSet", "Job", "DaemonSet"} {
				p.world.owners[ownerKey(kind, tt.pod.Namespace, "web")] = true
			}
			var budgets []*policyv1.PodDisruptionBudget
			if tt.budget != nil {
				budgets = append(budgets, tt.budget)
			}
			if got := p.drainable(tt.pod, budgets); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// removing plays scans ten seconds apart over a world in which what is asked for happens: taints are set, evicted pods go,
// instances end. It says what happened when.
func removing(t *testing.T, w *worldBuilder, m scanState, scans int) (story []string, _ scanState) {
	t.Helper()
	cfg, j := defaults(nil), testJudge(t)
	tell := func(do actions) {
		for _, line := range eventLines(do) {
			story = append(story, w.now.Sub(noon).String()+" "+line)
		}
	}
	for range scans {
		do, next := plan(t.Context(), cfg, j, w.world, m)
		m = next
		tell(do)
		for _, l := range do.remove {
			tell(m.tainted(l, nil, w.now))
			l.node.Spec.Taints = append(l.node.Spec.Taints, corev1.Taint{Key: toBeDeletedTaint, Effect: corev1.TaintEffectNoSchedule})
		}
		for _, p := range do.evict {
			w.pods = slices.DeleteFunc(w.pods, func(other *corev1.Pod) bool { return other == p && p.Annotations["stays"] == "" })
		}
		for _, gone := range do.terminate {
			tell(m.terminated(gone, nil))
			w.nodes = slices.DeleteFunc(w.nodes, func(n *corev1.Node) bool { return n == gone.node })
			g := w.groupOf(gone.node.Name)
			g.target--
			delete(g.instances, gone.node.Name)
		}
		w.now = w.now.Add(cfg.scan)
	}
	return story, m
}

func TestRemovalOfANodeWithPods(t *testing.T) {
	w := newWorld().group("app", 1, 2, 9, "1a").node("app", "a", "1a").node("app", "b", "1a").
		pod(testPod("p", 100, on("a")), testPod("q", 1001, on("b")), testPod("agent", 100, on("a"), ownedBy("DaemonSet")))
	w.owners["DaemonSet/default/web"] = true
	w.owners["ReplicaSet/default/web"] = true
	got, _ := removing(t, w, scanState{}, 70)
	want := []string{
		"10m10s a ScaleDown: marked the node as toBeDeleted/unschedulable",
		"10m10s autoscaler ScaleDown: Scale-down: removing node a, utilization: {0.1 0 0 0 cpu 0.1}, pods to reschedule: p",
		"10m20s p ScaleDown: deleting pod for node scale down",
		"10m20s agent ScaleDown: deleting pod for node scale down",
		"10m30s autoscaler ScaleDown: Scale-down: node a removed with drain",
		"10m30s a ScaleDown: nodes removed by cluster autoscaler",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRemovalOfEmptyNodes(t *testing.T) {
	w := newWorld().group("app", 1, 3, 9, "1a").node("app", "a", "1a").node("app", "b", "1a").node("app", "c", "1a").
		pod(testPod("expendable", 1900, on("a"), ranked(-11)))
	got, _ := removing(t, w, scanState{}, 70)
	want := []string{
		"10m10s a ScaleDown: marked the node as toBeDeleted/unschedulable",
		`10m10s autoscaler ScaleDownEmpty: Scale-down: removing empty node "a"`,
		"10m10s b ScaleDown: marked the node as toBeDeleted/unschedulable",
		`10m10s autoscaler ScaleDownEmpty: Scale-down: removing empty node "b"`,
		"10m20s autoscaler ScaleDownEmpty: Scale-down: empty node a removed",
		"10m20s a ScaleDown: nodes removed by cluster autoscaler",
		"10m20s autoscaler ScaleDownEmpty: Scale-down: empty node b removed",
		"10m20s b ScaleDown: nodes removed by cluster autoscaler",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRemovalWaits(t *testing.T) {
	one := func() *worldBuilder { return newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a") }
	begun := func(w *worldBuilder, m scanState) string {
		story, _ := removing(t, w, m, 130)
		if len(story) == 0 {
			return ""
		}
		return story[0]
	}
	if got, want := begun(one(), scanState{lastScaleUp: noon.Add(5 * time.Minute)}), "15m0s a ScaleDown: marked the node as toBeDeleted/unschedulable"; got != want {
		t.Errorf("after a scale-up: %q, want %q", got, want)
	}
	if got, want := begun(one(), scanState{lastFailure: noon.Add(8 * time.Minute)}), "11m0s a ScaleDown: marked the node as toBeDeleted/unschedulable"; got != want {
		t.Errorf("after a failure: %q, want %q", got, want)
	}
	unready := newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a", notReady)
	if got, want := begun(unready, scanState{}), "20m10s a ScaleDown: marked the node as toBeDeleted/unschedulable"; got != want {
		t.Errorf("unready: %q, want %q", got, want)
	}
	finishing := one().node("", "b", "1a").pod(testPod("p", 100, on("a"), annotated(safeToEvict, "on-completion")))
	if got := begun(finishing, scanState{}); got != "" {
		t.Errorf("while a pod finishes: %q", got)
	}
}

func TestTenRemovalsAtATime(t *testing.T) {
	w := newWorld().group("app", 0, 12, 12, "1a")
	m := scanState{running: true, unneeded: map[string]time.Time{}}
	for i := range 12 {
		name := string(rune('a' + i))
		w.node("app", name, "1a")
		m.unneeded[name] = noon.Add(-time.Hour)
	}
	do, m := plan(t.Context(), defaults(nil), testJudge(t), w.world, m)
	if len(do.remove) != 10 {
		t.Errorf("removing %d nodes at once", len(do.remove))
	}
	w.nodes = slices.DeleteFunc(w.nodes, func(n *corev1.Node) bool { return n.Name == "a" })
	if _, m = plan(t.Context(), defaults(nil), testJudge(t), w.world, m); len(m.removals) != 9 {
		t.Errorf("a node that somebody else removed is still on its way out: %d", len(m.removals))
	}
}

func TestOneDrainAtATime(t *testing.T) {
	w := newWorld().group("app", 0, 2, 9, "1a").node("app", "a", "1a").node("app", "b", "1a").node("", "c", "1a").
		pod(testPod("p", 100, on("a")), testPod("q", 100, on("b")))
	m := scanState{unneeded: map[string]time.Time{"a": noon.Add(-time.Hour), "b": noon.Add(-time.Hour)}}
	do, _ := plan(t.Context(), defaults(nil), testJudge(t), w.world, m)
	if len(do.remove) != 1 || do.remove[0].node.Name != "a" {
		t.Errorf("removing %d nodes at once", len(do.remove))
	}
}

func TestRefusedEviction(t *testing.T) {
	w := newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").node("", "b", "1a").
		pod(testPod("p", 100, on("a"), annotated("stays", "yes")))
	m := scanState{running: true, removals: map[string]removal{"a": {group: "app", instance: "i-a", tainted: noon.Add(-time.Minute), drain: true}}}
	got, m := removing(t, w, m, 14)
	want := []string{
		"0s p ScaleDown: deleting pod for node scale down",
		"2m10s p ScaleDownFailed: failed to delete pod for ScaleDown",
		"2m10s a ScaleDownFailed: failed to drain and delete node: Failed to drain node /a, due to following errors: [failed to evict pod default/p within allowed timeout]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(m.removals) > 0 {
		t.Errorf("still on its way out: %v", m.removals)
	}
}

func TestRemovalAbortedByNewPod(t *testing.T) {
	w := newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").pod(testPod("p", 100, on("a")))
	m := scanState{running: true, removals: map[string]removal{"a": {group: "app", instance: "i-a", tainted: noon.Add(-time.Minute)}}}
	do, m := plan(t.Context(), defaults(nil), testJudge(t), w.world, m)
	want := []string{`a ScaleDownFailed: failed to delete empty node: failed to delete empty node "a", new pods scheduled`}
	if diff := cmp.Diff(want, eventLines(do)); diff != "" {
		t.Error(diff)
	}
	if len(do.untaint) != 1 || len(do.terminate) > 0 || len(m.removals) > 0 {
		t.Errorf("untaint %v, terminate %v, removals %v", do.untaint, do.terminate, m.removals)
	}
}

func TestRefusedTaintAndTermination(t *testing.T) {
	n := newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").nodes[0]
	m := scanState{removals: map[string]removal{"a": {}}}.clone()
	told := m.tainted(leaving{node: n}, errors.New("no"), noon)
	if diff := cmp.Diff([]string{"a ScaleDownFailed: failed to mark the node as toBeDeleted/unschedulable: no"}, eventLines(told)); diff != "" {
		t.Error(diff)
	}
	if len(m.removals) > 0 || m.lastFailure != noon {
		t.Errorf("remembered %+v", m)
	}
	m.removals["a"] = removal{}
	told = m.terminated(termination{node: n}, errors.New("no"))
	if diff := cmp.Diff([]string{"a ScaleDownFailed: failed to delete empty node: failed to delete nodes from group: no"}, eventLines(told)); diff != "" {
		t.Error(diff)
	}
	if len(told.untaint) != 1 || len(m.removals) > 0 {
		t.Errorf("untaint %v, removals %v", told.untaint, m.removals)
	}
}

func TestSoftTaints(t *testing.T) {
	w := newWorld().group("app", 0, 3, 9, "1a").node("app", "a", "1a").
		node("app", "b", "1a", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: deletionCandidateTaint, Effect: corev1.TaintEffectPreferNoSchedule}}
		}).
		node("app", "c", "1a", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: toBeDeletedTaint}} }).
		pod(testPod("p", 1900, on("b")))
	do, _ := plan(t.Context(), defaults(nil), testJudge(t), w.world, scanState{running: true})
	if len(do.soft) != 1 || do.soft[0].Name != "a" || len(do.hard) != 1 || do.hard[0].Name != "b" || len(do.untaint) > 0 {
		t.Errorf("soft %v, hard %v, untaint %v", do.soft, do.hard, do.untaint)
	}
	do, _ = plan(t.Context(), defaults(nil), testJudge(t), w.world, scanState{})
	if len(do.untaint) != 1 || do.untaint[0].Name != "c" {
		t.Errorf("at the first scan, untaint %v", do.untaint)
	}
}

func TestUnhealthyCluster(t *testing.T) {
	w := newWorld().group("app", 0, 5, 9, "1a").node("app", "e", "1a").pod(testPod("p", 3000, pending))
	for _, name := range []string{"a", "b", "c", "d"} {
		w.node("app", name, "1a", notReady)
	}
	do, m := plan(t.Context(), defaults(nil), testJudge(t), w.world, scanState{unneeded: map[string]time.Time{"a": noon}})
	if diff := cmp.Diff([]string{"autoscaler ClusterUnhealthy: Cluster is unhealthy"}, eventLines(do)); diff != "" {
		t.Error(diff)
	}
	if len(m.unneeded) > 0 || m.status.ClusterWide.Health.Status != "Unhealthy" {
		t.Errorf("unneeded %v, %s", m.unneeded, m.status.ClusterWide.Health.Status)
	}
}

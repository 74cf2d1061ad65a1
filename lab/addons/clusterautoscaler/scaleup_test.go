package clusterautoscaler

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestScaleUp(t *testing.T) {
	ten := metav1.NewTime(noon.Add(-time.Second))
	full := func(node string) *corev1.Pod { return testPod("full-"+node, 2000, on(node)) }
	sixteen := func(zones ...string) *worldBuilder {
		m := newWorld()
		for i := range 15 {
			name := fmt.Sprintf("other-%02d", i)
			m.group(name, 0, 0, 3, "1a")
		}
		return m.group("app", 0, 2, 6, zones...)
	}
	inC := boundVolume("redis", "1c")
	tests := []struct {
		name  string
		world *worldBuilder
		state scanState
		grows []string
		says  []string
	}{
		{
			name: "a volume in a zone where the group's template does not stand",
			world: sixteen("1a", "1b", "1c").node("app", "a", "1a").node("app", "b", "1b").
				pod(testPod("redis", 100, pending, role("app"), claiming("redis"))),
			says: []string{"redis NotTriggerScaleUp: pod didn't trigger scale-up: 15 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match PersistentVolume's node affinity"},
		},
		{
			name:  "without nodes the template stands in the group's first zone",
			world: sixteen("1a", "1b", "1c").pod(testPod("redis", 100, pending, role("app"), claiming("redis"))),
			says:  []string{"redis NotTriggerScaleUp: pod didn't trigger scale-up: 15 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match PersistentVolume's node affinity"},
		},
		{
			name:  "which may be the right one",
			world: sixteen("1c", "1a", "1b").pod(testPod("redis", 100, pending, role("app"), claiming("redis"))),
			grows: []string{"{app 2->3 (max: 6)}"},
		},
		{
			name:  "so may that of a node",
			world: sixteen("1a", "1b", "1c").node("app", "c", "1c").pod(full("c"), testPod("redis", 100, pending, role("app"), claiming("redis"))),
			grows: []string{"{app 2->3 (max: 6)}"},
		},
		{
			name:  "a pod that fits a node needs no help",
			world: sixteen("1a").node("app", "c", "1c").pod(testPod("redis", 100, pending, role("app"), claiming("redis"))),
		},
		{
			name: "a NotReady or cordoned node is no template while the cloud knows one",
			world: sixteen("1c").node("app", "a", "1a", cordoned).node("app", "b", "1b", notReady).
				pod(testPod("redis", 100, pending, role("app"), claiming("redis"))),
			grows: []string{"{app 2->3 (max: 6)}"},
		},
		{
			name: "nor is one that has been ready for less than a minute",
			world: sixteen("1c").node("app", "a", "1a", func(n *corev1.Node) { n.Status.Conditions[0].LastTransitionTime = ten }).
				pod(testPod("redis", 100, pending, role("app"), claiming("redis"))),
			grows: []string{"{app 2->3 (max: 6)}"},
		},
		{
			name:  "a pod for one node by name is told nothing, as by the real one",
			world: newWorld().group("app", 0, 1, 2, "1a").node("app", "a", "1a").pod(full("a"), testPod("p", 100, pending, onlyOn("a"))),
			says:  []string{"p NotTriggerScaleUp: pod didn't trigger scale-up: "},
		},
		{
			name:  "at its largest",
			world: newWorld().group("app", 0, 2, 2, "1a").group("other", 0, 0, 1, "1a").pod(testPod("p", 100, pending, role("app"))),
			says:  []string{"p NotTriggerScaleUp: pod didn't trigger scale-up: 1 max node group size reached, 1 node(s) didn't match Pod's node affinity/selector"},
		},
		{
			name:  "a pod too big, two reasons of one group",
			world: newWorld().group("app", 0, 0, 2, "1a").pod(testPod("p", 3000, pending, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests["memory"] = *mebi(9000) })),
			says:  []string{"p NotTriggerScaleUp: pod didn't trigger scale-up: 1 Insufficient cpu, 1 Insufficient memory"},
		},
		{
			name:  "as many nodes as it takes",
			world: newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").pod(full("a"), testPod("p", 900, pending), testPod("q", 900, pending), testPod("r", 900, pending)),
			grows: []string{"{app 1->3 (max: 9)}"},
		},
		{
			name:  "no more than may be",
			world: newWorld().group("app", 0, 1, 2, "1a").node("app", "a", "1a").pod(full("a"), testPod("p", 900, pending), testPod("q", 900, pending), testPod("r", 900, pending)),
			grows: []string{"{app 1->2 (max: 2)}"},
		},
		{
			name: "DaemonSets take room on new nodes",
			world: func() *worldBuilder {
				m := newWorld().group("app", 0, 0, 9, "1a").pod(testPod("p", 900, pending), testPod("q", 900, pending))
				m.daemonSets = []*appsv1.DaemonSet{daemonSet(300)}
				return m
			}(),
			grows: []string{"{app 0->2 (max: 9)}"},
		},
		{
			name: "a DaemonSet that its example node does not run is not expected, unless it preempts",
			world: func() *worldBuilder {
				m := newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").pod(full("a"), testPod("p", 900, pending), testPod("q", 900, pending))
				m.daemonSets = []*appsv1.DaemonSet{daemonSet(300)}
				return m
			}(),
			grows: []string{"{app 1->2 (max: 9)}"},
		},
		{
			name: "as a system-node-critical one does",
			world: func() *worldBuilder {
				m := newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").pod(full("a"), testPod("p", 900, pending), testPod("q", 900, pending))
				m.daemonSets = []*appsv1.DaemonSet{daemonSet(300, func(s *corev1.PodSpec) { s.PriorityClassName = "system-node-critical" })}
				return m
			}(),
			grows: []string{"{app 1->3 (max: 9)}"},
		},
		{
			name: "the group that wastes least",
			world: func() *worldBuilder {
				m := newWorld().group("big", 0, 0, 9, "1a").group("small", 0, 0, 9, "1a").pod(testPod("p", 900, pending))
				m.groups[0].template.Status.Capacity["cpu"] = resource.MustParse("16")
				return m
			}(),
			grows: []string{"{small 0->1 (max: 9)}"},
		},
		{
			name:  "pods this new may not be the last",
			world: newWorld().group("app", 0, 0, 9, "1a").pod(testPod("p", 100, pending, func(p *corev1.Pod) { p.CreationTimestamp = ten })),
		},
		{
			name:  "expendable pods are not helped, placeholder pods are",
			world: newWorld().group("app", 0, 0, 9, "1a").pod(testPod("p", 1900, pending, ranked(-11)), testPod("q", 1900, pending, ranked(-10))),
			grows: []string{"{app 0->1 (max: 9)}"},
		},
		{
			name:  "nor do they stand in the way",
			world: newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").pod(testPod("e", 2000, on("a"), ranked(-11)), testPod("p", 1900, pending)),
		},
		{
			name: "a pod that has preempted its room waits for it",
			world: newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").
				pod(full("a"), testPod("p", 1900, pending, func(p *corev1.Pod) { p.Status.NominatedNodeName = "a" })),
		},
		{
			name:  "a DaemonSet's pod is not helped",
			world: newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a").pod(full("a"), testPod("p", 1900, pending, ownedBy("DaemonSet"))),
		},
		{
			name:  "nodes that were asked for are waited for",
			world: newWorld().group("app", 0, 1, 9, "1a").pod(testPod("p", 1900, pending)),
			state: scanState{requests: map[string]request{"app": {increase: 1, at: noon.Add(-time.Minute)}}},
		},
		{
			name: "and stand for those that have registered and are not ready yet",
			world: newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a", notReady, func(n *corev1.Node) { n.CreationTimestamp = ten }).
				pod(testPod("p", 1000, pending), testPod("q", 1000, pending), testPod("r", 1000, pending)),
			state: scanState{requests: map[string]request{"app": {increase: 1, at: noon.Add(-time.Minute)}}},
			grows: []string{"{app 1->2 (max: 9)}"},
		},
		{
			name:  "however many they are",
			world: newWorld().group("app", 0, 5, 9, "1a").pod(testPod("p", 1900, pending, func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"x": "y"} })),
			state: scanState{requests: map[string]request{"app": {increase: 5, at: noon.Add(-time.Minute)}}},
			says:  []string{"p NotTriggerScaleUp: pod didn't trigger scale-up: 1 node(s) didn't match Pod's node affinity/selector"},
		},
		{
			name:  "a group that misses its nodes is left alone",
			world: newWorld().group("app", 0, 5, 9, "1a").pod(testPod("p", 1900, pending)),
			says:  []string{"p NotTriggerScaleUp: pod didn't trigger scale-up: 1 not ready for scale-up"},
		},
		{
			name: "unless they are few among many",
			world: newWorld().group("app", 0, 10, 11, "1a").node("app", "a", "1a").node("app", "b", "1a").node("app", "c", "1a").
				node("app", "d", "1a").node("app", "e", "1a").node("app", "f", "1a").node("app", "g", "1a", notReady).
				node("app", "h", "1a", notReady).node("app", "i", "1a", notReady).node("app", "j", "1a", notReady).
				pod(full("a"), full("b"), full("c"), full("d"), full("e"), full("f"), full("g"), full("h"), full("i"), full("j"), testPod("p", 1900, pending)),
			grows: []string{"{app 10->11 (max: 11)}"},
		},
		{
			name: "a cordoned node is not counted on, whatever a pod tolerates",
			world: newWorld().group("app", 0, 1, 9, "1a").node("app", "a", "1a", cordoned).
				pod(testPod("p", 100, pending, func(p *corev1.Pod) {
					p.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists}}
				})),
			grows: []string{"{app 1->2 (max: 9)}"},
		},
		{
			name:  "nodes that somebody else asked for are not",
			world: newWorld().group("app", 0, 1, 9, "1a").pod(testPod("p", 1900, pending)),
			grows: []string{"{app 1->2 (max: 9)}"},
		},
		{
			name:  "a scale-up that never arrived is taken back, and the group left alone",
			world: newWorld().group("app", 0, 3, 9, "1a").pod(testPod("p", 1900, pending)),
			state: scanState{requests: map[string]request{"app": {increase: 2, at: noon.Add(-16 * time.Minute)}}},
			grows: []string{"{app 3->1 (max: 9)}"},
			says: []string{
				"autoscaler ScaleUpTimedOut: Nodes added to group app failed to register within 16m0s",
				"p NotTriggerScaleUp: pod didn't trigger scale-up: 1 in backoff after failed scale-up",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			do, _ := plan(t.Context(), defaults(nil), testJudge(t, inC...), tt.world.world, tt.state)
			if diff := cmp.Diff(tt.grows, resizeLines(do)); diff != "" {
				t.Errorf("sizes: %s", diff)
			}
			if diff := cmp.Diff(tt.says, eventLines(do)); diff != "" {
				t.Errorf("events: %s", diff)
			}
		})
	}
}

func TestScaleUpRequestLasts(t *testing.T) {
	j, cfg := testJudge(t), defaults(nil)
	w := newWorld().group("app", 0, 0, 9, "1a").pod(testPod("p", 1900, pending))
	do, m := plan(t.Context(), cfg, j, w.world, scanState{})
	if diff := cmp.Diff([]string{"{app 0->1 (max: 9)}"}, resizeLines(do)); diff != "" {
		t.Fatal(diff)
	}
	told := m.resized(cfg, do.resizes[0], nil, noon)
	want := []string{
		"autoscaler ScaledUpGroup: Scale-up: setting group app size to 1 instead of 0 (max: 9)",
		"autoscaler ScaledUpGroup: Scale-up: group app size set to 1 instead of 0 (max: 9)",
		"p TriggeredScaleUp: pod triggered scale-up: [{app 0->1 (max: 9)}]",
	}
	if diff := cmp.Diff(want, eventLines(told)); diff != "" {
		t.Error(diff)
	}
	w.groups[0].target = 1
	w.node("app", "a", "1a", notReady, func(n *corev1.Node) { n.CreationTimestamp = metav1.NewTime(noon) })
	do, m = plan(t.Context(), cfg, j, w.world, m)
	if len(do.resizes)+len(do.events) > 0 || len(m.requests) != 1 {
		t.Errorf("while the node starts: %v %v, requests %v", resizeLines(do), eventLines(do), m.requests)
	}
	w.nodes = nil
	w.node("app", "a", "1a")
	if _, m = plan(t.Context(), cfg, j, w.world, m); len(m.requests) != 0 {
		t.Errorf("still remembered: %v", m.requests)
	}
}

func TestBackoff(t *testing.T) {
	cfg, m := defaults(nil), scanState{}.clone()
	told := m.resized(cfg, resize{"app", 1, 2, 3, nil}, errors.New("no capacity"), noon)
	want := []string{
		"autoscaler ScaledUpGroup: Scale-up: setting group app size to 2 instead of 1 (max: 3)",
		"autoscaler FailedToScaleUpGroup: Scale-up failed for group app: no capacity",
	}
	if diff := cmp.Diff(want, eventLines(told)); diff != "" {
		t.Error(diff)
	}
	for _, minutes := range []int{5, 10, 20, 30, 30} {
		until := noon.Add(time.Duration(minutes) * time.Minute)
		if !m.backedOff("app", until.Add(-1)) || m.backedOff("app", until) {
			t.Errorf("left alone until %v, want %v", m.backoffs["app"].until, until)
		}
		m.backOff(cfg, "app", "", "", noon)
	}
}

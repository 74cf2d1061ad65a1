package headroom_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/scheduling"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// test is a test, or one draw of a property.
type test interface {
	Helper()
	Context() context.Context
	Fatal(args ...any)
}

// judgeOf is a Judge of a world of which all is known but some kinds.
func judgeOf(t test, objects w.Objects, unread ...cluster.Kind) *scheduling.Judge {
	t.Helper()
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		if !slices.Contains(unread, kind) && kind != cluster.ServiceAccount {
			known[kind] = cluster.Complete
		}
	}
	judge, err := scheduling.New(t.Context(), cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch, Knowledge: known}), scheduling.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

func compute(t testing.TB, judge *scheduling.Judge, o headroom.Options) *headroom.Report {
	t.Helper()
	report, err := headroom.Compute(t.Context(), judge, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// describe is an answer as a line: "node workers/a 1/2 of n1: waiting web (2), lost lone".
func describe(a headroom.Answer) string {
	name := strings.Trim(a.Group+"/"+a.Zone, "/")
	if a.Subject != nil {
		name = a.Subject.Name
	}
	line := fmt.Sprintf("%s %s", a.Kind, name)
	if a.Status != headroom.Known {
		return fmt.Sprint(line, " ", a.Status, " ", a.Unread)
	}
	line += fmt.Sprintf(" %d/%d", a.Costly, a.Cases)
	if len(a.Worst.Nodes) > 0 {
		line += " " + strings.Join(a.Worst.Nodes, ",")
	}
	for _, part := range []struct {
		fate string
		pods []headroom.Affected
	}{{"waiting", a.Worst.Waiting}, {"preempted", a.Worst.Preempted}, {"lost", a.Worst.Lost}} {
		count := map[string]int{}
		var names []string
		for _, one := range part.pods {
			if count[one.Workload.Name]++; count[one.Workload.Name] == 1 {
				names = append(names, one.Workload.Name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			line += fmt.Sprintf(" %s %s:%d", part.fate, name, count[name])
		}
	}
	return line
}

func mirrorPod(name, node string) *corev1.Pod {
	pod := w.Placed(name, node, w.Template(name, "100m"), w.OwnedBy("v1", "Node", node))
	pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
	return pod
}

// pinned keeps a pod on a node by its name, as a local volume does.
func pinned(node string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelHostname: node} }
}

var allKinds = []headroom.Kind{headroom.Node, headroom.TwoNodes, headroom.Zone, headroom.Rotation, headroom.Step, headroom.Burst}

func TestCost(t *testing.T) {
	one := w.CPU("1")
	for name, tc := range map[string]struct {
		world w.Objects
		kinds []headroom.Kind
		burst []headroom.BurstOf
		want  []string
	}{
		"enough room": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Deployment("web", w.Template("web", "1"), "n1", "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a 0/2"},
		},
		"no room anywhere": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "b", one), w.Deployment("web", w.Template("web", "500m"), "n1", "n1", "n2", "n2")),
			[]headroom.Kind{headroom.Node, headroom.Zone},
			nil,
			[]string{"node workers/a 1/1 n1 waiting web:2", "node workers/b 1/1 n2 waiting web:2", "zone a 1/1 n1 waiting web:2", "zone b 1/1 n2 waiting web:2"},
		},
		"pods that cannot move": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Node("n3", "b"), w.Deployment("local", w.Template("local", "1", pinned("n1")), "n1"),
				w.ZonalClaim("data", "b"), w.StatefulSet("db", w.Template("db", "1", w.Mounting("data")), "n3")),
			[]headroom.Kind{headroom.Node, headroom.Zone},
			nil,
			[]string{"node workers/a 1/2 n1 waiting local:1", "node workers/b 1/1 n3 waiting db:1", "zone a 1/1 n1,n2 waiting local:1", "zone b 1/1 n3 waiting db:1"},
		},
		"pods without an owner are lost, those of DaemonSets and mirror pods go with the node": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Placed("lone", "n1", w.Template("lone", "1")), mirrorPod("kube-proxy-n1", "n1"),
				w.DaemonSet("agent", w.Template("agent", "1"), "n1", "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a 1/2 n1 lost lone:1"},
		},
		"placeholders make way and are not missed": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "1"), "n1"),
				w.Deployment("room", w.Template("room", "1", w.Priority(-10)), "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a 0/2"},
		},
		"pods of higher priority preempt others": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "1", w.Priority(100)), "n1"),
				w.Deployment("batch", w.Template("batch", "1"), "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a 2/2 n1 waiting batch:1 preempted batch:1"},
		},
		"spread over zones": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "b", one), w.Node("n3", "b", one), w.Deployment("web", w.Template("web", "1", w.Spread(corev1.LabelTopologyZone, 1)), "n1", "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a 0/1", "node workers/b 0/2"},
		},
		"apart from each other": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Deployment("web", w.Template("web", "1", w.AntiAffinity(corev1.LabelHostname, "web")), "n1", "n2")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a 2/2 n1 waiting web:1"},
		},
		"two nodes": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Node("n3", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1", "n2")),
			[]headroom.Kind{headroom.Node, headroom.TwoNodes},
			nil,
			[]string{"two-nodes  3/3 n1,n2 waiting web:1", "node workers/a 0/3"},
		},
		"a rotation into the zones that are there": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "b"), w.ZonalClaim("data", "b"), w.StatefulSet("db", w.Template("db", "1", w.Mounting("data")), "n2")),
			[]headroom.Kind{headroom.Rotation},
			nil,
			[]string{"rotation workers 0/1"},
		},
		"a burst": {
			w.Of(w.Node("n1", "a", one), w.Node("n2", "a", one), w.Deployment("web", w.Template("web", "600m"), "n1")),
			[]headroom.Kind{headroom.Burst},
			[]headroom.BurstOf{{Workload: change.Ref{Kind: "Deployment", Namespace: "default", Name: "web"}, More: 3}},
			[]string{"burst web 1/1 waiting web:2"},
		},
		"an enormous request": {
			w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Deployment("web", w.Template("web", "9000000000000"), "n1")),
			[]headroom.Kind{headroom.Node},
			nil,
			[]string{"node workers/a 1/2 n1 waiting web:1"},
		},
		"no nodes": {w.Of(), allKinds, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, a := range compute(t, judgeOf(t, tc.world), headroom.Options{Kinds: tc.kinds, Bursts: tc.burst}).Answers {
				got = append(got, describe(a))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStep is a DaemonSet whose new template does not fit beside the pods of one of its nodes.
func TestStep(t *testing.T) {
	set := w.DaemonSet("agent", w.Template("agent", "100m", w.Priority(2000001000)), "n1", "n2")
	objects := w.Of(w.Node("n1", "a", w.CPU("1")), w.Node("n2", "a", w.CPU("1")), set, w.Deployment("web", w.Template("web", "850m"), "n1"))
	template := &set[0].(*appsv1.DaemonSet).Spec.Template // The pods have the old one.
	template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")}
	got := compute(t, judgeOf(t, objects), headroom.Options{Kinds: []headroom.Kind{headroom.Step}}).Answers
	if len(got) != 1 || describe(got[0]) != "step agent 1/1 waiting web:1 preempted web:1" {
		t.Errorf("answers: %v", got)
	}
	sized := compute(t, judgeOf(t, objects), headroom.Options{Kinds: []headroom.Kind{headroom.Step}, Sized: true}).Answers[0]
	want := &headroom.WholeRoom{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")}, Nodes: 2, Free: 1}
	if diff := cmp.Diff(want, sized.Whole); diff != "" {
		t.Errorf("the room for the whole pods (-want +got):\n%s", diff)
	}
	if got := compute(t, judgeOf(t, objects, cluster.DaemonSet), headroom.Options{Kinds: []headroom.Kind{headroom.Step}}).Answers; len(got) != 1 || got[0].Status != headroom.Unread {
		t.Errorf("without DaemonSets the answers are %v, want one that is not known", got)
	}
}

// TestUnknownStep is a vertical autoscaler whose parameters are in a ConfigMap that was not read.
func TestUnknownStep(t *testing.T) {
	template := w.Template("autoscaler", "10m")
	template.Spec.Containers[0].Image = "registry.k8s.io/cpa/cpvpa:v0.8.4"
	template.Spec.Containers[0].Command = []string{"/cpvpa", "--target=daemonset/agent", "--namespace=default", "--config-file=/etc/config/agent"}
	objects := w.Of(w.Node("n1", "a"), w.DaemonSet("agent", w.Template("agent", "100m"), "n1"), w.Deployment("autoscaler", template, "n1"))
	got := compute(t, judgeOf(t, objects, cluster.ConfigMap), headroom.Options{Kinds: []headroom.Kind{headroom.Step}}).Answers
	if len(got) != 1 || describe(got[0]) != "step agent unread [ConfigMap]" {
		t.Errorf("answers: %v", got)
	}
}

// TestNextStep is a vertical autoscaler that makes its next step at a number of nodes that the cluster does not have yet.
func TestNextStep(t *testing.T) {
	template := w.Template("autoscaler", "10m")
	template.Spec.Containers[0].Image = "registry.k8s.io/cpa/cpvpa:v0.8.4"
	template.Spec.Containers[0].Command = []string{
		"/cpvpa", "--target=daemonset/agent", "--namespace=default",
		`--default-config={"main":{"requests":{"cpu":{"base":"100m","step":"300m","nodesPerStep":4,"max":"2"}}}}`,
	}
	objects := w.Of(w.Node("n1", "a", w.CPU("1")), w.Node("n2", "a", w.CPU("1")), w.DaemonSet("agent", w.Template("agent", "400m", w.Priority(2000001000)), "n1", "n2"),
		w.Deployment("autoscaler", template, "n1"), w.Deployment("web", w.Template("web", "500m"), "n2"))
	for name, tc := range map[string]struct {
		more            w.Objects
		moreNodes, at   int
		requests, costs string
	}{
		"two nodes":   {nil, 3, 5, "700m", "step agent 1/1 waiting web:1 preempted web:1"},
		"three nodes": {w.Of(w.Node("n3", "a", w.CPU("1"))), 2, 5, "700m", "step agent 1/1 waiting web:1 preempted web:1"},
	} {
		got := compute(t, judgeOf(t, append(slices.Clone(objects), tc.more...)), headroom.Options{Kinds: []headroom.Kind{headroom.Step}}).Answers
		if len(got) != 1 || got[0].Step == nil {
			t.Fatalf("%s: %+v", name, got)
		}
		if s := got[0].Step; s.MoreNodes != tc.moreNodes || s.AtNodes != tc.at || s.Requests.Cpu().String() != tc.requests || describe(got[0]) != tc.costs {
			t.Errorf("%s: %s: %+v", name, describe(got[0]), s)
		}
	}
}

// TestTwoNodesLimit: the loss of any two nodes is computed for clusters up to a size, and not said to cost nothing beyond it.
func TestTwoNodesLimit(t *testing.T) {
	var objects w.Objects
	for i := range headroom.MostNodesForTwo {
		objects = append(objects, w.Node(fmt.Sprintf("n%d", i), "a"))
	}
	two := headroom.Options{Kinds: []headroom.Kind{headroom.TwoNodes}}
	if got := compute(t, judgeOf(t, objects), two).Answers; len(got) != 1 || got[0].Status != headroom.Known || got[0].Cases != 4950 {
		t.Errorf("with %d nodes: %+v", len(objects), got)
	}
	objects = append(objects, w.Node("more", "a"))
	two.Sized = true
	if got := compute(t, judgeOf(t, objects), two).Answers; len(got) != 1 || got[0].Status != headroom.NotComputed || got[0].Room != nil {
		t.Errorf("with %d nodes: %+v", len(objects), got)
	}
}

// recommends is a VerticalPodAutoscaler that recommends CPU for the container of a workload.
func recommends(kind, name, cpu string) *custom.VerticalPodAutoscaler {
	a := &custom.VerticalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	a.Spec.TargetRef = &autoscalingv1.CrossVersionObjectReference{Kind: kind, Name: name}
	a.Status.Recommendation = &custom.RecommendedPodResources{ContainerRecommendations: []custom.RecommendedContainerResources{
		{ContainerName: "main", Target: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
	}}
	return a
}

// TestRecommendedStep is a VerticalPodAutoscaler that recommends so much for a Deployment that one of its two pods finds no node any more: the updater evicts
// one after the other. A DaemonSet's pods take the place of others.
func TestRecommendedStep(t *testing.T) {
	objects := w.Of(w.Node("n1", "a", w.CPU("2")), w.Node("n2", "a", w.CPU("2")), w.Deployment("web", w.Template("web", "1"), "n1", "n2"),
		w.Deployment("api", w.Template("api", "600m"), "n1"), w.DaemonSet("agent", w.Template("agent", "100m", w.Priority(2000001000)), "n1", "n2"),
		recommends("Deployment", "web", "1500m"), recommends("DaemonSet", "agent", "500m"))
	step := headroom.Options{Kinds: []headroom.Kind{headroom.Step}}
	var got []string
	for _, a := range compute(t, judgeOf(t, objects), step).Answers {
		got = append(got, fmt.Sprint(describe(a), " ", a.Step.Requests.Cpu(), " ", a.Step.AtNodes))
	}
	want := []string{"step agent 1/1 waiting api:1 preempted api:1 500m 0", "step web 1/1 waiting web:1 1500m 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	unread := compute(t, judgeOf(t, objects[:len(objects)-2], cluster.VerticalPodAutoscaler), step).Answers
	if len(unread) != 1 || unread[0].Status != headroom.Unread || !slices.Equal(unread[0].Unread, []cluster.Kind{cluster.VerticalPodAutoscaler}) {
		t.Errorf("without VerticalPodAutoscalers the answers are %v, want one that is not known", unread)
	}
}

// TestUnread leaves out what failures need to be known: their cost is unknown, and not nothing.
func TestUnread(t *testing.T) {
	objects := w.Of(w.Node("n1", "a"), w.Node("n2", "b"), w.Deployment("web", w.Template("web", "1"), "n1"), w.ZonalClaim("data", "b"),
		w.StatefulSet("db", w.Template("db", "1", w.Mounting("data")), "n2"))
	for _, a := range compute(t, judgeOf(t, objects, cluster.Job, cluster.CronJob), headroom.Options{Kinds: []headroom.Kind{headroom.Node, headroom.Zone}}).Answers {
		if a.Status != headroom.Known {
			t.Errorf("%s: of Jobs there is no pod, so that they need not be known", describe(a))
		}
	}
	for _, kind := range []cluster.Kind{cluster.ReplicaSet, cluster.PersistentVolumeClaim, cluster.StorageClass, cluster.StatefulSet} {
		for _, a := range compute(t, judgeOf(t, objects, kind), headroom.Options{Kinds: allKinds}).Answers {
			if a.Status != headroom.Unread || !slices.Contains(a.Unread, kind) {
				t.Errorf("without %s, the status of %s is %s %v", kind, describe(a), a.Status, a.Unread)
			}
		}
	}
}

// TestIdenticalNodes are played once: hostnames and other labels of single nodes do not tell them apart, what pods run does.
func TestIdenticalNodes(t *testing.T) {
	var objects w.Objects
	var on []string
	for i := range 6 {
		node := w.Node(fmt.Sprintf("n%d", i), "a")
		node.Labels["example.com/serial"] = fmt.Sprint(i)
		node.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("8Gi")
		objects = append(objects, node)
		on = append(on, node.Name)
	}
	objects = append(objects, w.Deployment("web", w.Template("web", "1"), on[:4]...)...)
	played := 0
	report := compute(t, judgeOf(t, objects), headroom.Options{Kinds: []headroom.Kind{headroom.Node}, Progress: func(done, _ int) { played = done }})
	if played != 2 || report.Answers[0].Cases != 6 {
		t.Errorf("%d nodes were lost for %d, want 2: one with a pod and one without", played, report.Answers[0].Cases)
	}
}

// TestManyDifferentNodes: of more kinds of nodes than are lost, those count whose pods request most, and the rest is stated.
func TestManyDifferentNodes(t *testing.T) {
	world := w.Of(w.Node("n1", "a"), w.Node("n2", "a"), w.Node("n3", "a"),
		w.Deployment("small", w.Template("small", "500m"), "n1"), w.Deployment("large", w.Template("large", "3"), "n2", "n3"), w.Deployment("filler", w.Template("filler", "900m"), "n3"))
	report, err := headroom.ComputeSome(t.Context(), judgeOf(t, world), headroom.Options{Kinds: []headroom.Kind{headroom.Node}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	a := report.Answers[0]
	if a.Unplayed != 2 || a.Cases != 3 || a.Costly != 1 || len(a.Worst.Waiting) != 1 || a.Worst.Waiting[0].Workload.Name != "large" {
		t.Errorf("%s, %d not simulated, costly %d", describe(a), a.Unplayed, a.Costly)
	}
}

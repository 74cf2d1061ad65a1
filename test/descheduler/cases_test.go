package descheduler

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
	"github.com/naosu-dev/naosu/lab"
	labnodes "github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/twin"
)

// testCase is a cluster as a disturbance has left it.
type testCase struct {
	name string
	// source is where the case is from.
	source string
	// file is a cluster that is written down; world is one that is made here.
	file  string
	world w.Objects
}

const (
	issues   = "https://github.com/kubernetes-sigs/descheduler/issues/"
	upstream = "../../internal/diagnosis/testdata/upstream/"
)

// cases are all clusters. Those of issues are the files with which the diagnosis is tested; the titles of the issues are there.
var cases = []testCase{
	{name: "issue-335", source: issues + "335", file: upstream + "descheduler-335.yaml"},
	{name: "issue-424", source: issues + "424", file: upstream + "descheduler-424.yaml"},
	{name: "issue-566", source: issues + "566", file: upstream + "descheduler-566.yaml"},
	{name: "issue-604", source: issues + "604", file: upstream + "descheduler-604.yaml"},
	{name: "issue-994", source: issues + "994", file: upstream + "descheduler-994.yaml"},
	{
		name: "issue-996", source: issues + "996: a PodDisruptionBudget allows fewer disruptions than a run wants",
		world: w.Of(nodes("n1", "n2", "n3"), w.Deployment("test1", app("test1", "100m"), spread(map[string]int{"n1": 5, "n2": 5})...), w.Budget("test1", "test1", 9)),
	},
	{
		name: "issue-1237", source: issues + "1237: RemoveDuplicates counts nodes without room",
		world: w.Of(
			nodes("n1", "n2", "n3", "n4"), w.Deployment("web", app("web", "500m"), "n1", "n1", "n2", "n2"),
			w.Deployment("big-a", app("big-a", "3700m"), "n3"), w.Deployment("big-b", app("big-b", "3700m"), "n4"),
		),
	},
	{name: "issue-1584", source: issues + "1584", file: upstream + "descheduler-1584.yaml"},
	{name: "issue-1695", source: issues + "1695", file: upstream + "descheduler-1695.yaml"},
	{name: "issue-1707", source: issues + "1707", file: upstream + "descheduler-1707.yaml"},
	{
		name: "node-returned", source: "the second incident",
		world: w.Of(nodes("minion-1", "minion-2", "minion-3"),
			w.Deployment("httpd", app("httpd", "100m"), "minion-1", "minion-3", "minion-3"),
			w.Deployment("nginx", app("nginx", "100m"), "minion-1", "minion-3", "minion-3")),
	},
	{
		name: "zone-returned", source: "two of six nodes, a whole zone, were away",
		world: w.Of(nodes("n1", "n2", "n3", "n4", "n5", "n6"),
			w.Deployment("api", app("api", "250m"), "n1", "n1", "n2", "n4", "n4", "n5"), w.Budget("api", "api", 5),
			w.Deployment("web", app("web", "100m"), "n1", "n2", "n4", "n5"),
			w.Deployment("cart", app("cart", "500m"), "n1", "n2", "n5"), w.Budget("cart", "cart", 2),
			w.StatefulSet("queue", app("queue", "250m"), "n1", "n2", "n4"), w.Budget("queue", "queue", 2)),
	},
	{
		name: "group-grew", source: "a node group grew from three nodes to six",
		world: w.Of(nodes("n1", "n2", "n3", "n4", "n5", "n6"),
			w.Deployment("shop", app("shop", "400m"), spread(map[string]int{"n1": 4, "n2": 4, "n3": 4})...),
			w.Deployment("search", app("search", "300m"), spread(map[string]int{"n1": 2, "n2": 2, "n3": 2})...),
			w.Deployment("mail", app("mail", "100m"), "n1", "n2", "n3")),
	},
	{
		name: "taint-removed", source: "a node was tainted while a workload with a topology spread constraint was scaled up",
		world: w.Of(nodes("n1", "n2", "n3"), w.Deployment("web", app("web", "200m", w.Spread(corev1.LabelHostname, 1)), "n1", "n1", "n1", "n2", "n2", "n2")),
	},
	{
		name: "taint-added", source: "a node is being set aside with a NoSchedule taint",
		world: w.Of(nodes("n1", "n2", "n3"), w.Node("n4", "zone-a", tainted),
			w.Deployment("web", app("web", "200m"), "n1", "n2", "n3", "n4"), w.Deployment("api", app("api", "200m"), "n2", "n3", "n4"),
			w.Deployment("one", app("one", "200m"), "n4")),
	},
	{
		name: "taint-full", source: "the same with room for one of three pods elsewhere",
		world: w.Of(nodes("n1", "n2", "n3"), w.Node("n4", "zone-a", tainted),
			w.Deployment("big", app("big", "3500m"), "n1", "n2"), w.Deployment("mid", app("mid", "2700m"), "n3"),
			w.Deployment("web", app("web", "1"), "n4", "n4", "n4")),
	},
	{
		name: "label-removed", source: "a node lost the label that pods require",
		world: w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-b", labelled("disk", "ssd")), w.Node("n3", "zone-c", labelled("disk", "ssd")),
			w.Deployment("db", app("db", "500m", requiring("disk", "ssd")), "n1", "n2", "n3")),
	},
	{
		name: "zone-relabelled", source: "a node's zone was corrected; replicas must not share a zone",
		world: w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-a"), w.Node("n3", "zone-b"), w.Node("n4", "zone-c"),
			w.Deployment("web", app("web", "200m", w.AntiAffinity(corev1.LabelTopologyZone, "web")), "n1", "n2", "n3")),
	},
	{
		name: "anti-affinity", source: "pods of a workload got a label that another's anti-affinity is about",
		world: w.Of(nodes("n1", "n2", "n3"), w.Deployment("db", app("db", "500m", w.AntiAffinity(corev1.LabelHostname, "batch")), "n1"),
			w.Deployment("batch", app("batch", "500m"), "n1", "n2")),
	},
	{
		name: "singles", source: "twelve Deployments of one replica were created while one node was there",
		world: singles("n1", 12, nodes("n1", "n2", "n3")),
	},
	{
		name: "stateful", source: "a node came back to a StatefulSet with a PodDisruptionBudget",
		world: w.Of(nodes("n1", "n2", "n3"), w.StatefulSet("db", app("db", "250m"), "n1", "n2", "n1", "n2", "n1"), w.Budget("db", "db", 4)),
	},
	{name: "mixed-1", source: "twenty workloads made up from a seed, three of twelve nodes came back", world: mixed(1)},
	{name: "mixed-2", source: "the same of another seed", world: mixed(2)},
}

// nodes are in three zones, in turn.
func nodes(names ...string) w.Objects {
	var all w.Objects
	for i, name := range names {
		all = append(all, w.Node(name, fmt.Sprintf("zone-%c", 'a'+i%3)))
	}
	return all
}

// spread are as many nodes as pods, by name.
func spread(pods map[string]int) (on []string) {
	for node, n := range pods {
		on = append(on, slices.Repeat([]string{node}, n)...)
	}
	slices.Sort(on)
	return on
}

// app is a template whose pods can be created.
func app(name, cpu string, edits ...func(*corev1.PodSpec)) corev1.PodTemplateSpec {
	t := w.Template(name, cpu, edits...)
	t.Spec.Containers[0].Image = name
	t.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse("256Mi")
	return t
}

func tainted(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "maintenance", Value: "planned", Effect: corev1.TaintEffectNoSchedule}}
}

func labelled(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func requiring(key, value string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}},
			}}},
		}}
	}
}

func singles(node string, count int, world w.Objects) w.Objects {
	for i := range count {
		name := fmt.Sprintf("single-%c", 'a'+i)
		world = append(world, w.Deployment(name, app(name, "250m"), node)...)
	}
	return world
}

// mixed are twenty workloads on nine of twelve nodes, placed by chance where there is room. Half have a budget for one disruption.
func mixed(seed uint64) w.Objects {
	draw := rand.New(rand.NewPCG(seed, 0))
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("n%02d", i+1))
	}
	world := nodes(names...)
	free := map[string]int{}
	for _, name := range names[:9] {
		free[name] = 4000
	}
	for i := range 20 {
		name := fmt.Sprintf("app-%c", 'a'+i)
		cpu := []int{100, 200, 400}[draw.IntN(3)]
		var on []string
		for range []int{1, 2, 3, 4, 6, 8}[draw.IntN(6)] {
			if node := names[draw.IntN(9)]; free[node] >= cpu {
				free[node] -= cpu
				on = append(on, node)
			}
		}
		if len(on) == 0 {
			continue
		}
		world = append(world, w.Deployment(name, app(name, fmt.Sprintf("%dm", cpu)), on...)...)
		if i%2 == 0 && len(on) > 1 {
			world = append(world, w.Budget(name, name, len(on)-1))
		}
	}
	return world
}

// timeScale is how much faster than reality the lab is.
const timeScale = 20

// options are the lab in which the case's cluster runs.
func (c testCase) options(t *testing.T) lab.Options {
	t.Helper()
	var file bytes.Buffer
	if err := started(c.snapshot(t)).Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := twin.Read(&file, pace.New(timeScale), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return read.Options()
}

func (c testCase) snapshot(t *testing.T) *cluster.Snapshot {
	t.Helper()
	objects := []runtime.Object(c.world)
	if c.file != "" {
		objects = clustertest.Load(t, c.file)
	}
	for _, o := range objects {
		if o := o.(metav1.Object); o.GetUID() == "" { // The API server changes no object without one.
			o.SetUID(types.UID(fmt.Sprintf("%T %s", o, o.GetName())))
		}
	}
	return cluster.New(cluster.Contents{Objects: objects, Taken: w.Epoch})
}

// readyAfter is how long after its start a pod that is created in the place of another is ready.
const readyAfter = 20 * time.Second

// started is the cluster as one that has been running for an hour: controllers know their pods, and containers run.
func started(s *cluster.Snapshot) *cluster.Snapshot {
	var edits []cluster.Edit
	for _, kind := range []cluster.Kind{cluster.Deployment, cluster.ReplicaSet, cluster.StatefulSet} {
		for _, o := range s.Objects(kind) {
			edits = append(edits, cluster.Put(startedController(o)))
		}
	}
	for _, pod := range s.Pods() {
		if pod.Spec.NodeName != "" {
			edits = append(edits, cluster.Put(startedPod(pod, metav1.NewTime(s.Taken().Add(-time.Hour)))))
		}
	}
	return s.With(edits...)
}

func startedController(o metav1.Object) metav1.Object {
	switch o := o.(type) {
	case *appsv1.Deployment:
		o = o.DeepCopy()
		delayReadiness(&o.Spec.Template)
		return o
	case *appsv1.ReplicaSet:
		o = o.DeepCopy()
		delayReadiness(&o.Spec.Template)
		o.Labels = o.Spec.Template.Labels // by which Deployments find theirs
		return o
	case *appsv1.StatefulSet:
		o = o.DeepCopy()
		delayReadiness(&o.Spec.Template)
		o.Status.CurrentRevision, o.Status.UpdateRevision = o.Name+"-1", o.Name+"-1"
		return o
	}
	panic(fmt.Sprintf("%T is no controller of the cases", o))
}

func delayReadiness(t *corev1.PodTemplateSpec) {
	metav1.SetMetaDataAnnotation(&t.ObjectMeta, labnodes.AnnotationReadyAfter, readyAfter.String())
}

func startedPod(pod *corev1.Pod, since metav1.Time) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.Status.Phase, pod.Status.StartTime, pod.CreationTimestamp = corev1.PodRunning, &since, since
	if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == string(cluster.StatefulSet) {
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = owner.Name + "-1"
	}
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true, Started: new(true), ContainerID: "lab://" + pod.Name,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: since}},
		})
	}
	return pod
}

package rebalance_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// plan is what is planned for a world.
func plan(t *testing.T, objects w.Objects, o rebalance.Options) rebalance.Plan {
	t.Helper()
	p, err := rebalance.New(t.Context(), objects.Judge(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// describe writes a plan in one line: result, bound, the waves, the distributions after it, and what stays out of balance.
func describe(p rebalance.Plan) string {
	parts := []string{fmt.Sprintf("%s %d", p.Result, p.Bound)}
	for _, wave := range p.Waves {
		var moves []string
		for _, m := range wave.Moves {
			moves = append(moves, m.Workload.Name+" "+m.From+">"+strings.Join(m.To, "|"))
		}
		parts = append(parts, "["+strings.Join(moves, ", ")+"]")
	}
	for _, d := range p.Workloads {
		var counts []string
		for _, node := range slices.Sorted(maps.Keys(d.After)) {
			counts = append(counts, fmt.Sprintf("%s:%d", node, d.After[node]))
		}
		parts = append(parts, d.Workload.Name+" "+strings.Join(counts, " "))
	}
	for _, u := range p.Unmet {
		parts = append(parts, fmt.Sprintf("%s %s", u.Workload.Name, u.Reason))
	}
	return strings.Join(parts, "; ")
}

func zones(nodes ...string) w.Objects {
	var all w.Objects
	for i, name := range nodes {
		all = append(all, w.Node(name, fmt.Sprintf("zone-%c", 'a'+i%3)))
	}
	return all
}

func repeat(node string, n int) []string { return slices.Repeat([]string{node}, n) }

func terminating(pod *corev1.Pod) *corev1.Pod {
	pod.DeletionTimestamp, pod.Finalizers = new(metav1.Now()), []string{"example.org/wait"}
	return pod
}

func elsewhere(pod *corev1.Pod) *corev1.Pod {
	pod.Namespace = "elsewhere"
	return pod
}

// everyNamespace has the anti-affinity of a pod concern pods of every namespace.
func everyNamespace(spec *corev1.PodSpec) {
	spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].NamespaceSelector = &metav1.LabelSelector{}
}

func TestPlan(t *testing.T) {
	web := w.Template("web", "100m")
	budget := func(allowed int32) *policyv1.PodDisruptionBudget {
		pdb := w.Budget("web", "web", 1)
		pdb.Status = policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, CurrentHealthy: 6, DesiredHealthy: 6 - allowed, ExpectedPods: 6}
		return pdb
	}
	annotated := func(objects w.Objects, key, value string) w.Objects {
		for _, o := range objects {
			if pod, is := o.(*corev1.Pod); is {
				pod.Annotations = map[string]string{key: value}
			}
		}
		return objects
	}
	pool := w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-a"), w.Node("n3", "zone-b"), w.Node("n4", "zone-c"), w.Placed("filler", "n2", w.Template("filler", "500m")))
	story2 := append(repeat("n1", 2), repeat("n2", 4)...) // n3 came back after the pods were placed
	for name, tc := range map[string]struct {
		world w.Objects
		want  string
	}{
		"even": {w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, "n1", "n1", "n2", "n2", "n3", "n3")), "balanced 0"},
		"a node came back": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, story2...)),
			"minimal 2; [web n2>n3]; [web n2>n3]; web n1:2 n2:2 n3:2",
		},
		"a budget allows both at once": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, story2...), budget(2)),
			"minimal 2; [web n2>n3, web n2>n3]; web n1:2 n2:2 n3:2",
		},
		"a budget allows none": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, story2...), budget(0)),
			"none 0; web Protected",
		},
		"people want the pods left alone": {
			w.Of(zones("n1", "n2", "n3"), annotated(w.Deployment("web", web, story2...), "karpenter.sh/do-not-disrupt", "true")),
			"none 0; web Protected",
		},
		"the node that came back is full": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, story2...), w.Deployment("big", w.Template("big", "3950m"), "n3")),
			"none 0; web NoGain",
		},
		"the node that came back has room for one": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, story2...), w.Deployment("big", w.Template("big", "3850m"), "n3")),
			"minimal 1; [web n2>n3]; web n1:2 n2:3 n3:1; web NoGain",
		},
		"the new nodes are cordoned, tainted, or not ready": {
			w.Of(zones("n1", "n2"), w.Node("n3", "zone-c", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
				w.Node("n4", "zone-c", func(n *corev1.Node) {
					n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
				}),
				w.Node("n5", "zone-c", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }),
				w.Deployment("web", web, "n1", "n1", "n1", "n2", "n2", "n2")),
			"balanced 0",
		},
		"another's pod makes room": {
			w.Of(pool, w.Deployment("web", w.Template("web", "1500m", w.InZone("zone-a")), "n1", "n1"), w.Deployment("two", w.Template("two", "2900m"), "n2", "n4")),
			"irreducible 1; [two n2>n3, web n1>n2]; two n3:1 n4:1; web n1:1 n2:1",
		},
		"what replaces another's pod takes the place that the scheduler prefers": { // TestBruteForce drew it.
			w.Of(w.Node("n1", "zone-a", w.CPU("4")), w.Node("n2", "zone-b", w.CPU("2")), w.Node("n3", "zone-a", w.CPU("1")),
				w.Deployment("api", w.Template("api", "300m"), "n2", "n1", "n2", "n1"), w.Deployment("web", w.Template("web", "700m"), "n3", "n1", "n2", "n1")),
			"irreducible 1; [api n1>n3, web n3>n2]; api n1:1 n2:2 n3:1; web n1:2 n2:2",
		},
		"another's only pod is not evicted to make room": {
			w.Of(pool, w.Deployment("web", w.Template("web", "1500m", w.InZone("zone-a")), "n1", "n1"), w.Deployment("one", w.Template("one", "2900m"), "n2")),
			"none 0; web NoGain",
		},
		"a pod still starts": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, story2...), w.Placed("web-1-z", "", web, w.OwnedBy("apps/v1", "ReplicaSet", "web-1"))),
			"none 0; web InMotion",
		},
		"two replicas on one of three nodes": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, "n1", "n1")),
			"minimal 1; [web n1>n2|n3]; web n1:1 n3:1",
		},
		"less than a third on a node is no risk": {
			w.Of(zones("n1", "n2", "n3", "n4", "n5", "n6"), w.Deployment("web", web, "n1", "n1", "n2", "n3", "n5", "n6")),
			"balanced 0",
		},
		"all in one of three zones": {
			w.Of(zones("n1", "n2", "n3"), w.Node("n4", "zone-a"), w.Node("n5", "zone-a"), w.Deployment("web", web, "n1", "n4", "n5")),
			"minimal 2; [web n1>n2|n3]; [web n4>n2|n3]; web n2:1 n3:1 n5:1",
		},
		"a taint came after the pod": {
			w.Of(zones("n1", "n2", "n3"), w.Node("n4", "zone-a", func(n *corev1.Node) {
				n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
			}), w.Deployment("web", web, "n4", "n2", "n3")),
			"minimal 1; [web n4>n1]; web n1:1 n2:1 n3:1",
		},
		"beside one that its anti-affinity excludes": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("db", w.Template("db", "100m", w.AntiAffinity(corev1.LabelHostname, "batch")), "n1"), w.Deployment("batch", w.Template("batch", "3600m"), "n1", "n2")),
			"minimal 1; [db n1>n3]; db n3:1",
		},
		"beside one that its anti-affinity excludes, and there is no other node": {
			w.Of(zones("n1", "n2"), w.Deployment("db", w.Template("db", "100m", w.AntiAffinity(corev1.LabelHostname, "batch")), "n1"), w.Deployment("batch", w.Template("batch", "100m"), "n1", "n2")),
			"none 0; db NoGain",
		},
		"beside one of its own in a zone": {
			w.Of(zones("n1", "n2", "n3"), w.Node("n4", "zone-a"), w.Node("n5", "zone-d"), w.Deployment("db", w.Template("db", "100m", w.AntiAffinity(corev1.LabelTopologyZone, "db")), "n1", "n4", "n2", "n3")),
			"minimal 1; [db n1>n5]; db n2:1 n3:1 n4:1 n5:1",
		},
		"beside one that terminates": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("db", w.Template("db", "100m", w.AntiAffinity(corev1.LabelHostname, "batch")), "n1"), terminating(w.Placed("batch", "n1", w.Template("batch", "100m")))),
			"balanced 0",
		},
		"beside one of another namespace": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("db", w.Template("db", "100m", w.AntiAffinity(corev1.LabelHostname, "batch")), "n1"), elsewhere(w.Placed("batch", "n1", w.Template("batch", "100m")))),
			"balanced 0",
		},
		"beside one of a namespace that is selected": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("db", w.Template("db", "100m", w.AntiAffinity(corev1.LabelHostname, "batch"), everyNamespace), "n1"), elsewhere(w.Placed("batch", "n1", w.Template("batch", "100m")))),
			"minimal 1; [db n1>n2|n3]; db n2:1",
		},
		"a spread constraint is broken": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m", w.Spread(corev1.LabelHostname, 1)), "n1", "n1", "n2", "n2", "n2", "n3")),
			"minimal 1; [web n2>n3]; web n1:2 n2:2 n3:2",
		},
		"a StatefulSet": {
			w.Of(zones("n1", "n2", "n3"), w.StatefulSet("db", w.Template("db", "100m"), "n1", "n1", "n2")),
			"minimal 1; [db n1>n3]; db n1:1 n2:1 n3:1",
		},
		"a StatefulSet with volumes": {
			w.Of(zones("n1", "n2", "n3"), w.ZonalClaim("data", "zone-a"), w.StatefulSet("db", w.Template("db", "100m", w.Mounting("data")), "n1", "n1", "n2")),
			"none 0; db Protected",
		},
		"Jobs, DaemonSets and bare pods": {
			w.Of(zones("n1", "n2", "n3"), w.Job("batch", 1, w.Template("batch", "100m"), "n1", "n1", "n1"), w.DaemonSet("agent", w.Template("agent", "100m"), "n1"),
				w.Placed("bare", "n1", w.Template("bare", "100m"))),
			"balanced 0",
		},
		"two workloads": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("api", w.Template("api", "100m"), "n1", "n1", "n2"), w.Deployment("web", web, story2...)),
			"minimal 3; [api n1>n3, web n2>n3]; [web n2>n3]; api n1:1 n2:1 n3:1; web n1:2 n2:2 n3:2",
		},
		"many replicas": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, append(repeat("n1", 9), repeat("n2", 9)...)...)),
			"minimal 6; [web n1>n3]; [web n2>n3]; [web n1>n3]; [web n2>n3]; [web n1>n3]; [web n2>n3]; web n1:6 n2:6 n3:6",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := describe(plan(t, tc.world, rebalance.Options{})); got != tc.want {
				t.Errorf("planned\n%s, want\n%s", got, tc.want)
			}
		})
	}
}

// A plan that was carried out needs no other: otherwise pods would be evicted for ever.
// TestAddresses: no pod is evicted to where it gets no address.
func TestAddresses(t *testing.T) {
	for name, tc := range map[string]struct {
		free  int64
		moves int
	}{
		"there are addresses":    {9, 2},
		"there are no addresses": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			filler := w.Template("filler", "10m") // It has the addresses of the interface that n3 has.
			world := w.Of(w.VPCCNI(), zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m"), append(repeat("n1", 2), repeat("n2", 4)...)...),
				w.Placed("f1", "n3", filler), w.Placed("f2", "n3", filler), w.Placed("f3", "n3", filler))
			p, err := rebalance.New(t.Context(), world.JudgeOn(t, world.Network(map[string]int64{"zone-a": 9, "zone-b": 9, "zone-c": tc.free})), rebalance.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(evicted(p)); got != tc.moves {
				t.Errorf("%s: %d evictions, want %d", describe(p), got, tc.moves)
			}
		})
	}
}

func TestNothingIsPlannedAfterAPlan(t *testing.T) {
	world := w.Of(zones("n1", "n2", "n3"), w.Deployment("api", w.Template("api", "700m"), "n1", "n1", "n2"), w.Deployment("web", w.Template("web", "100m"), append(repeat("n1", 2), repeat("n2", 4)...)...))
	judge := world.Judge(t)
	p := plan(t, world, rebalance.Options{})
	err := simulation.EachFuture(t.Context(), judge, evictions(p), simulation.Options{Seeds: 8}, func(outcome.Outcome) error {
		again, err := rebalance.New(t.Context(), judge, rebalance.Options{})
		if got := describe(again); got != "balanced 0" {
			t.Errorf("planned again: %s", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func evictions(p rebalance.Plan) []change.Change {
	var all []change.Change
	for _, pod := range evicted(p) {
		all = append(all, change.Evict{Namespace: pod.Namespace, Name: pod.Name})
	}
	return all
}

// evicted are the pods that a plan evicts, and excess that of each workload after it.
func evicted(p rebalance.Plan) (pods []change.Ref) {
	for _, wave := range p.Waves {
		for _, m := range wave.Moves {
			pods = append(pods, m.Pod)
		}
	}
	return pods
}

func excess(p rebalance.Plan) map[change.Ref]int {
	all := map[change.Ref]int{}
	for _, d := range p.Workloads {
		all[d.Workload] = d.Excess
	}
	return all
}

// What is asked about is planned for alone, and the Judge's world stays as it was.
func TestAsks(t *testing.T) {
	world := w.Of(zones("n1", "n2", "n3"), w.Deployment("api", w.Template("api", "100m"), "n1", "n1", "n2"), w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n2"))
	judge := world.Judge(t)
	p, err := rebalance.New(t.Context(), judge, rebalance.Options{Asks: func(ref change.Ref) bool { return ref.Name == "api" }})
	if got := describe(p); err != nil || got != "minimal 1; [api n1>n3]; api n1:1 n2:1 n3:1" {
		t.Errorf("planned %s (%v)", got, err)
	}
	if pods := judge.World().Pods(); len(pods) != 6 || slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil || cluster.Ended(p) }) {
		t.Errorf("the world has %d pods", len(pods))
	}
}

package rebalance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/rebalance"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// edited is a Deployment with pods that are edited.
func edited(objects w.Objects, edit func(i int, pod *corev1.Pod)) w.Objects {
	i := 0
	for _, o := range objects {
		if pod, is := o.(*corev1.Pod); is {
			edit(i, pod)
			i++
		}
	}
	return objects
}

// Which pods may be evicted, and which rules of theirs count.
func TestPlanOfRules(t *testing.T) {
	web := w.Template("web", "100m")
	lopsided := []string{"n1", "n1", "n1", "n2"}
	labeled := func(n *corev1.Node) { n.Labels["disk"] = "ssd" }
	onSSD := func(spec *corev1.PodSpec) { spec.NodeSelector = map[string]string{"disk": "ssd"} }
	besideDB := func(spec *corev1.PodSpec) {
		spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, TopologyKey: corev1.LabelHostname},
		}}}
	}
	byRevision := func(spec *corev1.PodSpec) {
		spec.TopologySpreadConstraints[0].MatchLabelKeys = []string{"pod-template-hash"}
	}
	for name, tc := range map[string]struct {
		world w.Objects
		want  string
	}{
		"a label of the node is gone": {
			w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-b", labeled), w.Node("n3", "zone-c", labeled), w.Deployment("web", w.Template("web", "100m", onSSD), "n1", "n2")),
			"minimal 1; [web n1>n3]; web n2:1 n3:1",
		},
		"apart from those that its affinity requires": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("db", w.Template("db", "100m"), "n2"), w.Deployment("web", w.Template("web", "100m", besideDB), "n1")),
			"minimal 1; [web n1>n2]; web n2:1",
		},
		"there are none that its affinity requires": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m", besideDB), "n1")),
			"none 0; web NoGain",
		},
		"a spread constraint by revision": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m", w.Spread(corev1.LabelHostname, 1), byRevision), "n1", "n1", "n2", "n2", "n2", "n3")),
			"minimal 1; [web n2>n3]; web n1:2 n2:2 n3:2",
		},
		"data on the node": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m", func(spec *corev1.PodSpec) {
				spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
			}), lopsided...)),
			"none 0; web Protected",
		},
		"system-critical": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m", w.Priority(2_000_000_000)), lopsided...)),
			"none 0; web Protected",
		},
		"several budgets": {
			w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, lopsided...), w.Budget("one", "web", 1), w.Budget("two", "web", 1)),
			"none 0; web Protected",
		},
		// The limit of web is three on a node, and of five that have to leave, more than two fit nowhere before pods of a and b have gone to n4, to which web's
		// may not go.
		"others make room for many": {
			w.Of(w.Node("n1", "zone-a", labeled), w.Node("n2", "zone-b", labeled), w.Node("n3", "zone-c", labeled), w.Node("n4", "zone-a", w.CPU("8")),
				w.Deployment("web", w.Template("web", "500m", onSSD), repeat("n1", 8)...),
				w.Deployment("a", w.Template("a", "1900m"), "n2", "n3"), w.Deployment("b", w.Template("b", "1900m"), "n2", "n3")),
			"irreducible 5; [a n2>n4, web n1>n2, b n3>n4]; [web n1>n3]; [web n1>n2|n3]; [web n1>n2|n3]; [web n1>n2|n3]; a n3:1 n4:1; b n2:1 n4:1; web n1:3 n2:3 n3:2",
		},
		// While all of web runs on n2, a pod of api goes to n3, in the same zone, and a second has to leave n1. Once a pod of web has left n2, one is enough.
		"a second one is needed in another order only": {
			w.Of(w.Node("n1", "zone-a", w.CPU("1")), w.Node("n2", "zone-b", w.CPU("4")), w.Node("n3", "zone-a", w.CPU("1")),
				w.Deployment("api", w.Template("api", "100m"), "n1", "n1", "n2", "n1"), w.Deployment("web", w.Template("web", "300m"), repeat("n2", 5)...)),
			"minimal 4; [web n2>n3]; [api n1>n2, web n2>n1]; [web n2>n3]; api n1:2 n2:2; web n1:1 n2:2 n3:2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := describe(plan(t, tc.world, rebalance.Options{})); got != tc.want {
				t.Errorf("planned\n%s, want\n%s", got, tc.want)
			}
		})
	}
}

// Of each eviction a plan says why.
func TestWhy(t *testing.T) {
	web := w.Template("web", "100m")
	for want, world := range map[string]w.Objects{
		"NodeShareExceeded":      w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, "n1", "n1", "n2")),
		"ZoneShareExceeded":      w.Of(zones("n1", "n2", "n3"), w.Node("n4", "zone-a"), w.Deployment("web", web, "n1", "n4", "n2")),
		"TopologySpreadViolated": w.Of(zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m", w.Spread(corev1.LabelHostname, 1)), "n1", "n1", "n2", "n2", "n2")),
		"NodeNotAdmitted": w.Of(zones("n1", "n2"), w.Node("n4", "zone-c", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
		}), w.Deployment("web", web, "n4", "n2")),
		"AntiAffinityViolated": w.Of(zones("n1", "n2", "n3"), w.Deployment("web", w.Template("web", "100m", w.AntiAffinity(corev1.LabelHostname, "batch")), "n1"), w.Deployment("batch", w.Template("batch", "3600m"), "n1", "n2")),
		"MakesRoom, NodeShareExceeded": w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-a"), w.Node("n3", "zone-b"), w.Node("n4", "zone-c"), w.Placed("filler", "n2", w.Template("filler", "500m")),
			w.Deployment("web", w.Template("web", "1500m", w.InZone("zone-a")), "n1", "n1"), w.Deployment("two", w.Template("two", "2900m"), "n2", "n4")),
	} {
		t.Run(want, func(t *testing.T) {
			o := rebalance.Options{}
			if want == "TopologySpreadViolated" {
				o.MaxShare = 1 // Else, the share is exceeded, too.
			}
			p := plan(t, world, o)
			var got []string
			for _, wave := range p.Waves {
				for _, m := range wave.Moves {
					got = append(got, string(m.Why))
				}
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s is because of %s", describe(p), got)
			}
		})
	}
}

// Of plans with as many evictions, the one that disrupts less is taken.
func TestLeastDisruption(t *testing.T) {
	started := metav1.NewTime(w.Epoch.Add(-time.Hour))
	for name, edit := range map[string]func(i int, pod *corev1.Pod){
		"priority": func(i int, pod *corev1.Pod) { pod.Spec.Priority = new(int32(100 * (i + 1) % 300)) },
		"the cost of deletion": func(i int, pod *corev1.Pod) {
			pod.Annotations = map[string]string{corev1.PodDeletionCost: fmt.Sprint(100 * (i + 1) % 300)}
		},
		"age": func(i int, pod *corev1.Pod) {
			pod.Status.StartTime = new(metav1.NewTime(started.Add(-time.Duration((i+1)%3) * time.Minute)))
		},
		"the time until it was ready": func(i int, pod *corev1.Pod) {
			pod.Status.StartTime = &started
			pod.Status.Conditions[0].LastTransitionTime = metav1.NewTime(started.Add(time.Duration((i+1)%3) * time.Minute))
		},
	} {
		t.Run(name, func(t *testing.T) {
			world := w.Of(zones("n1", "n2", "n3"), edited(w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1"), edit))
			third := world[len(world)-1].(*corev1.Pod) // It has the least of it.
			p := plan(t, world, rebalance.Options{})
			if pods := evicted(p); len(pods) != 2 || pods[0].Name != third.Name {
				t.Errorf("%s evicts %v, want %s first", describe(p), pods, third.Name)
			}
		})
	}
	cheap, dear := w.Template("cheap", "1500m"), w.Template("dear", "1500m", w.Priority(1000))
	world := w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-a"), w.Node("n3", "zone-b"), w.Node("n4", "zone-c"),
		w.Deployment("web", w.Template("web", "1500m", w.InZone("zone-a")), "n1", "n1"), w.Deployment("dear", dear, "n2", "n4"), w.Deployment("cheap", cheap, "n2", "n4"))
	if got := describe(plan(t, world, rebalance.Options{})); !strings.Contains(got, "[cheap n2>n3, web n1>n2]") {
		t.Errorf("planned %s, want a pod of cheap to make room", got)
	}
	startedBefore := func(age time.Duration) func(int, *corev1.Pod) {
		return func(_ int, pod *corev1.Pod) { pod.Status.StartTime = new(metav1.NewTime(started.Add(-age))) }
	}
	world = w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-a"), w.Node("n3", "zone-b"), w.Node("n4", "zone-c"),
		w.Deployment("web", w.Template("web", "1500m", w.InZone("zone-a")), "n1", "n1"),
		edited(w.Deployment("old", w.Template("old", "1500m"), "n2", "n4"), startedBefore(time.Hour)), edited(w.Deployment("young", w.Template("young", "1500m"), "n2", "n4"), startedBefore(0)))
	if got := describe(plan(t, world, rebalance.Options{})); !strings.Contains(got, "[young n2>n3, web n1>n2]") {
		t.Errorf("planned %s, want a pod of young to make room", got)
	}
}

// No plan exceeds a limit, and what it does not do for that it says.
func TestEvictionLimits(t *testing.T) {
	web, api := w.Template("web", "100m"), w.Template("api", "100m")
	world := func() w.Objects {
		return w.Of(zones("n1", "n2", "n3"), w.Deployment("web", web, append(repeat("n1", 3), repeat("n2", 3)...)...), w.Deployment("api", api, append(repeat("n1", 3), repeat("n2", 3)...)...))
	}
	for name, tc := range map[string]struct {
		options rebalance.Options
		most    int
	}{
		"none":          {rebalance.Options{}, 4},
		"in all":        {rebalance.Options{MaxEvictions: 3}, 3},
		"of a workload": {rebalance.Options{Limits: rebalance.EvictionLimits{PerWorkload: 1}}, 2},
		"of a node":     {rebalance.Options{Limits: rebalance.EvictionLimits{PerNode: 1}}, 2},
		"of namespaces": {rebalance.Options{Limits: rebalance.EvictionLimits{PerNamespace: 3}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, world(), tc.options)
			of := map[string]int{}
			for _, wave := range p.Waves {
				for _, m := range wave.Moves {
					for _, key := range []string{"", "node " + m.From, "workload " + m.Workload.Name} {
						of[key]++
					}
				}
			}
			limits := tc.options.Limits
			for key, n := range of {
				if limits.PerNode > 0 && strings.HasPrefix(key, "node") && n > limits.PerNode || limits.PerWorkload > 0 && strings.HasPrefix(key, "workload") && n > limits.PerWorkload {
					t.Errorf("%d evictions of %s", n, key)
				}
			}
			limited := slices.ContainsFunc(p.Unmet, func(u rebalance.Unmet) bool { return u.Reason == rebalance.LimitReached })
			if of[""] != tc.most || limited != (tc.most < 4) {
				t.Errorf("%s: %d evictions, want %d", describe(p), of[""], tc.most)
			}
		})
	}
}

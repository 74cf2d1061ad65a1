package rebalance_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/rebalance"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// describeNodes writes a plan in one line, with each overutilized node: the resource, what is requested before and after, the most, and why it stays so.
func describeNodes(p rebalance.Plan) string {
	moves := 0
	for _, wave := range p.Waves {
		moves += len(wave.Moves)
	}
	parts := []string{fmt.Sprintf("%s %d of %d", p.Result, p.Bound, moves)}
	for _, n := range p.Nodes {
		for _, r := range []struct {
			name                string
			before, after, most int
		}{{"cpu", n.Before.CPU, n.After.CPU, n.Most.CPU}, {"memory", n.Before.Memory, n.After.Memory, n.Most.Memory}} {
			if max(r.before, r.after) > r.most {
				parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s %d>%d/%d %s", n.Node, r.name, r.before, r.after, r.most, n.Reason)))
			}
		}
	}
	for _, u := range p.Unmet {
		parts = append(parts, fmt.Sprintf("%s %s", u.Workload.Name, u.Reason))
	}
	return strings.Join(parts, "; ")
}

// singles are Deployments of one pod on a node, each of which requests some CPU.
func singles(prefix, node, cpu string, n int, edits ...func(*corev1.PodSpec)) (all w.Objects) {
	for i := range n {
		name := fmt.Sprintf("%s%d", prefix, i)
		all = append(all, w.Deployment(name, w.Template(name, cpu, edits...), node)...)
	}
	return all
}

func requesting(memory string) func(*corev1.PodSpec) {
	return func(spec *corev1.PodSpec) {
		spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse(memory)
	}
}

func taintedWith(key string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}} }
}

func TestOverutilized(t *testing.T) {
	three := zones("n1", "n2", "n3")
	protected := func(objects w.Objects) w.Objects {
		for _, o := range objects {
			if pod, is := o.(*corev1.Pod); is {
				pod.Annotations = map[string]string{"karpenter.sh/do-not-disrupt": "true"}
			}
		}
		return objects
	}
	for name, tc := range map[string]struct {
		world w.Objects
		o     rebalance.Options
		want  string
	}{
		"not considered": {w.Of(three, singles("s", "n1", "500m", 6)), rebalance.Options{}, "balanced 0 of 0"},
		"within the deviation": {
			w.Of(three, singles("s", "n1", "500m", 3)), rebalance.Options{MaxUtilizationDeviation: 25}, "balanced 0 of 0",
		},
		"one pod has to leave": {
			w.Of(three, singles("s", "n1", "500m", 3)), rebalance.Options{MaxUtilizationDeviation: 20}, "minimal 1 of 1; n1 cpu 38>25/33",
		},
		"many pods have to leave": {
			w.Of(three, singles("s", "n1", "500m", 7)), rebalance.Options{MaxUtilizationDeviation: 10}, "minimal 4 of 4; n1 cpu 88>38/39",
		},
		"the largest pods are fewest": {
			w.Of(three, singles("s", "n1", "100m", 8), singles("l", "n1", "700m", 2)), rebalance.Options{MaxUtilizationDeviation: 10}, "minimal 2 of 2; n1 cpu 55>20/28",
		},
		"of pods that are enough, the least disruption": {
			w.Of(three, singles("a", "n1", "800m", 1, w.Priority(100)), singles("b", "n1", "700m", 1), singles("c", "n1", "200m", 1)),
			rebalance.Options{MaxUtilizationDeviation: 15},
			"minimal 1 of 1; n1 cpu 43>25/29",
		},
		"no more than may be evicted": {
			w.Of(three, singles("s", "n1", "500m", 7)), rebalance.Options{MaxUtilizationDeviation: 10, MaxEvictions: 2}, "minimal 2 of 2; n1 cpu 88>63/39 LimitReached",
		},
		"pods of others alone": {
			w.Of(three, singles("s", "n1", "500m", 7)),
			rebalance.Options{MaxUtilizationDeviation: 10, Asks: func(ref change.Ref) bool { return ref.Name == "another" }},
			"balanced 0 of 0",
		},
		"a pod as large as the excess": {
			w.Of(three, singles("huge", "n1", "3", 1), singles("s", "n2", "100m", 1)), rebalance.Options{MaxUtilizationDeviation: 10}, "none 0 of 0; n1 cpu 75>75/36 NoGain",
		},
		"no room elsewhere": {
			w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-b", w.CPU("1")), singles("s", "n1", "1100m", 3)), rebalance.Options{MaxUtilizationDeviation: 10}, "none 0 of 0; n1 cpu 83>83/76 NoGain",
		},
		"nodes of different sizes": {
			w.Of(w.Node("n1", "zone-a", w.CPU("2")), w.Node("n2", "zone-b", w.CPU("8")), singles("s", "n1", "300m", 5), singles("b", "n2", "300m", 5)),
			rebalance.Options{MaxUtilizationDeviation: 20},
			"minimal 2 of 2; n1 cpu 75>45/50",
		},
		"a larger node with as large a share": {
			w.Of(w.Node("n1", "zone-a", w.CPU("2")), w.Node("n2", "zone-b", w.CPU("8")), singles("s", "n1", "300m", 3), singles("b", "n2", "1200m", 3)),
			rebalance.Options{MaxUtilizationDeviation: 10},
			"balanced 0 of 0",
		},
		"nodes of another group are not compared": {
			w.Of(three, w.Node("g1", "zone-a", taintedWith("gpu")), w.Node("g2", "zone-b", taintedWith("gpu")), singles("a", "g1", "900m", 4, tolerating("gpu")), singles("b", "g2", "900m", 4, tolerating("gpu")), singles("c", "n1", "200m", 1)),
			rebalance.Options{MaxUtilizationDeviation: 10},
			"balanced 0 of 0",
		},
		"and do not take pods": {
			w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-b", w.CPU("300m")), w.Node("g1", "zone-b", taintedWith("gpu")), singles("s", "n1", "400m", 4, tolerating("gpu"))),
			rebalance.Options{MaxUtilizationDeviation: 1},
			"none 0 of 0; n1 cpu 40>40/38 NoGain",
		},
		"a cordoned node is not compared": {
			w.Of(three, w.Node("n4", "zone-a", func(n *corev1.Node) { n.Spec.Unschedulable = true }), singles("s", "n4", "500m", 8)),
			rebalance.Options{MaxUtilizationDeviation: 10},
			"balanced 0 of 0",
		},
		"a DaemonSet's pods fill a node": {
			w.Of(three, w.DaemonSet("agent", w.Template("agent", "3"), "n1"), w.Deployment("one", w.Template("one", "50m"), "n2")), rebalance.Options{MaxUtilizationDeviation: 10}, "balanced 0 of 0",
		},
		"and another's pod is beside": {
			w.Of(three, w.DaemonSet("agent", w.Template("agent", "3"), "n1"), w.Deployment("one", w.Template("one", "50m"), "n1")),
			rebalance.Options{MaxUtilizationDeviation: 10},
			"minimal 1 of 1; n1 cpu 76>75/75",
		},
		"pods without requests": {
			w.Of(three, singles("s", "n1", "0", 20)), rebalance.Options{MaxUtilizationDeviation: 1}, "balanced 0 of 0",
		},
		"pods without requests do not help": {
			w.Of(three, singles("s", "n1", "0", 5), protected(singles("p", "n1", "500m", 4))), rebalance.Options{MaxUtilizationDeviation: 10}, "none 0 of 0; n1 cpu 50>50/27 Protected",
		},
		"what protected pods leave is not enough": {
			w.Of(three, singles("s", "n1", "100m", 5), protected(singles("p", "n1", "500m", 4))), rebalance.Options{MaxUtilizationDeviation: 10}, "none 0 of 0; n1 cpu 63>63/31 Protected",
		},
		"init containers and overhead": {
			w.Of(three, singles("s", "n1", "100m", 2, func(spec *corev1.PodSpec) {
				spec.InitContainers = []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("700m")}}}}
				spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")}
			})), rebalance.Options{MaxUtilizationDeviation: 20}, "minimal 1 of 1; n1 cpu 38>19/33",
		},
		"memory": {
			w.Of(three, singles("s", "n1", "0", 4, requesting("3Gi"))), rebalance.Options{MaxUtilizationDeviation: 15}, "minimal 2 of 2; n1 memory 75>38/40",
		},
		"CPU of one node and memory of another": {
			w.Of(three, singles("c", "n1", "1", 2, requesting("1Gi")), singles("m", "n2", "100m", 2, requesting("6Gi"))),
			rebalance.Options{MaxUtilizationDeviation: 20},
			"minimal 2 of 2; n1 cpu 50>25/38; n2 memory 75>44/49",
		},
		"a workload stays as balanced as it is": {
			w.Of(w.Node("n1", "zone-a"), w.Node("n2", "zone-b"), w.Deployment("web", w.Template("web", "600m"), "n1", "n2"), singles("s", "n1", "700m", 2)),
			rebalance.Options{MaxUtilizationDeviation: 10},
			"minimal 1 of 1; n1 cpu 50>33/43",
		},
		"another pod of a workload that is out of balance would do for both": {
			w.Of(three, w.Node("n4", "zone-a"), w.Deployment("web", w.Template("web", "400m"), "n1", "n4", "n2"), singles("s", "n4", "200m", 3)),
			rebalance.Options{MaxUtilizationDeviation: 10},
			"irreducible 1 of 2; n4 cpu 25>20/21",
		},
		"pods that start are waited for": {
			w.Of(three, singles("s", "n1", "500m", 3), w.Placed("s0-1-z", "", w.Template("s0", "0"), w.OwnedBy("apps/v1", "ReplicaSet", "s0-1")), protected(singles("p", "n1", "500m", 1))),
			rebalance.Options{MaxUtilizationDeviation: 1},
			"none 0 of 0; n1 cpu 50>50/18 InMotion",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := describeNodes(plan(t, tc.world, tc.o)); got != tc.want {
				t.Errorf("planned\n%s, want\n%s", got, tc.want)
			}
		})
	}
}

func tolerating(key string) func(*corev1.PodSpec) {
	return func(spec *corev1.PodSpec) {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}

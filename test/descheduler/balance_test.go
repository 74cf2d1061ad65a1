package descheduler

import (
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// balance is how well a cluster's pods are distributed. It uses neither tool's code; zero is best in each.
type balance struct {
	// skew is by how much the largest and the smallest number of a controller's pods in a domain differ, less what cannot be helped (one,
	// unless their number divides evenly), added up over controllers, and over nodes and zones. Only nodes that may run the pods count.
	skew int
	// violations are the pods that break a rule which holds when pods are scheduled: taints, required node affinity, required anti-affinity.
	violations int
	// load is the difference between the most and the least requested of schedulable nodes without taints, in percent of what they
	// have, of CPU or memory, whichever is more.
	load int
}

func balanceOf(nodes []corev1.Node, pods []corev1.Pod) balance {
	var b balance
	for _, of := range byController(pods) {
		eligible := map[string]*corev1.Node{}
		for i := range nodes {
			if isSchedulable(&nodes[i]) && admits(&nodes[i], of[0]) {
				eligible[nodes[i].Name] = &nodes[i]
			}
		}
		b.skew += skew(of, eligible, func(n *corev1.Node) string { return n.Name })
		b.skew += skew(of, eligible, func(n *corev1.Node) string { return n.Labels[corev1.LabelTopologyZone] })
	}
	byName := map[string]*corev1.Node{}
	for i := range nodes {
		byName[nodes[i].Name] = &nodes[i]
	}
	for i := range pods {
		if node := byName[pods[i].Spec.NodeName]; node != nil && (!admits(node, &pods[i]) || besideRepelled(&pods[i], pods, byName)) {
			b.violations++
		}
	}
	b.load = load(nodes, pods)
	return b
}

// byController are the pods with a node, of controllers that create another pod for each that is evicted.
func byController(pods []corev1.Pod) map[types.UID][]*corev1.Pod {
	found := map[types.UID][]*corev1.Pod{}
	for i := range pods {
		owner := metav1.GetControllerOf(&pods[i])
		if owner != nil && (owner.Kind == "ReplicaSet" || owner.Kind == "StatefulSet") && pods[i].Spec.NodeName != "" {
			found[owner.UID] = append(found[owner.UID], &pods[i])
		}
	}
	return found
}

// skew is of pods over the domains that nodes have; nodes without one do not count.
func skew(pods []*corev1.Pod, eligible map[string]*corev1.Node, domain func(*corev1.Node) string) int {
	counts := map[string]int{}
	for _, node := range eligible {
		if d := domain(node); d != "" {
			counts[d] += 0
		}
	}
	all := 0
	for _, pod := range pods {
		if node := eligible[pod.Spec.NodeName]; node != nil && domain(node) != "" {
			counts[domain(node)]++
			all++
		}
	}
	if len(counts) == 0 {
		return 0
	}
	least, most, allowed := math.MaxInt, 0, 0
	for _, n := range counts {
		least, most = min(least, n), max(most, n)
	}
	if all%len(counts) != 0 {
		allowed = 1
	}
	return max(0, most-least-allowed)
}

func isSchedulable(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue && !node.Spec.Unschedulable
		}
	}
	return false
}

func admits(node *corev1.Node, pod *corev1.Pod) bool {
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	_, repelled := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, isHard, false)
	return err == nil && matches && !repelled
}

func isHard(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }

// besideRepelled says whether a pod that its required anti-affinity repels is in the same domain. Terms with namespaces are not in the cases.
func besideRepelled(pod *corev1.Pod, pods []corev1.Pod, nodes map[string]*corev1.Node) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return false
	}
	for _, term := range pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err != nil {
			continue
		}
		for i := range pods {
			other := nodes[pods[i].Spec.NodeName]
			if other != nil && pods[i].UID != pod.UID && pods[i].Namespace == pod.Namespace && selector.Matches(labels.Set(pods[i].Labels)) &&
				other.Labels[term.TopologyKey] == nodes[pod.Spec.NodeName].Labels[term.TopologyKey] {
				return true
			}
		}
	}
	return false
}

func load(nodes []corev1.Node, pods []corev1.Pod) int {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range nodes {
		if _, is := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), nodes[i].Spec.Taints, nil, isHard, false); is || !isSchedulable(&nodes[i]) {
			continue
		}
		share := 0.0
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			requested := 0.0
			for j := range pods {
				if pods[j].Spec.NodeName == nodes[i].Name {
					request := resourcehelper.PodRequests(&pods[j], resourcehelper.PodResourcesOptions{})[name]
					requested += request.AsApproximateFloat64()
				}
			}
			has := nodes[i].Status.Allocatable[name]
			share = max(share, requested/has.AsApproximateFloat64())
		}
		least, most = min(least, share), max(most, share)
	}
	if most < least {
		return 0
	}
	return int(math.Round(100 * (most - least)))
}

func TestBalance(t *testing.T) {
	three := nodes("n1", "n2", "n3")
	web := app("web", "1", w.AntiAffinity(corev1.LabelHostname, "batch"))
	for name, tc := range map[string]struct {
		world w.Objects
		want  balance
	}{
		"even":                      {w.Of(three, w.Deployment("web", web, "n1", "n2", "n3")), balance{}},
		"as even as can be":         {w.Of(three, w.Deployment("web", web, "n1", "n2", "n3", "n1")), balance{load: 25}},
		"a node and a zone empty":   {w.Of(three, w.Deployment("web", web, "n1", "n2", "n2")), balance{skew: 4, load: 50}},
		"fewer pods than nodes":     {w.Of(three, w.Deployment("web", web, "n1", "n2")), balance{load: 25}},
		"two of two pods on a node": {w.Of(three, w.Deployment("web", web, "n1", "n1")), balance{skew: 2, load: 50}},
		"a tainted node does not count": {
			w.Of(nodes("n1", "n2"), w.Node("n3", "zone-c", tainted), w.Deployment("web", web, "n1", "n2")), balance{},
		},
		"a pod on a tainted node":    {w.Of(nodes("n1", "n2"), w.Node("n3", "zone-c", tainted), w.Deployment("web", web, "n1", "n2", "n3")), balance{violations: 1}},
		"the label is not there":     {w.Of(three, w.Deployment("db", app("db", "1", requiring("disk", "ssd")), "n1")), balance{violations: 1, load: 25}},
		"next to what it repels":     {w.Of(three, w.Deployment("web", web, "n1"), w.Deployment("batch", app("batch", "1"), "n1")), balance{violations: 1, load: 50}},
		"not next to what it repels": {w.Of(three, w.Deployment("web", web, "n1"), w.Deployment("batch", app("batch", "1"), "n2")), balance{load: 25}},
		"bare pods have no balance":  {w.Of(three, w.Placed("a", "n1", app("a", "1")), w.Placed("b", "n1", app("b", "1"))), balance{load: 50}},
	} {
		t.Run(name, func(t *testing.T) {
			var nodes []corev1.Node
			var pods []corev1.Pod
			for _, o := range tc.world {
				switch o := o.(type) {
				case *corev1.Node:
					nodes = append(nodes, *o)
				case *corev1.Pod:
					pods = append(pods, *o)
				}
			}
			if got := balanceOf(nodes, pods); got != tc.want {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
		})
	}
}

package headroompolicy

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// drawWorld is a world of two to four nodes in one or two zones, on which two Deployments run, and the nodes' names and free CPU.
func drawWorld(t *rapid.T) (w.Objects, []string) {
	var objects w.Objects
	var nodes []string
	free := map[string]int64{}
	for i := range rapid.IntRange(2, 4).Draw(t, "nodes") {
		name := fmt.Sprintf("n%d", i+1)
		cpu := rapid.SampledFrom([]string{"1", "2"}).Draw(t, name)
		objects = append(objects, w.Node(name, rapid.SampledFrom([]string{"a", "b"}).Draw(t, name+" zone"), w.CPU(cpu)))
		nodes = append(nodes, name)
		q := resource.MustParse(cpu)
		free[name] = q.MilliValue()
	}
	for _, app := range []string{"api", "web"} {
		cpu := rapid.SampledFrom([]int64{200, 300, 500}).Draw(t, app)
		var on []string
		for i := range rapid.IntRange(0, 3).Draw(t, app+" pods") {
			if node := rapid.SampledFrom(nodes).Draw(t, fmt.Sprint(app, i)); free[node] >= cpu {
				free[node] -= cpu
				on = append(on, node)
			}
		}
		var rules []func(*corev1.PodSpec)
		if rapid.IntRange(0, 3).Draw(t, app+" apart") == 0 {
			rules = append(rules, w.AntiAffinity(corev1.LabelHostname, app))
		}
		if len(on) > 0 {
			objects = append(objects, w.Deployment(app, w.Template(app, fmt.Sprintf("%dm", cpu), rules...), on...)...)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "batch") == 0 { // Pods of others that may be preempted.
		if node := rapid.SampledFrom(nodes).Draw(t, "batch node"); free[node] >= 200 {
			objects = append(objects, w.Deployment("batch", w.Template("batch", "200m", w.Priority(-5)), node)...)
		}
	}
	return objects, nodes
}

// TestNamesOfPlaceholders: by the names of placeholder pods, the scheduler chooses which of equals is preempted. A room that was found to survive survives with
// the names that its pods are given here, where it did not once.
func TestNamesOfPlaceholders(t *testing.T) {
	two := w.CPU("2")
	objects := w.Of(w.Node("n1", "b", two), w.Node("n2", "a", w.CPU("1")), w.Node("n3", "a", two), w.Node("n4", "b", two),
		w.Deployment("api", w.Template("api", "500m"), "n4"), w.Deployment("web", w.Template("web", "200m"), "n4", "n3", "n4"))
	policy := policyOf(func(p *v1alpha1.HeadroomPolicy) { p.Spec.Survive.Zones = 1 })
	before := assess(t, objects, policy)
	if after := assess(t, held(t, objects, policy, before.Plan), policy); after.Covered != metav1.ConditionTrue {
		t.Errorf("holding %s, it is %s: %s", before.Plan, after.Reason, message.English().Say(after.Why))
	}
}

// TestRoomSurvives holds the room of random worlds, bound where the scheduler places it, uses everything else that is free, and loses each node: no pod
// waits that would not wait with all that is free, without the preemption of others' pods. The room says of itself that it covers the failures, and is not changed by another computation.
func TestRoomSurvives(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		objects, nodes := drawWorld(t)
		policy := policyOf(func(p *v1alpha1.HeadroomPolicy) { p.Spec.Survive.Zones = rapid.Int32Range(0, 1).Draw(t, "zones") })
		before := assess(t, objects, policy)
		if !before.Known || before.Reason == v1alpha1.HeadroomNeedsNodesReason {
			counts["not held"]++
			return
		}
		room := held(t, objects, policy, before.Plan)
		after := assess(t, room, policy)
		if after.Covered != metav1.ConditionTrue || after.Pending.Placeholders != 0 || after.Bound.Placeholders != before.Wanted.Placeholders {
			t.Fatalf("holding %s, it is %s: %+v", before.Plan, after.Reason, after)
		}
		if d := Decide(policy, after, w.Epoch); d.Resize || d.LackingSince != nil || d.ExcessSince != nil {
			t.Fatalf("holding %s, it decides %+v", before.Plan, d)
		}
		if after.Plan.String() != before.Plan.String() {
			t.Fatalf("holding %s, it wants %s", before.Plan, after.Plan)
		}
		if len(before.Plan.slots) > 0 {
			counts["held"]++
		} else {
			counts["nothing"]++
		}
		full, alone := filled(t, room), fixedPods(objects)
		for _, node := range nodes {
			lost := change.LoseNode{Node: node}
			if today, then := harmed(t, alone, lost), harmed(t, full, lost); then > today {
				counts["another course of events"]++
				t.Logf("holding %s, the loss of %s harms %d pods, and %d with all that is free", before.Plan, node, then, today)
			}
		}
	})
	t.Log(counts)
	if counts["held"] < counts["nothing"]/20 {
		t.Error("hardly any room is held")
	}
	// A room survives the courses of events that internal/headroom simulates. In another, a pod may preempt a placeholder pod that the only other place
	// of a later one needs. In small worlds that is rare.
	if counts["another course of events"] > 1+counts["held"]/100 {
		t.Errorf("of the rooms, %v", counts)
	}
}

package guard

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// TestNeverBeyondABudget begins and ends repairs at random, as the guard lets it, and counts the nodes that are out by
// itself. The ledger is pruned and written twice on the way, as it will be.
func TestNeverBeyondABudget(t *testing.T) {
	begun := 0
	rapid.Check(t, func(t *rapid.T) {
		w := allowedWorld()
		w.Policy.Brake.Nodes, w.Policy.MaintenanceWindow, w.Policy.CoolDown.Duration = 5000, nil, 0
		w.Policy.Budgets.MaxPerDay = new(int32(5000))
		w.Policy.NodeStartupGracePeriod.Duration = 0
		w.Nodes.Value = drawNodes(t)
		b := &w.Policy.Budgets
		b.Zone, b.Group, b.Cluster = drawBudget(t, "zone"), drawBudget(t, "group"), drawBudget(t, "cluster")
		out := map[string]Node{}
		for i := range rapid.IntRange(5, 60).Draw(t, "steps") {
			w.moment(now.Add(time.Duration(i) * time.Minute))
			w.Node = rapid.SampledFrom(w.Nodes.Value).Draw(t, "node")
			w.Action = rapid.SampledFrom([]v1alpha1.Action{v1alpha1.ActionRestartService, v1alpha1.ActionReboot, v1alpha1.ActionReplace}).Draw(t, "action")
			w.Remediation, w.UID = rapid.SampledFrom([]string{"r1", "r2", "r3"}).Draw(t, "name"), types.UID(fmt.Sprint(i)) // Names are reused.
			if rapid.IntRange(0, 3).Draw(t, "end") == 0 {
				end(t, w, out)
				continue
			}
			ruling := w.decide()
			if ruling.Decision != Allow {
				continue
			}
			if _, twice := out[w.Node.Name]; twice {
				t.Fatalf("%s is repaired twice at once", w.Node.Name)
			}
			entry := ledger.Entry{Remediation: w.Remediation, UID: w.UID, Node: w.Node.Name, Zone: w.Node.Zone, Group: w.Node.Group, Action: w.Action, Began: w.Now}
			w.Ledger.Value = w.Ledger.Value.Reserve(entry).Reserve(entry)
			out[w.Node.Name] = w.Node
			begun++
			within(t, w, out)
		}
	})
	if begun == 0 {
		t.Error("no run began anything")
	}
}

func end(t *rapid.T, w *world, out map[string]Node) {
	var going []ledger.Entry
	for _, e := range w.Ledger.Value.Entries {
		if e.Ended.IsZero() {
			going = append(going, e)
		}
	}
	if len(going) == 0 {
		return
	}
	e := rapid.SampledFrom(going).Draw(t, "ends")
	w.Ledger.Value = w.Ledger.Value.End(e.Holder(), w.Now, ledger.Helped).Prune(w.Now.Add(-5 * time.Minute))
	delete(out, e.Node)
}

// within counts by itself: per zone, per group and in all.
func within(t *rapid.T, w *world, out map[string]Node) {
	keys := func(n Node) [3]string { return [3]string{"zone " + n.Zone, "group " + n.Group, "cluster"} }
	b := w.Policy.Budgets
	budgets := [3]*intstr.IntOrString{b.Zone, b.Group, b.Cluster}
	total, taken := map[string]int{}, map[string]int{}
	for _, n := range w.Nodes.Value {
		for _, key := range keys(n) {
			total[key]++
		}
	}
	for _, n := range out {
		for i, key := range keys(n) {
			taken[key]++
			limit, err := intstr.GetScaledValueFromIntOrPercent(budgets[i], total[key], false)
			if err != nil {
				t.Fatal(err)
			}
			if taken[key] > limit {
				t.Fatalf("%d nodes of %s are out, and %s of %d may be", taken[key], key, budgets[i], total[key])
			}
		}
	}
}

func drawNodes(t *rapid.T) []Node {
	var nodes []Node
	for i := range rapid.IntRange(1, 20).Draw(t, "nodes") {
		nodes = append(nodes, Node{
			Name: fmt.Sprint("n", i), Ready: true, Unhealthy: true,
			Zone:  rapid.SampledFrom([]string{"", "1a", "1b", "1c"}).Draw(t, "zone of node"),
			Group: rapid.SampledFrom([]string{"", "workers", "spare"}).Draw(t, "group of node"),
		})
	}
	return nodes
}

func drawBudget(t *rapid.T, of string) *intstr.IntOrString {
	if rapid.Bool().Draw(t, of+" by share") {
		return new(intstr.FromString(fmt.Sprint(rapid.IntRange(0, 100).Draw(t, of+" percent"), "%")))
	}
	return new(intstr.FromInt32(rapid.Int32Range(0, 6).Draw(t, of+" nodes")))
}

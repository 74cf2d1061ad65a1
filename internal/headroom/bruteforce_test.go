package headroom_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// slot is a placeholder of the brute force: so much CPU, in thousandths, on a node.
type slot struct {
	node string
	cpu  int64
}

// bruteWorld is a world of a few nodes of one zone, on which Deployments run.
type bruteWorld struct {
	objects w.Objects
	nodes   []string
	// all is each node's CPU, free what its pods leave, in thousandths.
	all, free map[string]int64
	sizes     []int64
	// today is the number of pods that are harmed by the loss of each node with all that is free.
	today map[string]int
}

func drawBruteWorld(t *rapid.T) bruteWorld {
	b := bruteWorld{all: map[string]int64{}, free: map[string]int64{}}
	for i := range rapid.IntRange(2, 4).Draw(t, "nodes") {
		name := fmt.Sprintf("n%d", i+1)
		cpu := rapid.SampledFrom([]string{"1", "2"}).Draw(t, name)
		b.nodes = append(b.nodes, name)
		b.objects = append(b.objects, w.Node(name, "a", w.CPU(cpu)))
		q := resource.MustParse(cpu)
		b.all[name], b.free[name] = q.MilliValue(), q.MilliValue()
	}
	for _, app := range []string{"api", "web"} {
		cpu := rapid.SampledFrom([]int64{200, 300, 500}).Draw(t, app)
		var on []string
		for i := range rapid.IntRange(0, 3).Draw(t, app+" pods") {
			if node := rapid.SampledFrom(b.nodes).Draw(t, fmt.Sprint(app, i)); b.free[node] >= cpu {
				b.free[node] -= cpu
				on = append(on, node)
			}
		}
		var rule []func(*corev1.PodSpec)
		if rapid.IntRange(0, 3).Draw(t, app+" apart") == 0 {
			rule = append(rule, w.AntiAffinity(corev1.LabelHostname, app))
		}
		if len(on) > 0 {
			b.objects = append(b.objects, w.Deployment(app, w.Template(app, fmt.Sprintf("%dm", cpu), rule...), on...)...)
			if !slices.Contains(b.sizes, cpu) {
				b.sizes = append(b.sizes, cpu)
			}
		}
	}
	b.today = map[string]int{}
	for _, node := range b.nodes {
		b.today[node] = slices.Max(b.harmed(t, node, nil, false, futures))
	}
	return b
}

// futures is how many the brute force plays. They are not those of the package: its nodes differ in size.
const futures = 30

// harmed is the number of pods that wait or are preempted after the loss of a node, in each future, with placeholders on nodes that are otherwise as full
// as they can be: unlike in the package, the nodes are as small as what they hold.
func (b bruteWorld) harmed(t *rapid.T, node string, slots []slot, full bool, futures int) []int {
	var objects w.Objects
	taken := map[string]int64{}
	for i, s := range slots {
		taken[s.node] += s.cpu
		template := w.Template("held", fmt.Sprintf("%dm", s.cpu), w.Priority(-10))
		objects = append(objects, w.Placed(fmt.Sprintf("held-%d", i), s.node, template))
	}
	for _, o := range b.objects {
		n, ok := o.(*corev1.Node)
		if ok && full {
			n = n.DeepCopy()
			n.Status.Allocatable[corev1.ResourceCPU] = *resource.NewMilliQuantity(b.all[n.Name]-b.free[n.Name]+taken[n.Name], resource.DecimalSI)
			o = n
		}
		objects = append(objects, o)
	}
	var harmed []int
	err := simulation.EachFuture(t.Context(), judgeOf(t, objects), []change.Change{change.LoseNode{Node: node}}, simulation.Options{LeavePending: true, Seeds: futures}, func(o outcome.Outcome) error {
		n := 0
		for _, fate := range o.Fates {
			if (fate.Kind == outcome.Waiting || fate.Kind == outcome.Preempted) && !strings.HasPrefix(fate.Pod.Name, "held-") {
				n++
			}
		}
		harmed = append(harmed, n)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return harmed
}

// survives is the share of some futures in which no more pods are harmed by the loss of any node than with all that is free today.
func (b bruteWorld) survives(t *rapid.T, slots []slot, futures int) float64 {
	share := 1.0
	for _, node := range b.nodes {
		survived := 0
		for _, n := range b.harmed(t, node, slots, true, futures) {
			if n <= b.today[node] {
				survived++
			}
		}
		share = min(share, float64(survived)/float64(futures))
		if share == 0 {
			break
		}
	}
	return share
}

// survivesAll reports whether slots survive the loss of any node in each of very many futures.
func (b bruteWorld) survivesAll(t *rapid.T, slots []slot) bool {
	for _, n := range []int{1, futures, 20 * futures} {
		if b.survives(t, slots, n) < 1 {
			return false
		}
	}
	return true
}

// smaller are all lists of slots that cost less than some CPU, or as much with fewer slots, and that today's nodes have room for.
func (b bruteWorld) smaller(cpu int64, count int) [][]slot {
	var options []slot
	for _, node := range b.nodes {
		for _, size := range b.sizes {
			options = append(options, slot{node, size})
		}
	}
	var all [][]slot
	var extend func(chosen []slot, sum int64, from int)
	extend = func(chosen []slot, sum int64, from int) {
		taken := map[string]int64{}
		for _, s := range chosen {
			if taken[s.node] += s.cpu; taken[s.node] > b.free[s.node] {
				return
			}
		}
		if sum > cpu {
			return
		}
		if sum < cpu || len(chosen) < count {
			all = append(all, slices.Clone(chosen))
		}
		for i := from; i < len(options); i++ {
			extend(append(slices.Clip(chosen), options[i]), sum+options[i].cpu, i)
		}
	}
	extend(nil, 0, 0)
	return all
}

// TestBruteForce holds rooms against all smaller ones, each tried in worlds made for it: a room survives the loss of any node, none that is smaller than a
// minimal one survives it in all futures, and none costs less than the bound.
func TestBruteForce(t *testing.T) {
	results, uncertain := map[headroom.Result]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawBruteWorld(t)
		report, err := headroom.Compute(t.Context(), judgeOf(t, b.objects), headroom.Options{Kinds: []headroom.Kind{headroom.Node}, Sized: true})
		if err != nil {
			t.Fatal(err)
		}
		found := report.Answers[0].Room
		if found.Needs != nil { // It is sized in another world.
			return
		}
		results[found.Result]++
		var slots []slot
		sum := int64(0)
		for _, p := range found.Placeholders {
			cpu := p.Requests[corev1.ResourceCPU]
			slots = append(slots, slot{p.Node, cpu.MilliValue()})
			sum += cpu.MilliValue()
		}
		if found.Result == headroom.NotSized { // The search may miss a room, which it says. In small worlds that is rare.
			return
		}
		if share := b.survives(t, slots, futures); share < 0.5 { // What survives ten futures in the package may fail in a few of others.
			t.Fatalf("%s survives %.0f %% of futures", describeRoom(report.Answers[0]), 100*share)
		} else if share < 1 {
			uncertain++
		}
		if found.Cost < found.Bound-1e-9 {
			t.Fatalf("%s costs %f, less than its bound %f", describeRoom(report.Answers[0]), found.Cost, found.Bound)
		}
		candidates := b.smaller(sum, len(slots))
		if found.Result != headroom.Minimal || len(candidates) > 400 {
			return
		}
		for _, candidate := range candidates {
			if b.survivesAll(t, candidate) {
				t.Fatalf("%s, but %v is smaller", describeRoom(report.Answers[0]), candidate)
			}
		}
	})
	t.Log(results, uncertain)
	if results[headroom.Minimal] == 0 || results[headroom.NotSized] > results[headroom.Minimal]/20 || uncertain > results[headroom.Minimal]/20 {
		t.Errorf("of the rooms, %v; %d survive only some futures", results, uncertain)
	}
}

package agreement

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// tally counts decisions and what they were.
type tally struct {
	decisions, agreed, placed, pending, preempting, nominated int
	// best and feasible are summed over the pods that were predicted to be placed; choices over those that preempt.
	best, feasible, choices int
	// choosable counts the placed that had more than one feasible node, and luck sums the chance that a random one of them
	// is among the best.
	choosable int
	luck      float64
	// decided counts, for each plugin and other thing, the decisions that would have been others without it.
	decided map[string]int
	// sampled counts the decisions for which the scheduler stopped before it had looked at every feasible node,
	// notBestOfAll those of them whose node was not the best of all, and sampledLuck those in which a random feasible node
	// would have been the best of some sample.
	sampled, notBestOfAll, sampledLuck int
	// candidates counts those that preempted pods of another node than the best ones, because the scheduler had looked at
	// some nodes only.
	candidates int
}

func (t *tally) add(p prediction, agreed bool) {
	t.decisions++
	if agreed {
		t.agreed++
	}
	switch {
	case len(p.fit.Feasible) > 0:
		t.placed++
		t.best += len(p.fit.Best)
		t.feasible += len(p.fit.Feasible)
		if len(p.fit.Feasible) > 1 {
			t.choosable++
			t.luck += float64(len(p.fit.Best)) / float64(len(p.fit.Feasible))
		}
	case len(p.preemptions) > 0:
		t.preempting++
		t.choices += len(p.preemptions)
	default:
		t.pending++
	}
}

func (t *tally) agreement() float64 { return float64(t.agreed) / float64(t.decisions) }

func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d decisions, %d agreed (%.2f %%)\n", t.decisions, t.agreed, 100*t.agreement())
	percent := func(n int) float64 { return 100 * float64(n) / float64(t.decisions) }
	fmt.Fprintf(&b, "placed %d (%.1f %%), pending %d (%.1f %%), preempting %d (%.1f %%), of the placed nominated before %d\n",
		t.placed, percent(t.placed), t.pending, percent(t.pending), t.preempting, percent(t.preempting), t.nominated)
	mean := func(sum, n int) float64 { return float64(sum) / float64(max(n, 1)) }
	fmt.Fprintf(&b, "for a placed pod %.1f best of %.1f feasible nodes; a random feasible one is among the best in %.1f %% of %d with a choice\n",
		mean(t.best, t.placed), mean(t.feasible, t.placed), 100*t.luck/float64(max(t.choosable, 1)), t.choosable)
	fmt.Fprintf(&b, "for a preempting pod %.2f equally best choices\n", mean(t.choices, t.preempting))
	if t.candidates > 0 {
		fmt.Fprintf(&b, "%d preempted the best of some candidates\n", t.candidates)
	}
	if t.sampled > 0 {
		fmt.Fprintf(&b, "%d chose from a sample, %d of them not the best of all nodes; a random feasible one is the best of some sample in %.1f %%\n",
			t.sampled, t.notBestOfAll, 100*mean(t.sampledLuck, t.sampled))
	}
	for _, plugin := range slices.Sorted(maps.Keys(t.decided)) {
		fmt.Fprintf(&b, "%s decides %d\n", plugin, t.decided[plugin])
	}
	return b.String()
}

// plugins of the default profile that gate, filter or score.
var plugins = []string{
	"SchedulingGates", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
	"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity",
	"NodeResourcesBalancedAllocation", "ImageLocality", "DynamicResources", "NodeDeclaredFeatures",
}

// silent are those that do not decide where one pod goes. NodeName has no say over a pod that comes to the scheduler, for
// it has no node name yet; what DefaultPreemption decides is counted as pods that preempt.
var silent = []string{"PrioritySort", "NodeName", "DefaultPreemption", "DefaultBinder"}

// TestPlugins makes sure that no plugin of the default profile is left out.
func TestPlugins(t *testing.T) {
	defaults, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range defaults.Profiles[0].Plugins.MultiPoint.Enabled {
		if !slices.Contains(slices.Concat(plugins, silent), plugin.Name) {
			t.Errorf("nobody counts what %s decides", plugin.Name)
		}
	}
}

// Beside plugins, these decide.
const (
	budgets     = "PodDisruptionBudgets"
	nominations = "nominated pods"
)

// count counts what decides: without it, the judge would have predicted something else.
func (t *tally) count(ctx context.Context, judge *scheduling.Judge, pod *corev1.Pod, p prediction) error {
	if t.decided == nil {
		t.decided = map[string]int{}
	}
	for _, plugin := range plugins {
		config := configuration(100, fmt.Sprintf(`
- schedulerName: default-scheduler
  plugins: {multiPoint: {disabled: [{name: %s}]}}
`, plugin))
		without, err := scheduling.New(ctx, judge.World(), scheduling.Options{Config: config})
		if err != nil {
			return fmt.Errorf("a scheduler without %s: %w", plugin, err)
		}
		fit, err := without.Fit(ctx, pod)
		if err != nil {
			return fmt.Errorf("ask a scheduler without %s: %w", plugin, err)
		}
		if !slices.Equal(fit.Best, p.fit.Best) {
			t.decided[plugin]++
		}
	}
	return errors.Join(t.countWithout(ctx, judge, pod, p, budgets), t.countWithout(ctx, judge, pod, p, nominations))
}

// countWithout takes objects out of the world.
func (t *tally) countWithout(ctx context.Context, judge *scheduling.Judge, pod *corev1.Pod, p prediction, what string) error {
	var without []cluster.Edit
	switch what {
	case budgets:
		for _, budget := range judge.World().Budgets() {
			without = append(without, cluster.Remove(budget))
		}
	case nominations:
		for _, other := range judge.World().Pods() {
			if other.Spec.NodeName == "" && nameOf(other) != nameOf(pod) {
				without = append(without, cluster.Remove(other))
			}
		}
	}
	if len(without) == 0 {
		return nil
	}
	judge.Fork()
	defer judge.Revert()
	if err := judge.Apply(without...); err != nil {
		return err
	}
	otherwise, err := predict(ctx, judge, pod)
	if err != nil {
		return err
	}
	if otherwise.String() != p.String() {
		t.decided[what]++
	}
	return nil
}

package headroom

import (
	"context"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Options are what is asked.
type Options struct {
	// Kinds are the kinds of failures.
	Kinds []Kind
	// Sized asks for the rooms that survive the failures.
	Sized bool
	// Patient has rooms for the loss of nodes be looked for in clusters of several thousand nodes, which takes minutes.
	Patient bool
	// Bursts are those of workloads that exist.
	Bursts []BurstOf
	// Prices are those of nodes, as far as they are known. If all are, a room that costs less an hour is smaller.
	Prices Prices
	// Progress is called with the number of failures that have been simulated, and of all; nil is not called.
	Progress func(done, total int)
}

// Report is what failures would cost.
type Report struct {
	// Answers are those about each failure, the worst first.
	Answers []Answer
	// Reserve is the room that survives all of the failures, each by itself; nil if rooms were not asked for.
	Reserve *Reserve
	// NotModelled is what bears on the answers and was not simulated.
	NotModelled []outcome.Gap
}

// Answer is what one failure would cost.
type Answer struct {
	Failure
	// Status says whether the cost is known.
	Status Status `json:"status"`
	// Unread are the kinds of objects without which the cost is not known.
	Unread []cluster.Kind `json:"unread,omitempty"`
	// Cases is the number of ways in which the failure may come, such as the number of nodes that may be lost; Costly is how many of them have a cost.
	Cases  int `json:"cases"`
	Costly int `json:"costly"`
	// Unplayed is the number of cases that were not simulated; some of them may have a cost.
	Unplayed int `json:"unplayed,omitempty"`
	// Worst is the case with the highest cost.
	Worst Cost `json:"worst"`
	// Room survives the failure; nil if it was not asked for, or the cost is not known.
	Room *Room `json:"room,omitempty"`
	// Whole is the room that a HeadroomPolicy would hold for a step; nil for other failures, and with Room.
	Whole *WholeRoom `json:"whole,omitempty"`

	// sized are the cases that Room survives.
	sized []failureCase
}

// WholeRoom is room for all that the pods of a DaemonSet request after a step, and not only for the increase that the Room of the step is for: a rollout deletes
// a pod before it creates the next, and pods that wait may take what the deleted one leaves.
type WholeRoom struct {
	// Requests are the CPU and memory of each placeholder.
	Requests corev1.ResourceList `json:"requests"`
	// Nodes is the number of nodes that have one, and Free on how many of them it is free.
	Nodes int `json:"nodes"`
	Free  int `json:"free"`
}

// Status says whether a cost is known.
type Status string

const (
	// Known is a cost that was simulated.
	Known Status = "known"
	// Unread is a cost that is not known, because objects could not be read.
	Unread Status = "unread"
	// NotComputed is a cost that is not computed: there are too many cases.
	NotComputed Status = "not-computed"
	// Failed is a failure that could not be simulated.
	Failed Status = "failed"
)

// Cost is what one case of a failure would cost today.
type Cost struct {
	// Nodes are those that are lost.
	Nodes []string `json:"nodes,omitempty"`
	// Waiting are pods that would find no node, or not start; Preempted are pods that make way for others; Lost are pods that nothing recreates.
	// Placeholders, which have a negative priority, and mirror pods are not among them.
	Waiting   []Affected `json:"waiting"`
	Preempted []Affected `json:"preempted"`
	Lost      []Affected `json:"lost"`
	// Staying is the number of pods that could not leave their nodes, because a PodDisruptionBudget protects them.
	Staying int `json:"staying,omitempty"`
}

// Affected is a pod, and what becomes of it.
type Affected struct {
	Pod      change.Ref `json:"pod"`
	Workload change.Ref `json:"workload"`
	// By is the pod that a preempted one makes way for.
	By *change.Ref `json:"by,omitempty"`
	// Why is the reason, in the scheduler's words where they are its; only told of the worst case.
	Why message.Sentence `json:"why,omitzero"`
}

// none reports whether a case costs nothing.
func (c Cost) none() bool { return len(c.Waiting)+len(c.Preempted)+len(c.Lost) == 0 }

// compareCosts orders costs: most pods that wait or are lost first, then most that are preempted.
func compareCosts(a, b Cost) int {
	if d := len(b.Waiting) + len(b.Lost) - len(a.Waiting) - len(a.Lost); d != 0 {
		return d
	}
	return len(b.Preempted) - len(a.Preempted)
}

// Count is the number of pods of a fate: waiting, preempted or lost.
func (c Cost) Count(fate string) int {
	switch outcome.Kind(fate) {
	case outcome.Waiting:
		return len(c.Waiting)
	case outcome.Preempted:
		return len(c.Preempted)
	case outcome.Lost:
		return len(c.Lost)
	default:
		return 0
	}
}

// computation is one Compute, or what one of its workers does of it.
type computation struct {
	judge *scheduling.Judge
	world *cluster.Snapshot
	o     Options
	// ready are the nodes that are ready, and size what they have on average.
	ready []*corev1.Node
	size  amounts
	// needed are the kinds without which no failure's cost is known.
	needed map[cluster.Kind]bool

	limits  limits
	classes []*nodeClass
	*findings
}

// findings are what the workers of a Compute find beside their answers.
type findings struct {
	mu     sync.Mutex
	gaps   outcome.Gaps
	played int
	total  int
}

// limits are constants, but in tests.
type limits struct {
	// lost is mostLost.
	lost int
	// alone is up to how many nodes, times the cases of all failures, one worker computes all answers.
	alone int
}

// Compute computes what failures cost in the Judge's world, which is left as it was. Every node and every pod must be known. An error is of the Judge
// or of the context.
func Compute(ctx context.Context, judge *scheduling.Judge, o Options) (*Report, error) {
	return compute(ctx, judge, o, limits{mostLost, mostAlone})
}

func newComputation(judge *scheduling.Judge, o Options, l limits) *computation {
	c := &computation{judge: judge, world: judge.World(), o: o, limits: l, findings: &findings{gaps: outcome.Gaps{}}}
	if o.Progress == nil {
		c.o.Progress = func(int, int) {}
	}
	for _, node := range c.world.Nodes() {
		if kube.IsNodeReady(node) {
			c.ready = append(c.ready, node)
		}
	}
	c.size, c.needed = averageNode(c.ready), neededKinds(c.world)
	c.classes = c.nodeClasses()
	return c
}

// compute is Compute with other limits.
func compute(ctx context.Context, judge *scheduling.Judge, o Options, l limits) (*Report, error) {
	c := newComputation(judge, o, l)
	failures := c.failures()
	for _, f := range failures {
		c.total += len(f.cases)
		if o.Sized {
			c.total += len(f.cases)
		}
	}
	report := &Report{}
	var err error
	if report.Answers, err = c.answers(ctx, failures); err != nil {
		return nil, err
	}
	slices.SortStableFunc(report.Answers, compareAnswers)
	if report.Reserve, err = c.reserve(ctx, report.Answers); err != nil {
		return nil, err
	}
	report.NotModelled = c.gaps.List()
	return report, nil
}

// compareAnswers puts the worst first, and what is not known before what costs nothing.
func compareAnswers(a, b Answer) int {
	if d := compareCosts(a.Worst, b.Worst); d != 0 {
		return d
	}
	known := func(a Answer) int {
		if a.Status == Known {
			return 1
		}
		return 0
	}
	return known(a) - known(b)
}

// stepKinds are the kinds of objects that tell the next steps of DaemonSets.
var stepKinds = []cluster.Kind{cluster.DaemonSet, cluster.Deployment}

// neededKinds are the kinds without which no failure's cost is known: those of the pods' owners, which recreate them, and of their volumes, which bind them
// to places.
func neededKinds(world *cluster.Snapshot) map[cluster.Kind]bool {
	needed, kinds := map[cluster.Kind]bool{cluster.Node: true, cluster.Pod: true}, cluster.Kinds()
	for _, pod := range world.Pods() {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && !needed[cluster.Kind(owner.Kind)] && slices.Contains(kinds, cluster.Kind(owner.Kind)) {
			needed[cluster.Kind(owner.Kind)] = true
		}
		if slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return cluster.ClaimName(pod, &v) != "" }) {
			needed[cluster.PersistentVolumeClaim], needed[cluster.PersistentVolume], needed[cluster.StorageClass] = true, true, true
		}
	}
	return needed
}

// unread are the kinds that are not known, and without which a failure's cost is not known either.
func (c *computation) unread(kind Kind) []cluster.Kind {
	needed := maps.Clone(c.needed)
	if kind == Step {
		for _, k := range stepKinds {
			needed[k] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(needed)), func(k cluster.Kind) bool {
		return c.world.Knowledge(k) == cluster.Complete
	})
}

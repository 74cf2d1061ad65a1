package scheduling

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PlainFit is Fit without what makes it fast.
var PlainFit = (*Judge).plainFit

// PlainPreempt is Preempt without what makes it fast.
func (j *Judge) PlainPreempt(ctx context.Context, pod *corev1.Pod) ([]Preemption, error) {
	a, err := j.attempt(ctx, pod)
	if err != nil {
		return nil, err
	}
	return a.preempt(ctx, &j.pods, otherVictimOrders)
}

// PlainObstacles is Obstacles without what pods like this one have been told.
func (j *Judge) PlainObstacles(ctx context.Context, pod *corev1.Pod) (Obstacles, error) {
	p, err := j.profile(pod)
	if err != nil {
		return Obstacles{}, err
	}
	return j.newSurvey(p, pod).run(withoutLogs(ctx))
}

// Scores are what a pod's feasible nodes score, less what the best does, with what makes that fast and without. There are none
// where nodes need not be scored.
func (j *Judge) Scores(ctx context.Context, pod *corev1.Pod) (fast, plain map[string]int64, err error) {
	ctx = withoutLogs(ctx)
	a, err := j.attempt(ctx, pod)
	if err != nil || len(a.feasible) < 2 {
		return nil, nil, err
	}
	if status := a.profile.framework.RunPreScorePlugins(ctx, a.state, a.pod, a.feasible); !status.IsSuccess() {
		return nil, nil, status.AsError()
	}
	scores, status := a.profile.framework.RunScorePlugins(ctx, a.state, a.pod, a.feasible)
	if !status.IsSuccess() {
		return nil, nil, status.AsError()
	}
	plain = map[string]int64{}
	for _, node := range scores {
		plain[node.Name] = node.TotalScore
	}
	s, err := j.fastFilter(ctx, pod)
	if err != nil || s == nil {
		return nil, nil, err
	}
	s.pod = s.pod.DeepCopy()
	s.pod.Status.NominatedNodeName = "" // else nothing is scored
	if _, err := s.best(ctx); err != nil {
		return nil, nil, err
	}
	fast = map[string]int64{}
	for i, entry := range s.feasible {
		fast[entry.name] = j.scratch.totals[i]
	}
	return lessBest(fast), lessBest(plain), nil
}

func lessBest(scores map[string]int64) map[string]int64 {
	best := slices.Max(slices.Collect(maps.Values(scores)))
	for name := range scores {
		scores[name] -= best
	}
	return scores
}

// Requests is how many requests the plugins have sent to a cluster.
func Requests(j *Judge) int64 { return j.transport.requests.Load() }

// Bind has the plugins bind a pod.
func Bind(ctx context.Context, j *Judge, pod *corev1.Pod, node string) error {
	p, err := j.profile(pod)
	if err != nil {
		return err
	}
	return p.framework.RunBindPlugins(ctx, framework.NewCycleState(), pod, node).AsError()
}

// Client is what plugins write with.
func Client(j *Judge) kubernetes.Interface {
	return j.profiles[corev1.DefaultSchedulerName].framework.ClientSet()
}

// Forget makes the judge forget which nodes have changed.
func Forget(j *Judge) {
	changes := &j.nodes.changes
	changes.dropped, changes.entries = changes.dropped+len(changes.entries)+1, nil
}

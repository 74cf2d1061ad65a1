package scheduling

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
)

// Plainly is the judge of the same world without the fast path.
func Plainly(j *Judge) *Judge {
	c := *j
	c.path = c.plain
	return &c
}

// Scores are what a pod's feasible nodes score, less what the best does. There are none where nodes need not be scored.
func (j *Judge) Scores(ctx context.Context, pod *corev1.Pod) (map[string]int64, error) {
	pod = pod.DeepCopy()
	pod.Status.NominatedNodeName = "" // else nothing is scored
	a, err := j.attempt(profile.WithoutLogs(ctx), pod)
	if err != nil || len(a.Feasible()) < 2 {
		return nil, err
	}
	totals, err := a.Scores(profile.WithoutLogs(ctx))
	if err != nil {
		return nil, err
	}
	scores := map[string]int64{}
	for i, node := range a.Feasible() {
		scores[node.Name] = totals[i]
	}
	return lessBest(scores), nil
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
	return p.Framework.RunBindPlugins(ctx, framework.NewCycleState(), pod, node).AsError()
}

// Client is what plugins write with.
func Client(j *Judge) kubernetes.Interface {
	return j.profiles[corev1.DefaultSchedulerName].Framework.ClientSet()
}

// Forget makes the judge forget which nodes have changed.
func Forget(j *Judge) { j.store.Nodes.Changes.Forget() }

package plain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Path is a way to find out where a pod fits in the cluster as it is stored. A pod is given as plugins see it.
type Path interface {
	// Attempt filters every node.
	Attempt(ctx context.Context, p *profile.Profile, pod *corev1.Pod) (Attempt, error)
	// First is the first of some nodes that passes every filter, nil if none does.
	First(ctx context.Context, p *profile.Profile, pod *corev1.Pod, among []*store.Node) (*store.Node, error)
	// Survey asks each filter plugin on its own.
	Survey(ctx context.Context, p *profile.Profile, pod *corev1.Pod) (*Survey, error)
}

// Attempt is what is found out about a pod.
type Attempt interface {
	// Feasible nodes pass every filter. They are in the order of the store.
	Feasible() []*store.Node
	// Keep leaves some of the feasible nodes: those at positions in the store, which are sorted.
	Keep(positions []int)
	// Best are the feasible nodes that score highest; the next call of any attempt overwrites them.
	Best(ctx context.Context) ([]*store.Node, error)
	// Scores are the feasible nodes' totals. Which of them are higher, and by how much, is what counts.
	Scores(ctx context.Context) ([]int64, error)
	// Cycle is what preemption goes by, if there is no feasible node.
	Cycle(ctx context.Context) (*Cycle, error)
}

// Scheduler is the path that asks every plugin about every node, as kube-scheduler does.
type Scheduler struct{ Store *store.Store }

var _ Path = &Scheduler{}

// Attempt is a cycle over every node.
func (s *Scheduler) Attempt(ctx context.Context, p *profile.Profile, pod *corev1.Pod) (Attempt, error) {
	return s.Cycle(ctx, p, pod, s.Store.Nodes.Sorted.Infos)
}

// First is the first of the feasible nodes of a cycle.
func (s *Scheduler) First(ctx context.Context, p *profile.Profile, pod *corev1.Pod, among []*store.Node) (*store.Node, error) {
	c, err := s.Cycle(ctx, p, pod, store.InfosOf(among))
	if err != nil || len(c.feasible) == 0 {
		return nil, err
	}
	return c.Feasible()[0], nil
}

// Survey asks every plugin about every node anew.
func (s *Scheduler) Survey(ctx context.Context, p *profile.Profile, pod *corev1.Pod) (*Survey, error) {
	return NewSurvey(ctx, s.Store, p, pod, nil)
}

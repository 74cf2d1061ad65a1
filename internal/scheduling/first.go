package scheduling

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// First is the first node, by name, on which the pod may run, empty if there is none. It is what a search asks that tries
// many moves: scores are not looked at, and nodes only as far as needed.
func (j *Judge) First(ctx context.Context, pod *corev1.Pod) (string, error) {
	ctx = quiet(ctx)
	s, slots, err := j.begin(ctx, pod)
	if err != nil {
		return "", err
	}
	if s == nil {
		f, err := j.plainFit(ctx, pod)
		if err != nil || len(f.Feasible) == 0 {
			return "", err
		}
		return f.Feasible[0], nil
	}
	found, err := s.first(ctx, slots)
	if err != nil || found == nil {
		return "", err
	}
	return found.name, nil
}

// FitsOn says whether the pod may run on a node.
func (j *Judge) FitsOn(ctx context.Context, pod *corev1.Pod, node string) (bool, error) {
	ctx = quiet(ctx)
	at := j.board.slots[node]
	if at == nil || at.here == nowhere {
		return false, nil
	}
	s, slots, err := j.begin(ctx, pod)
	if err != nil {
		return false, err
	}
	if s == nil {
		f, err := j.plainFit(ctx, pod)
		return slices.Contains(f.Feasible, node), err
	}
	if !slices.Contains(slots, at) {
		return false, nil
	}
	found, err := s.first(ctx, []*slot{at})
	return found != nil, err
}

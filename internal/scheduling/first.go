package scheduling

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// First is the first node, by name, on which the pod may run, empty if there is none. It serves searches that try many moves:
// no node is scored, and no more nodes are filtered than needed.
func (j *Judge) First(ctx context.Context, pod *corev1.Pod) (string, error) {
	ctx = withoutLogs(ctx)
	s, entries, err := j.beginFast(ctx, pod)
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
	found, err := s.first(ctx, entries)
	if err != nil || found == nil {
		return "", err
	}
	return found.name, nil
}

// FitsOn says whether the pod may run on a node.
func (j *Judge) FitsOn(ctx context.Context, pod *corev1.Pod, node string) (bool, error) {
	ctx = withoutLogs(ctx)
	at := j.nodes.byName[node]
	if at == nil || at.index == absent {
		return false, nil
	}
	s, entries, err := j.beginFast(ctx, pod)
	if err != nil {
		return false, err
	}
	if s == nil {
		f, err := j.plainFit(ctx, pod)
		return slices.Contains(f.Feasible, node), err
	}
	if !slices.Contains(entries, at) {
		return false, nil
	}
	found, err := s.first(ctx, []*nodeEntry{at})
	return found != nil, err
}

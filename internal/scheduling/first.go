package scheduling

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// First is the first node, by name, on which the pod may run, empty if there is none. It serves searches that try many moves:
// no node is scored, and no more nodes are filtered than needed.
func (j *Judge) First(ctx context.Context, pod *corev1.Pod) (string, error) {
	found, err := j.first(ctx, pod, j.store.Nodes.Sorted.Entries)
	if err != nil || found == nil {
		return "", err
	}
	return found.Name, nil
}

// FitsOn says whether the pod may run on a node.
func (j *Judge) FitsOn(ctx context.Context, pod *corev1.Pod, node string) (bool, error) {
	at := j.store.Nodes.Existing(node)
	if at == nil {
		return false, nil
	}
	found, err := j.first(ctx, pod, []*store.Node{at})
	return found != nil, err
}

func (j *Judge) first(ctx context.Context, pod *corev1.Pod, among []*store.Node) (*store.Node, error) {
	p, err := j.profile(pod)
	if err != nil {
		return nil, err
	}
	return j.path.First(profile.WithoutLogs(ctx), p, j.store.Pods.Defaulted(pod), among)
}

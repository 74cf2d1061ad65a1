package scheduling

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// Options say which scheduler a Judge is.
type Options struct {
	// Config is a KubeSchedulerConfiguration as its file holds it; nil is the default profile of Kubernetes 1.36.
	Config []byte
	// Seed decides what the scheduler leaves to chance.
	Seed uint64
}

// Judge answers for the scheduler in one world. It is not safe for concurrent use.
type Judge struct{}

var errNotBuilt = errors.New("not built")

// New makes a Judge of a world. An error is a configuration that cannot be read.
func New(ctx context.Context, world *cluster.Snapshot, o Options) (*Judge, error) {
	return nil, errNotBuilt
}

// World is the world as edited so far.
func (j *Judge) World() *cluster.Snapshot { return nil }

// Basis is what every answer rests on.
func (j *Judge) Basis() Basis { return Basis{} }

// Models says whether the pod asks for a scheduler that the Judge speaks for.
func (j *Judge) Models(pod *corev1.Pod) bool { return false }

// Fork begins edits that Revert takes back. Forks nest.
func (j *Judge) Fork() {}

// Revert takes back every edit since the last Fork.
func (j *Judge) Revert() {}

// Apply edits the world: pods (one with a node name takes up room there), nodes, volumes, claims, budgets and all else
// that bears on scheduling.
func (j *Judge) Apply(edits ...cluster.Edit) error { return errNotBuilt }

// Fit says where a pod may run, every node looked at.
func (j *Judge) Fit(ctx context.Context, pod *corev1.Pod) (Fit, error) { return Fit{}, errNotBuilt }

// Obstacles says, of every plugin and every node, what keeps the pod off. It does not stop at a node's first.
func (j *Judge) Obstacles(ctx context.Context, pod *corev1.Pod) (Obstacles, error) {
	return Obstacles{}, errNotBuilt
}

// Preempt says whom the scheduler would preempt for a pod that fits nowhere: the equally best choices, none if
// preemption does not help or the pod may not preempt.
func (j *Judge) Preempt(ctx context.Context, pod *corev1.Pod) ([]Preemption, error) {
	return nil, errNotBuilt
}

// Place is one attempt of the scheduler: a node for the pod, chosen by seed among the best, else a preemption, else neither.
// It changes nothing.
func (j *Judge) Place(ctx context.Context, pod *corev1.Pod) (Placement, error) {
	return Placement{}, errNotBuilt
}

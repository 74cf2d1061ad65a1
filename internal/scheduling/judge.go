package scheduling

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/fast"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// rules is the minor version whose plugins are compiled in.
const rules = "1.36"

// ErrNotModelled is the answer for a pod whose scheduler has no profile in the Judge's configuration.
var ErrNotModelled = errors.New("the pod asks for a scheduler that is not modelled")

// Options are the scheduler's configuration, and the seed.
type Options struct {
	// Config is a KubeSchedulerConfiguration as its file holds it; nil is the default profile of Kubernetes 1.36.
	Config []byte
	// Seed decides what the scheduler decides at random.
	Seed uint64
	// Plain asks every plugin about every node, as the scheduler does. The answers are the same without it, and come sooner.
	Plain bool
}

// Judge answers for the scheduler in one world. It is not safe for concurrent use.
type Judge struct {
	options  Options
	seed     uint64
	basis    Basis
	profiles map[string]*profile.Profile // by scheduler name

	snapshots snapshotStack
	store     *store.Store
	transport *refusingTransport

	plain *plain.Scheduler
	path  plain.Path // plain, or the fast path

	scanOrder scanOrder
}

// New makes a Judge of a world. An error is a configuration that cannot be read.
func New(ctx context.Context, snapshot *cluster.Snapshot, o Options) (*Judge, error) {
	j := &Judge{options: o, seed: o.Seed, profiles: map[string]*profile.Profile{}, snapshots: snapshotStack{{snapshot: snapshot}}, transport: &refusingTransport{}}
	client, err := j.transport.client()
	if err != nil {
		return nil, fmt.Errorf("making the client that refuses: %w", err)
	}
	cfg, err := profile.ReadConfig(o.Config)
	if err != nil {
		return nil, fmt.Errorf("reading the scheduler's configuration: %w", err)
	}
	j.store = store.New(client, snapshot)
	j.plain = &plain.Scheduler{Store: j.store}
	parts, err := profile.NewParts(ctx, client, j.store)
	if err != nil {
		return nil, err
	}
	if j.path = j.plain; !o.Plain {
		fast := fast.New(j.plain)
		j.path, parts.HandleOf = fast, fast.HandleOf
	}
	j.basis = Basis{Version: rules, Default: o.Config == nil}
	registry := plugins.NewInTreeRegistry()
	for i := range cfg.Profiles {
		p := &cfg.Profiles[i]
		j.basis.NotModelled = append(j.basis.NotModelled, profile.WithoutForeign(p, registry)...)
		if p.PercentageOfNodesToScore == nil {
			p.PercentageOfNodesToScore = cfg.PercentageOfNodesToScore
		}
		made, err := profile.New(ctx, p, registry, parts)
		if err != nil {
			return nil, fmt.Errorf("reading the scheduler's configuration: %w", err)
		}
		j.profiles[p.SchedulerName] = made
		j.basis.Profiles = append(j.basis.Profiles, p.SchedulerName)
	}
	for _, extender := range cfg.Extenders {
		j.basis.NotModelled = append(j.basis.NotModelled, extender.URLPrefix)
	}
	slices.Sort(j.basis.NotModelled)
	j.basis.NotModelled = slices.Compact(j.basis.NotModelled)
	return j, nil
}

// Options are those that the Judge was made with.
func (j *Judge) Options() Options { return j.options }

// World is the world as edited so far.
func (j *Judge) World() *cluster.Snapshot { return j.snapshots.current() }

// Basis is what every answer rests on.
func (j *Judge) Basis() Basis { return j.basis }

// Models says whether the Judge has a profile for the pod's scheduler.
func (j *Judge) Models(pod *corev1.Pod) bool {
	_, err := j.profile(pod)
	return err == nil
}

func (j *Judge) profile(pod *corev1.Pod) (*profile.Profile, error) {
	name := pod.Spec.SchedulerName
	if name == "" {
		name = corev1.DefaultSchedulerName // as the API server's defaulting has it
	}
	if p, ok := j.profiles[name]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrNotModelled, name)
}

// Fork begins edits that Revert takes back. Forks nest.
func (j *Judge) Fork() {
	j.store.Fork()
	j.snapshots.fork()
}

// Revert takes back every edit since the last Fork. It costs what those edits changed.
func (j *Judge) Revert() {
	j.store.Revert()
	j.snapshots.revert()
}

// Apply edits the world: pods (one with a node name takes up room there, unless it has ended), nodes, volumes, claims,
// budgets and all else that bears on scheduling. An error is an object that cannot be one of the cluster's; the edits
// before it are done.
func (j *Judge) Apply(edits ...cluster.Edit) error {
	for _, e := range edits {
		if err := j.store.Apply(e); err != nil {
			return err
		}
		j.snapshots.edit(e)
	}
	return nil
}

package fast

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/plain"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/profile"
	"github.com/naosu-dev/naosu/internal/scheduling/internal/store"
)

// Survey uses what local plugins have said of nodes for pods of the same class.
func (f *Scheduler) Survey(ctx context.Context, p *profile.Profile, pod *corev1.Pod) (*plain.Survey, error) {
	s := &survey{fast: f, pod: pod, profile: f.profile(p)}
	if f.serves(pod) {
		s.class = s.profile.class(ctx, f, pod)
	}
	return plain.NewSurvey(ctx, f.store, p, pod, s.filterFunc)
}

type survey struct {
	fast    *Scheduler
	profile *cachedProfile
	pod     *corev1.Pod
	class   *class // nil if no cached answer is to be used
}

// filterFunc returns the FilterFunc of a plugin, which uses its cached answers. A table for each pod that names its node would fill the memory.
func (s *survey) filterFunc(ctx context.Context, plugin fwk.FilterPlugin, state fwk.CycleState, limited bool) plain.FilterFunc {
	node := s.fast.nodeView(plugin)
	ask := func(ctx context.Context, at *store.Node) *fwk.Status {
		return plugin.Filter(ctx, state, s.pod, node(at))
	}
	if said := s.ofVolumes(ctx, plugin, ask); said != nil {
		return func(_ context.Context, at *store.Node) *fwk.Status { return said[at.Index] }
	}
	if s.class == nil || limited {
		return ask
	}
	table, footprint := s.tableOf(plugin)
	if table == nil {
		return ask
	}
	table.fit(len(s.fast.store.Nodes.ByName))
	return func(ctx context.Context, at *store.Node) *fwk.Status {
		if footprint != nil && !footprint.unusedOn(at, s.fast.mountingPodsOf(at)) {
			return ask(ctx, at)
		}
		return table.of(at, func() *fwk.Status { return plugin.Filter(ctx, s.class.state, s.pod, node(at)) })
	}
}

// tableOf is the cached answers of a plugin for pods of this class, nil if it must be asked anew. With a footprint, they hold only
// for nodes where none of its volumes is mounted.
func (s *survey) tableOf(plugin fwk.FilterPlugin) (*table[*fwk.Status], *volumeFootprint) {
	if plugin.Name() != names.NodeVolumeLimits {
		return s.class.verdicts[plugin.Name()], nil
	}
	footprint := s.fast.volumeFootprint(s.pod)
	if footprint == nil {
		return nil, nil
	}
	return s.profile.classes.verdictsFor(s.fast, footprint), footprint
}

// ofVolumes is VolumeBinding's status for each node, if asking beforehand saves time.
func (s *survey) ofVolumes(ctx context.Context, plugin fwk.FilterPlugin, ask plain.FilterFunc) []*fwk.Status {
	if plugin.Name() != names.VolumeBinding {
		return nil
	}
	keys, all := volumeKeys(s.fast.store.Objects, s.pod)
	if !all {
		return nil
	}
	domains := s.fast.domains.of(s.fast.store.Nodes, keys)
	return slices.Clone(s.fast.scratch.verdicts.ask(s.fast, domains, s.fast.store.Nodes.Sorted.Entries, allAlike, func(at *store.Node) *fwk.Status {
		return ask(ctx, at)
	}))
}

package scheduling

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// sweep finds what an attempt would find, and the same, sooner: local plugins are asked only about nodes that have changed
// since they were last asked for such a pod, the plugins that count pods look through a lens, and cheap plugins come first.
// It does not find out which plugin refused a node first, which matters to preemption alone.
type sweep struct {
	judge   *Judge
	profile *profile
	class   *class
	pod     *corev1.Pod    // as plugins see it
	state   fwk.CycleState // of the plugins that are not local
	skipped sets.Set[string]

	// counted says that the lens of PodTopologySpread is turned to the class.
	counted bool
	// looked says that no plugin ruled out every node beforehand.
	looked bool
	// ground is where the sweep began, nil if it looked at every node.
	ground   *ground
	feasible []*slot
}

// sweepable says whether the pod's case is one that sweeps are made for. Pods with devices are not, nor are those whose
// resources may be devices, nor pods that have run: what they are allowed to use is then in their status.
func (j *Judge) sweepable(pod *corev1.Pod) bool {
	return !j.shelf.devices() && len(pod.Spec.ResourceClaims) == 0 && len(pod.Status.ContainerStatuses) == 0 &&
		len(pod.Status.InitContainerStatuses) == 0 && pod.Status.Resources == nil
}

// sweep looks at every node. It is nil if the pod's case is not made for it.
func (j *Judge) sweep(ctx context.Context, pod *corev1.Pod) (*sweep, error) {
	s, slots, err := j.begin(ctx, pod)
	if err != nil || s == nil || len(slots) == 0 {
		return s, err
	}
	return s, s.filter(ctx, slots)
}

// begin returns a sweep and the nodes that it has to look at.
func (j *Judge) begin(ctx context.Context, pod *corev1.Pod) (*sweep, []*slot, error) {
	p, err := j.profile(pod)
	if err != nil || !j.sweepable(pod) {
		return nil, nil, err
	}
	s := &sweep{judge: j, profile: p, pod: j.tenants.seen(pod), state: framework.NewCycleState(), skipped: j.scratch.skipped}
	clear(s.skipped)
	if p.gate(ctx, s.pod) != nil {
		return s, nil, nil
	}
	s.class = p.class(ctx, j, s.pod)
	return s, s.preFilter(ctx), nil
}

// preFilter returns the nodes that plugins leave. A plugin that fails counts as one that leaves none: who asks why asks
// again without a sweep.
func (s *sweep) preFilter(ctx context.Context) []*slot {
	s.focus()
	defer s.profile.wear()()
	var allowed *fwk.PreFilterResult
	for _, plugin := range s.profile.filters {
		pre, ok := plugin.(fwk.PreFilterPlugin)
		if !ok {
			continue
		}
		if s.idle(plugin.Name()) {
			s.skipped.Insert(plugin.Name())
			continue
		}
		said, local := s.class.pre[plugin.Name()]
		switch {
		case local:
		case plugin.Name() == names.InterPodAffinity && s.class.hasCompany():
			said.status = s.keepCompany(ctx, pre)
		default:
			said.result, said.status = pre.PreFilter(ctx, s.state, s.pod, s.view(plugin.Name()))
		}
		if said.status.IsSkip() {
			s.skipped.Insert(plugin.Name())
			s.class.kin.idle.Insert(plugin.Name())
			continue
		}
		if !said.status.IsSuccess() {
			return nil
		}
		allowed = allowed.Merge(said.result)
	}
	s.looked = true
	if allowed.AllNodes() {
		return s.judge.board.nodes.slots
	}
	var slots []*slot
	for name := range allowed.NodeNames {
		if s := s.judge.board.slots[name]; s != nil && s.here != nowhere {
			slots = append(slots, s)
		}
	}
	slices.SortFunc(slots, func(a, b *slot) int { return a.here - b.here })
	return slots
}

// idle says that a plugin had no say in such a pod's case and has none now: that follows from the pod and from what is on
// the shelf (the kin are forgotten when that changes), for InterPodAffinity also from whether any pod is averse, and for
// VolumeRestrictions from whether a pod uses the claim, so that it is asked each time if there is one.
func (s *sweep) idle(plugin string) bool {
	switch plugin {
	case names.VolumeRestrictions:
		return s.class.kin.idle.Has(plugin) && !claims(&s.pod.Spec)
	case names.InterPodAffinity:
		return s.class.kin.idle.Has(plugin) && len(s.profile.affinity.averse) == 0
	}
	return s.class.kin.idle.Has(plugin)
}

// claims says that a pod mounts claims that may be others' too.
func claims(s *corev1.PodSpec) bool {
	return slices.ContainsFunc(s.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil })
}

// view is the nodes that a plugin's PreFilter counts on.
func (s *sweep) view(plugin string) []fwk.NodeInfo {
	switch plugin {
	case names.PodTopologySpread:
		s.focusSpread()
		return s.spreadNodes()
	case names.InterPodAffinity:
		return s.profile.affinity.list
	}
	return s.judge.board.nodes.infos
}

// filter keeps the nodes that pass.
func (s *sweep) filter(ctx context.Context, slots []*slot) (err error) {
	plugins := s.profile.swift
	if len(slots) == len(s.judge.board.nodes.slots) {
		if s.ground, err = s.groundOf(ctx); err != nil {
			return err
		}
	}
	if s.ground != nil {
		plugins, slots = s.profile.roaming, s.ground.open
	}
	if s.feasible = slots; s.judge.board.nominated.pods == 0 && !slices.ContainsFunc(plugins, s.asks) {
		return nil
	}
	alive := sized(&s.judge.scratch.slots, len(slots))
	copy(alive, slots)
	if alive, err = s.keep(ctx, plugins, alive); err != nil {
		return err
	}
	s.feasible, err = s.yield(ctx, alive)
	return err
}

// asks says that a plugin has something to say about each node.
func (s *sweep) asks(plugin fwk.FilterPlugin) bool { return !s.skipped.Has(plugin.Name()) }

// keep drops the slots that one of the plugins refuses.
func (s *sweep) keep(ctx context.Context, plugins []fwk.FilterPlugin, slots []*slot) ([]*slot, error) {
	for _, plugin := range plugins {
		if !s.asks(plugin) || len(slots) == 0 {
			continue
		}
		said := s.verdicts(ctx, plugin, slots)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		kept := slots[:0]
		for i, status := range said {
			if status.IsSuccess() {
				kept = append(kept, slots[i])
			} else if !status.IsRejected() {
				return nil, s.failed(plugin, slots[i], status)
			}
		}
		slots = kept
	}
	return slots, nil
}

// verdicts are what one plugin says of each slot.
func (s *sweep) verdicts(ctx context.Context, plugin fwk.FilterPlugin, slots []*slot) []*fwk.Status {
	table, state := s.asking(plugin)
	node := s.judge.mounting(plugin)
	ask := func(slot *slot) *fwk.Status { return plugin.Filter(ctx, state, s.pod, node(slot)) }
	switch plugin.Name() {
	case names.PodTopologySpread:
		if s.spreadsOverDomains() {
			return s.spreadVerdicts(slots, ask)
		}
	case names.InterPodAffinity:
		return s.affinityVerdicts(slots, ask)
	case names.VolumeBinding:
		if keys, all := s.judge.shelf.volumeKeys(s.pod); all {
			return s.judge.scratch.verdicts.ask(s.judge, s.profile.domains.of(s.judge.board, keys), slots, alike, ask)
		}
	}
	return consult(ctx, s, table, slots, &s.judge.scratch.verdicts.said, ask)
}

// first is the first of the nodes that passes, nil if none does.
func (s *sweep) first(ctx context.Context, slots []*slot) (*slot, error) {
	for _, candidate := range slots {
		refused, err := s.refuses(ctx, candidate)
		if err != nil {
			return nil, err
		}
		if refused {
			continue
		}
		if left, err := s.yield(ctx, []*slot{candidate}); err != nil || len(left) > 0 {
			return candidate, err
		}
	}
	return nil, ctx.Err()
}

// refuses asks about one node, and no further once a plugin says no.
func (s *sweep) refuses(ctx context.Context, at *slot) (bool, error) {
	for _, plugin := range s.profile.swift {
		if s.skipped.Has(plugin.Name()) {
			continue
		}
		table, state := s.asking(plugin)
		table.fit(len(s.judge.board.slots))
		status := table.of(at, func() *fwk.Status { return plugin.Filter(ctx, state, s.pod, at.info) })
		switch {
		case status.IsRejected():
			return true, nil
		case !status.IsSuccess():
			return true, s.failed(plugin, at, status)
		}
	}
	return false, nil
}

// asking is the table of a plugin's answers, nil if it has none, and the state it is asked with. A table for each pod that
// names its node, as those of DaemonSets do, would fill the memory.
func (s *sweep) asking(plugin fwk.Plugin) (*table[*fwk.Status], fwk.CycleState) {
	t := s.class.verdicts[plugin.Name()]
	switch {
	case t == nil:
		return nil, s.state
	case !s.class.pre[plugin.Name()].result.AllNodes():
		return nil, s.class.state
	}
	return t, s.class.state
}

func (s *sweep) failed(plugin fwk.Plugin, at *slot, status *fwk.Status) error {
	return fmt.Errorf("asking plugin %s whether node %s takes pod %s: %w", plugin.Name(), at.name, nameOf(s.pod), status.AsError())
}

// consult returns an answer for each slot: what the table holds, and what is asked where it holds none.
func consult[T any](ctx context.Context, s *sweep, t *table[T], slots []*slot, buffer *[]T, ask func(*slot) T) []T {
	said := sized(buffer, len(slots))
	if t == nil {
		s.profile.each(ctx, len(slots), func(i int) { said[i] = ask(slots[i]) })
		return said
	}
	t.fit(len(s.judge.board.slots))
	asked := sized(&s.judge.scratch.asked, len(slots))[:0]
	for i, slot := range slots {
		c, holds := t.at(slot)
		if said[i] = c.answer; !holds {
			asked = append(asked, i)
		}
	}
	s.profile.each(ctx, len(asked), func(n int) {
		i := asked[n]
		c, _ := t.at(slots[i])
		c.generation, c.answer = slots[i].info.Generation, ask(slots[i])
		said[i] = c.answer
	})
	return said
}

// each runs for every number below n, on several processors where that pays.
func (p *profile) each(ctx context.Context, n int, do func(int)) {
	const few = 512
	if n > few {
		p.framework.Parallelizer().Until(ctx, n, do, "")
		return
	}
	for i := range n {
		do(i)
	}
}

// yield drops the nodes that have room for the pod only until those they were promised to arrive.
func (s *sweep) yield(ctx context.Context, slots []*slot) ([]*slot, error) {
	nominated := s.judge.board.nominated
	if nominated.pods == 0 {
		return slots, nil
	}
	var state fwk.CycleState
	kept := slots[:0]
	for _, slot := range slots {
		if len(nominated.byNode[slot.name]) == 0 {
			kept = append(kept, slot)
			continue
		}
		if state == nil {
			state = framework.NewCycleState()
			if _, status, _ := s.profile.framework.RunPreFilterPlugins(ctx, state, s.pod); !status.IsSuccess() {
				return nil, errors.New("the plugins contradict themselves")
			}
		}
		status := s.profile.framework.RunFilterPluginsWithNominatedPods(ctx, state, s.pod, slot.info)
		switch {
		case status.IsSuccess():
			kept = append(kept, slot)
		case !status.IsRejected():
			return nil, fmt.Errorf("asking whether node %s takes pod %s: %w", slot.name, nameOf(s.pod), status.AsError())
		}
	}
	return kept, nil
}

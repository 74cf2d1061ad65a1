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
	look    int // which marks of slots are this sweep's

	feasible []*slot
	infos    []fwk.NodeInfo // of feasible
}

// sweepable says whether the pod's case is one that sweeps are made for. Pods with devices are not, nor are those whose
// resources may be devices, nor pods that have run: what they are allowed to use is then in their status.
func (j *Judge) sweepable(pod *corev1.Pod) bool {
	return !j.shelf.devices() && len(pod.Spec.ResourceClaims) == 0 && len(pod.Status.ContainerStatuses) == 0 &&
		len(pod.Status.InitContainerStatuses) == 0 && pod.Status.Resources == nil
}

// sweep is nil if the pod's case is not made for it.
func (j *Judge) sweep(ctx context.Context, pod *corev1.Pod) (*sweep, error) {
	p, err := j.profile(pod)
	if err != nil || !j.sweepable(pod) {
		return nil, err
	}
	s := &sweep{judge: j, profile: p, pod: j.tenants.seen(pod), state: framework.NewCycleState(), skipped: sets.New[string]()}
	if p.gate(ctx, s.pod) != nil {
		return s, nil
	}
	s.class = p.class(ctx, j, s.pod)
	slots, ok := s.preFilter(ctx)
	if !ok {
		return s, nil
	}
	return s, s.filter(ctx, slots)
}

// preFilter returns the nodes that plugins leave, false if none. A plugin that fails counts as one that leaves none: who
// asks why asks again without a sweep.
func (s *sweep) preFilter(ctx context.Context) ([]*slot, bool) {
	s.focus()
	defer s.profile.unfocus()
	var allowed *fwk.PreFilterResult
	for _, plugin := range s.profile.filters {
		pre, ok := plugin.(fwk.PreFilterPlugin)
		if !ok {
			continue
		}
		said, local := s.class.pre[plugin.Name()]
		if !local {
			said.result, said.status = pre.PreFilter(ctx, s.state, s.pod, s.view(plugin.Name()))
		}
		if said.status.IsSkip() {
			s.skipped.Insert(plugin.Name())
			continue
		}
		if !said.status.IsSuccess() {
			return nil, false
		}
		allowed = allowed.Merge(said.result)
	}
	if allowed.AllNodes() {
		return s.judge.board.nodes.slots, true
	}
	var slots []*slot
	for name := range allowed.NodeNames {
		if s := s.judge.board.slots[name]; s != nil && s.here != nowhere {
			slots = append(slots, s)
		}
	}
	slices.SortFunc(slots, func(a, b *slot) int { return a.here - b.here })
	return slots, len(slots) > 0
}

// view is the nodes that a plugin's PreFilter counts on.
func (s *sweep) view(plugin string) []fwk.NodeInfo {
	switch plugin {
	case names.PodTopologySpread:
		return s.spreadView()
	case names.InterPodAffinity:
		return s.profile.affinity.list
	}
	return s.judge.board.nodes.infos
}

// filter keeps the nodes that pass.
func (s *sweep) filter(ctx context.Context, slots []*slot) error {
	board := s.judge.board
	alive := slices.Clone(slots)
	for _, plugin := range s.profile.swift {
		if s.skipped.Has(plugin.Name()) || len(alive) == 0 {
			continue
		}
		ask := func(s2 *slot) *fwk.Status { return plugin.Filter(ctx, s.state, s.pod, s2.info) }
		table := s.class.verdicts[plugin.Name()]
		if table != nil {
			ask = func(s2 *slot) *fwk.Status { return plugin.Filter(ctx, s.class.state, s.pod, s2.info) }
		}
		statuses, err := answers(ctx, s, table, alive, ask)
		if err != nil {
			return err
		}
		kept := alive[:0]
		for i, status := range statuses {
			switch {
			case status.IsSuccess():
				kept = append(kept, alive[i])
			case !status.IsRejected():
				return fmt.Errorf("asking plugin %s whether node %s takes pod %s: %w", plugin.Name(), alive[i].name, nameOf(s.pod), status.AsError())
			}
		}
		alive = kept
	}
	alive, err := s.yield(ctx, alive)
	if err != nil {
		return err
	}
	s.feasible = alive
	s.infos = make([]fwk.NodeInfo, len(alive))
	for i, slot := range alive {
		s.infos[i] = board.nodes.infos[slot.here]
	}
	return ctx.Err()
}

// answers asks about each slot, or takes what the table holds.
func answers[T any](ctx context.Context, s *sweep, t *table[T], slots []*slot, ask func(*slot) T) ([]T, error) {
	said := make([]T, len(slots))
	var asked []int
	if t == nil {
		asked = make([]int, len(slots))
		for i := range slots {
			asked[i] = i
		}
	} else {
		t.fit(len(s.judge.board.slots), s.judge.board.setting.now)
		for i, slot := range slots {
			c, holds := t.at(slot)
			if holds {
				said[i] = c.answer
			} else {
				asked = append(asked, i)
			}
		}
	}
	s.profile.each(ctx, len(asked), func(n int) {
		i := asked[n]
		said[i] = ask(slots[i])
		if t != nil {
			c, _ := t.at(slots[i])
			c.generation, c.answer = slots[i].info.Generation, said[i]
		}
	})
	return said, ctx.Err()
}

// each runs for every number below n, on several processors where that pays.
func (p *profile) each(ctx context.Context, n int, do func(int)) {
	const few = 64
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
			return nil, status.AsError()
		}
	}
	return kept, nil
}

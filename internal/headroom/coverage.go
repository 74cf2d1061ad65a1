package headroom

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Coverage says whether a room survives one failure.
type Coverage struct {
	Failure
	// Status says whether Covered is known.
	Status Status
	// Unread are the kinds of objects without which it is not known.
	Unread []cluster.Kind
	// Covered is whether the room survives every case of the failure.
	Covered bool
	// Lost are the nodes of the first case that the room does not survive, empty for a failure that loses none.
	Lost []string
	// Lacking are the pods that this case harms and that room could help, or others of their workloads, and Requests what they request together.
	Lacking  []change.Ref
	Requests corev1.ResourceList
}

// Cover says of each failure whether the placeholders survive it even if everything else that is free is used. The placeholders are not in the Judge's
// world, which has room for them and is left as it was. Those on nodes that take no pods do not count. An error is of the Judge or of the context.
func Cover(ctx context.Context, judge *scheduling.Judge, o Options, placeholders []Placeholder) ([]Coverage, error) {
	o.Progress = nil
	c := newComputation(judge, o, limits{mostLost, mostAlone})
	all := []Coverage{}
	for _, f := range c.failures() {
		one, err := c.cover(ctx, f, placeholders)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (c *computation) cover(ctx context.Context, f Failure, placeholders []Placeholder) (Coverage, error) {
	one := Coverage{Failure: f, Status: Known}
	cases := c.casesToSize(&Answer{Failure: f})
	switch one.Unread = c.unread(f.Kind); {
	case len(one.Unread) > 0:
		one.Status = Unread
		return one, nil
	case len(cases) == 0, !c.tractable(cases):
		one.Status = NotComputed
		return one, nil
	}
	err := c.coverCases(ctx, &one, cases, placeholders)
	if unknown := (outcome.UnknownError{}); errors.As(err, &unknown) {
		one.Status = Failed
		return one, nil
	}
	return one, err
}

func (c *computation) coverCases(ctx context.Context, one *Coverage, cases []failureCase, placeholders []Placeholder) error {
	s := newSizer(c)
	if err := s.prepare(ctx, cases); err != nil {
		return err
	}
	var held room
	for _, p := range placeholders {
		if s.free[p.Node] != nil {
			held = append(held, newPlaceholder(p.Node, amountsOf(p.Requests)))
		}
	}
	held.sorted(s.size) // Names decide the scheduler's ties: they are those that the search gives.
	if !s.fits(held) {  // The world is another than the one that they are bound in.
		one.Status = Failed
		return nil
	}
	defer s.unfill()
	if err := s.fill(); err != nil {
		return err
	}
	for i := range cases {
		survived, err := s.simulateRoom(ctx, held, trial{i, !s.closed(i)})
		if err != nil {
			return err
		}
		if !survived {
			one.Lost = cases[i].nodes
			s.lacking(one, i)
			return nil
		}
	}
	one.Covered = true
	return nil
}

// lacking are the pods that the case which was simulated last harms, without as many of each workload as no room would help.
func (s *sizer) lacking(one *Coverage, i int) {
	helpless := map[change.Ref]int{}
	for h, n := range s.present[i].harms {
		helpless[h.workload] += n
	}
	var sum amounts
	for _, ref := range s.harmed {
		workload, size := s.displacedPod(ref)
		if helpless[workload]--; helpless[workload] < 0 {
			one.Lacking = append(one.Lacking, ref)
			sum = sum.plus(size)
		}
	}
	one.Requests = sum.list()
}

// displacedPod is the workload of a displaced pod, and what it requests: a replacement of the simulation requests what another pod of its workload does.
func (s *sizer) displacedPod(ref change.Ref) (change.Ref, amounts) {
	one, _ := affected(s.world, s.world, outcome.Fate{Pod: ref})
	if pod := s.world.Pod(ref.Namespace, ref.Name); pod != nil {
		return one.Workload, requestsOf(pod)
	}
	object := s.world.Object(cluster.Kind(one.Workload.Kind), one.Workload.Namespace, one.Workload.Name)
	if object == nil {
		return one.Workload, nil
	}
	template := kube.PodTemplate(object)
	if template == nil {
		return one.Workload, nil
	}
	return one.Workload, requestsOf(&corev1.Pod{Spec: template.Spec})
}

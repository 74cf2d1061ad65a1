package agreement

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// In slow worlds a preemptor waits for its victims' end, nominated to their node, while other pods are decided on.

// waitingReason says, in a slow world, when a preemptor has to wait: whoever is to give way is ending, those without a grace period
// have gone, and not all have.
func (s *session) waitingReason(p prediction) func(decision) bool {
	if !s.world.slow {
		return nil
	}
	return func(d decision) bool {
		for _, choice := range p.preemptions {
			if choice.Node != d.nominated || !slices.Equal(victims(choice), d.victims) {
				continue
			}
			there := 0
			for _, victim := range choice.Victims {
				v := s.pods[nameOf(victim)]
				if v == nil {
					continue
				}
				if v.DeletionTimestamp == nil || *v.DeletionGracePeriodSeconds == 0 {
					return false
				}
				there++
			}
			return there > 0
		}
		return false
	}
}

// behind makes a pod one that gives way to another, so that the other's place is not taken.
func (w *world) behind(pod, other *corev1.Pod) {
	lower := priorities[0]
	for _, priority := range priorities {
		if priority <= *other.Spec.Priority && w.chance(70) {
			lower = priority
		}
	}
	pod.Spec.PriorityClassName = className(lower, corev1.PreemptNever)
}

// await goes on with a pod that waits: its victims end if it is time, or the last decision has made room for it elsewhere.
// It says whether the wait is over.
func (g *game) await(ctx context.Context, t *testing.T, s *session, waiting *corev1.Pod, time bool) (bool, error) {
	p, err := s.stillWaiting(ctx, waiting)
	if err != nil {
		return false, err
	}
	if len(p.fit.Feasible) > 0 {
		d, err := s.unaffected(ctx, waiting)
		if err != nil {
			return false, err
		}
		if d.node != "" {
			return true, g.settle(ctx, t, s, waiting, p, d, s.ending())
		}
	}
	if !time {
		return false, nil
	}
	return true, g.release(ctx, t, s, waiting)
}

// stillWaiting runs the judge for a waiting pod as it was before the scheduler's latest attempt, if there was one.
func (s *session) stillWaiting(ctx context.Context, waiting *corev1.Pod) (prediction, error) {
	s.judge.Fork()
	defer s.judge.Revert()
	if err := s.judge.Apply(cluster.Put(waiting)); err != nil {
		return prediction{}, err
	}
	return predict(ctx, s.judge, waiting)
}

// release lets victims end, so that who waited for their end gets a place.
func (g *game) release(ctx context.Context, t *testing.T, s *session, waiting *corev1.Pod) error {
	ending := s.ending()
	for _, pod := range ending {
		s.edits = append(s.edits, cluster.Remove(pod))
	}
	waiting = s.pods[nameOf(waiting)]
	if err := s.tell(ctx, waiting); err != nil {
		return err
	}
	p, err := s.predict(ctx, waiting)
	if err != nil {
		return err
	}
	for _, pod := range ending {
		if err := s.finish(ctx, pod); err != nil {
			return err
		}
	}
	d, err := s.afterwards(ctx, waiting, p, ending)
	if err != nil {
		return fmt.Errorf("predicted: %s; so far: %s: %w", p, d, err)
	}
	return g.settle(ctx, t, s, waiting, p, d, ending)
}

// settle compares, and leaves the world without pods that wait or end.
func (g *game) settle(ctx context.Context, t *testing.T, s *session, waiting *corev1.Pod, p prediction, d decision, ending []*corev1.Pod) error {
	g.nominated++
	if err := g.compare(ctx, t, s, waiting, p, d); err != nil {
		return err
	}
	if d.node == "" {
		if err := s.remove(ctx, waiting); err != nil {
			return err
		}
	}
	for _, pod := range ending {
		if s.pods[nameOf(pod)] == nil {
			continue
		}
		if err := s.finish(ctx, pod); err != nil {
			return err
		}
		if err := s.until(ctx, func() bool { return s.pods[nameOf(pod)] == nil }); err != nil {
			return fmt.Errorf("wait for the end of a victim: %w", err)
		}
	}
	return s.tell(ctx, waiting)
}

func (s *session) ending() []*corev1.Pod {
	var ending []*corev1.Pod
	for _, pod := range s.pods {
		if pod.DeletionTimestamp != nil {
			ending = append(ending, pod)
		}
	}
	return ending
}

// afterwards is what becomes of a nominated pod when the victims for which it waited have ended.
func (s *session) afterwards(ctx context.Context, waiting *corev1.Pod, p prediction, ending []*corev1.Pod) (decision, error) {
	if len(p.fit.Feasible) == 0 && len(p.preemptions) == 0 {
		return s.unaffected(ctx, waiting)
	}
	d, err := s.watchDecision(ctx, waiting, nil)
	d.victims = slices.DeleteFunc(d.victims, func(name string) bool {
		return slices.ContainsFunc(ending, func(pod *corev1.Pod) bool { return nameOf(pod).String() == name })
	})
	if len(d.victims) == 0 {
		d.nominated = "" // by the decision before
	}
	return d, err
}

// unaffected is the decision on a pod that may never get another event, because the scheduler has reported all that it has to
// say. Two other pods are decided on: one that the scheduler may have taken out of its queue together with this one, and one
// that is behind.
func (s *session) unaffected(ctx context.Context, waiting *corev1.Pod) (decision, error) {
	for i := range 2 {
		probe, err := s.create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: waiting.Namespace, Name: fmt.Sprintf("%s-probe-%d", waiting.Name, i)},
			Spec: corev1.PodSpec{
				PriorityClassName: className(priorities[0], corev1.PreemptNever),
				NodeSelector:      map[string]string{"nowhere": ""},
				Containers:        []corev1.Container{{Name: "main", Image: "none"}},
			},
		})
		if err != nil {
			return decision{}, err
		}
		if _, err := s.watchDecision(ctx, probe, nil); err != nil {
			return decision{}, fmt.Errorf("probe: %w", err)
		}
		if err := s.remove(ctx, probe); err != nil {
			return decision{}, err
		}
	}
	now := s.pods[nameOf(waiting)]
	if now.Spec.NodeName == "" {
		return decision{}, nil
	}
	return decision{node: now.Spec.NodeName}, s.run(ctx, now)
}

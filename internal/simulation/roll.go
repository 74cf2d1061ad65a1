package simulation

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// rollDaemons replaces a DaemonSet's pods node by node, as its strategy says. A pod that fits nowhere counts as
// unavailable; when as many are as may be, the rollout stands still and the other nodes keep their old pods.
//
// Source: pkg/controller/daemon/update.go of Kubernetes.
func (f *future) rollDaemons(ctx context.Context, set *appsv1.DaemonSet, remake func(*corev1.Pod) *corev1.Pod) error {
	set = nextGeneration(set)
	if err := f.apply(cluster.Put(set)); err != nil {
		return err
	}
	ref := message.Args{"set": daemonRef(set)}
	if set.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		f.gaps.note(daemonRef(set), message.Of(message.GapOnDelete, ref))
		return nil
	}
	f.rolling = true
	err := f.nodeByNode(ctx, set, remake)
	f.rolling = false
	return errors.Join(err, f.recoverSlow())
}

func (f *future) nodeByNode(ctx context.Context, set *appsv1.DaemonSet, remake func(*corev1.Pod) *corev1.Pod) error {
	old := f.daemons(set)
	most, beside := f.limits(set, len(old))
	if beside > 0 {
		return f.surge(ctx, set, old, beside, remake)
	}
	var waiting []*corev1.Pod
	for len(old) > 0 {
		waiting = f.stillWaiting(waiting)
		batch := min(most-len(waiting), len(old))
		if batch <= 0 {
			f.gaps.note(daemonRef(set), message.Of(message.GapRollout, message.Args{"set": daemonRef(set), "left": len(old)}))
			return nil
		}
		for _, pod := range old[:batch] {
			next := f.remade(set, pod, remake)
			if err := f.retire(pod); err != nil {
				return err
			}
			if node := f.world().Node(daemonNode(pod)); node != nil && !wants(set, node) { // Only what runs may stay on it.
				f.book.ends(pod, Ended, message.Of(message.FateUnwanted, nil), f.until())
				continue
			}
			f.create(pod, next)
			waiting = append(waiting, next)
		}
		old = old[batch:]
		if err := f.proceed(ctx, func() bool { return len(f.stillWaiting(slices.Clone(waiting))) < most }); err != nil {
			return err
		}
	}
	return nil
}

// remade is the pod of the new template in place of an old one, on the same node.
func (f *future) remade(set *appsv1.DaemonSet, old *corev1.Pod, remake func(*corev1.Pod) *corev1.Pod) *corev1.Pod {
	next := remake(old)
	next.Labels = maps.Clone(next.Labels)
	if next.Labels == nil {
		next.Labels = map[string]string{}
	}
	next.Labels[templateGeneration] = set.Annotations[appsv1.DeprecatedTemplateGeneration]
	return pinned(next, daemonNode(old))
}

// surge puts each new pod beside the old one, which goes once the new one runs.
func (f *future) surge(ctx context.Context, set *appsv1.DaemonSet, old []*corev1.Pod, beside int, remake func(*corev1.Pod) *corev1.Pod) error {
	var waiting []*corev1.Pod
	for len(old) > 0 {
		waiting = f.stillWaiting(waiting)
		batch := min(beside-len(waiting), len(old))
		if batch <= 0 {
			f.gaps.note(daemonRef(set), message.Of(message.GapRollout, message.Args{"set": daemonRef(set), "left": len(old)}))
			return nil
		}
		var made []*corev1.Pod
		for _, pod := range old[:batch] {
			next := f.remade(set, pod, remake)
			f.create(nil, next)
			made = append(made, next)
		}
		if err := f.settle(ctx); err != nil {
			return err
		}
		for i, next := range made {
			if f.waits(next) {
				waiting = append(waiting, next)
				continue
			}
			if err := f.retire(old[i]); err != nil {
				return err
			}
			f.book.ends(old[i], Ended, message.Of(message.FateRolled, nil), f.until())
		}
		old = old[batch:]
	}
	return nil
}

// daemons are a DaemonSet's pods, by node.
func (f *future) daemons(set *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range f.pods.of(set.UID) {
		if pod.DeletionTimestamp == nil && !cluster.Ended(pod) {
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(daemonNode(a), daemonNode(b)) })
	shuffle(f.chance, pods)
	return pods
}

// limits are how many of a DaemonSet's pods may be unavailable, and how many may stand beside old ones, during a rollout.
func (f *future) limits(set *appsv1.DaemonSet, pods int) (unavailable, beside int) {
	rolling := set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil {
		return 1, 0
	}
	unavailable, beside = scaled(rolling.MaxUnavailable, pods, true, 1), scaled(rolling.MaxSurge, pods, true, 0)
	if beside == 0 {
		unavailable = max(unavailable, 1)
	}
	return unavailable, beside
}

// scaled is a number or a share of so many, otherwise if it is not given.
func scaled(value *intstr.IntOrString, of int, up bool, otherwise int) int {
	if value == nil {
		return otherwise
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, of, up)
	if err != nil {
		return otherwise // The API server accepts no such value.
	}
	return n
}

func nextGeneration(set *appsv1.DaemonSet) *appsv1.DaemonSet {
	next := *set
	next.Annotations = maps.Clone(set.Annotations)
	if next.Annotations == nil {
		next.Annotations = map[string]string{}
	}
	generation, err := strconv.Atoi(set.Annotations[appsv1.DeprecatedTemplateGeneration])
	if err != nil {
		generation = 1 // Files written by hand have none.
	}
	next.Annotations[appsv1.DeprecatedTemplateGeneration] = strconv.Itoa(generation + 1)
	return &next
}

// retire takes a pod away without its owner making another.
func (f *future) retire(pod *corev1.Pod) error {
	f.queue.drop(pod)
	f.uncount(pod)
	f.room()
	return f.apply(append(f.budgets.gone(pod), cluster.Remove(pod))...)
}

// waits says whether a pod asks for a node, or waits there for a volume, in vain.
func (f *future) waits(pod *corev1.Pod) bool {
	l := f.book.now[nameOf(pod)]
	return l != nil && l.fate.Kind == Waiting && l.fate.To == "" || f.isAttaching(pod)
}

func (f *future) stillWaiting(pods []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(pods, func(pod *corev1.Pod) bool { return !f.waits(pod) })
}

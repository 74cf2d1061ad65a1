package simulation

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// successor is a StatefulSet's pod that is made once those before it run.
type successor struct {
	pod   *corev1.Pod
	set   types.NamespacedName
	since time.Duration
}

// stalled is the first of a StatefulSet's pods before a number that does not run, if the set makes, ends and replaces none
// until it does. One that the world never held is not looked for: the world may not be whole.
//
// Source: pkg/controller/statefulset of Kubernetes (processReplica): all but podManagementPolicy Parallel wait.
func (f *future) stalled(set *appsv1.StatefulSet, before int) (first change.Ref, stalls bool) {
	if set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
		return change.Ref{}, false
	}
	for ordinal := startOf(set); ordinal < before; ordinal++ {
		name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
		pod := f.pods.get(name.Namespace, name.Name)
		if pod == nil && f.book.now[name] != nil || pod != nil && !f.ready(pod) {
			return change.Ref{Kind: string(cluster.Pod), Namespace: name.Namespace, Name: name.Name}, true
		}
	}
	return change.Ref{}, false
}

// ready says whether a pod runs, or will at once: one that ends on a node that is alive is soon made again. One that does
// not tell, as in a file written by hand, is taken to run.
func (f *future) ready(pod *corev1.Pod) bool {
	if pod.Spec.NodeName == "" || f.budgets.down[pod.UID] || cluster.Ended(pod) {
		return false
	}
	if pod.DeletionTimestamp != nil {
		node := f.world().Node(pod.Spec.NodeName)
		return node != nil && !cluster.Unreachable(node)
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return true
}

// makeInTurn makes a StatefulSet's pod, in place of an old one if there was one, or keeps it back until it is its turn.
func (f *future) makeInTurn(set *appsv1.StatefulSet, old, next *corev1.Pod) {
	first, stalls := f.stalled(set, ordinalOf(next))
	if !stalls {
		f.create(old, next)
		return
	}
	if old != nil {
		f.book.succeeds(old, next)
	} else {
		f.book.bears(next)
	}
	f.book.unmade(next, ordered(first))
	f.successors = append(f.successors, successor{next, nameOf(set), f.now})
}

func ordered(first change.Ref) message.Sentence {
	return message.Of(message.FateOrdered, message.Args{"pod": first})
}

// callUp makes the pods whose turn has come: of each set at most the next one. It says whether there were any.
func (f *future) callUp() bool {
	waiting := f.successors
	f.successors = nil
	slices.SortStableFunc(waiting, func(a, b successor) int { return ordinalOf(a.pod) - ordinalOf(b.pod) })
	behind := map[types.NamespacedName]change.Ref{}
	for _, s := range waiting {
		set := f.world().StatefulSet(s.set.Namespace, s.set.Name)
		if set == nil || ordinalOf(s.pod) >= startOf(set)+replicasOf(set, 1) {
			f.book.ends(s.pod, Ended, message.Of(message.FateScaled, nil), f.until())
			continue
		}
		first, stalls := behind[s.set]
		if !stalls {
			first, stalls = f.stalled(set, ordinalOf(s.pod))
		}
		if stalls {
			behind[s.set] = first
			f.book.unmade(s.pod, ordered(first))
			f.successors = append(f.successors, s)
			continue
		}
		behind[s.set] = podRef(s.pod)
		f.makeNow(s)
	}
	return len(f.successors) < len(waiting)
}

// makeNow offers a pod that has waited for its turn to the scheduler.
func (f *future) makeNow(s successor) {
	l := f.book.lineOf(s.pod)
	if l.delay.Why.ID == "" && (f.sometime || f.now > s.since) {
		l.delay = Fate{Why: l.fate.Why, Until: f.until()}
	}
	l.fate.Kind = ""
	f.ask(s.pod)
}

// goOn lets a StatefulSet make what it lacks now that a pod runs which has kept it waiting since before.
func (f *future) goOn(pod *corev1.Pod) error {
	if set, ok := f.world().Owner(pod).(*appsv1.StatefulSet); ok {
		return f.fillSet(set)
	}
	return nil
}

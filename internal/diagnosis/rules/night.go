package rules

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// patientClass names the priority class of work that waits for room instead of taking that of others.
const patientClass = "no-preemption"

// mostNightNodes bounds how many nodes more are tried for work that is to leave room.
const mostNightNodes = 4

// hold proposes balloons if with them the step takes nobody's place. A Job's pods cannot be moved once they run, so that
// for them it is the next run that is played: the balloons are there before it begins.
func (s growthStep) hold(ctx context.Context, v query.View) []finding.Remedy {
	grown := s.cpuGrowth(v)
	if grown.Sign() <= 0 {
		return nil
	}
	work := s.work(v)
	apply := change.Apply{From: headroom, Objects: balloonObjects(grown)}
	for more := 0; more <= mostNightNodes && ctx.Err() == nil; more++ {
		ready := []change.Change{apply}
		if more > 0 {
			ready = []change.Change{change.AddNodes{Count: more}, apply}
		}
		if !s.night(ctx, v, work, ready) {
			if len(work) == 0 {
				return nil // What runs on does not move to new nodes.
			}
			continue
		}
		ways := balloons(v, s.Target, grown, work, more)
		for i := range ways {
			ways[i].Verified = true
		}
		return ways
	}
	return nil
}

// work are the pods of the Jobs and CronJobs that have victims.
func (s growthStep) work(v query.View) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, ref := range ownersOfPods(v.World, s.victims) {
		if comesAnew(ref) {
			pods = append(pods, facts.PodsOfWorkload(v.World, ref)...)
		}
	}
	return pods
}

// night plays work from its beginning in a world that was made ready for it, and then the step: true if all of it gets
// a node and nothing but placeholders gives way.
func (s growthStep) night(ctx context.Context, v query.View, work []*corev1.Pod, ready []change.Change) bool {
	v.Judge.Fork()
	defer v.Judge.Revert()
	var before, begin []cluster.Edit
	for _, pod := range work {
		before, begin = append(before, cluster.Remove(pod)), append(begin, cluster.Put(anew(pod)))
	}
	if err := v.Judge.Apply(before...); err != nil {
		return false
	}
	held := false
	err := simulation.Inspect(ctx, v.Judge, ready, simulation.Options{LeavePending: true}, func(simulation.Outcome) error {
		if err := v.Judge.Apply(begin...); err != nil {
			return err
		}
		evening := v.Judge.World()
		outcome, err := simulation.Run(ctx, v.Judge, s.changes(), simulation.Options{})
		held = err == nil && !takes(evening, outcome) && !slices.ContainsFunc(work, func(pod *corev1.Pod) bool {
			there := outcome.World.Pod(pod.Namespace, pod.Name)
			return there == nil || there.Spec.NodeName == ""
		})
		return err
	})
	return err == nil && held
}

// takes says whether a future costs anything of the present but placeholders its place.
func takes(present *cluster.Snapshot, o simulation.Outcome) bool {
	return slices.ContainsFunc(o.Fates, func(fate simulation.Fate) bool {
		pod := present.Pod(fate.Pod.Namespace, fate.Pod.Name)
		taken := fate.Kind == simulation.Preempted || fate.Kind == simulation.Waiting || fate.Kind == simulation.Lost
		return taken && pod != nil && !placeholder(pod)
	})
}

// anew is a pod as its Job makes it, of the patient class.
func anew(pod *corev1.Pod) *corev1.Pod {
	fresh := pod.DeepCopy()
	fresh.Spec.NodeName, fresh.Spec.PreemptionPolicy = "", ptr.To(corev1.PreemptNever)
	fresh.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return fresh
}

// patience is a priority class of the guests' own priority that preempts nobody; none without guests.
func patience(guests []*corev1.Pod) []runtime.Object {
	if len(guests) == 0 {
		return nil
	}
	return []runtime.Object{&schedulingv1.PriorityClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
		ObjectMeta: metav1.ObjectMeta{Name: patientClass},
		Value:      ptr.Deref(guests[0].Spec.Priority, 0), PreemptionPolicy: ptr.To(corev1.PreemptNever),
	}}
}

// comesAnew says whether a workload's pods cannot be changed while they run, but only those of its next run.
func comesAnew(ref change.Ref) bool {
	return ref.Kind == string(cluster.Job) || ref.Kind == string(cluster.CronJob)
}

// ownersOfPods are the workloads of pods.
func ownersOfPods(world *cluster.Snapshot, pods []*corev1.Pod) []change.Ref {
	var refs []change.Ref
	for _, pod := range pods {
		refs = append(refs, facts.RefOfWorkload(world, pod))
	}
	return facts.UniqueRefs(refs)
}

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
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// nonPreemptingClassName is the name of the priority class of pods that wait for free capacity instead of preempting others.
const nonPreemptingClassName = "no-preemption"

// maxExtraNodes is the maximum number of additional nodes that are tried.
const maxExtraNodes = 4

// placeholderRemedies proposes placeholder pods if with them the step preempts no other pod. Running pods of a Job cannot be moved, so that
// their next run is simulated: the placeholder pods exist before it starts.
func (s growthStep) placeholderRemedies(ctx context.Context, q query.Query) []finding.Remedy {
	grown := s.cpuGrowth(q)
	if grown.Sign() <= 0 {
		return nil
	}
	work := s.victimJobPods(q)
	apply := change.Apply{From: placeholderName, Objects: placeholderObjects(grown)}
	for more := 0; more <= maxExtraNodes && ctx.Err() == nil; more++ {
		ready := []change.Change{apply}
		if more > 0 {
			ready = []change.Change{change.AddNodes{Count: more}, apply}
		}
		if !s.fitsWithPlaceholders(ctx, q, work, ready) {
			if len(work) == 0 {
				return nil // Pods that keep running do not move to new nodes.
			}
			continue
		}
		proposals := proposePlaceholders(q, grown, work, more)
		for i := range proposals {
			proposals[i].Verified = true
		}
		return proposals
	}
	return nil
}

// victimJobPods are the pods of the Jobs and CronJobs that have victims.
func (s growthStep) victimJobPods(q query.Query) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, ref := range ownersOfPods(q.World, s.victims) {
		if isJobKind(ref) {
			pods = append(pods, facts.PodsOfWorkload(q.World, ref)...)
		}
	}
	return pods
}

// fitsWithPlaceholders simulates the start of pods in a world with placeholder pods, and then the step. It reports whether all of the pods get
// a node and only placeholders are preempted.
func (s growthStep) fitsWithPlaceholders(ctx context.Context, q query.Query, work []*corev1.Pod, ready []change.Change) bool {
	q.Judge.Fork()
	defer q.Judge.Revert()
	var before, begin []cluster.Edit
	for _, pod := range work {
		before, begin = append(before, cluster.Remove(pod)), append(begin, cluster.Put(recreatedPod(pod)))
	}
	if err := q.Judge.Apply(before...); err != nil {
		return false
	}
	held := false
	err := simulation.Inspect(ctx, q.Judge, ready, simulation.Options{LeavePending: true}, func(outcome.Outcome) error {
		if err := q.Judge.Apply(begin...); err != nil {
			return err
		}
		evening := q.Judge.World()
		result, err := simulation.Run(ctx, q.Judge, s.Changes(), simulation.Options{})
		held = err == nil && !displacesPods(evening, result) && !slices.ContainsFunc(work, func(pod *corev1.Pod) bool {
			there := result.World.Pod(pod.Namespace, pod.Name)
			return there == nil || there.Spec.NodeName == ""
		})
		return err
	})
	return err == nil && held
}

// displacesPods reports whether a future disrupts any present pod other than placeholders.
func displacesPods(present *cluster.Snapshot, o outcome.Outcome) bool {
	return slices.ContainsFunc(o.Fates, func(fate outcome.Fate) bool {
		pod := present.Pod(fate.Pod.Namespace, fate.Pod.Name)
		taken := fate.Kind == outcome.Preempted || fate.Kind == outcome.Waiting || fate.Kind == outcome.Lost
		return taken && pod != nil && !placeholder(pod)
	})
}

// recreatedPod is a pod as its Job creates it, with the non-preempting class.
func recreatedPod(pod *corev1.Pod) *corev1.Pod {
	fresh := pod.DeepCopy()
	fresh.Spec.NodeName, fresh.Spec.PreemptionPolicy = "", ptr.To(corev1.PreemptNever)
	fresh.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return fresh
}

// nonPreemptingClass is a priority class with the pods' own priority that does not preempt; none without pods.
func nonPreemptingClass(jobPods []*corev1.Pod) []runtime.Object {
	if len(jobPods) == 0 {
		return nil
	}
	return []runtime.Object{&schedulingv1.PriorityClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
		ObjectMeta: metav1.ObjectMeta{Name: nonPreemptingClassName},
		Value:      ptr.Deref(jobPods[0].Spec.Priority, 0), PreemptionPolicy: ptr.To(corev1.PreemptNever),
	}}
}

// isJobKind reports whether a workload's running pods cannot be changed, only those of its next run.
func isJobKind(ref change.Ref) bool {
	return ref.Kind == string(cluster.Job) || ref.Kind == string(cluster.CronJob)
}

// ownersOfPods are the workloads of pods.
func ownersOfPods(world *cluster.Snapshot, pods []*corev1.Pod) []change.Ref {
	var refs []change.Ref
	for _, pod := range pods {
		refs = append(refs, facts.WorkloadRef(world, pod))
	}
	return facts.UniqueRefs(refs)
}

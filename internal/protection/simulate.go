package protection

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// Preempted are the workloads of a policy whose pods the next growth of a DaemonSet would preempt although they have the priority of the policy's class: too
// few pods have a lower one. It is nil without the class. An error is of the context or of the scheduler's configuration.
func Preempted(ctx context.Context, world *cluster.Snapshot, policy *v1alpha1.HeadroomPolicy) ([]change.NamespacedRef, error) {
	class := world.PriorityClass(policy.Spec.Protect.PriorityClassName)
	steps := verticalautoscaler.AllSteps(world)
	owners := map[change.Ref]change.NamespacedRef{}
	var pods []*corev1.Pod
	for _, workload := range Workloads(world, policy) {
		kind, _ := cluster.KindOf(workload)
		for _, pod := range podsOf(world, workload) {
			pods = append(pods, pod)
			owners[podRef(pod)] = change.NamespacedRef{Kind: string(kind), Namespace: workload.GetNamespace(), Name: workload.GetName()}
		}
	}
	if class == nil || len(steps) == 0 || len(pods) == 0 {
		return nil, nil
	}
	judge, err := scheduling.New(ctx, world.With(Raise(pods, class.Value)...), scheduling.Options{})
	if err != nil {
		return nil, fmt.Errorf("simulating the protection of the HeadroomPolicy %s: %w", policy.Name, err)
	}
	var workloads []change.NamespacedRef
	for _, step := range steps {
		o, err := simulation.Run(ctx, judge, step.Changes(), simulation.Options{LeavePending: true})
		if err != nil {
			return nil, fmt.Errorf("simulating the protection of the HeadroomPolicy %s: %w", policy.Name, err)
		}
		for _, fate := range o.Fates {
			if workload, is := owners[fate.Pod]; is && (fate.Kind == outcome.Preempted || fate.Kind == outcome.Lost) && !slices.Contains(workloads, workload) {
				workloads = append(workloads, workload)
			}
		}
	}
	slices.SortFunc(workloads, func(a, b change.NamespacedRef) int { return strings.Compare(a.String(), b.String()) })
	return workloads, nil
}

// Raise are the edits that give pods of a lower priority this one, and have them preempt nothing.
func Raise(pods []*corev1.Pod, priority int32) []cluster.Edit {
	var edits []cluster.Edit
	for _, pod := range pods {
		if ptr.Deref(pod.Spec.Priority, 0) >= priority {
			continue
		}
		raised := pod.DeepCopy()
		raised.Spec.Priority, raised.Spec.PreemptionPolicy = &priority, ptr.To(corev1.PreemptNever)
		edits = append(edits, cluster.Put(raised))
	}
	return edits
}

func podRef(pod *corev1.Pod) change.Ref {
	return change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name}
}

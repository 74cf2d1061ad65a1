package rules

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// placeholderName is the name of the Deployment and priority class that naosu proposes.
const placeholderName = "headroom"

// placeholderPriority is lower than the default, but high enough for cluster-autoscaler to add nodes for such pods (its
// --expendable-pods-priority-cutoff is -10).
const placeholderPriority = -10

// proposePlaceholders proposes pods that only reserve this much CPU on every node and are preempted first. The jobPods must
// not preempt them; more is how many additional nodes they then need.
func proposePlaceholders(q query.Query, cpu resource.Quantity, jobPods []*corev1.Pod, more int) []finding.Remedy {
	objects := placeholderObjects(cpu)
	objects = append(objects, nonPreemptingClass(jobPods)...)
	inline, err := change.Inline(objects...)
	if err != nil {
		return nil
	}
	for _, ref := range ownersOfPods(q.World, jobPods) {
		if ref.Kind == string(cluster.CronJob) {
			inline += " && " + query.PatchCronJob(ref, map[string]any{"priorityClassName": nonPreemptingClassName}).Command()
		}
	}

	return []finding.Remedy{{
		Message: sentence.RemedyPlaceholders(cpu.String()),
		Change:  change.Apply{From: placeholderName, Objects: objects},
		Command: inline,
		Cost:    sentence.RemedyPlaceholdersCost(cpu.String(), len(q.World.Nodes()), more, q.Enumerate(ownersOfPods(q.World, jobPods))),
		Risk:    sentence.RemedyPlaceholdersRisk(len(jobPods), q.Enumerate(ownersOfPods(q.World, jobPods)), nonPreemptingClassName),
	}}
}

func placeholderObjects(cpu resource.Quantity) []runtime.Object {
	labels := map[string]string{"app": placeholderName}
	class := &schedulingv1.PriorityClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
		ObjectMeta: metav1.ObjectMeta{Name: placeholderName},
		Value:      placeholderPriority, PreemptionPolicy: ptr.To(corev1.PreemptNever),
	}
	set := &appsv1.DaemonSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
		ObjectMeta: metav1.ObjectMeta{Name: placeholderName, Namespace: metav1.NamespaceDefault},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				PriorityClassName: placeholderName, TerminationGracePeriodSeconds: ptr.To[int64](0),
				Containers: []corev1.Container{{
					Name: "pause", Image: "registry.k8s.io/pause:3.10",
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: cpu}},
				}},
			}},
		},
	}
	return []runtime.Object{class, set}
}

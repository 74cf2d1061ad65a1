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
	"github.com/naosu-dev/naosu/internal/message"
)

// headroom names what naosu proposes to hold room with.
const headroom = "headroom"

// balloonPriority is below every pod's that sets none, and cluster-autoscaler still adds nodes for such pods
// (its --expendable-pods-priority-cutoff is -10).
const balloonPriority = -10

// balloons hold so much CPU free on every node, by pods that do nothing and give way first. The guests are pods that must
// not take the balloons' place; more is how many nodes they then need beside the present ones.
func balloons(v query.View, grows change.Ref, cpu resource.Quantity, guests []*corev1.Pod, more int) []finding.Remedy {
	objects := balloonObjects(cpu)
	objects = append(objects, patience(guests)...)
	inline, err := change.Inline(objects...)
	if err != nil {
		return nil
	}
	for _, ref := range ownersOfPods(v.World, guests) {
		if ref.Kind == string(cluster.CronJob) {
			inline += " && " + query.OfCron(ref, map[string]any{"priorityClassName": patientClass}).Command()
		}
	}
	args := message.Args{
		"by": grows, "cpu": cpu.String(), "nodes": len(v.World.Nodes()), "more": more, "class": patientClass,
		"guests": v.Some(ownersOfPods(v.World, guests)), "n": len(guests),
	}
	return []finding.Remedy{{
		Message: v.Say.Text(message.RemedyBalloons, args),
		Change:  change.Apply{From: headroom, Objects: objects},
		Command: inline,
		Cost:    v.Say.Text(message.RemedyBalloonCost, args),
		Risk:    v.Say.Text(message.RemedyBalloonRisk, args),
	}}
}

func balloonObjects(cpu resource.Quantity) []runtime.Object {
	labels := map[string]string{"app": headroom}
	class := &schedulingv1.PriorityClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
		ObjectMeta: metav1.ObjectMeta{Name: headroom},
		Value:      balloonPriority, PreemptionPolicy: ptr.To(corev1.PreemptNever),
	}
	set := &appsv1.DaemonSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
		ObjectMeta: metav1.ObjectMeta{Name: headroom, Namespace: metav1.NamespaceDefault},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				PriorityClassName: headroom, TerminationGracePeriodSeconds: ptr.To[int64](0),
				Containers: []corev1.Container{{
					Name: "balloon", Image: "registry.k8s.io/pause:3.10",
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: cpu}},
				}},
			}},
		},
	}
	return []runtime.Object{class, set}
}

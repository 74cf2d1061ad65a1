package cluster

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// ClusterAutoscalers are the containers of Deployments that run cluster-autoscaler. Where a cloud runs it outside of the cluster, there are none.
func (s *Snapshot) ClusterAutoscalers() []corev1.Container {
	const program = "cluster-autoscaler"
	var all []corev1.Container
	for _, d := range s.Deployments() {
		runs := slices.DeleteFunc(slices.Clone(d.Spec.Template.Spec.Containers), func(c corev1.Container) bool {
			return !strings.Contains(c.Image, program) && (len(c.Command) == 0 || !strings.Contains(c.Command[0], program))
		})
		if isScaledUp(d) {
			all = append(all, runs...)
		}
	}
	return all
}

func isScaledUp(d *appsv1.Deployment) bool { return ptr.Deref(d.Spec.Replicas, 1) > 0 }

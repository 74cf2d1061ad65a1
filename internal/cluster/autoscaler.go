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

// VerticalAutoscalers are the Deployments that run the cluster-proportional-vertical-autoscaler.
func (s *Snapshot) VerticalAutoscalers() []*appsv1.Deployment {
	return s.index.autoscalers.find(allKey, s.Deployments)
}

// allKey is the key of a lookup with one key only.
const allKey = ""

func verticalAutoscalerKeys(d *appsv1.Deployment) []string {
	for i := range d.Spec.Template.Spec.Containers {
		if IsVerticalAutoscaler(&d.Spec.Template.Spec.Containers[i]) {
			return []string{allKey}
		}
	}
	return nil
}

// IsVerticalAutoscaler reports whether a container is the cluster-proportional-vertical-autoscaler.
func IsVerticalAutoscaler(c *corev1.Container) bool {
	image := c.Image[strings.LastIndexByte(c.Image, '/')+1:]
	return strings.HasPrefix(image, "cpvpa") || strings.HasPrefix(image, "cluster-proportional-vertical-autoscaler")
}

func isScaledUp(d *appsv1.Deployment) bool { return ptr.Deref(d.Spec.Replicas, 1) > 0 }

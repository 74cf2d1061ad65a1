package fast

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/mapkey"
)

// podSpecReadBy says, of each plugin whose answer for a node follows from the pod and that node's info alone (a local plugin),
// which part of the pod's spec it reads. Every other plugin is asked anew each time.
//
// Source: the plugins' Filter and Score in pkg/scheduler/framework/plugins of Kubernetes 1.36. ImageLocality also reads
// the number of nodes and how many have an image, which is the ImagesVersion of the store's nodes.
var podSpecReadBy = map[string]func(*corev1.PodSpec) corev1.PodSpec{
	names.NodeName:          func(s *corev1.PodSpec) corev1.PodSpec { return corev1.PodSpec{NodeName: s.NodeName} },
	names.NodeUnschedulable: tolerations, names.TaintToleration: tolerations,
	names.NodeAffinity: func(s *corev1.PodSpec) corev1.PodSpec {
		part := corev1.PodSpec{NodeSelector: s.NodeSelector}
		if s.Affinity != nil && s.Affinity.NodeAffinity != nil {
			part.Affinity = &corev1.Affinity{NodeAffinity: s.Affinity.NodeAffinity}
		}
		return part
	},
	names.NodePorts: func(s *corev1.PodSpec) corev1.PodSpec {
		return containers(s, func(c *corev1.Container) corev1.Container {
			return corev1.Container{Ports: c.Ports, RestartPolicy: c.RestartPolicy}
		})
	},
	names.NodeResourcesFit: requests, names.NodeResourcesBalancedAllocation: requests,
	names.ImageLocality: func(s *corev1.PodSpec) corev1.PodSpec {
		part := containers(s, func(c *corev1.Container) corev1.Container { return corev1.Container{Image: c.Image} })
		for _, v := range s.Volumes {
			if v.Image != nil {
				part.Volumes = append(part.Volumes, v)
			}
		}
		return part
	},
	names.NodeDeclaredFeatures: allRelevant,
	names.DynamicResources:     requests, // where there are no devices, a condition of the fast path
}

func tolerations(s *corev1.PodSpec) corev1.PodSpec { return corev1.PodSpec{Tolerations: s.Tolerations} }

func requests(s *corev1.PodSpec) corev1.PodSpec {
	part := containers(s, func(c *corev1.Container) corev1.Container {
		return corev1.Container{Resources: c.Resources, RestartPolicy: c.RestartPolicy}
	})
	part.Overhead, part.Resources = s.Overhead, s.Resources
	return part
}

// allRelevant leaves out what no plugin reads and what differs between pods of one template.
func allRelevant(s *corev1.PodSpec) corev1.PodSpec {
	part := *s
	part.Containers, part.InitContainers = withoutIrrelevant(s.Containers), withoutIrrelevant(s.InitContainers)
	part.Volumes, part.Hostname, part.Subdomain = nil, "", ""
	for _, v := range s.Volumes {
		if !isNodeLocal(&v) {
			part.Volumes = append(part.Volumes, v)
		}
	}
	return part
}

// isNodeLocal says that the kubelet makes a volume on the pod's node, so that no plugin looks at it.
func isNodeLocal(v *corev1.Volume) bool {
	return v.Projected != nil || v.ConfigMap != nil || v.Secret != nil || v.EmptyDir != nil || v.DownwardAPI != nil
}

func withoutIrrelevant(all []corev1.Container) []corev1.Container {
	part := make([]corev1.Container, len(all))
	for i := range all {
		part[i] = all[i]
		c := &part[i]
		c.Command, c.Args, c.Env, c.EnvFrom, c.VolumeMounts, c.VolumeDevices = nil, nil, nil, nil, nil, nil
		c.LivenessProbe, c.ReadinessProbe, c.StartupProbe, c.Lifecycle = nil, nil, nil, nil
	}
	return part
}

func containers(s *corev1.PodSpec, part func(*corev1.Container) corev1.Container) corev1.PodSpec {
	var parts corev1.PodSpec
	for i := range s.Containers {
		parts.Containers = append(parts.Containers, part(&s.Containers[i]))
	}
	for i := range s.InitContainers {
		parts.InitContainers = append(parts.InitContainers, part(&s.InitContainers[i]))
	}
	return parts
}

// keyOf is the key of a pod's class, in a buffer that the next key overwrites.
func (all *classes) keyOf(pod *corev1.Pod) []byte {
	key := mapkey.AppendText(all.key[:0], pod.Namespace)
	key = mapkey.AppendLabels(key, pod.Labels)
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		key = mapkey.AppendText(mapkey.AppendText(mapkey.AppendText(key, owner.APIVersion), owner.Kind), owner.Name)
	}
	all.part = allRelevant(&pod.Spec)
	all.key = mapkey.AppendMessage(append(key, 1), &all.part)
	return all.key
}

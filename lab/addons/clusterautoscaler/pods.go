package clusterautoscaler

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/resource"
)

const (
	daemonSetPodAnnotation = "cluster-autoscaler.kubernetes.io/daemonset-pod"
	mirrorAnnotation       = "kubernetes.io/config.mirror"
)

// nodeOf is where a pod is, or where the scheduler has made room for it by preemption.
func nodeOf(p *corev1.Pod) string {
	if p.Spec.NodeName == "" && p.DeletionTimestamp == nil {
		return p.Status.NominatedNodeName
	}
	return p.Spec.NodeName
}

// isUnschedulable is what the scheduler said of it. A pod that has preempted its room is not counted.
func isUnschedulable(p *corev1.Pod) bool {
	if nodeOf(p) != "" || p.DeletionTimestamp != nil {
		return false
	}
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
	})
}

func isDaemonSetPod(p *corev1.Pod) bool {
	return controllerKind(p) == "DaemonSet" || p.Annotations[daemonSetPodAnnotation] == "true"
}

func isMirrorPod(p *corev1.Pod) bool {
	_, ok := p.Annotations[mirrorAnnotation]
	return ok
}

func priority(p *corev1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

func requests(p *corev1.Pod) corev1.ResourceList {
	return resource.PodRequests(p, resource.PodResourcesOptions{UseStatusResources: true})
}

// podGroup are pods that one verdict answers for: of one controller and equal in all that scheduling looks at.
type podGroup []*corev1.Pod

// groupEquivalentPods keeps the order of the pods. Bare pods are each on their own.
func groupEquivalentPods(pods []*corev1.Pod) []podGroup {
	var groups []podGroup
	byOwner := map[types.UID][]int{}
	for _, p := range pods {
		owner := metav1.GetControllerOf(p)
		if owner == nil {
			groups = append(groups, podGroup{p})
			continue
		}
		known := byOwner[owner.UID]
		i := slices.IndexFunc(known, func(i int) bool { return equivalent(groups[i][0], p) })
		if i >= 0 {
			groups[known[i]] = append(groups[known[i]], p)
			continue
		}
		byOwner[owner.UID] = append(known, len(groups))
		groups = append(groups, podGroup{p})
	}
	return groups
}

func equivalent(a, b *corev1.Pod) bool {
	return maps.Equal(a.Labels, b.Labels) && equality.Semantic.DeepEqual(schedulingSpec(a), schedulingSpec(b))
}

// schedulingSpec is the spec without what differs between replicas and does not matter to the scheduler: the names of projected volumes
// and where they are mounted, and the hostname.
func schedulingSpec(p *corev1.Pod) corev1.PodSpec {
	spec := *p.Spec.DeepCopy()
	spec.Hostname = ""
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Projected != nil })
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			containers[i].VolumeMounts = nil
		}
	}
	return spec
}

func filterPods(pods []*corev1.Pod, wanted func(*corev1.Pod) bool) []*corev1.Pod {
	var kept []*corev1.Pod
	for _, p := range pods {
		if wanted(p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// Package cgroup finds a cgroup's pod and container by its path.
package cgroup

import (
	"regexp"
	"strings"
)

// pod is the part of a cgroup's path that has the pod's UID, with either cgroup driver of the kubelet, and what follows it, which has
// the container's ID (https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/cm/cgroup_manager_linux.go). Static pods' UIDs
// have no dashes. containerd with the other driver than the kubelet puts colons between the parts.
var pod = regexp.MustCompile(`[/-]pod([0-9a-f]{8}(?:[-_]?[0-9a-f]{4}){3}[-_]?[0-9a-f]{12})(?:\.slice)?(?:[/:\n]|$)(?:(?:cri-containerd|crio|docker)[-:])?([0-9a-f]{64}\b)?`)

// Pod is the UID of the pod that a cgroup is of, and the ID of the container, by the cgroup's path or by the whole of a
// /proc/PID/cgroup. What is not of a pod or container is empty. What a container makes of cgroups below its own changes neither.
func Pod(path string) (uid, container string) {
	found := pod.FindStringSubmatch(path)
	if found == nil {
		return "", ""
	}
	return strings.ReplaceAll(found[1], "_", "-"), found[2]
}

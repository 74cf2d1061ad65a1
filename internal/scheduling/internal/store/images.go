package store

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// imageTable counts on how many nodes each image is. Nodes that have an image share its entry, as in the scheduler's own
// cache (pkg/scheduler/backend/cache/cache.go), so that a count that changes has changed for all of them.
type imageTable map[string]*fwk.ImageStateSummary

// swap counts the images of one node in place of another's, either of which may be nil, and returns the entries of those
// that it has now.
func (t imageTable) swap(before, after *corev1.Node) map[string]*fwk.ImageStateSummary {
	t.count(before, -1)
	t.count(after, 1)
	if after == nil {
		return nil
	}
	states := make(map[string]*fwk.ImageStateSummary, len(after.Status.Images))
	for _, image := range after.Status.Images {
		for _, name := range image.Names {
			states[name] = t[name]
		}
	}
	return states
}

func (t imageTable) count(node *corev1.Node, change int) {
	if node == nil {
		return
	}
	for _, image := range node.Status.Images {
		for _, name := range image.Names {
			if t[name] == nil {
				t[name] = &fwk.ImageStateSummary{Size: image.SizeBytes}
			}
			t[name].NumNodes += change
		}
	}
}

// Absent says that no node has any of the pod's images: ImageLocality then scores every node alike.
func (t imageTable) Absent(spec *corev1.PodSpec) bool {
	for i := range spec.InitContainers {
		if t.has(spec.InitContainers[i].Image) {
			return false
		}
	}
	for i := range spec.Containers {
		if t.has(spec.Containers[i].Image) {
			return false
		}
	}
	return !slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Image != nil && t.has(v.Image.Reference) })
}

// has looks for an image also by the name that the plugin gives one without a tag.
func (t imageTable) has(image string) bool {
	for _, name := range []string{image, image + ":latest"} {
		if entry := t[name]; entry != nil && entry.NumNodes > 0 {
			return true
		}
	}
	return false
}

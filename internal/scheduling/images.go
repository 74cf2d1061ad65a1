package scheduling

import (
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

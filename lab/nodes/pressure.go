package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

// The kubelet's eviction manager: pkg/kubelet/eviction/eviction_manager.go.
const (
	monitorInterval          = 10 * time.Second
	pressureTransitionPeriod = 5 * time.Minute
	evictionGrace            = time.Second
)

// podToEvict is the pod that a node short of memory evicts first, or nil: one that uses more than it requested, of the lowest
// priority, furthest above its request.
func podToEvict(pods []*corev1.Pod) *corev1.Pod {
	candidates := slices.DeleteFunc(slices.Clone(pods), isCritical)
	if len(candidates) == 0 {
		return nil
	}
	exceeds := func(p *corev1.Pod) int { return cmp.Compare(0, max(excess(p), 0)) } // -1 if it does
	return slices.MinFunc(candidates, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(exceeds(a), exceeds(b)), cmp.Compare(priority(a), priority(b)),
			cmp.Compare(excess(b), excess(a)), cmp.Compare(a.UID, b.UID))
	})
}

// excess is how much more memory a pod uses than it requested, in bytes.
func excess(pod *corev1.Pod) int64 { return memoryUse(pod) - memoryRequest(pod) }

func memoryRequest(pod *corev1.Pod) int64 {
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	return requests.Memory().Value()
}

func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// evicted is the termination of a pod on a node that has so much memory left, in the kubelet's words. The use is put
// down to the pod's first container.
func evicted(pod *corev1.Pod, available int64, grace time.Duration) *termination {
	size := func(n int64) string { return resource.NewQuantity(n, resource.BinarySI).String() }
	message := fmt.Sprintf("The node was low on resource: memory. Threshold quantity: %s, available: %s. ", size(evictionHard), size(available))
	c := &pod.Spec.Containers[0]
	if request := c.Resources.Requests.Memory(); memoryUse(pod) > request.Value() {
		message += fmt.Sprintf("Container %s was using %s, request is %s, has larger consumption of memory. ", c.Name, size(memoryUse(pod)), request)
	}
	return &termination{reason: "Evicted", message: message, disrupted: true, grace: grace}
}

// evictForMemory checks the machine's memory and evicts one pod at a time for as long as too little is left. What the
// system itself uses is taken to be what is reserved for it.
func (f *Fleet) evictForMemory(k *kubelet, w *nextSync) {
	var using []*corev1.Pod
	available, leaving := k.Memory.Value()-k.reservedMemory(), false
	for _, t := range k.pods {
		use := memoryUse(t.pod)
		if use == 0 || !slices.ContainsFunc(t.state.containers, container.alive) {
			continue
		}
		available -= use
		leaving = leaving || !t.state.killAt.IsZero()
		using = append(using, t.pod)
	}
	if available < evictionHard {
		k.lastMemoryShortage = w.now
	}
	relief := k.lastMemoryShortage.Add(f.pace.Real(pressureTransitionPeriod))
	k.memoryPressure = !k.lastMemoryShortage.IsZero() && relief.After(w.now)
	if k.memoryPressure {
		w.add(w.now.Add(f.pace.Real(monitorInterval)))
	}
	if available >= evictionHard || leaving {
		return
	}
	if pod := podToEvict(using); pod != nil {
		t := k.pods[pod.UID]
		f.recordNodeEvent(k, event{corev1.EventTypeWarning, "EvictionThresholdMet", "Attempting to reclaim memory", nil})
		t.state.termination, t.statusWritten = evicted(pod, max(available, 0), f.pace.Real(evictionGrace)), false
		f.syncPod(k, t, w)
	}
}

package nodes

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// syncFromCache takes over the machine's node and pods from the caches.
func (f *Fleet) syncFromCache(ctx context.Context, k *kubelet) {
	node, err := f.cache.nodes.Get(k.NodeName)
	switch {
	case err == nil && (k.node == nil || !older(node, k.node)):
		k.node, k.nodeCached = node, true
	case err != nil && k.nodeCached:
		k.node, k.nodeCached = nil, false
	}
	pods := f.cache.podsBy(byNode, k.NodeName)
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	here := map[types.UID]bool{}
	for _, pod := range pods {
		here[pod.UID] = true
	}
	for uid, t := range k.pods { // first, because a deleted pod uses no resources
		if !here[uid] && !t.deletedInAPI {
			t.deletedInAPI, t.statusWritten = true, false
		}
	}
	for _, pod := range pods {
		t := k.pods[pod.UID]
		if t == nil {
			t = f.admit(ctx, k, pod)
			k.pods[pod.UID] = t
		}
		if t.cached != pod {
			t.cached = pod
			if !older(pod, t.pod) {
				t.pod = pod
			}
			t.statusWritten = false
		}
	}
	k.nodeReused = false
}

// older compares resource versions, which are whole numbers: KEP-5504.
func older(a, b metav1.Object) bool {
	v, w := a.GetResourceVersion(), b.GetResourceVersion()
	return len(v) < len(w) || len(v) == len(w) && v < w
}

// admit tracks a pod that the kubelet sees for the first time. One that the API says has run here is resumed.
func (f *Fleet) admit(ctx context.Context, k *kubelet, pod *corev1.Pod) *trackedPod {
	t := &trackedPod{pod: pod, ip: pod.Status.PodIP, state: resume(pod)}
	if k.nodeReused {
		t.state.reboot(pod, f.clock.Now())
		t.ip = ""
	}
	if t.state.startTime.IsZero() {
		t.state.startTime = f.clock.Now()
	}
	if t.state.hasSandbox && !t.state.terminated {
		t.volumes, _ = f.cache.attachableVolumes(pod) // mounted, and so in use
	}
	if t.state.hasSandbox || t.state.terminated || pod.DeletionTimestamp != nil || k.node == nil {
		return t
	}
	var others []*corev1.Pod
	for _, o := range k.pods {
		if !o.state.terminated && !o.deletedInAPI {
			others = append(others, o.pod)
		}
	}
	d := admission(pod, others, k.node, k.memoryPressure)
	if d != nil && d.reason == reasonNodeAffinity {
		d = admission(pod, others, f.latestNode(ctx, k), k.memoryPressure)
	}
	if d != nil {
		t.state.termination, t.state.terminated = d, true
		f.recordPodEvent(k, pod, event{corev1.EventTypeWarning, d.reason, strings.TrimPrefix(d.message, "Pod was rejected: "), nil})
	}
	return t
}

// latestNode is a machine's node as the API has it, or as the cache does if the API does not answer. The scheduler may know labels that the cache does not
// have yet, and the kubelet asks for them before it rejects a pod (pkg/kubelet/lifecycle/predicate.go, generalFilter).
func (f *Fleet) latestNode(ctx context.Context, k *kubelet) *corev1.Node {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	node, err := f.client.CoreV1().Nodes().Get(ctx, k.NodeName, metav1.GetOptions{})
	if err != nil {
		return k.node
	}
	return node
}

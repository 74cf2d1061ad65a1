package nodes

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// listen takes over what the caches say of the machine's node and pods.
func (f *Fleet) listen(k *kubelet) {
	node, err := f.news.nodes.Get(k.NodeName)
	switch {
	case err == nil && (k.node == nil || !older(node, k.node)):
		k.node, k.heard = node, true
	case err != nil && k.heard:
		k.node, k.heard = nil, false
	}
	pods := f.news.podsBy(byNode, k.NodeName)
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	here := map[types.UID]bool{}
	for _, pod := range pods {
		here[pod.UID] = true
	}
	for uid, t := range k.pods { // first, because what is gone takes no room
		if !here[uid] && !t.gone {
			t.gone, t.written = true, false
		}
	}
	for _, pod := range pods {
		t := k.pods[pod.UID]
		if t == nil {
			t = f.admit(k, pod)
			k.pods[pod.UID] = t
		}
		if t.heard != pod {
			t.heard = pod
			if !older(pod, t.pod) {
				t.pod = pod
			}
			t.written = false
		}
	}
	k.stranger = false
}

// older compares resource versions, which are whole numbers: KEP-5504.
func older(a, b metav1.Object) bool {
	v, w := a.GetResourceVersion(), b.GetResourceVersion()
	return len(v) < len(w) || len(v) == len(w) && v < w
}

// admit takes in a pod that the kubelet sees for the first time. One that the API says has run here is resumed.
func (f *Fleet) admit(k *kubelet, pod *corev1.Pod) *tenant {
	t := &tenant{pod: pod, ip: pod.Status.PodIP, life: resume(pod)}
	if k.stranger {
		t.life.reboot(pod, f.clock.Now())
		t.ip = ""
	}
	if t.life.since.IsZero() {
		t.life.since = f.clock.Now()
	}
	if t.life.sandbox && !t.life.stopped {
		t.volumes, _ = f.news.attachables(pod) // mounted, and so in use
	}
	if t.life.sandbox || t.life.stopped || pod.DeletionTimestamp != nil || k.node == nil {
		return t
	}
	var others []*corev1.Pod
	for _, o := range k.pods {
		if !o.life.stopped && !o.gone {
			others = append(others, o.pod)
		}
	}
	if d := admission(pod, others, k.node, k.pressed); d != nil {
		t.life.verdict, t.life.stopped = d, true
		f.tellPod(k, pod, happening{corev1.EventTypeWarning, d.reason, strings.TrimPrefix(d.message, "Pod was rejected: "), nil})
	}
	return t
}

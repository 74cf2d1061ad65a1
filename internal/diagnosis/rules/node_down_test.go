package rules

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestEvictionTime has what kube-controller-manager does (pkg/controller/tainteviction, getMinTolerationTime): of the tolerations of
// one taint the shortest counts, one without tolerationSeconds is for ever, and a taint that is not tolerated evicts at once.
func TestEvictionTime(t *testing.T) {
	start := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	taint := func(key string, since time.Duration) corev1.Taint {
		return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: start.Add(since)}}
	}
	tolerate := func(key string, seconds *int64) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: seconds}
	}
	for name, tc := range map[string]struct {
		taints      []corev1.Taint
		tolerations []corev1.Toleration
		at          time.Duration
		want        evictionTime
	}{
		"no taint yet":               {want: evictionUnknown},
		"NoSchedule evicts nobody":   {taints: []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule, TimeAdded: &metav1.Time{Time: start}}}, want: evictionUnknown},
		"nobody knows since when":    {taints: []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoExecute}}, want: evictionUnknown},
		"not tolerated":              {taints: []corev1.Taint{taint("a", 0)}, want: evictionKnown},
		"for five minutes":           {taints: []corev1.Taint{taint("a", 0)}, tolerations: []corev1.Toleration{tolerate("a", new(int64(300)))}, at: 5 * time.Minute, want: evictionKnown},
		"the shortest counts":        {taints: []corev1.Taint{taint("a", 0)}, tolerations: []corev1.Toleration{tolerate("a", new(int64(300))), tolerate("a", new(int64(30)))}, at: 30 * time.Second, want: evictionKnown},
		"one of them is for ever":    {taints: []corev1.Taint{taint("a", 0)}, tolerations: []corev1.Toleration{tolerate("a", nil), tolerate("a", new(int64(30)))}, at: 30 * time.Second, want: evictionKnown},
		"negative seconds are zero":  {taints: []corev1.Taint{taint("a", 0)}, tolerations: []corev1.Toleration{tolerate("a", new(int64(-5)))}, want: evictionKnown},
		"for ever":                   {taints: []corev1.Taint{taint("a", 0)}, tolerations: []corev1.Toleration{tolerate("a", nil)}, want: evictionNever},
		"the earlier of two taints":  {taints: []corev1.Taint{taint("a", 0), taint("b", time.Minute)}, tolerations: []corev1.Toleration{tolerate("a", new(int64(300)))}, at: time.Minute, want: evictionKnown},
		"one for ever, one at once":  {taints: []corev1.Taint{taint("a", 0), taint("b", time.Minute)}, tolerations: []corev1.Toleration{tolerate("a", nil)}, at: time.Minute, want: evictionKnown},
		"another key is not the one": {taints: []corev1.Taint{taint("a", 0)}, tolerations: []corev1.Toleration{tolerate("b", nil)}, want: evictionKnown},
	} {
		t.Run(name, func(t *testing.T) {
			at, got := evictionTimeOf(&corev1.Node{Spec: corev1.NodeSpec{Taints: tc.taints}}, &corev1.Pod{Spec: corev1.PodSpec{Tolerations: tc.tolerations}})
			if got != tc.want {
				t.Fatalf("got %d, want %d", got, tc.want)
			}
			if got == evictionKnown && !at.Equal(start.Add(tc.at)) {
				t.Errorf("at %s, want %s", at, start.Add(tc.at))
			}
		})
	}
}
